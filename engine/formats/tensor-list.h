/* tensor-list.h — named tensors in the order of their file.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/tensor.h"

G_BEGIN_DECLS

typedef struct
{
  char      *name;
  HybTensor *tensor; /* NULL: the file has an entry without contents */
} HybNamedTensor;

typedef struct _HybTensorList HybTensorList;

HybTensorList *hyb_tensor_list_new (void);
HybTensorList *hyb_tensor_list_ref (HybTensorList *list);
void           hyb_tensor_list_unref (HybTensorList *list);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybTensorList, hyb_tensor_list_unref)

/* A name that is there already gets the new tensor, in its old place. */
void  hyb_tensor_list_set (HybTensorList *list, const char *name, HybTensor *tensor);
guint hyb_tensor_list_n (HybTensorList *list);
const HybNamedTensor *hyb_tensor_list_get (HybTensorList *list, guint index);
HybTensor            *hyb_tensor_list_find (HybTensorList *list, const char *name); /* NULL: none */
gboolean              hyb_tensor_list_has (HybTensorList *list, const char *name);

/* What the reader noticed; (transfer none), of HybFinding. */
GPtrArray *hyb_tensor_list_get_findings (HybTensorList *list);

/* The elements at offset of bytes, mapped where alignment and the bytes that follow
 * allow it, else copied.  The caller has checked the bounds. */
HybTensor *hyb_tensor_from_bytes (GBytes *bytes, gsize offset, const HybType *type, GError **error);

/* Whether the product of all dimensions but the zeros stays within what a file or a
 * memory can hold; only then may any part of it be multiplied. */
gboolean hyb_shape_is_plausible (const HybShape *shape);

G_END_DECLS
