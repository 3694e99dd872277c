/* run.c — ptx_launch(): blocks one after the other, the threads of a block in one of three orders,
 * each until it waits or ends.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/machine.h"

#include <string.h>

#define MOST_STEPS G_GUINT64_CONSTANT (4000000000)
#define SLICE      1000000000u

void
ptx_fail (PtxThread *thread, const PtxInstruction *in, PtxError code, const char *format, ...)
{
  PtxRun          *run = thread->run;
  const guint     *block = run->launch->block;
  const char      *file;
  g_autofree char *message = NULL, *source = NULL;
  va_list          args;

  thread->state = PTX_ENDED;
  if (run->error)
    return;
  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  file = g_hash_table_lookup (run->kernel->module->files, GUINT_TO_POINTER (in->file));
  if (in->source_line)
    source = g_strdup_printf (" (%s:%u)", file ? file : "?", in->source_line);
  run->error =
      g_error_new (PTX_ERROR, (gint) code,
                   "%s, block (%u,%u,%u), thread (%u,%u,%u), line %u of the PTX%s, "
                   "\"%.*s\": %s",
                   run->kernel->name, run->at[0], run->at[1], run->at[2], thread->index % block[0],
                   thread->index / block[0] % block[1], thread->index / block[0] / block[1],
                   in->line, source ? source : "", (int) in->length, in->text, message);
  g_strdelimit (run->error->message, "\t\n", ' ');
}

/* --- Threads --- */

/* At most MOST instructions of T. */
static void
run_thread (PtxThread *t, guint most)
{
  guint done = 0;

  while (t->state == PTX_RUNNING && done < most)
    {
      const PtxInstruction *in = t->in;

      done++;
      t->in = in + 1;
      if (in->predicate < 0 || (t->r[in->predicate].u32 != 0) != in->negated)
        in->step (t, in);
    }
  t->steps += done;
}

static guint32
draw (PtxRun *run)
{
  run->random = run->random * 1664525u + 1013904223u;
  return run->random >> 16;
}

/* Every thread that can run does, until none can. */
static void
run_threads (PtxRun *run)
{
  PtxOrder order = run->launch->order;
  gboolean more = TRUE;

  while (more && !run->error)
    {
      guint start = order == PTX_MIXED ? draw (run) % run->count : 0;

      more = FALSE;
      for (guint i = 0; i < run->count && !run->error; i++)
        {
          guint      index = order == PTX_REVERSE ? run->count - 1 - i : (start + i) % run->count;
          PtxThread *t = &run->threads[index];

          if (t->state != PTX_RUNNING)
            continue;
          run_thread (t, order == PTX_MIXED ? draw (run) % 24 + 1 : SLICE);
          if (t->state == PTX_RUNNING)
            more = TRUE;
          run->launch->steps += t->steps;
          t->steps = 0;
          if (run->launch->steps > run->launch->most_steps)
            ptx_fail (t, t->in, PTX_ERROR_FOREVER, "does not end");
        }
    }
}

/* --- Barriers --- */

/* What a barrier that counts gives to every thread. */
static void
count_votes (PtxRun *run, const PtxInstruction *in)
{
  guint yes = 0, all = 0;

  for (guint i = 0; i < run->count; i++)
    if (run->threads[i].state == PTX_AT_BARRIER)
      {
        all++;
        yes += run->threads[i].r[in->b].u32 != 0;
      }
  for (guint i = 0; i < run->count; i++)
    if (run->threads[i].state == PTX_AT_BARRIER)
      run->threads[i].r[in->d].u64 = in->extra == 1 ? yes : in->extra == 2 ? yes == all : yes > 0;
}

static void
pass_barrier (PtxRun *run, const PtxInstruction *in)
{
  if (in->extra)
    count_votes (run, in);
  for (guint i = 0; i < run->count; i++)
    if (run->threads[i].state == PTX_AT_BARRIER)
      {
        run->threads[i].in++;
        run->threads[i].state = PTX_RUNNING;
      }
  ptx_shared_pass (run->shared);
}

/* No thread runs and no warp meets: a barrier, or threads that wait for ever. */
static void
come_together (PtxRun *run)
{
  PtxThread *waiting = NULL, *away = NULL;

  for (guint i = 0; i < run->count; i++)
    if (run->threads[i].state == PTX_AT_MEETING)
      {
        ptx_warps_stuck (run);
        return;
      }
    else if (run->threads[i].state == PTX_AT_BARRIER)
      waiting = &run->threads[i];
  for (guint i = 0; i < run->count; i++)
    if (run->threads[i].state != PTX_AT_BARRIER || run->threads[i].in != waiting->in)
      away = &run->threads[i];
  if (away && ptx_checks (waiting, PTX_ERROR_BARRIER))
    ptx_fail (waiting, waiting->in, PTX_ERROR_BARRIER,
              away->state == PTX_ENDED ? "waits at a barrier that thread %u never reaches"
                                       : "waits at a barrier while thread %u waits at another one",
              away->index);
  else if (waiting->r[waiting->in->a].u32 != 0)
    ptx_fail (waiting, waiting->in, PTX_ERROR_TEXT, "only barrier 0 is known");
  else
    pass_barrier (run, waiting->in);
}

