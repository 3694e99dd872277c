/* half.c — arithmetic of f16 and bf16, one number at a time.  Products and sums are computed in
 * double precision, where they are exact or nearly so, and rounded once.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/machine.h"

#include <math.h>

#define KIND(kind, from, to)                                                    \
  static double get_##kind (const PtxThread *t, guint32 slot)                   \
  {                                                                             \
    return (double) from (t->r[slot].u16);                                      \
  }                                                                             \
  static void put_##kind (PtxThread *t, const PtxInstruction *in, double value) \
  {                                                                             \
    t->r[in->d].u64 = to (value, FALSE);                                        \
  }

static guint16
to_bfloat (double value, gboolean toward_zero)
{
  /* Rounding to odd first keeps the second rounding right. */
  float single = (float) value;

  if (isfinite (single) && (double) single != value)
    {
      union
      {
        float   f;
        guint32 u;
      } near = { single };

      if (fabs ((double) single) > fabs (value))
        near.u--;
      near.u |= 1;
      single = near.f;
    }
  return ptx_float_to_bfloat (single, toward_zero);
}

KIND (f16, ptx_half_to_float, ptx_float_to_half)
KIND (bf16, ptx_bfloat_to_float, to_bfloat)

#define STEP(name, kind, expression)                                                        \
  static void name##_##kind (PtxThread *t, const PtxInstruction *in)                        \
  {                                                                                         \
    double x = get_##kind (t, in->a), y = get_##kind (t, in->b), z = get_##kind (t, in->c); \
    (void) y;                                                                               \
    (void) z;                                                                               \
    put_##kind (t, in, expression);                                                         \
  }
#define BOTH(name, expression) STEP (name, f16, expression) STEP (name, bf16, expression)

BOTH (add, x + y)
BOTH (sub, x - y)
BOTH (mul, x *y)
BOTH (fma, x *y + z)
BOTH (neg, -x)
BOTH (abs, fabs (x))
BOTH (min, fmin (x, y))
BOTH (max, fmax (x, y))

#define COMPARE(name, kind, expression)                                     \
  static void setp_##name##_##kind (PtxThread *t, const PtxInstruction *in) \
  {                                                                         \
    double x = get_##kind (t, in->a), y = get_##kind (t, in->b);            \
    t->r[in->d].u64 = (expression) != 0;                                    \
    t->r[in->p].u64 = !t->r[in->d].u64;                                     \
  }
#define COMPARE_BOTH(name, expression) \
  COMPARE (name, f16, expression) COMPARE (name, bf16, expression)

COMPARE_BOTH (eq, x == y)
COMPARE_BOTH (neu, x != y)
COMPARE_BOTH (lt, x < y)
COMPARE_BOTH (le, x <= y)
COMPARE_BOTH (gt, x > y)
COMPARE_BOTH (ge, x >= y)

#define ROWS(kind)                                                                            \
  { "add." #kind, "rn", "dab", add_##kind }, { "sub." #kind, "rn", "dab", sub_##kind },       \
      { "mul." #kind, "rn", "dab", mul_##kind }, { "fma.rn." #kind, "", "dabc", fma_##kind }, \
      { "neg." #kind, "", "da", neg_##kind }, { "abs." #kind, "", "da", abs_##kind },         \
      { "min." #kind, "", "dab", min_##kind }, { "max." #kind, "", "dab", max_##kind },       \
      { "setp.eq." #kind, "", "Dab", setp_eq_##kind },                                        \
      { "setp.neu." #kind, "", "Dab", setp_neu_##kind },                                      \
      { "setp.lt." #kind, "", "Dab", setp_lt_##kind },                                        \
      { "setp.le." #kind, "", "Dab", setp_le_##kind },                                        \
      { "setp.gt." #kind, "", "Dab", setp_gt_##kind },                                        \
  {                                                                                           \
    "setp.ge." #kind, "", "Dab", setp_ge_##kind                                               \
  }

const PtxOpcode ptx_opcodes_half[] = {
  ROWS (f16),
  ROWS (bf16),
  { 0 },
};
