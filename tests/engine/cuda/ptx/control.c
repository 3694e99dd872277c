/* control.c — branches, calls, the end of a thread, barriers of a block and fences.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/machine.h"

#include <string.h>

#define STEP(name) static void name (PtxThread *t, const PtxInstruction *in)

static const PtxInstruction *
instruction (const PtxThread *t, guint64 number)
{
  const PtxFunction *function = g_array_index (t->run->frames, PtxFrame, t->frame).function;

  return &g_array_index (function->instructions, PtxInstruction, number);
}

STEP (bra)
{
  t->in = instruction (t, (guint64) in->target);
}

STEP (brx)
{
  guint32 index = t->r[in->a].u32;

  if (!in->targets || index >= in->targets->len)
    {
      ptx_fail (t, in, PTX_ERROR_BOUNDS, "jumps to entry %u of a table", index);
      return;
    }
  t->in = instruction (t, (guint64) g_array_index (in->targets, gint64, index));
}

STEP (leave)
{
  t->state = PTX_ENDED;
}

STEP (trap)
{
  ptx_fail (t, in, PTX_ERROR_LAUNCH, "the kernel stops itself (trap)");
}

STEP (nothing)
{
}

STEP (barrier)
{
  t->in = in;
  t->state = PTX_AT_BARRIER;
}

/* --- Calls --- */

static void
enter (PtxThread *t, guint frame)
{
  const PtxFrame *place = &g_array_index (t->run->frames, PtxFrame, frame);

  t->frame = frame;
  t->r = t->file + place->slot;
  t->frame_local = place->local;
  t->frame_call = place->call;
}

static void
copy_places (PtxThread *t, const GArray *to, gsize to_frame, const GArray *from, gsize from_frame)
{
  for (guint i = 0; i < to->len; i++)
    {
      const PtxPlace *target = &g_array_index (to, PtxPlace, i);
      const PtxPlace *source = &g_array_index (from, PtxPlace, i);

      memcpy (t->call + to_frame + target->offset - PTX_CALL_PARAM,
              t->call + from_frame + source->offset - PTX_CALL_PARAM,
              MIN (target->bytes, source->bytes));
    }
}

static void
call_native (PtxThread *t, const PtxCall *call)
{
  PtxValue        arguments[3] = { { 0 } }, result = { 0 };
  const PtxPlace *place;

  for (guint i = 0; i < call->arguments->len; i++)
    {
      place = &g_array_index (call->arguments, PtxPlace, i);
      memcpy (&arguments[i], t->call + t->frame_call + place->offset - PTX_CALL_PARAM,
              place->bytes);
    }
  call->native (arguments, &result);
  place = &g_array_index (call->results, PtxPlace, 0);
  memcpy (t->call + t->frame_call + place->offset - PTX_CALL_PARAM, &result, place->bytes);
}

STEP (call)
{
  GArray *frames = t->run->frames;
  guint   frame = 0;
  gsize   caller = t->frame_call;

  if (in->call->native)
    {
      call_native (t, in->call);
      return;
    }
  while (g_array_index (frames, PtxFrame, frame).function != in->call->function)
    frame++;
  for (guint i = 0; i < t->depth; i++)
    if (t->stack[i].frame == frame)
      frame = t->frame;
  if (frame == t->frame || t->depth == G_N_ELEMENTS (t->stack))
    {
      ptx_fail (t, in, PTX_ERROR_TEXT, "functions that call themselves are not known");
      return;
    }
  t->stack[t->depth].in = in;
  t->stack[t->depth++].frame = t->frame;
  enter (t, frame);
  copy_places (t, in->call->function->parameters, t->frame_call, in->call->arguments, caller);
  t->in = instruction (t, 0);
}

gboolean
ptx_return (PtxThread *t)
{
  const PtxInstruction *in;
  gsize                 callee = t->frame_call;

  if (!t->depth)
    return FALSE;
  in = t->stack[--t->depth].in;
  enter (t, t->stack[t->depth].frame);
  copy_places (t, in->call->results, t->frame_call, in->call->function->results, callee);
  t->in = in + 1;
  return TRUE;
}

STEP (ret)
{
  if (!ptx_return (t))
    t->state = PTX_ENDED;
}

const PtxOpcode ptx_opcodes_control[] = {
  { "ret", "uni", "", ret },
  { "exit", "", "", leave },
  { "bra", "uni", "l", bra },
  { "brx.idx", "uni", "al", brx },
  { "call", "uni", "call", call },
  { "trap", "", "", trap },
  { "bar.sync", "cta", "a?b", barrier },
  { "barrier.sync", "cta aligned", "a?b", barrier },
  { "bar.red.popc.u32", "cta", "dab", barrier, 0, 1 },
  { "bar.red.and.pred", "cta", "dab", barrier, 0, 2 },
  { "bar.red.or.pred", "cta", "dab", barrier, 0, 3 },
  { "barrier.red.popc.u32", "cta aligned", "dab", barrier, 0, 1 },
  { "barrier.red.and.pred", "cta aligned", "dab", barrier, 0, 2 },
  { "barrier.red.or.pred", "cta aligned", "dab", barrier, 0, 3 },
  { "nanosleep.u32", "", "a", nothing },
  { "prefetch", "global local L1 L2", "m", nothing },
  { "membar.cta", "", "", nothing },
  { "membar.gl", "", "", nothing },
  { "membar.sys", "", "", nothing },
  { "fence", "sc acq_rel cta gpu sys", "", nothing },
  { 0 },
};
