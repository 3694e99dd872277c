/* functions.h — the mathematical functions that kernels may call, as lists for kernel and host.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* clang-format off */
#define FUNCTIONS_OF_ONE(DO) \
  DO (exp) DO (log) DO (tanh) DO (erf) DO (sin) DO (cos) \
  DO (tan) DO (sqrt) DO (cbrt) DO (floor) DO (ceil) DO (rint) \
  DO (trunc) DO (lgamma) DO (tgamma) DO (log1p) DO (expm1) DO (asin) \
  DO (acos) DO (atan) DO (sinh) DO (asinh) DO (acosh) DO (atanh) \
  DO (log2) DO (log10) DO (round) DO (erfc) DO (exp2) DO (cosh) \
  DO (fabs)
#define FUNCTIONS_OF_TWO(DO) \
  DO (pow) DO (fmod) DO (atan2) DO (hypot) DO (copysign) DO (fmin) DO (fmax)
/* clang-format on */
