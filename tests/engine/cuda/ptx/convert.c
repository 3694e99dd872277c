/* convert.c — cvt: between whole numbers, floats, half floats and bfloat16, with rounding to whole
 * numbers and saturation.
 *
 * Numbers with a fraction go through double, which holds each of them exactly.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/machine.h"

#include <fenv.h>
#include <math.h>

/* One step for each width and sign of the source, and the target's width in extra. */
static void
store_whole (PtxThread *t, const PtxInstruction *in, gint64 value)
{
  PtxValue from = { .s64 = value }, to;

  switch (in->extra)
    {
    case 0x08:
      to.u64 = from.u8;
      break;
    case 0x10:
      to.u64 = from.u16;
      break;
    case 0x20:
      to.u64 = from.u32;
      break;
    case 0x88:
      to.s64 = from.s8;
      break;
    case 0x90:
      to.s64 = from.s16;
      break;
    case 0xa0:
      to.s64 = from.s32;
      break;
    default:
      to = from;
      break;
    }
  t->r[in->d] = to;
}

#define FROM_WHOLE(field, floating)                                                              \
  static void cvt_whole_##field (PtxThread *t, const PtxInstruction *in)                         \
  {                                                                                              \
    store_whole (t, in, (gint64) t->r[in->a].field);                                             \
  }                                                                                              \
  static void cvt_f64_##field (PtxThread *t, const PtxInstruction *in)                           \
  {                                                                                              \
    volatile floating x = t->r[in->a].field;                                                     \
    fesetround (direction (in->flags));                                                          \
    t->r[in->d].f64 = (double) x;                                                                \
    fesetround (FE_TONEAREST);                                                                   \
  }                                                                                              \
  static void cvt_f32_##field (PtxThread *t, const PtxInstruction *in)                           \
  {                                                                                              \
    if (in->flags)                                                                               \
      {                                                                                          \
        volatile floating x = t->r[in->a].field;                                                 \
        volatile float    result;                                                                \
        fesetround (direction (in->flags));                                                      \
        result = (float) x;                                                                      \
        fesetround (FE_TONEAREST);                                                               \
        t->r[in->d].f32 = result;                                                                \
      }                                                                                          \
    else                                                                                         \
      t->r[in->d].f32 = (float) t->r[in->a].field;                                               \
  }                                                                                              \
  static void cvt_f16_##field (PtxThread *t, const PtxInstruction *in)                           \
  {                                                                                              \
    t->r[in->d].u64 = ptx_float_to_half ((double) t->r[in->a].field, (in->flags & PTX_RZ) != 0); \
  }

static int
direction (guint32 flags)
{
  return flags & PTX_RZ   ? FE_TOWARDZERO
         : flags & PTX_RM ? FE_DOWNWARD
         : flags & PTX_RP ? FE_UPWARD
                          : FE_TONEAREST;
}

FROM_WHOLE (u8, guint64)
FROM_WHOLE (s8, gint64)
FROM_WHOLE (u16, guint64)
FROM_WHOLE (s16, gint64)
FROM_WHOLE (u32, guint64)
FROM_WHOLE (s32, gint64)
FROM_WHOLE (u64, guint64)
FROM_WHOLE (s64, gint64)

/* --- From numbers with a fraction --- */

static double
to_whole (const PtxInstruction *in, double x)
{
  return in->flags & PTX_RNI   ? rint (x)
         : in->flags & PTX_RZI ? trunc (x)
         : in->flags & PTX_RMI ? floor (x)
         : in->flags & PTX_RPI ? ceil (x)
                               : x;
}

/* A NaN gives 0, and what is too large the largest number. */
static void
store_clamped (PtxThread *t, const PtxInstruction *in, double value)
{
  guint    bits = in->extra & 0x7f;
  gboolean has_sign = in->extra & 0x80;
  double   low = has_sign ? -ldexp (1, (int) bits - 1) : 0;
  double   high = ldexp (1, has_sign ? (int) bits - 1 : (int) bits);
  guint64  most = has_sign ? G_MAXUINT64 >> (65 - bits) : G_MAXUINT64 >> (64 - bits);

  value = to_whole (in, value);
  if (isnan (value))
    t->r[in->d].u64 = 0;
  else if (value >= high)
    t->r[in->d].u64 = most;
  else if (value < low)
    t->r[in->d].s64 = has_sign ? -(gint64) most - 1 : 0;
  else if (has_sign)
    t->r[in->d].s64 = (gint64) value;
  else
    t->r[in->d].u64 = (guint64) value;
}

static double
narrow_to_float (const PtxInstruction *in, double value)
{
  volatile double x = value;
  volatile float  result;

  fesetround (direction (in->flags));
  result = (float) x;
  fesetround (FE_TONEAREST);
  return (double) result;
}

