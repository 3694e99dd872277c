/* tensor-list.h — a list of named tensors, such as the contents of a parameter file.
 *
 * The list keeps the order of the file, finds tensors by name, and carries the findings of the reader.  It is reference
 * counted. Threads: references are counted atomically; any number of threads may read a list while none changes it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/tensor/tensor.h"

G_BEGIN_DECLS
/* An entry of a HybTensorList. */
typedef struct
{
  char      *name;
  HybTensor *tensor; /* NULL if the file's entry has no contents */
} HybNamedTensor;
/* Named tensors in the order of their file. */
typedef struct _HybTensorList HybTensorList;

/* An empty list.  (transfer full) */
HYB_API HybTensorList *hyb_tensor_list_new (void);
/* Adds a reference and returns list. */
HYB_API HybTensorList *hyb_tensor_list_ref (HybTensorList *list);
/* Drops a reference. */
HYB_API void hyb_tensor_list_unref (HybTensorList *list);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybTensorList, hyb_tensor_list_unref)

/* Appends a tensor, which may be NULL; if the name exists already, replaces its tensor and keeps
 * its position.  The list takes a reference of its own. */
HYB_API void hyb_tensor_list_set (HybTensorList *list, const char *name, HybTensor *tensor);
/* The number of entries. */
HYB_API guint hyb_tensor_list_n (HybTensorList *list);
/* An entry, owned by the list. */
HYB_API const HybNamedTensor *hyb_tensor_list_get (HybTensorList *list, guint index);
/* The tensor of this name, owned by the list; NULL if there is none or it has no contents. */
HYB_API HybTensor *hyb_tensor_list_find (HybTensorList *list, const char *name);
/* TRUE if there is an entry of this name, with contents or without. */
HYB_API gboolean hyb_tensor_list_has (HybTensorList *list, const char *name);

/* The reader's findings; of HybFinding.  (transfer none) */
HYB_API GPtrArray *hyb_tensor_list_get_findings (HybTensorList *list);

/* A tensor with the elements at offset in bytes.  It shares the memory of bytes if the alignment
 * and the bytes that follow allow it; otherwise the elements are copied.  The caller must have
 * checked the bounds. */
HYB_API HybTensor *
hyb_tensor_from_bytes (GBytes *bytes, gsize offset, const HybType *type, GError **error);

/* TRUE if the product of all dimensions except zeros is no more than a file or a memory can hold.
 * Only then may dimensions from a file be multiplied without checking for overflow. */
HYB_API gboolean hyb_shape_is_plausible (const HybShape *shape);

G_END_DECLS
