/* each-real.h — a kernel written once for float and double.
 *
 * Define REAL_KERNEL as the path of the file with the kernel and include this: the
 * file is read twice, with REAL as the type and NAME (x) giving x_f32 or x_f64.
 * Such files include nothing themselves but others of their kind; <tgmath.h> gives
 * them exp() and the like in the right width.  No guard: a file may have several kernels.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#define REAL        float
#define NAME(x)     x##_f32
#define REAL_LOWEST (-FLT_MAX)
#include REAL_KERNEL
#undef REAL
#undef NAME
#undef REAL_LOWEST

#define REAL        double
#define NAME(x)     x##_f64
#define REAL_LOWEST (-DBL_MAX)
#include REAL_KERNEL
#undef REAL
#undef NAME
#undef REAL_LOWEST
#undef REAL_KERNEL
