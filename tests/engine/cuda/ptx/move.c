/* move.c — mov, packing and unpacking of registers, and addresses of the spaces of memory.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/machine.h"

#define STEP(name) static void name (PtxThread *t, const PtxInstruction *in)

STEP (mov)
{
  t->r[in->d] = t->r[in->a];
}

/* mov.b64 {%r1,%r2}, %rd1 and mov.b64 %rd1, {%r1,%r2}: one operand is a vector. */
STEP (mov_pack)
{
  guint   bits = in->bytes * 8u / in->count;
  guint64 mask = bits == 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT (1) << bits) - 1, whole = 0;

  for (guint i = 0; i < in->count; i++)
    whole |= (t->r[in->list[i]].u64 & mask) << (i * bits % 64);
  t->r[in->d].u64 = whole;
}

STEP (mov_unpack)
{
  guint   bits = in->bytes * 8u / in->count;
  guint64 mask = bits == 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT (1) << bits) - 1;
  guint64 whole = t->r[in->a].u64;

  for (guint i = 0; i < in->count; i++)
    t->r[in->list[i]].u64 = whole >> (i * bits % 64) & mask;
}

/* --- Addresses --- */

STEP (cvta_shared)
{
  t->r[in->d].u64 = t->r[in->a].u64 + PTX_SHARED_BASE;
}

STEP (cvta_local)
{
  t->r[in->d].u64 = t->r[in->a].u64 + t->frame_local + PTX_LOCAL_BASE;
}

STEP (cvta_to_shared)
{
  t->r[in->d].u64 = t->r[in->a].u64 - PTX_SHARED_BASE;
}

/* The name of a parameter is its offset; ld.param takes it again. */
STEP (cvta_param)
{
  t->r[in->d].u64 = t->r[in->a].u64 + PTX_PARAM_BASE;
}

/* extra: which window. */
STEP (is_in_window)
{
  static const guint64 bases[] = { PTX_SHARED_BASE, PTX_LOCAL_BASE, PTX_PARAM_BASE };
  guint64              window = t->r[in->a].u64 & ~PTX_WINDOW_MASK;

  if (in->extra < 3)
    t->r[in->d].u64 = window == bases[in->extra];
  else
    t->r[in->d].u64 =
        window != PTX_SHARED_BASE && window != PTX_LOCAL_BASE && window != PTX_PARAM_BASE;
}

#define MOV(type, bytes)                                                        \
  { "mov." #type, "", "da", mov }, { "mov." #type, "", "dw", mov_pack, bytes }, \
  {                                                                             \
    "mov." #type, "", "va", mov_unpack, bytes                                   \
  }

const PtxOpcode ptx_opcodes_move[] = {
  { "mov.pred", "", "da", mov },
  { "mov.b16", "", "da", mov },
  { "mov.u16", "", "da", mov },
  { "mov.s16", "", "da", mov },
  { "mov.u32", "", "da", mov },
  { "mov.s32", "", "da", mov },
  { "mov.f32", "", "da", mov },
  { "mov.u64", "", "da", mov },
  { "mov.s64", "", "da", mov },
  { "mov.f64", "", "da", mov },
  MOV (b16, 2),
  MOV (b32, 4),
  MOV (b64, 8),
  { "cvta.global.u64", "", "da", mov },
  { "cvta.to.global.u64", "", "da", mov },
  { "cvta.const.u64", "", "da", mov },
  { "cvta.to.const.u64", "", "da", mov },
  { "cvta.shared.u64", "", "da", cvta_shared },
  { "cvta.to.shared.u64", "", "da", cvta_to_shared },
  { "cvta.local.u64", "", "da", cvta_local },
  { "cvta.to.local.u64", "", "da", mov },
  { "cvta.param.u64", "", "da", cvta_param },
  { "isspacep.shared", "", "da", is_in_window, 0, 0 },
  { "isspacep.local", "", "da", is_in_window, 0, 1 },
  { "isspacep.global", "", "da", is_in_window, 0, 3 },
  { 0 },
};