static void
store_fraction (PtxThread *t, const PtxInstruction *in, double value)
{
  value = to_whole (in, value);
  if (in->flags & PTX_SAT)
    value = value > 0 ? MIN (value, 1) : 0;
  switch (in->extra)
    {
    case 64:
      t->r[in->d].f64 = value;
      break;
    case 32:
      value = in->flags & (PTX_RZ | PTX_RM | PTX_RP) ? narrow_to_float (in, value) : value;
      t->r[in->d].f32 = in->flags & PTX_FTZ ? ptx_flush ((float) value) : (float) value;
      break;
    case 16:
      t->r[in->d].u64 = ptx_float_to_half (value, (in->flags & PTX_RZ) != 0);
      break;
    default:
      t->r[in->d].u64 = ptx_float_to_bfloat ((float) value, (in->flags & PTX_RZ) != 0);
      break;
    }
}

#define FROM_FRACTION(name, expression)                                    \
  static double get_##name (const PtxThread *t, guint32 slot)              \
  {                                                                        \
    return (double) (expression);                                          \
  }                                                                        \
  static void cvt_whole_##name (PtxThread *t, const PtxInstruction *in)    \
  {                                                                        \
    store_clamped (t, in, get_##name (t, in->a));                          \
  }                                                                        \
  static void cvt_fraction_##name (PtxThread *t, const PtxInstruction *in) \
  {                                                                        \
    store_fraction (t, in, get_##name (t, in->a));                         \
  }

FROM_FRACTION (f32, t->r[slot].f32)
FROM_FRACTION (f64, t->r[slot].f64)
FROM_FRACTION (f16, ptx_half_to_float (t->r[slot].u16))
FROM_FRACTION (bf16, ptx_bfloat_to_float (t->r[slot].u16))

/* Two numbers side by side in one register: the first operand lies in the upper half. */
static void
cvt_two_halves (PtxThread *t, const PtxInstruction *in)
{
  gboolean down = (in->flags & PTX_RZ) != 0;

  t->r[in->d].u64 = (guint64) ptx_float_to_half ((double) t->r[in->a].f32, down) << 16 |
                    ptx_float_to_half ((double) t->r[in->b].f32, down);
}

static void
cvt_two_bfloats (PtxThread *t, const PtxInstruction *in)
{
  gboolean down = (in->flags & PTX_RZ) != 0;

  t->r[in->d].u64 = (guint64) ptx_float_to_bfloat (t->r[in->a].f32, down) << 16 |
                    ptx_float_to_bfloat (t->r[in->b].f32, down);
}

#define TO_WHOLE(from, modifiers, step)                     \
  { "cvt.u8." #from, modifiers, "da", step, 0, 0x08 },      \
      { "cvt.u16." #from, modifiers, "da", step, 0, 0x10 }, \
      { "cvt.u32." #from, modifiers, "da", step, 0, 0x20 }, \
      { "cvt.u64." #from, modifiers, "da", step, 0, 0x40 }, \
      { "cvt.s8." #from, modifiers, "da", step, 0, 0x88 },  \
      { "cvt.s16." #from, modifiers, "da", step, 0, 0x90 }, \
      { "cvt.s32." #from, modifiers, "da", step, 0, 0xa0 }, \
  {                                                         \
    "cvt.s64." #from, modifiers, "da", step, 0, 0xc0        \
  }
#define WHOLE_ROWS(from)                                         \
  TO_WHOLE (from, "", cvt_whole_##from),                         \
      { "cvt.f64." #from, "rn rz rm rp", "da", cvt_f64_##from }, \
      { "cvt.f32." #from, "rn rz rm rp", "da", cvt_f32_##from }, \
  {                                                              \
    "cvt.f16." #from, "rn rz", "da", cvt_f16_##from              \
  }
#define FRACTION_ROWS(from)                                                                          \
  TO_WHOLE (from, "rni rzi rmi rpi ftz", cvt_whole_##from),                                          \
      { "cvt.f64." #from, "rn rz rm rp rni rzi rmi rpi ftz sat", "da", cvt_fraction_##from, 0, 64 }, \
      { "cvt.f32." #from, "rn rz rm rp rni rzi rmi rpi ftz sat", "da", cvt_fraction_##from, 0, 32 }, \
      { "cvt.f16." #from, "rn rz rni rzi rmi rpi ftz sat", "da", cvt_fraction_##from, 0, 16 },       \
  {                                                                                                  \
    "cvt.bf16." #from, "rn rz ftz sat", "da", cvt_fraction_##from, 0, 1                              \
  }

const PtxOpcode ptx_opcodes_convert[] = {
  WHOLE_ROWS (u8),
  WHOLE_ROWS (s8),
  WHOLE_ROWS (u16),
  WHOLE_ROWS (s16),
  WHOLE_ROWS (u32),
  WHOLE_ROWS (s32),
  WHOLE_ROWS (u64),
  WHOLE_ROWS (s64),
  FRACTION_ROWS (f32),
  FRACTION_ROWS (f64),
  FRACTION_ROWS (f16),
  FRACTION_ROWS (bf16),
  { "cvt.f16x2.f32", "rn rz", "dab", cvt_two_halves },
  { "cvt.bf16x2.f32", "rn rz", "dab", cvt_two_bfloats },
  { 0 },
};
