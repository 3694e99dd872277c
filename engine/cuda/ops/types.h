/* types.h — element types in the text of kernels.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

/* The name of a stored element in kernels ("Half"). */
const char *hyb_cuda_stored_type (HybDType dtype);
/* The name of the type that results of formulas are converted to ("float" for half floats). */
const char *hyb_cuda_result_type (HybDType dtype);
/* The type in which the processor's kernel computes with values of this type; the GPU does the same. */
HybDType hyb_cuda_computed_type (const HybOp *op, HybDType dtype);
