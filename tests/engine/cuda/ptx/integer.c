/* integer.c — instructions on whole numbers of 16, 32 and 64 bits: sums, products, quotients,
 * smaller and larger.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/machine.h"

#define TWO(name, field, type, expression)                            \
  static void name##_##field (PtxThread *t, const PtxInstruction *in) \
  {                                                                   \
    type x = t->r[in->a].field, y = t->r[in->b].field;                \
    t->r[in->d].field = (type) (expression);                          \
  }
#define THREE(name, field, type, expression)                                  \
  static void name##_##field (PtxThread *t, const PtxInstruction *in)         \
  {                                                                           \
    type x = t->r[in->a].field, y = t->r[in->b].field, z = t->r[in->c].field; \
    t->r[in->d].field = (type) (expression);                                  \
  }
#define ONE(name, field, type, expression)                            \
  static void name##_##field (PtxThread *t, const PtxInstruction *in) \
  {                                                                   \
    type x = t->r[in->a].field;                                       \
    t->r[in->d].field = (type) (expression);                          \
  }
/* Sums and products are the same for numbers with and without a sign. */
#define WRAPPING(shape, name, expression)                                       \
  shape (name, u16, guint16, expression) shape (name, u32, guint32, expression) \
      shape (name, u64, guint64, expression)
#define SIGNED(shape, name, expression)                                       \
  shape (name, s16, gint16, expression) shape (name, s32, gint32, expression) \
      shape (name, s64, gint64, expression)

WRAPPING (TWO, add, (guint64) x + y)
WRAPPING (TWO, sub, (guint64) x - y)
WRAPPING (TWO, mul, (guint64) x *y)
WRAPPING (THREE, mad, (guint64) x *y + z)
WRAPPING (ONE, neg, 0 - (guint64) x)
/* Division by zero gives all bits, as the hardware does; the smallest number by -1 wraps. */
WRAPPING (TWO, div, y ? x / y : ~(guint64) 0)
WRAPPING (TWO, rem, y ? x % y : x)
SIGNED (TWO, div, !y ? -1 : y == -1 ? (gint64) (0 - (guint64) x) : x / y)
SIGNED (TWO, rem, !y ? x : y == -1 ? 0 : x % y)
WRAPPING (TWO, min, x < y ? x : y)
WRAPPING (TWO, max, x > y ? x : y)
SIGNED (TWO, min, x < y ? x : y)
SIGNED (TWO, max, x > y ? x : y)
SIGNED (ONE, abs, x < 0 ? (gint64) (0 - (guint64) x) : x)

/* The sum of absolute differences and a third number. */
static void
sad_u32 (PtxThread *t, const PtxInstruction *in)
{
  guint32 x = t->r[in->a].u32, y = t->r[in->b].u32;

  t->r[in->d].u32 = t->r[in->c].u32 + (x < y ? y - x : x - y);
}

static void
sad_s32 (PtxThread *t, const PtxInstruction *in)
{
  gint64 difference = (gint64) t->r[in->a].s32 - t->r[in->b].s32;

  t->r[in->d].u32 = t->r[in->c].u32 + (guint32) (difference < 0 ? -difference : difference);
}

/* The sum of four products of bytes; extra: which operands have a sign (1: a, 2: b). */
static void
dp4a (PtxThread *t, const PtxInstruction *in)
{
  gint64 sum = t->r[in->c].s32;

  for (guint i = 0; i < 4; i++)
    {
      guint8 x = (guint8) (t->r[in->a].u32 >> (8 * i)), y = (guint8) (t->r[in->b].u32 >> (8 * i));

      sum += (in->extra & 1 ? (gint8) x : x) * (in->extra & 2 ? (gint8) y : y);
    }
  t->r[in->d].u32 = (guint32) sum;
}

#define ROWS(name, form, step)                                                      \
  { name ".u16", "", form, step##_u16 }, { name ".s16", "", form, step##_u16 },     \
      { name ".u32", "", form, step##_u32 }, { name ".s32", "", form, step##_u32 }, \
      { name ".u64", "", form, step##_u64 },                                        \
  {                                                                                 \
    name ".s64", "", form, step##_u64                                               \
  }
#define SIGNED_ROWS(name, form, step)                                               \
  { name ".u16", "", form, step##_u16 }, { name ".s16", "", form, step##_s16 },     \
      { name ".u32", "", form, step##_u32 }, { name ".s32", "", form, step##_s32 }, \
      { name ".u64", "", form, step##_u64 },                                        \
  {                                                                                 \
    name ".s64", "", form, step##_s64                                               \
  }

const PtxOpcode ptx_opcodes_integer[] = {
  ROWS ("add", "dab", add),
  ROWS ("sub", "dab", sub),
  ROWS ("mul.lo", "dab", mul),
  ROWS ("mad.lo", "dabc", mad),
  ROWS ("neg", "da", neg),
  SIGNED_ROWS ("div", "dab", div),
  SIGNED_ROWS ("rem", "dab", rem),
  SIGNED_ROWS ("min", "dab", min),
  SIGNED_ROWS ("max", "dab", max),
  { "sad.u32", "", "dabc", sad_u32 },
  { "sad.s32", "", "dabc", sad_s32 },
  { "dp4a.u32.u32", "", "dabc", dp4a, 0, 0 },
  { "dp4a.s32.u32", "", "dabc", dp4a, 0, 1 },
  { "dp4a.u32.s32", "", "dabc", dp4a, 0, 2 },
  { "dp4a.s32.s32", "", "dabc", dp4a, 0, 3 },
  { "abs.s16", "", "da", abs_s16 },
  { "abs.s32", "", "da", abs_s32 },
  { "abs.s64", "", "da", abs_s64 },
  { 0 },
};
