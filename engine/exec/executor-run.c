/* executor-run.c — one run of an executor, in each of the three modes.
 *
 * In static mode all entries share one block of memory, since only the outputs of the last run
 * are kept; after the first run of an entry nothing is allocated.  Start with
 * hyb_executor_run() at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/exec/executor-private.h"
#include "engine/imperative/imperative.h"
#include "engine/op/run-memory.h"

#include <stdlib.h>

/* --- Imperative --- */

static void
imperative_begin (gpointer data, const HybSpan *span)
{
  const HybProbe *probe = ((HybExecutor *) data)->probe;

  probe->begin (probe->data, span);
}

static void
imperative_end (gpointer data, const HybSpan *span)
{
  const HybProbe *probe = ((HybExecutor *) data)->probe;

  probe->end (probe->data, span);
}

static void
imperative_ready (gpointer data, const HybSpan *span)
{
  const HybProbe *probe = ((HybExecutor *) data)->probe;

  probe->ready (probe->data, span);
}

static void
imperative_value (gpointer data, const HybSpan *span, guint output, const HybTensor *tensor)
{
  const HybProbe *probe = ((HybExecutor *) data)->probe;

  probe->value (probe->data, span, output, tensor);
}

static void
imperative_memory (gpointer data, guint16 device, gint64 bytes)
{
  hyb_executor_account (data, 0, bytes);
}

static gboolean
run_imperative (HybExecutor *executor, HybRun *context, GError **error)
{
  const HybProbe        *user = executor->probe;
  HybProbe               probe = { .data = executor, .memory = imperative_memory };
  HybRunMemory           memory = { .limit = executor->options.memory_limit };
  HybGraph              *lowered = executor->current->lowered;
  g_autofree HybTensor **heads = g_new0 (HybTensor *, MAX (executor->n_outputs, 1));

  if (memory.limit > 0)
    context->memory = &memory;
  if (user && user->begin)
    probe.begin = imperative_begin;
  if (user && user->end)
    probe.end = imperative_end;
  if (user && user->ready)
    probe.ready = imperative_ready;
  if (user && user->value)
    probe.value = imperative_value;
  context->probe = &probe;

  executor->live_bytes = 0;
  if (!hyb_imperative_run (lowered ? lowered : executor->graph, executor->inputs, heads, context,
                           error))
    return FALSE;
  for (guint i = 0; i < executor->n_outputs; i++)
    hyb_executor_set_output (executor, i, heads[i]);
  return TRUE;
}

/* --- Planned --- */

static HybTensor *
new_block (gsize bytes, GError **error)
{
  HybType type = { hyb_shape_1d ((gint64) bytes), HYB_U8 };

  return hyb_tensor_new (&type, error);
}

static gboolean
run_frame (HybFrame *frame, const HybRun *context, GError **error)
{
  if (hyb_frame_run (frame, context))
    return TRUE;
  if (context->fault->is_set)
    return hyb_imperative_refuse (context->fault, error);
  if (!g_cancellable_set_error_if_cancelled (context->cancellable, error))
    hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING, NULL, NULL,
                  "the run stopped before its end");
  return FALSE;
}

static gpointer
input_data (const HybExecutor *executor, guint index)
{
  return executor->inputs[index] ? hyb_tensor_get_data (executor->inputs[index]) : NULL;
}

/* Allocates memory for this run alone: the plan's block, the frame behind it, the outputs. */
static gboolean
run_hybrid (HybExecutor *executor, const HybRun *context, GError **error)
{
  const HybPlan *plan = executor->current->plan;
  gsize          memory = hyb_plan_get_memory (plan);
  g_autoptr (HybTensor) block = new_block (memory + hyb_frame_size (plan), error);
  g_autoptr (GPtrArray) outputs =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  HybFrame *frame;
  gboolean  is_done;

  if (!block)
    return FALSE;

  executor->live_bytes = 0;
  hyb_executor_account (executor, 0, (gint64) hyb_tensor_get_bytes (block));
  /* One allocation: [0, memory) is the plan's block, and the frame follows. */
  frame = hyb_frame_init ((char *) hyb_tensor_get_data (block) + memory, plan,
                          hyb_tensor_get_data (block));
  for (guint i = 0; i < executor->n_variables; i++)
    hyb_frame_bind_variable (frame, i, input_data (executor, i));
  for (guint i = 0; i < executor->n_outputs; i++)
    {
      HybTensor *output = hyb_tensor_new (hyb_plan_get_head_type (plan, i), error);

      if (!output)
        return FALSE;
      g_ptr_array_add (outputs, output);
      hyb_frame_bind_head (frame, i, hyb_tensor_get_data (output));
      hyb_executor_account (executor, 0, (gint64) hyb_tensor_get_bytes (output));
    }

  is_done = run_frame (frame, context, error);
  hyb_executor_account (executor, 0, -(gint64) hyb_tensor_get_bytes (block));
  for (guint i = 0; is_done && i < executor->n_outputs; i++)
    hyb_executor_set_output (executor, i, hyb_tensor_ref (g_ptr_array_index (outputs, i)));
  return is_done;
}

/* --- Static --- */

