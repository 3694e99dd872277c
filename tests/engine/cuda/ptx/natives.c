/* natives.c — functions of libm that the machine serves where the compiler has no device library:
 * clang leaves a call of expf in the PTX.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/machine.h"

#include <math.h>

#define ONE(name)                                         \
  static void name##_f32 (const PtxValue *x, PtxValue *y) \
  {                                                       \
    y->f32 = name##f (x[0].f32);                          \
  }                                                       \
  static void name##_f64 (const PtxValue *x, PtxValue *y) \
  {                                                       \
    y->f64 = name (x[0].f64);                             \
  }
#define TWO(name)                                         \
  static void name##_f32 (const PtxValue *x, PtxValue *y) \
  {                                                       \
    y->f32 = name##f (x[0].f32, x[1].f32);                \
  }                                                       \
  static void name##_f64 (const PtxValue *x, PtxValue *y) \
  {                                                       \
    y->f64 = name (x[0].f64, x[1].f64);                   \
  }
/* clang-format off */
#define FUNCTIONS_OF_ONE(DO) \
  DO (acos) \
  DO (acosh) \
  DO (asin) \
  DO (asinh) \
  DO (atan) \
  DO (atanh) \
  DO (cbrt) \
  DO (ceil) \
  DO (cos) \
  DO (cosh) \
  DO (erf) \
  DO (erfc) \
  DO (exp) \
  DO (exp2) \
  DO (expm1) \
  DO (fabs) \
  DO (floor) \
  DO (lgamma) \
  DO (log) \
  DO (log10) \
  DO (log1p) \
  DO (log2) \
  DO (rint) \
  DO (round) \
  DO (sin) \
  DO (sinh) \
  DO (sqrt) \
  DO (tan) \
  DO (tanh) \
  DO (tgamma) \
  DO (trunc)
#define FUNCTIONS_OF_TWO(DO) \
  DO (atan2) \
  DO (copysign) \
  DO (fmax) \
  DO (fmin) \
  DO (fmod) \
  DO (hypot) \
  DO (pow)
/* clang-format on */

FUNCTIONS_OF_ONE (ONE)
FUNCTIONS_OF_TWO (TWO)

static void
rsqrt_f32 (const PtxValue *x, PtxValue *y)
{
  y->f32 = (float) (1 / sqrt ((double) x[0].f32));
}

static void
rsqrt_f64 (const PtxValue *x, PtxValue *y)
{
  y->f64 = 1 / sqrt (x[0].f64);
}

#define ROW_ONE(name) { #name "f", name##_f32, 1, 4 }, { #name, name##_f64, 1, 8 },
#define ROW_TWO(name) { #name "f", name##_f32, 2, 4 }, { #name, name##_f64, 2, 8 },

static const struct
{
  const char *name;
  void (*function) (const PtxValue *, PtxValue *);
  guint count;
  gsize bytes;
} natives[] = { FUNCTIONS_OF_ONE (ROW_ONE) FUNCTIONS_OF_TWO (ROW_TWO) ROW_ONE (rsqrt) };

gboolean
ptx_find_native (PtxCall *call)
{
  for (guint i = 0; i < G_N_ELEMENTS (natives); i++)
    if (g_str_equal (natives[i].name, call->name) && call->arguments->len == natives[i].count &&
        call->results->len == 1 &&
        g_array_index (call->results, PtxPlace, 0).bytes == natives[i].bytes &&
        g_array_index (call->arguments, PtxPlace, 0).bytes == natives[i].bytes)
      {
        call->native = natives[i].function;
        return TRUE;
      }
  return FALSE;
}
