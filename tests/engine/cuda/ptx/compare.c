/* compare.c — setp and selp: comparisons into predicates, and a choice by one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/machine.h"

#include <math.h>

static void
set (PtxThread *t, const PtxInstruction *in, gboolean result)
{
  gboolean inverse = !result;

  if (in->flags & (PTX_AND | PTX_OR | PTX_XOR))
    {
      gboolean other = t->r[in->c].u32 != 0;

      result = in->flags & PTX_AND  ? result && other
               : in->flags & PTX_OR ? result || other
                                    : result != other;
      inverse = in->flags & PTX_AND  ? inverse && other
                : in->flags & PTX_OR ? inverse || other
                                     : inverse != other;
    }
  t->r[in->d].u64 = (guint64) result;
  t->r[in->p].u64 = (guint64) inverse;
}

#define COMPARE(name, field, type, expression)                               \
  static void setp_##name##_##field (PtxThread *t, const PtxInstruction *in) \
  {                                                                          \
    type x = t->r[in->a].field, y = t->r[in->b].field;                       \
    set (t, in, expression);                                                 \
  }
#define SIX(field, type)            \
  COMPARE (eq, field, type, x == y) \
  COMPARE (ne, field, type, x != y) \
  COMPARE (lt, field, type, x < y)  \
  COMPARE (le, field, type, x <= y) \
  COMPARE (gt, field, type, x > y)  \
  COMPARE (ge, field, type, x >= y)

/* With a NaN the plain comparisons are false and those that end in u are true. */
#define FLOATS(field, type)                       \
  COMPARE (eq, field, type, x == y)               \
  COMPARE (ne, field, type, x<y || x> y)          \
  COMPARE (lt, field, type, x < y)                \
  COMPARE (le, field, type, x <= y)               \
  COMPARE (gt, field, type, x > y)                \
  COMPARE (ge, field, type, x >= y)               \
  COMPARE (equ, field, type, !(x < y || x > y))   \
  COMPARE (neu, field, type, x != y)              \
  COMPARE (ltu, field, type, !(x >= y))           \
  COMPARE (leu, field, type, !(x > y))            \
  COMPARE (gtu, field, type, !(x <= y))           \
  COMPARE (geu, field, type, !(x < y))            \
  COMPARE (num, field, type, !isunordered (x, y)) \
  COMPARE (nan, field, type, isunordered (x, y))

SIX (u16, guint16)
SIX (s16, gint16)
SIX (u32, guint32)
SIX (s32, gint32)
SIX (u64, guint64)
SIX (s64, gint64)
FLOATS (f32, float)
FLOATS (f64, double)

static void
selp (PtxThread *t, const PtxInstruction *in)
{
  t->r[in->d] = t->r[t->r[in->c].u32 ? in->a : in->b];
}

#define ROW(name, type, field)                                                \
  {                                                                           \
    "setp." #name "." #type, "and or xor ftz", "Dab?c", setp_##name##_##field \
  }
#define SIX_ROWS(type, field)                                                                 \
  ROW (eq, type, field), ROW (ne, type, field), ROW (lt, type, field), ROW (le, type, field), \
      ROW (gt, type, field), ROW (ge, type, field)
#define UNSIGNED_ROWS(type)                                                           \
  SIX_ROWS (type, type), { "setp.lo." #type, "and or xor", "Dab?c", setp_lt_##type }, \
      { "setp.ls." #type, "and or xor", "Dab?c", setp_le_##type },                    \
      { "setp.hi." #type, "and or xor", "Dab?c", setp_gt_##type },                    \
  {                                                                                   \
    "setp.hs." #type, "and or xor", "Dab?c", setp_ge_##type                           \
  }
#define FLOAT_ROWS(type)                                                                          \
  SIX_ROWS (type, type), ROW (equ, type, type), ROW (neu, type, type), ROW (ltu, type, type),     \
      ROW (leu, type, type), ROW (gtu, type, type), ROW (geu, type, type), ROW (num, type, type), \
      ROW (nan, type, type)
#define SELP(type)                  \
  {                                 \
    "selp." #type, "", "dabc", selp \
  }

const PtxOpcode ptx_opcodes_compare[] = {
  UNSIGNED_ROWS (u16), UNSIGNED_ROWS (u32),
  UNSIGNED_ROWS (u64), SIX_ROWS (s16, s16),
  SIX_ROWS (s32, s32), SIX_ROWS (s64, s64),
  ROW (eq, b16, u16),  ROW (ne, b16, u16),
  ROW (eq, b32, u32),  ROW (ne, b32, u32),
  ROW (eq, b64, u64),  ROW (ne, b64, u64),
  FLOAT_ROWS (f32),    FLOAT_ROWS (f64),
  SELP (b16),          SELP (u16),
  SELP (s16),          SELP (b32),
  SELP (u32),          SELP (s32),
  SELP (b64),          SELP (u64),
  SELP (s64),          SELP (f32),
  SELP (f64),          { 0 },
};
