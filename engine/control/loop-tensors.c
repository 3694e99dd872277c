/* loop-tensors.c — arrays of tensors and views of rows, for loops that run operator by operator; see
 * loop-tensors.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/control/loop-tensors.h"

#include "engine/analysis/subgraph-types.h"

GPtrArray *
hyb_loop_tensors_new (guint n)
{
  GPtrArray *tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);

  g_ptr_array_set_size (tensors, (int) n);
  return tensors;
}

void
hyb_loop_tensors_set (GPtrArray *tensors, guint index, HybTensor *tensor)
{
  HybTensor *old = tensors->pdata[index];

  tensors->pdata[index] = tensor;
  if (old)
    hyb_tensor_unref (old);
}

HybTensor *
hyb_loop_tensor_row (HybTensor *whole, gboolean legacy, gint64 step)
{
  const HybType *type = hyb_tensor_get_type (whole);
  HybType        row = { hyb_loop_row_shape (&type->shape, legacy), type->dtype };

  return hyb_tensor_new_view (whole, &row, (gsize) step * hyb_type_bytes (&row));
}
