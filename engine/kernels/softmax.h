/* softmax.h — softmax and log-softmax along one axis, and their gradients.
 *
 * The tensor is seen as outer × length × inner, with the softmax over `length`.  The softmax
 * operators and the losses built on them use it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/shape.h"

typedef struct
{
  gint64        outer, length, inner; /* the shape of the tensor, seen from the axis */
  double        scale;       /* multiplies the input: 1 / temperature, negated for softmin */
  gboolean      log;         /* computes log-softmax */
  gconstpointer row_lengths; /* (outer, inner): elements of each row that count, the others
                                       * give 0; NULL: all count */
  HybDType      row_lengths_dtype;
} HybSoftmaxView;

/* Initialises the view for an axis of shape, 0 ≤ axis < rank; softmax of all elements, scale 1. */
void hyb_softmax_init (HybSoftmaxView *softmax, const HybShape *shape, int axis);

/* Writes to = softmax (scale x); x and to may be the same.  dtype, HYB_F32 or HYB_F64, is the
 * element type of all arrays. */
void
hyb_softmax_forward (const HybSoftmaxView *softmax, HybDType dtype, gconstpointer x, gpointer to);

/* Writes the gradient of x to `to`, given the output y and its gradient dy; to may be y or dy.  Row
 * lengths are ignored: softmax does not need them, because its y is 0 beyond them. */
void hyb_softmax_backward (const HybSoftmaxView *softmax,
                           HybDType              dtype,
                           gconstpointer         y,
                           gconstpointer         dy,
                           gpointer              to);
