/* approximate.c — instructions whose result the hardware only approximates: exponentials,
 * logarithms, sines, reciprocals.  The machine computes them with libm, so results differ from a
 * GPU's by what PTX allows.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/machine.h"

#include <math.h>

static float
flushed (const PtxInstruction *in, float value)
{
  return in->flags & PTX_FTZ ? ptx_flush (value) : value;
}

#define SINGLE(name, expression)                                                \
  static void name##_f32 (PtxThread *t, const PtxInstruction *in)               \
  {                                                                             \
    float x = flushed (in, t->r[in->a].f32), y = flushed (in, t->r[in->b].f32); \
    (void) y;                                                                   \
    t->r[in->d].f32 = flushed (in, expression);                                 \
  }

SINGLE (ex2, exp2f (x))
SINGLE (lg2, log2f (x))
SINGLE (sin, sinf (x))
SINGLE (cos, cosf (x))
SINGLE (tanh, tanhf (x))
SINGLE (rsqrt, (float) (1 / sqrt ((double) x)))
SINGLE (rcp, 1 / x)
SINGLE (sqrt, sqrtf (x))
SINGLE (div, x / y)

/* The hardware gives the upper half of the result of a double; the lower one is zero. */
static void
upper_half (PtxThread *t, const PtxInstruction *in, double value)
{
  t->r[in->d].f64 = value;
  t->r[in->d].u64 &= G_GUINT64_CONSTANT (0xffffffff00000000);
}

static void
rcp_f64 (PtxThread *t, const PtxInstruction *in)
{
  upper_half (t, in, 1 / t->r[in->a].f64);
}

static void
rsqrt_f64 (PtxThread *t, const PtxInstruction *in)
{
  upper_half (t, in, 1 / sqrt (t->r[in->a].f64));
}

/* Without .ftz the whole of the double counts. */
static void
rsqrt_whole_f64 (PtxThread *t, const PtxInstruction *in)
{
  t->r[in->d].f64 = 1 / sqrt (t->r[in->a].f64);
}

const PtxOpcode ptx_opcodes_approximate[] = {
  { "ex2.approx.f32", "ftz", "da", ex2_f32 },
  { "lg2.approx.f32", "ftz", "da", lg2_f32 },
  { "sin.approx.f32", "ftz", "da", sin_f32 },
  { "cos.approx.f32", "ftz", "da", cos_f32 },
  { "tanh.approx.f32", "", "da", tanh_f32 },
  { "rsqrt.approx.f32", "ftz", "da", rsqrt_f32 },
  { "rcp.approx.f32", "ftz", "da", rcp_f32 },
  { "sqrt.approx.f32", "ftz", "da", sqrt_f32 },
  { "div.approx.f32", "ftz", "dab", div_f32 },
  { "div.full.f32", "ftz", "dab", div_f32 },
  { "rcp.approx.ftz.f64", "", "da", rcp_f64 },
  { "rsqrt.approx.ftz.f64", "", "da", rsqrt_f64 },
  { "rsqrt.approx.f64", "", "da", rsqrt_whole_f64 },
  { 0 },
};
