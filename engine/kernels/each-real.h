/* each-real.h — compiles one kernel for float and for double.
 *
 * To use it, define REAL_KERNEL as the path of the file with the kernel and include this header:
 * it includes that file twice, with REAL as the element type, REAL_LOWEST as its lowest finite
 * value and NAME (x) giving x_f32 or x_f64.  The kernel file includes only other files of this
 * kind; with <tgmath.h>, exp() and the like have the right width.  There is no include guard,
 * because a source file may have several kernels.
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
