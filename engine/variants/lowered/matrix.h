/* matrix.h — stored matrices in another order.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/tensor.h"

/* A float32 matrix with rows and columns exchanged.  NULL: there is not enough memory.  (transfer full) */
HybTensor *hyb_matrix_transpose (HybTensor *matrix);
