/* float.c — exact arithmetic of f32 and f64: results are rounded once, to nearest even or as the
 * instruction says.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/machine.h"

#include <fenv.h>
#include <math.h>

#define DIRECTED (PTX_RZ | PTX_RM | PTX_RP)

static void
round_as (guint32 flags)
{
  fesetround (flags & PTX_RZ   ? FE_TOWARDZERO
              : flags & PTX_RM ? FE_DOWNWARD
              : flags & PTX_RP ? FE_UPWARD
                               : FE_TONEAREST);
}

static double
saturate (double value)
{
  return value > 0 ? MIN (value, 1) : 0;
}

static float
flushed (const PtxInstruction *in, float value)
{
  return in->flags & PTX_FTZ ? ptx_flush (value) : value;
}

static double
same_f64 (const PtxInstruction *in, double value)
{
  return value;
}

/* X, y and z are volatile only where the direction of rounding changes around them. */
#define THREE(name, field, type, flush, expression)                                      \
  static type name##_directed_##field (const PtxInstruction *in, type a, type b, type c) \
  {                                                                                      \
    volatile type x = a, y = b, z = c, result;                                           \
    round_as (in->flags);                                                                \
    result = expression;                                                                 \
    round_as (0);                                                                        \
    ((void) y, (void) z);                                                                \
    return result;                                                                       \
  }                                                                                      \
  static void name##_##field (PtxThread *t, const PtxInstruction *in)                    \
  {                                                                                      \
    type x = t->r[in->a].field, y = t->r[in->b].field, z = t->r[in->c].field, result;    \
    if (!in->flags)                                                                      \
      {                                                                                  \
        ((void) y, (void) z);                                                            \
        t->r[in->d].field = expression;                                                  \
        return;                                                                          \
      }                                                                                  \
    x = flush (in, x);                                                                   \
    y = flush (in, y);                                                                   \
    z = flush (in, z);                                                                   \
    result = in->flags & DIRECTED ? name##_directed_##field (in, x, y, z) : expression;  \
    result = flush (in, result);                                                         \
    t->r[in->d].field = in->flags & PTX_SAT ? (type) saturate (result) : result;         \
  }
#define BOTH(name, single, twice) \
  THREE (name, f32, float, flushed, single) THREE (name, f64, double, same_f64, twice)

BOTH (add, x + y, x + y)
BOTH (sub, x - y, x - y)
BOTH (mul, x *y, x *y)
BOTH (div, x / y, x / y)
BOTH (fma, fmaf (x, y, z), fma (x, y, z))
BOTH (sqrt, sqrtf (x), sqrt (x))
BOTH (rcp, 1 / x, 1 / x)

/* The number where one operand is a NaN; -0 is smaller than +0. */
static double
smaller (double x, double y)
{
  return isnan (x) || y < x ? y : isnan (y) || x < y ? x : signbit (x) ? x : y;
}

static double
larger (double x, double y)
{
  return isnan (x) || y > x ? y : isnan (y) || x > y ? x : signbit (x) ? y : x;
}

#define PLAIN(name, field, type, expression)                          \
  static void name##_##field (PtxThread *t, const PtxInstruction *in) \
  {                                                                   \
    type x = t->r[in->a].field, y = t->r[in->b].field;                \
    (void) y;                                                         \
    t->r[in->d].field = (type) (expression);                          \
  }
#define PLAIN_BOTH(name, expression) \
  PLAIN (name, f32, float, expression) PLAIN (name, f64, double, expression)

PLAIN_BOTH (min, smaller (x, y))
PLAIN_BOTH (max, larger (x, y))
PLAIN_BOTH (min_nan, isnan (x) || isnan (y) ? x + y : smaller (x, y))
PLAIN_BOTH (max_nan, isnan (x) || isnan (y) ? x + y : larger (x, y))
PLAIN_BOTH (neg, -x)
PLAIN (abs, f32, float, fabsf (x))
PLAIN_BOTH (copysign, copysign (y, x))
/* The compiler may turn fabs into a comparison; the sign of a NaN goes too. */
PLAIN (abs, f64, double, fabs (x))

/* What the hardware compares: NaN, infinity and the like of one number. */
#define TEST(name, field, expression)                                        \
  static void test_##name##_##field (PtxThread *t, const PtxInstruction *in) \
  {                                                                          \
    t->r[in->d].u64 = (expression (t->r[in->a].field)) != 0;                 \
  }

TEST (finite, f32, isfinite)
TEST (finite, f64, isfinite)
TEST (infinite, f32, isinf)
TEST (infinite, f64, isinf)
TEST (nan, f32, isnan)
TEST (nan, f64, isnan)

#define ROUNDED(name, form, type, step)              \
  {                                                  \
    name "." type, "rn rz rm rp ftz sat", form, step \
  }
#define ROWS(name, form) \
  ROUNDED (#name, form, "f32", name##_f32), ROUNDED (#name, form, "f64", name##_f64)
#define PLAIN_ROWS(name, step, form)        \
  { name ".f32", "ftz", form, step##_f32 }, \
  {                                         \
    name ".f64", "", form, step##_f64       \
  }
#define TESTS(name) PLAIN_ROWS ("testp." #name, test_##name, "da")

const PtxOpcode ptx_opcodes_float[] = {
  ROWS (add, "dab"),
  ROWS (sub, "dab"),
  ROWS (mul, "dab"),
  ROWS (fma, "dabc"),
  ROUNDED ("mad", "dabc", "f32", fma_f32),
  ROUNDED ("mad", "dabc", "f64", fma_f64),
  { "div.rn.f32", "ftz", "dab", div_f32 },
  { "div.rn.f64", "", "dab", div_f64 },
  { "div.rz.f32", "ftz", "dab", div_f32 },
  { "div.rz.f64", "", "dab", div_f64 },
  { "sqrt.rn.f32", "ftz", "da", sqrt_f32 },
  { "sqrt.rn.f64", "", "da", sqrt_f64 },
  { "rcp.rn.f32", "ftz", "da", rcp_f32 },
  { "rcp.rn.f64", "", "da", rcp_f64 },
  PLAIN_ROWS ("min", min, "dab"),
  PLAIN_ROWS ("max", max, "dab"),
  PLAIN_ROWS ("min.NaN", min_nan, "dab"),
  PLAIN_ROWS ("max.NaN", max_nan, "dab"),
  PLAIN_ROWS ("neg", neg, "da"),
  PLAIN_ROWS ("abs", abs, "da"),
  PLAIN_ROWS ("copysign", copysign, "dab"),
  TESTS (finite),
  TESTS (infinite),
  { "testp.notanumber.f32", "", "da", test_nan_f32 },
  { "testp.notanumber.f64", "", "da", test_nan_f64 },
  { 0 },
};