static gboolean
all_ended (const PtxRun *run)
{
  for (guint i = 0; i < run->count; i++)
    if (run->threads[i].state != PTX_ENDED)
      return FALSE;
  return TRUE;
}

/* --- Blocks --- */

static guint32
special_value (const PtxRun *run, const PtxThread *t, PtxSpecial special)
{
  const guint *block = run->launch->block;
  guint        lane = t->index % PTX_WARP;
  const guint  values[PTX_SPECIALS] = {
     [PTX_TID_X] = t->index % block[0],
     [PTX_TID_Y] = t->index / block[0] % block[1],
     [PTX_TID_Z] = t->index / block[0] / block[1],
     [PTX_NTID_X] = block[0],
     [PTX_NTID_Y] = block[1],
     [PTX_NTID_Z] = block[2],
     [PTX_CTAID_X] = run->at[0],
     [PTX_CTAID_Y] = run->at[1],
     [PTX_CTAID_Z] = run->at[2],
     [PTX_NCTAID_X] = run->launch->grid[0],
     [PTX_NCTAID_Y] = run->launch->grid[1],
     [PTX_NCTAID_Z] = run->launch->grid[2],
     [PTX_LANEID] = lane,
     [PTX_WARPID] = t->index / PTX_WARP,
     [PTX_WARP_SIZE] = PTX_WARP,
     [PTX_LANEMASK_EQ] = 1u << lane,
     [PTX_LANEMASK_LT] = (1u << lane) - 1,
     [PTX_LANEMASK_LE] = (2u << lane) - 1,
     [PTX_LANEMASK_GT] = ~((2u << lane) - 1),
     [PTX_LANEMASK_GE] = ~((1u << lane) - 1),
  };

  return values[special];
}

static void
start_thread (PtxRun *run, PtxThread *t)
{
  const PtxFrame *first = &g_array_index (run->frames, PtxFrame, 0);

  for (guint f = 0; f < run->frames->len; f++)
    {
      const PtxFrame *frame = &g_array_index (run->frames, PtxFrame, f);

      for (guint i = 0; i < frame->function->specials->len; i++)
        {
          const PtxSpecialSlot *s = &g_array_index (frame->function->specials, PtxSpecialSlot, i);

          t->file[frame->slot + s->slot].u64 = special_value (run, t, s->special);
        }
    }
  t->r = t->file + first->slot;
  t->in = &g_array_index (first->function->instructions, PtxInstruction, 0);
  t->state = PTX_RUNNING;
  t->depth = t->frame = 0;
  t->frame_local = first->local;
  t->frame_call = first->call;
  if (run->local_bytes)
    {
      memset (t->local, 0xff, run->local_bytes);
      memset (t->local_written, 0, run->local_bytes);
    }
}

static void
run_block (PtxRun *run)
{
  ptx_shared_clear (run->shared);
  for (guint i = 0; i < run->count; i++)
    start_thread (run, &run->threads[i]);
  while (!run->error)
    {
      run_threads (run);
      if (run->error)
        return;
      if (all_ended (run))
        {
          ptx_shared_pass (run->shared);
          return;
        }
      if (!ptx_warps_meet (run))
        come_together (run);
    }
}

/* --- A launch --- */

static void
add_frame (PtxRun *run, const PtxFunction *function)
{
  PtxFrame frame = { function, (guint32) run->slots, run->local_bytes, run->call_bytes };

  for (guint i = 0; i < run->frames->len; i++)
    if (g_array_index (run->frames, PtxFrame, i).function == function)
      return;
  g_array_append_val (run->frames, frame);
  run->slots += function->slots;
  run->local_bytes += (function->local_bytes + 15) / 16 * 16;
  run->call_bytes += (function->call_bytes + 15) / 16 * 16;
  for (guint i = 0; i < function->calls->len; i++)
    {
      const PtxCall *call = g_ptr_array_index (function->calls, i);

      if (call->function)
        add_frame (run, call->function);
    }
}

static guint64
constant_value (const PtxRun *run, const PtxConstant *constant)
{
  const PtxModule *module = run->kernel->module;

  switch (constant->kind)
    {
    case PTX_OWN_SHARED:
      return constant->value + (module->shared_bytes + 15) / 16 * 16;
    case PTX_DYNAMIC_SHARED:
      return run->shared_bytes - run->launch->dynamic_shared;
    case PTX_ADDRESS_OF:
      return ((PtxGlobal *) g_ptr_array_index (module->globals, constant->value))->address;
    case PTX_AS_IT_IS:
    default:
      return constant->value;
    }
}