/* The entry's frame in the block that all entries share; makes both if they are missing. */
static gboolean
make_frame (HybExecutor *executor, HybEntry *entry, GError **error)
{
  gsize memory = hyb_plan_get_memory (entry->plan);
  gsize had = executor->block ? hyb_tensor_get_bytes (executor->block) : 0;

  if (!executor->block || had < memory)
    {
      HybTensor *block = new_block (MAX (memory, HYB_ALIGNMENT), error);

      if (!block)
        return FALSE;
      hyb_executor_account (executor, 0, (gint64) hyb_tensor_get_bytes (block) - (gint64) had);
      g_clear_pointer (&executor->block, hyb_tensor_unref);
      executor->block = block;
    }
  /* A frame holds pointers into the block, so a new block makes it invalid; the entry refers to the
   * block that its frame was made for. */
  if (entry->block == executor->block)
    return TRUE;

  if (!entry->storage &&
      posix_memalign (&entry->storage, HYB_ALIGNMENT, hyb_frame_size (entry->plan)) != 0)
    {
      entry->storage = NULL;
      return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL, NULL,
                           "not enough memory for %u steps", hyb_plan_n_steps (entry->plan));
    }
  entry->frame =
      hyb_frame_init (entry->storage, entry->plan, hyb_tensor_get_data (executor->block));
  for (guint i = 0; i < executor->n_variables; i++)
    entry->bound[i] = NULL;
  g_clear_pointer (&entry->block, hyb_tensor_unref);
  entry->block = hyb_tensor_ref (executor->block);
  return TRUE;
}

/* The tensor that owns an address: the block, an input, or else a constant of the plan. */
static HybTensor *
wrap_head (HybExecutor *executor, HybEntry *entry, const HybType *type, gpointer data)
{
  gsize bytes = hyb_type_bytes (type);

  for (guint i = 0; i <= executor->n_variables; i++)
    {
      HybTensor  *owner = i == 0 ? executor->block : executor->inputs[i - 1];
      const char *begin = owner ? hyb_tensor_get_data (owner) : NULL;

      if (owner && (char *) data >= begin &&
          (char *) data + bytes <= begin + hyb_tensor_get_bytes (owner))
        return hyb_tensor_new_view (owner, type, (gsize) ((char *) data - begin));
    }
  return hyb_tensor_new_wrapped (type, data, hyb_plan_ref (entry->plan),
                                 (GDestroyNotify) hyb_plan_unref);
}

static void
find_outputs (HybExecutor *executor, HybEntry *entry)
{
  for (guint i = 0; i < executor->n_outputs; i++)
    {
      gpointer    data = hyb_frame_get_head (entry->frame, i);
      HybTensor **output = &entry->outputs[i];

      if (!*output || hyb_tensor_get_data (*output) != data)
        {
          g_clear_pointer (output, hyb_tensor_unref);
          *output = wrap_head (executor, entry, hyb_plan_get_head_type (entry->plan, i), data);
        }
      if (executor->outputs[i] != *output)
        hyb_executor_set_output (executor, i, hyb_tensor_ref (*output));
    }
}

static gboolean
run_static (HybExecutor *executor, const HybRun *context, GError **error)
{
  HybEntry *entry = executor->current;

  if (!make_frame (executor, entry, error))
    return FALSE;

  for (guint i = 0; i < executor->n_variables; i++)
    {
      gpointer data = input_data (executor, i);

      if (entry->bound[i] == data)
        continue;
      hyb_frame_bind_variable (entry->frame, i, data);
      entry->bound[i] = data;
    }
  if (!run_frame (entry->frame, context, error))
    return FALSE;
  find_outputs (executor, entry);
  return TRUE;
}

static gboolean
run_in_mode (HybExecutor *executor, HybRun *context, GError **error)
{
  const HybPlan *plan = executor->current->plan;

  if (!plan || hyb_plan_is_dynamic (plan))
    {
      executor->unread = NULL;
      return run_imperative (executor, context, error);
    }
  if (executor->options.gpu)
    return hyb_executor_run_device (executor, context, error);

  switch (executor->options.mode)
    {
    case HYB_MODE_IMPERATIVE:
      break;
    case HYB_MODE_HYBRID:
      return run_hybrid (executor, context, error);
    case HYB_MODE_STATIC:
      return run_static (executor, context, error);
    }
  g_return_val_if_reached (FALSE);
}

gboolean
hyb_executor_run (HybExecutor *executor, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (executor, FALSE);

  HybRunFault fault = { .is_set = FALSE };
  HybRun      context = { .training = executor->options.training,
                          .seed = executor->options.seed,
                          .number = executor->n_runs,
                          .probe = executor->probe,
                          .cancellable = cancellable,
                          .fault = &fault };

  if (!hyb_executor_prepare (executor, error))
    return FALSE;

  if (executor->n_seeded > 0)
    context.seed = hyb_random_mix (executor->options.seed, executor->n_seeded);
  for (guint i = 0; i < executor->n_variables; i++)
    {
      HybTensor *bound = executor->bindings[i].tensor;

      executor->inputs[i] = bound ? bound : executor->current->zeros[i];
    }

  if (!run_in_mode (executor, &context, error))
    return FALSE;
  executor->n_runs++;
  executor->n_seeded++;
  return TRUE;
}
