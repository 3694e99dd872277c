/* loop-tensors.h — arrays of tensors and views of rows, for loops that run operator by operator:
 * loop-compute.c and loop-backward-compute.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/tensor.h"

/* An array of n tensors (HybTensor *), all NULL at first, which owns its elements. (transfer
 * full) */
GPtrArray *hyb_loop_tensors_new (guint n);

/* Replaces an element.  tensor: (transfer full), may be NULL. */
void hyb_loop_tensors_set (GPtrArray *tensors, guint index, HybTensor *tensor);

/* A view of row `step` along the slowest axis; legacy: as in hyb_loop_row_shape().
 * (transfer full) */
HybTensor *hyb_loop_tensor_row (HybTensor *whole, gboolean legacy, gint64 step);