static void
make_threads (PtxRun *run)
{
  run->threads = g_new0 (PtxThread, run->count);
  for (guint i = 0; i < run->count; i++)
    {
      PtxThread *t = &run->threads[i];

      t->run = run;
      t->index = i;
      t->file = g_malloc (run->slots * sizeof (PtxValue));
      memset (t->file, 0xcb, run->slots * sizeof (PtxValue));
      t->local = g_malloc (2 * run->local_bytes + 1);
      t->local_written = t->local + run->local_bytes;
      t->call = g_malloc0 (run->call_bytes + 1);
      for (guint f = 0; f < run->frames->len; f++)
        {
          const PtxFrame *frame = &g_array_index (run->frames, PtxFrame, f);
          const GArray   *constants = frame->function->constants;

          for (guint k = 0; k < constants->len; k++)
            {
              const PtxConstant *constant = &g_array_index (constants, PtxConstant, k);

              t->file[frame->slot + constant->slot].u64 = constant_value (run, constant);
            }
        }
    }
}

static void
free_threads (PtxRun *run)
{
  for (guint i = 0; i < run->count; i++)
    {
      g_free (run->threads[i].file);
      g_free (run->threads[i].local);
      g_free (run->threads[i].call);
    }
  g_free (run->threads);
}

static gboolean
check_launch (const PtxFunction *kernel, const PtxLaunch *launch, GError **error)
{
  guint64 threads = (guint64) launch->block[0] * launch->block[1] * launch->block[2];

  if (!threads || threads > kernel->most_threads || launch->block[2] > 64)
    g_set_error (error, PTX_ERROR, PTX_ERROR_LAUNCH,
                 "%s: a block of %u x %u x %u threads, where 1 to %u are possible", kernel->name,
                 launch->block[0], launch->block[1], launch->block[2], kernel->most_threads);
  else if (!launch->grid[0] || !launch->grid[1] || !launch->grid[2] ||
           launch->grid[0] > G_MAXINT32 || launch->grid[1] > 65535 || launch->grid[2] > 65535)
    g_set_error (error, PTX_ERROR, PTX_ERROR_LAUNCH,
                 "%s: a grid of %u x %u x %u blocks is empty or too large", kernel->name,
                 launch->grid[0], launch->grid[1], launch->grid[2]);
  else if (launch->argument_bytes != kernel->parameter_bytes)
    g_set_error (error, PTX_ERROR, PTX_ERROR_LAUNCH,
                 "%s: arguments of %" G_GSIZE_FORMAT " bytes were given, and the kernel takes "
                 "%" G_GSIZE_FORMAT,
                 kernel->name, launch->argument_bytes, kernel->parameter_bytes);
  else
    return TRUE;
  return FALSE;
}

gboolean
ptx_launch (const PtxFunction *kernel, PtxLaunch *launch, GError **error)
{
  PtxRun  run = { .kernel = kernel, .launch = launch, .random = launch->seed };
  guint64 blocks = (guint64) launch->grid[0] * launch->grid[1] * launch->grid[2];

  launch->steps = 0;
  launch->most_steps = launch->most_steps ? launch->most_steps : MOST_STEPS;
  if (!check_launch (kernel, launch, error))
    return FALSE;
  run.memory = kernel->module->memory;
  run.ordered = ptx_memory_ordered (run.memory);
  run.count = launch->block[0] * launch->block[1] * launch->block[2];
  run.shared_bytes = (kernel->module->shared_bytes + 15) / 16 * 16 +
                     (kernel->shared_bytes + 15) / 16 * 16 + launch->dynamic_shared;
  run.frames = g_array_new (FALSE, FALSE, sizeof (PtxFrame));
  add_frame (&run, kernel);
  run.shared = ptx_shared_new (run.shared_bytes, run.count);
  make_threads (&run);
  for (guint64 i = 0; i < blocks && !run.error; i++)
    {
      guint64 block = launch->order == PTX_REVERSE ? blocks - 1 - i : i;

      run.at[0] = (guint) (block % launch->grid[0]);
      run.at[1] = (guint) (block / launch->grid[0] % launch->grid[1]);
      run.at[2] = (guint) (block / launch->grid[0] / launch->grid[1]);
      run_block (&run);
    }
  free_threads (&run);
  ptx_shared_free (run.shared);
  g_array_unref (run.frames);
  if (!run.error)
    return TRUE;
  g_propagate_error (error, run.error);
  return FALSE;
}
