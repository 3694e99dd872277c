/* load.c — ld and st: of one number or a vector, from every space.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/machine.h"

#include <string.h>

/* extra: the number has a sign and fills the register with it. */
static inline void
get (PtxValue *to, const guint8 *from, const PtxInstruction *in)
{
  PtxValue value = { 0 };

  switch (in->bytes)
    {
    case 1:
      value.u8 = *from;
      if (in->extra)
        value.s64 = value.s8;
      break;
    case 2:
      memcpy (&value, from, 2);
      if (in->extra)
        value.s64 = value.s16;
      break;
    case 4:
      memcpy (&value, from, 4);
      if (in->extra)
        value.s64 = value.s32;
      break;
    default:
      memcpy (&value, from, 8);
      break;
    }
  *to = value;
}

static inline void
put (guint8 *to, const PtxValue *from, guint bytes)
{
  switch (bytes)
    {
    case 1:
      *to = from->u8;
      break;
    case 2:
      memcpy (to, from, 2);
      break;
    case 4:
      memcpy (to, from, 4);
      break;
    default:
      memcpy (to, from, 8);
      break;
    }
}

static guint8 *
reach_param (PtxThread *t, const PtxInstruction *in, gboolean write)
{
  guint64 at = (t->r[in->a].u64 & PTX_WINDOW_MASK) + (guint64) in->offset;
  gsize   bytes = (gsize) in->bytes * in->count, size = t->run->call_bytes;
  guint8 *data = t->call;

  if (at < PTX_CALL_PARAM)
    {
      size = t->run->launch->argument_bytes;
      data = write ? NULL : (guint8 *) t->run->launch->arguments;
    }
  else
    at += t->frame_call - PTX_CALL_PARAM;
  if (data && at <= size && bytes <= size - at)
    return data + at;
  ptx_fail (t, in, PTX_ERROR_BOUNDS,
            "%s %" G_GSIZE_FORMAT " bytes at byte %" G_GUINT64_FORMAT " of %" G_GSIZE_FORMAT
            " bytes of parameters",
            write ? "writes" : "reads", bytes, at, size);
  return NULL;
}

static void
load (PtxThread *t, const PtxInstruction *in, const guint8 *from)
{
  if (!from)
    return;
  for (guint i = 0; i < in->count; i++)
    get (&t->r[in->list[i]], from + i * in->bytes, in);
}

static void
store (PtxThread *t, const PtxInstruction *in, guint8 *to)
{
  if (!to)
    return;
  for (guint i = 0; i < in->count; i++)
    put (to + i * in->bytes, &t->r[in->list[i]], in->bytes);
}

static void
ld (PtxThread *t, const PtxInstruction *in)
{
  guint64 address = t->r[in->a].u64 + (guint64) in->offset;

  load (t, in, ptx_reach (t, in, address, (guint) in->bytes * in->count, FALSE));
}

static void
st (PtxThread *t, const PtxInstruction *in)
{
  guint64 address = t->r[in->a].u64 + (guint64) in->offset;

  store (t, in, ptx_reach (t, in, address, (guint) in->bytes * in->count, TRUE));
}

static void
ld_param (PtxThread *t, const PtxInstruction *in)
{
  load (t, in, reach_param (t, in, FALSE));
}

static void
st_param (PtxThread *t, const PtxInstruction *in)
{
  store (t, in, reach_param (t, in, TRUE));
}

/* Shared addresses may have been computed with 32 bits: the upper half of a register is not theirs. */
#define SPACES "global shared shared::cta local const "
#define KINDS  "weak volatile relaxed acquire release cta gpu sys nc ca cg cs lu cv wb wt "
#define HINTS  "L1::no_allocate L1::evict_last L1::evict_first L2::64B L2::128B L2::256B v2 v4"
#define ROW(type, bytes, sign)                                    \
  { "ld.param." #type, "v2 v4", "vm", ld_param, bytes, sign },    \
      { "ld." #type, SPACES KINDS HINTS, "vm", ld, bytes, sign }, \
      { "st.param." #type, "v2 v4", "mw", st_param, bytes, 0 },   \
  {                                                               \
    "st." #type, SPACES KINDS HINTS, "mw", st, bytes, 0           \
  }

const PtxOpcode ptx_opcodes_memory[] = {
  ROW (b8, 1, 0),  ROW (u8, 1, 0),  ROW (s8, 1, 1),  ROW (b16, 2, 0), ROW (u16, 2, 0),
  ROW (s16, 2, 1), ROW (b32, 4, 0), ROW (u32, 4, 0), ROW (s32, 4, 1), ROW (f32, 4, 0),
  ROW (b64, 8, 0), ROW (u64, 8, 0), ROW (s64, 8, 0), ROW (f64, 8, 0), { 0 },
};
