/* vector-math-kernel.h — the loops of vector-math.c for one instruction set: y[i] = f(x[i]).
 *
 * map_exp, map_tanh and the others run over i in steps of four vectors.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/vector-angles.h"
#include "engine/kernels/simd/vector-functions.h"
#include "engine/kernels/simd/vector-hyperbolics.h"
#include "engine/kernels/simd/vector-map.h"

HYB_MAP (exp)
HYB_MAP (tanh)
HYB_MAP (sigmoid)
HYB_MAP (erf)
HYB_MAP (softplus)
HYB_MAP (expm1)
HYB_MAP (log)
HYB_MAP (sin)
HYB_MAP (cos)
HYB_MAP (tan)
HYB_MAP (asin)
HYB_MAP (acos)
HYB_MAP (atan)
HYB_MAP (log1p)
HYB_MAP (sinh)
HYB_MAP (cosh)
HYB_MAP (asinh)
HYB_MAP (acosh)
HYB_MAP (atanh)
