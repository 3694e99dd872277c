/* atomic.c — atom and red: read, change and write one number that other threads change too.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/machine.h"

#include <string.h>

/* The number behind the address; its space decides whether shared memory notes it as atomic. */
static guint8 *
reach (PtxThread *t, const PtxInstruction *in)
{
  guint64 address = t->r[in->a].u64 + (guint64) in->offset;
  guint8 *data;

  if (address & (in->bytes - 1u) && ptx_checks (t, PTX_ERROR_ALIGNMENT))
    return ptx_reach (t, in, address, in->bytes, FALSE);
  if (in->flags & PTX_SHARED || (address & ~PTX_WINDOW_MASK) == PTX_SHARED_BASE)
    return ptx_shared_reach (t, in, address & PTX_WINDOW_MASK, in->bytes, PTX_ATOMIC);
  data = ptx_reach (t, in, address, in->bytes, FALSE);
  return data ? ptx_reach (t, in, address, in->bytes, TRUE) : NULL;
}

/* x: what is in memory; y and z: the operands. */
#define ATOMIC(name, field, expression)                                      \
  static void atom_##name##_##field (PtxThread *t, const PtxInstruction *in) \
  {                                                                          \
    guint8  *data = reach (t, in);                                           \
    PtxValue x = { 0 }, y = t->r[in->b], z = t->r[in->c], result = { 0 };    \
    if (!data)                                                               \
      return;                                                                \
    memcpy (&x, data, in->bytes);                                            \
    (void) z;                                                                \
    result.field = (expression);                                             \
    memcpy (data, &result, in->bytes);                                       \
    if (!in->extra)                                                          \
      t->r[in->d] = x;                                                       \
  }
#define SIZES(name, single, twice) ATOMIC (name, u32, single) ATOMIC (name, u64, twice)

SIZES (add, x.u32 + y.u32, x.u64 + y.u64)
SIZES (exch, y.u32, y.u64)
SIZES (and, x.u32 &y.u32, x.u64 &y.u64)
SIZES (or, x.u32 | y.u32, x.u64 | y.u64)
SIZES (xor, x.u32 ^ y.u32, x.u64 ^ y.u64)
SIZES (min, MIN (x.u32, y.u32), MIN (x.u64, y.u64))
SIZES (max, MAX (x.u32, y.u32), MAX (x.u64, y.u64))
SIZES (cas, x.u32 == y.u32 ? z.u32 : x.u32, x.u64 == y.u64 ? z.u64 : x.u64)
ATOMIC (inc, u32, x.u32 >= y.u32 ? 0 : x.u32 + 1)
ATOMIC (dec, u32, x.u32 == 0 || x.u32 > y.u32 ? y.u32 : x.u32 - 1)
ATOMIC (cas, u16, x.u16 == y.u16 ? z.u16 : x.u16)
ATOMIC (min, s32, MIN (x.s32, y.s32))
ATOMIC (max, s32, MAX (x.s32, y.s32))
ATOMIC (min, s64, MIN (x.s64, y.s64))
ATOMIC (max, s64, MAX (x.s64, y.s64))
ATOMIC (add, f32, x.f32 + y.f32)
ATOMIC (add, f64, x.f64 + y.f64)

#define MORE "global shared shared::cta relaxed acquire release acq_rel cta gpu sys noftz"
#define ROW(name, type, bytes, step)                        \
  { "atom." #name "." #type, MORE, "dmb", step, bytes, 0 }, \
  {                                                         \
    "red." #name "." #type, MORE, "mb", step, bytes, 1      \
  }
#define BITS(name) ROW (name, b32, 4, atom_##name##_u32), ROW (name, b64, 8, atom_##name##_u64)
#define NUMBERS(name)                                                           \
  ROW (name, u32, 4, atom_##name##_u32), ROW (name, u64, 8, atom_##name##_u64), \
      ROW (name, s32, 4, atom_##name##_s32), ROW (name, s64, 8, atom_##name##_s64)

const PtxOpcode ptx_opcodes_atomic[] = {
  ROW (add, u32, 4, atom_add_u32),
  ROW (add, s32, 4, atom_add_u32),
  ROW (add, u64, 8, atom_add_u64),
  ROW (add, s64, 8, atom_add_u64),
  ROW (add, f32, 4, atom_add_f32),
  ROW (add, f64, 8, atom_add_f64),
  BITS (exch),
  BITS (and),
  BITS (or),
  BITS (xor),
  NUMBERS (min),
  NUMBERS (max),
  ROW (inc, u32, 4, atom_inc_u32),
  ROW (dec, u32, 4, atom_dec_u32),
  { "atom.cas.b16", MORE, "dmbc", atom_cas_u16, 2, 0 },
  { "atom.cas.b32", MORE, "dmbc", atom_cas_u32, 4, 0 },
  { "atom.cas.b64", MORE, "dmbc", atom_cas_u64, 8, 0 },
  { 0 },
};
