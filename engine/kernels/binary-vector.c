/* binary-vector.c — sums, differences, products, quotients and extremes by vector instructions.
 *
 * The bytes are those of the loops of binary.c, which the compiler vectorises for SSE2 only.  Longer
 * vectors matter although memory limits these loops: fewer instructions for a cache line let the
 * processor read further ahead.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/binary-vector.h"

#include "engine/kernels/division.h"
#include "engine/kernels/vectorise.h"

#define SIMD_KERNEL "engine/kernels/binary-vector-kernel.h"
#include "engine/kernels/simd/each-simd.h"

HybBinaryLoop
hyb_binary_vector_loop (HybBinary function, HybDType dtype)
{
  return HYB_SIMD_CHOOSE (loops)[dtype][function];
}
