/* binary-vector.h — the loops of binary.h that have vector kernels of their own: sums, differences, products and extremes of
 * float32, float64, int32 and int64, and quotients of floats.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/binary-function.h"
#include "engine/tensor/dtype.h"

/* Returns the loop for this processor; NULL if there is none. */
HybBinaryLoop hyb_binary_vector_loop (HybBinary function, HybDType dtype);
