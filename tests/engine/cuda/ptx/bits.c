/* bits.c — instructions on bits: and, or, shifts, counts, fields, permutations.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/machine.h"

#define STEP(name) static void name (PtxThread *t, const PtxInstruction *in)
#define TWO(name, field, expression)                      \
  STEP (name##_##field)                                   \
  {                                                       \
    guint64 x = t->r[in->a].field, y = t->r[in->b].field; \
    t->r[in->d].u64 = (expression);                       \
  }
#define ALL(name, expression) \
  TWO (name, u16, expression) TWO (name, u32, expression) TWO (name, u64, expression)

ALL (and, x &y)
ALL (or, x | y)
ALL (xor, x ^ y)

STEP (not_bits)
{
  t->r[in->d].u64 = ~t->r[in->a].u64;
}

STEP (not_pred)
{
  t->r[in->d].u64 = !t->r[in->a].u32;
}

STEP (cnot)
{
  t->r[in->d].u64 = !t->r[in->a].u32;
}

#define SHIFTS(bits)                                                                     \
  STEP (shl_b##bits)                                                                     \
  {                                                                                      \
    guint32 n = t->r[in->b].u32;                                                         \
    t->r[in->d].u64 = n < bits ? (guint##bits) ((guint64) t->r[in->a].u##bits << n) : 0; \
  }                                                                                      \
  STEP (shr_u##bits)                                                                     \
  {                                                                                      \
    guint32 n = t->r[in->b].u32;                                                         \
    t->r[in->d].u64 = n < bits ? (guint##bits) (t->r[in->a].u##bits >> n) : 0;           \
  }                                                                                      \
  STEP (shr_s##bits)                                                                     \
  {                                                                                      \
    guint32 n = t->r[in->b].u32;                                                         \
    t->r[in->d].s64 = t->r[in->a].s##bits >> (n < bits ? n : bits - 1);                  \
  }

SHIFTS (16)
SHIFTS (32)
SHIFTS (64)

/* A funnel shift: the upper or lower half of two words side by side; .clamp stops at 32. */
STEP (shf)
{
  guint32 n = t->r[in->c].u32;
  guint64 both = (guint64) t->r[in->b].u32 << 32 | t->r[in->a].u32;

  n = in->flags & PTX_WRAP ? n & 31 : MIN (n, 32);
  t->r[in->d].u64 = in->extra ? (guint32) (n == 32 ? both >> 32 : both >> n)
                              : (guint32) (n == 32 ? both : both << n >> 32);
}

STEP (popc_b32)
{
  t->r[in->d].u64 = (guint64) __builtin_popcount (t->r[in->a].u32);
}

STEP (popc_b64)
{
  t->r[in->d].u64 = (guint64) __builtin_popcountll (t->r[in->a].u64);
}

STEP (clz_b32)
{
  t->r[in->d].u64 = t->r[in->a].u32 ? (guint64) __builtin_clz (t->r[in->a].u32) : 32;
}

STEP (clz_b64)
{
  t->r[in->d].u64 = t->r[in->a].u64 ? (guint64) __builtin_clzll (t->r[in->a].u64) : 64;
}

static guint64
reverse_bits (guint64 x, guint bits)
{
  guint64 y = 0;

  for (guint i = 0; i < bits; i++)
    y |= (x >> i & 1) << (bits - 1 - i);
  return y;
}

STEP (brev_b32)
{
  t->r[in->d].u64 = reverse_bits (t->r[in->a].u32, 32);
}

STEP (brev_b64)
{
  t->r[in->d].u64 = reverse_bits (t->r[in->a].u64, 64);
}

/* The highest bit that differs from the sign; extra: counted from the top. */
static void
find_bit (PtxThread *t, const PtxInstruction *in, guint64 x, guint bits)
{
  guint top = x ? 63 - (guint) __builtin_clzll (x) : G_MAXUINT32;

  t->r[in->d].u64 = x && in->extra ? bits - 1 - top : top;
}

STEP (bfind_u32)
{
  find_bit (t, in, t->r[in->a].u32, 32);
}

STEP (bfind_s32)
{
  gint32 x = t->r[in->a].s32;

  find_bit (t, in, (guint32) (x < 0 ? ~x : x), 32);
}

STEP (bfind_u64)
{
  find_bit (t, in, t->r[in->a].u64, 64);
}

STEP (bfind_s64)
{
  gint64 x = t->r[in->a].s64;

  find_bit (t, in, (guint64) (x < 0 ? ~x : x), 64);
}

static guint64
low_bits (guint count)
{
  return count >= 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT (1) << count) - 1;
}

