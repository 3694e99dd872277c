/* tiles.h — products of two matrices of floats, of any size, as they lie: C[m,n] = alpha op(A)[m,k] op(B)[k,n] + beta C.
 *
 * A tile of C, some rows of a few vectors, is summed in registers.  Nothing is packed, except that a transposed B is
 * transposed block by block.  gemm.h sends every product of floats here that is neither one with a vector nor faster by dots.h
 * or tiny.h.
 *
 * The instruction set is chosen at run time.  An element of the result depends neither on the number of threads nor
 * on the other rows and columns.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/matrix/gemm-shape.h"

/* Returns the time of hyb_tiles_multiply(), in multiply-adds of one vector, where the matrices are in a cache. */
double hyb_tiles_cost (const HybGemm *gemm);
/* Computes the product; m, n and k are at least 1.  bias (n) is added to every row; NULL for no bias. */
void hyb_tiles_multiply (const HybGemm *gemm,
                         const float   *a,
                         const float   *b,
                         const float   *bias,
                         float         *c);
