/* softmax.h — exponentials scaled to sum to one, for softmax and the losses built on it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/shape.h"

typedef struct
{
  gint64        outer, length, inner; /* the tensor seen from the axis */
  double        scale;                /* of the input: 1 / temperature, negative for softmin */
  gboolean      log;                  /* the logarithm instead */
  gconstpointer row_lengths;          /* outer × inner numbers: past them is 0; NULL: none */
  HybDType      row_lengths_dtype;
} HybSoftmaxView;

/* Axis from the first to the last of shape, already checked; scale is 1. */
void hyb_softmax_init (HybSoftmaxView *softmax, const HybShape *shape, int axis);

/* x and to may be the same.  dtype: HYB_F32 or HYB_F64, of everything. */
void
hyb_softmax_forward (const HybSoftmaxView *softmax, HybDType dtype, gconstpointer x, gpointer to);

/* From the output y and its gradient; to may be either. */
void hyb_softmax_backward (const HybSoftmaxView *softmax,
                           HybDType              dtype,
                           gconstpointer         y,
                           gconstpointer         dy,
                           gpointer              to);