/* extra: bits of the word; the field is filled with its sign where bytes is set. */
STEP (bfe)
{
  guint    bits = in->extra, at = t->r[in->b].u8, count = t->r[in->c].u8;
  guint64  x = bits == 32 ? t->r[in->a].u32 : t->r[in->a].u64;
  guint    top = MIN (at + count, bits);
  gboolean negative = in->bytes && count && x >> (top - 1) & 1;
  guint64  field = at < bits ? x >> at & low_bits (count) : 0;

  if (negative)
    field |= ~low_bits (at < bits ? top - at : 0);
  t->r[in->d].u64 = field & low_bits (bits);
}

STEP (bfi)
{
  guint   bits = in->extra, at = t->r[in->c].u8, count = t->r[in->e].u8;
  guint64 mask = at < bits ? low_bits (count) << at : 0;
  guint64 put = at < bits ? t->r[in->a].u64 << at : 0;

  t->r[in->d].u64 = ((t->r[in->b].u64 & ~mask) | (put & mask)) & low_bits (bits);
}

/* Four bytes chosen out of eight; bit 3 of a choice repeats the sign. */
STEP (prmt)
{
  guint64 bytes = (guint64) t->r[in->b].u32 << 32 | t->r[in->a].u32;
  guint32 choice = t->r[in->c].u32, result = 0;

  for (guint i = 0; i < 4; i++)
    {
      guint   pick = choice >> (4 * i) & 15;
      guint32 byte = (guint32) (bytes >> (8 * (pick & 7)) & 0xff);

      if (pick & 8)
        byte = byte & 0x80 ? 0xff : 0;
      result |= byte << (8 * i);
    }
  t->r[in->d].u64 = result;
}

/* Any function of three bits, given as a table of eight. */
STEP (lop3)
{
  guint32 x = t->r[in->a].u32, y = t->r[in->b].u32, z = t->r[in->c].u32;
  guint32 table = t->r[in->e].u32, result = 0;

  for (guint i = 0; i < 32; i++)
    result |= (table >> ((x >> i & 1) << 2 | (y >> i & 1) << 1 | (z >> i & 1)) & 1) << i;
  t->r[in->d].u64 = result;
}

#define LOGIC(name)                                                                  \
  { #name ".pred", "", "dab", name##_u32 }, { #name ".b16", "", "dab", name##_u16 }, \
      { #name ".b32", "", "dab", name##_u32 },                                       \
  {                                                                                  \
#name ".b64", "", "dab", name##_u64                                              \
  }
#define SHIFT_ROWS(bits)                                                                \
  { "shl.b" #bits, "", "dab", shl_b##bits }, { "shr.b" #bits, "", "dab", shr_u##bits }, \
      { "shr.u" #bits, "", "dab", shr_u##bits },                                        \
  {                                                                                     \
    "shr.s" #bits, "", "dab", shr_s##bits                                               \
  }

const PtxOpcode ptx_opcodes_bits[] = {
  LOGIC (and),
  LOGIC (or),
  LOGIC (xor),
  { "not.pred", "", "da", not_pred },
  { "not.b16", "", "da", not_bits },
  { "not.b32", "", "da", not_bits },
  { "not.b64", "", "da", not_bits },
  { "cnot.b32", "", "da", cnot },
  SHIFT_ROWS (16),
  SHIFT_ROWS (32),
  SHIFT_ROWS (64),
  { "shf.l.b32", "wrap clamp", "dabc", shf, 0, 0 },
  { "shf.r.b32", "wrap clamp", "dabc", shf, 0, 1 },
  { "popc.b32", "", "da", popc_b32 },
  { "popc.b64", "", "da", popc_b64 },
  { "clz.b32", "", "da", clz_b32 },
  { "clz.b64", "", "da", clz_b64 },
  { "brev.b32", "", "da", brev_b32 },
  { "brev.b64", "", "da", brev_b64 },
  { "bfind.u32", "", "da", bfind_u32 },
  { "bfind.s32", "", "da", bfind_s32 },
  { "bfind.u64", "", "da", bfind_u64 },
  { "bfind.s64", "", "da", bfind_s64 },
  { "bfind.shiftamt.u32", "", "da", bfind_u32, 0, 1 },
  { "bfind.shiftamt.s32", "", "da", bfind_s32, 0, 1 },
  { "bfind.shiftamt.u64", "", "da", bfind_u64, 0, 1 },
  { "bfind.shiftamt.s64", "", "da", bfind_s64, 0, 1 },
  { "bfe.u32", "", "dabc", bfe, 0, 32 },
  { "bfe.s32", "", "dabc", bfe, 1, 32 },
  { "bfe.u64", "", "dabc", bfe, 0, 64 },
  { "bfe.s64", "", "dabc", bfe, 1, 64 },
  { "bfi.b32", "", "dabce", bfi, 0, 32 },
  { "bfi.b64", "", "dabce", bfi, 0, 64 },
  { "prmt.b32", "", "dabc", prmt },
  { "lop3.b32", "", "dabce", lop3 },
  { 0 },
};
