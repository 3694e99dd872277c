/* tensor.h — tensors: typed memory, reference-counted, 64-byte aligned, row-major, contiguous.
 *
 * A tensor may borrow its data from a mapped file or another tensor, so that opening weights copies nothing; it is read only.
 * Threads: references are counted atomically.  Elements are not locked: many threads may read them, or one may write.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/tensor/shape.h"

G_BEGIN_DECLS
/* Typed memory, see the head of the file. */
typedef struct _HybTensor HybTensor;
/* The alignment of data, in bytes. */
#define HYB_ALIGNMENT 64

/* Allocates a tensor of a known type; its data is not cleared.  Returns NULL and an error if the
 * size overflows or memory is short. */
HYB_API HybTensor *hyb_tensor_new (const HybType *type, GError **error);
/* Like hyb_tensor_new(), with all elements 0. */
HYB_API HybTensor *hyb_tensor_new_zeros (const HybType *type, GError **error);
/* Borrows data, which must stay valid until the tensor is freed; then destroy (owner) is called,
 * unless destroy is NULL. */
HYB_API HybTensor *
hyb_tensor_new_wrapped (const HybType *type, gpointer data, gpointer owner, GDestroyNotify destroy);
/* Returns a tensor of another type over a part of the parent's data, from byte `offset` on.  It
 * holds a reference to the parent. */
HYB_API HybTensor *hyb_tensor_new_view (HybTensor *parent, const HybType *type, gsize offset);
/* A copy with memory of its own, or NULL if memory is short.  (transfer full) */
HYB_API HybTensor *hyb_tensor_copy (HybTensor *tensor);
/* Returns the tensor converted to another type, or a new reference if it has that type already.
 * NULL if memory is short. */
HYB_API HybTensor *hyb_tensor_convert (HybTensor *tensor, HybDType dtype);
/* A float32 tensor with a copy of values, or of zeros if values is NULL.  NULL if memory is short. */
HYB_API HybTensor *hyb_tensor_new_float (int rank, const gint64 *dims, const float *values);
/* A float32 tensor of shape (1).  (transfer full) */
HYB_API HybTensor *hyb_tensor_new_scalar (double value);

/* Adds a reference and returns tensor. */
HYB_API HybTensor *hyb_tensor_ref (HybTensor *tensor);
/* Drops a reference; the last one frees the tensor.  Accepts NULL. */
HYB_API void hyb_tensor_unref (HybTensor *tensor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybTensor, hyb_tensor_unref)

/* The following functions accept NULL, which reading the numbers of a traced array returns: nothing is
 * known then, and there are no elements. */

/* Shape and dtype, owned by the tensor. */
HYB_API const HybType *hyb_tensor_get_type (const HybTensor *tensor);
/* The shape, owned by the tensor. */
HYB_API const HybShape *hyb_tensor_get_shape (const HybTensor *tensor);
/* The element type. */
HYB_API HybDType hyb_tensor_get_dtype (const HybTensor *tensor);
/* The elements, owned by the tensor. */
HYB_API gpointer hyb_tensor_get_data (const HybTensor *tensor);
/* The size of the elements in bytes. */
HYB_API gsize hyb_tensor_get_bytes (const HybTensor *tensor);
/* The number of elements. */
HYB_API gint64 hyb_tensor_get_size (const HybTensor *tensor);
/* One element as a double; NaN if there is no such element. */
HYB_API double hyb_tensor_get_value (const HybTensor *tensor, gint64 index);
/* Writes up to max elements, starting at first, as doubles; returns how many, 0 from the end on. */
HYB_API gint64 hyb_tensor_get_values (const HybTensor *tensor,
                                      gint64           first,
                                      gint64           max,
                                      double          *values);
/* The result of hyb_tensor_statistics(). */
typedef struct
{
  double minimum, maximum, mean, deviation;
  gint64 n_nan, n_infinite;
} HybStatistics;

/* Computes the statistics of the finite elements, all four NaN if there are none, and counts the
 * others. */
HYB_API void hyb_tensor_statistics (const HybTensor *tensor, HybStatistics *statistics);

G_END_DECLS
