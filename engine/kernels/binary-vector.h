/* binary-vector.h — the loops of binary.h for floats that have vector kernels of their own.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/binary-function.h"

/* Returns the loop over floats for this processor; NULL if the function has none. */
HybBinaryLoop hyb_binary_vector_loop (HybBinary function);
