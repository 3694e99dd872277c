/* wide.c — products whose upper half counts, and sums that hand on a carry.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/machine.h"

__extension__ typedef unsigned __int128 UnsignedWide;
__extension__ typedef __int128          SignedWide;

#define WIDE(from, narrow, to, wide)                                    \
  static void mul_wide_##from (PtxThread *t, const PtxInstruction *in)  \
  {                                                                     \
    t->r[in->d].to = (wide) t->r[in->a].from * (wide) t->r[in->b].from; \
  }                                                                     \
  static void mad_wide_##from (PtxThread *t, const PtxInstruction *in)  \
  {                                                                     \
    wide product = (wide) t->r[in->a].from * (wide) t->r[in->b].from;   \
    t->r[in->d].u64 = (guint64) product + t->r[in->c].u64;              \
  }

WIDE (u16, guint16, u32, guint32)
WIDE (s16, gint16, s32, gint32)
WIDE (u32, guint32, u64, guint64)
WIDE (s32, gint32, s64, gint64)

#define HIGH(field, type, wide, bits)                                                         \
  static void mul_hi_##field (PtxThread *t, const PtxInstruction *in)                         \
  {                                                                                           \
    t->r[in->d].field = (type) ((wide) t->r[in->a].field * (wide) t->r[in->b].field >> bits); \
  }                                                                                           \
  static void mad_hi_##field (PtxThread *t, const PtxInstruction *in)                         \
  {                                                                                           \
    type high = (type) ((wide) t->r[in->a].field * (wide) t->r[in->b].field >> bits);         \
    t->r[in->d].field = (type) ((guint64) high + (guint64) t->r[in->c].field);                \
  }

HIGH (u16, guint16, guint32, 16)
HIGH (s16, gint16, gint32, 16)
HIGH (u32, guint32, guint64, 32)
HIGH (s32, gint32, gint64, 32)
HIGH (u64, guint64, UnsignedWide, 64)
HIGH (s64, gint64, SignedWide, 64)

/* --- Carries --- */

/* extra: whether the carry of the instruction before is added; PTX_CC: whether one is kept. */
#define CARRY(field, type, bits)                                                    \
  static void sum_##field (PtxThread *t, const PtxInstruction *in, type x, type y)  \
  {                                                                                 \
    UnsignedWide sum = (UnsignedWide) x + y + (in->extra ? t->carry : 0);           \
    t->r[in->d].field = (type) sum;                                                 \
    if (in->flags & PTX_CC)                                                         \
      t->carry = (sum >> bits) != 0;                                                \
  }                                                                                 \
  static void add_cc_##field (PtxThread *t, const PtxInstruction *in)               \
  {                                                                                 \
    sum_##field (t, in, t->r[in->a].field, t->r[in->b].field);                      \
  }                                                                                 \
  static void sub_cc_##field (PtxThread *t, const PtxInstruction *in)               \
  {                                                                                 \
    type         x = t->r[in->a].field;                                             \
    UnsignedWide y = (UnsignedWide) t->r[in->b].field + (in->extra ? t->carry : 0); \
    t->r[in->d].field = (type) (x - y);                                             \
    if (in->flags & PTX_CC)                                                         \
      t->carry = y > x;                                                             \
  }                                                                                 \
  static void mad_lo_cc_##field (PtxThread *t, const PtxInstruction *in)            \
  {                                                                                 \
    type x = t->r[in->a].field, y = t->r[in->b].field;                              \
    sum_##field (t, in, (type) ((UnsignedWide) x * y), t->r[in->c].field);          \
  }                                                                                 \
  static void mad_hi_cc_##field (PtxThread *t, const PtxInstruction *in)            \
  {                                                                                 \
    type x = t->r[in->a].field, y = t->r[in->b].field;                              \
    sum_##field (t, in, (type) ((UnsignedWide) x * y >> bits), t->r[in->c].field);  \
  }

CARRY (u32, guint32, 32)
CARRY (u64, guint64, 64)

#define HIGH_ROWS(t)                       \
  { "mul.hi." #t, "", "dab", mul_hi_##t }, \
  {                                        \
    "mad.hi." #t, "", "dabc", mad_hi_##t   \
  }
#define WIDE_ROWS(t)                           \
  { "mul.wide." #t, "", "dab", mul_wide_##t }, \
  {                                            \
    "mad.wide." #t, "", "dabc", mad_wide_##t   \
  }
#define CARRY_ROWS(t, field)                                    \
  { "add.cc." #t, "", "dab", add_cc_##field, 0, 0 },            \
      { "addc." #t, "cc", "dab", add_cc_##field, 0, 1 },        \
      { "sub.cc." #t, "", "dab", sub_cc_##field, 0, 0 },        \
      { "subc." #t, "cc", "dab", sub_cc_##field, 0, 1 },        \
      { "mad.lo.cc." #t, "", "dabc", mad_lo_cc_##field, 0, 0 }, \
      { "mad.hi.cc." #t, "", "dabc", mad_hi_cc_##field, 0, 0 }, \
      { "madc.lo." #t, "cc", "dabc", mad_lo_cc_##field, 0, 1 }, \
  {                                                             \
    "madc.hi." #t, "cc", "dabc", mad_hi_cc_##field, 0, 1        \
  }

const PtxOpcode ptx_opcodes_wide[] = {
  WIDE_ROWS (u16),       WIDE_ROWS (s16),       WIDE_ROWS (u32),
  WIDE_ROWS (s32),       HIGH_ROWS (u16),       HIGH_ROWS (s16),
  HIGH_ROWS (u32),       HIGH_ROWS (s32),       HIGH_ROWS (u64),
  HIGH_ROWS (s64),       CARRY_ROWS (u32, u32), CARRY_ROWS (s32, u32),
  CARRY_ROWS (u64, u64), CARRY_ROWS (s64, u64), { 0 },
};
