/* tiny.h — products of so few floats that calling a library takes longer than multiplying.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/matrix/gemm-shape.h"

/* Whether the product is small enough for hyb_tiny_gemm(). */
gboolean hyb_tiny_is_faster (const HybGemm *gemm);
/* Computes such a product; the bytes are the same at every level of vector instructions. */
void hyb_tiny_gemm (const HybGemm *gemm, const float *a, const float *b, float *c);
