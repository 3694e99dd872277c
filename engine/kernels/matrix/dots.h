/* dots.h — products of few rows or columns with a transposed matrix: C[m,n] = sum_l A[m,l] B[n,l] + beta C.
 *
 * Rows of A and B are multiplied as they lie, vector by vector, and the lanes of each sum are added
 * at its end.  Nothing is packed, which takes longer than the lanes where each weight meets few rows.  A matrix of few
 * columns that is not transposed is transposed first.
 *
 * The instruction set is chosen at run time.  An element of the result depends neither on the
 * number of threads nor on the other rows.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/matrix/gemm-shape.h"

/* Whether hyb_dots_multiply() can compute the product and is faster than tiles.h on this
 * processor. */
gboolean hyb_dots_is_faster (const HybGemm *gemm);
/* Computes C = A op(B) + beta C.  bias (n) is added to every row; NULL for no bias.  Call it only where
 * hyb_dots_is_faster() returned TRUE. */
void hyb_dots_multiply (const HybGemm *gemm,
                        const float   *a,
                        const float   *b,
                        const float   *bias,
                        float         *c);
