/* matrix-pairs.h — the pairs of matrices that numpy.matmul multiplies: those of the last two axes, the axes before them
 * broadcast.  Vectors are rows on the left and columns on the right.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

/* The product of one pair of matrices, and the pairs. */
typedef struct
{
  gint64 m, n, k;
  int    rank; /* of the batch */
  gint64 dim[HYB_MAX_RANK];
  gint64 a[HYB_MAX_RANK], b[HYB_MAX_RANK]; /* strides of the operands; 0 where broadcast */
} HybMatrixPairs;

/* infer_shape of the product of inputs 0 and 1. */
gboolean hyb_matrix_pairs_infer (HybCall *call, GError **error);
/* Returns the pairs of two known shapes. */
HybMatrixPairs hyb_matrix_pairs_find (const HybShape *left, const HybShape *right);
/* Returns their number. */
gint64 hyb_matrix_pairs_count (const HybMatrixPairs *pairs);
/* Sets strides of the result, whose matrices follow each other. */
void hyb_matrix_pairs_result (const HybMatrixPairs *pairs, gint64 *stride);
/* Returns the element at which the matrix of pair number `index` starts in an operand with these strides. */
gint64 hyb_matrix_pairs_offset (const HybMatrixPairs *pairs, const gint64 *stride, gint64 index);
