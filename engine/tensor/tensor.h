/* tensor.h — typed memory: reference-counted, 64-byte aligned, row-major, contiguous.
 *
 * Data may belong to a mapped file or another tensor: then opening weights
 * copies nothing, and writing to it is a bug.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/shape.h"

G_BEGIN_DECLS

typedef struct _HybTensor HybTensor;

#define HYB_ALIGNMENT 64

/* NULL and an error if the size is absurd or memory is short.  Not cleared. */
HybTensor *hyb_tensor_new (const HybType *type, GError **error);
HybTensor *hyb_tensor_new_zeros (const HybType *type, GError **error);
/* Borrows data, which owner keeps alive (released by destroy; both may be NULL). */
HybTensor *
hyb_tensor_new_wrapped (const HybType *type, gpointer data, gpointer owner, GDestroyNotify destroy);
/* The same memory under another type of the same number of bytes, or a part of it. */
HybTensor *hyb_tensor_new_view (HybTensor *parent, const HybType *type, gsize offset);
HybTensor *hyb_tensor_copy (HybTensor *tensor);
HybTensor *hyb_tensor_convert (HybTensor *tensor, HybDType dtype); /* a ref if it already is */
HybTensor *hyb_tensor_new_float (int rank, const gint64 *dims, const float *values);
HybTensor *hyb_tensor_new_scalar (double value); /* float32, shape (1) */

HybTensor *hyb_tensor_ref (HybTensor *tensor);
void       hyb_tensor_unref (HybTensor *tensor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybTensor, hyb_tensor_unref)

const HybType  *hyb_tensor_get_type (const HybTensor *tensor);
const HybShape *hyb_tensor_get_shape (const HybTensor *tensor);
HybDType        hyb_tensor_get_dtype (const HybTensor *tensor);
gpointer        hyb_tensor_get_data (const HybTensor *tensor);
gsize           hyb_tensor_get_bytes (const HybTensor *tensor);
gint64          hyb_tensor_get_size (const HybTensor *tensor); /* elements */
double          hyb_tensor_get_value (const HybTensor *tensor, gint64 index);
/* The same of at most so many from first on; how many there were, 0 at the end. */
gint64 hyb_tensor_get_values (const HybTensor *tensor, gint64 first, gint64 most, double *values);

typedef struct
{
  double minimum, maximum, mean, deviation;
  gint64 n_nan, n_infinite;
} HybStatistics;

/* Of the finite elements; NaN for all four when there is none. */
void hyb_tensor_statistics (const HybTensor *tensor, HybStatistics *statistics);

G_END_DECLS
