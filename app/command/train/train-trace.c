/* train-trace.c — a ring of steps, each with its stamps, and a probe that sees where the forward pass ends.
 *
 * The forward pass ends with the last operator that the loss and the outputs depend on.  Which ones these are is known
 * after the first run of a plan.  Start with scope_trace_begin_step().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/train/train-trace.h"

#include "engine/exec/plan.h"
#include "engine/op/probe.h"
#include "profiler/base/clock.h"

#define MAX_STEPS   16
#define MAX_SECONDS 10000 /* samples */

struct _ScopeTrace
{
  HybTrainer *trainer;
  HybProbe    probe;
  guint       n_outputs; /* of the model */

  ScopeTraceStep steps[MAX_STEPS]; /* a ring */
  guint64        n_steps;          /* since the beginning */
  GArray        *seconds;          /* of double */

  HybPlan  *plan;       /* of the last run; NULL: none yet */
  gboolean *is_forward; /* by node of plan's graph */
};

static ScopeTraceStep *
get_step (ScopeTrace *trace)
{
  return &trace->steps[trace->n_steps % MAX_STEPS];
}

/* For HybProbe. */
static void
end_of_node (gpointer data, const HybSpan *span)
{
  ScopeTrace *trace = data;

  if (span->kind == HYB_SPAN_NODE && trace->plan && span->plan == trace->plan &&
      trace->is_forward[span->id])
    get_step (trace)->turn = prof_clock_now ();
}

ScopeTrace *
scope_trace_new (HybTrainer *trainer, HybModel *model)
{
  ScopeTrace *trace = g_new0 (ScopeTrace, 1);

  trace->trainer = trainer;
  trace->probe = (HybProbe){ .data = trace, .end = end_of_node };
  hyb_graph_get_heads (hyb_model_get_graph (model), &trace->n_outputs);
  trace->seconds = g_array_sized_new (FALSE, FALSE, sizeof (double), MAX_SECONDS);
  hyb_executor_set_probe (hyb_trainer_get_executor (trainer), &trace->probe);
  return trace;
}

void
scope_trace_free (ScopeTrace *trace)
{
  if (!trace)
    return;
  g_clear_pointer (&trace->plan, hyb_plan_unref);
  g_array_unref (trace->seconds);
  g_free (trace->is_forward);
  g_free (trace);
}

/* --- The forward pass --- */

/* Marks the nodes that the head needs.  Nodes come after their inputs. */
static void
mark_ancestors (HybGraph *graph, gboolean *is_needed)
{
  for (HybNodeId id = hyb_graph_n_nodes (graph); id-- > 0;)
    {
      const HybValueId *inputs = hyb_graph_get_inputs (graph, id);

      for (guint i = 0; is_needed[id] && i < hyb_graph_get_node (graph, id)->n_inputs; i++)
        is_needed[hyb_graph_get_producer (graph, inputs[i])] = TRUE;
    }
}

/* Finds the nodes of the forward pass: the loss comes first among the heads, then the gradients, then the outputs. */
static void
take_plan (ScopeTrace *trace, const HybPlan *plan)
{
  HybGraph         *graph = hyb_plan_get_graph (plan);
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n_heads);

  g_clear_pointer (&trace->plan, hyb_plan_unref);
  g_free (trace->is_forward);
  trace->plan = hyb_plan_ref ((HybPlan *) plan);
  trace->is_forward = g_new0 (gboolean, MAX (hyb_graph_n_nodes (graph), 1));
  for (guint i = 0; i < n_heads; i++)
    if (i == 0 || i + trace->n_outputs >= n_heads)
      trace->is_forward[hyb_graph_get_producer (graph, heads[i])] = TRUE;
  mark_ancestors (graph, trace->is_forward);
}

/* --- Steps --- */

void
scope_trace_begin_step (ScopeTrace *trace)
{
  *get_step (trace) = (ScopeTraceStep){ .begin = prof_clock_now () };
}

void
scope_trace_end_run (ScopeTrace *trace)
{
  const HybPlan *plan = hyb_executor_get_plan (hyb_trainer_get_executor (trace->trainer));

  get_step (trace)->run = prof_clock_now ();
  if (plan && plan != trace->plan)
    take_plan (trace, plan);
}

void
scope_trace_end_step (ScopeTrace *trace)
{
  ScopeTraceStep *step = get_step (trace);
  double          seconds;

  step->end = prof_clock_now ();
  seconds = (double) (step->end - step->begin) * 1e-9;
  if (trace->n_steps++ > 0 && trace->seconds->len < MAX_SECONDS)
    g_array_append_val (trace->seconds, seconds);
}

guint
scope_trace_n_steps (const ScopeTrace *trace)
{
  return (guint) MIN (trace->n_steps, MAX_STEPS);
}

const ScopeTraceStep *
scope_trace_get_step (const ScopeTrace *trace, guint step)
{
  return &trace->steps[(trace->n_steps - scope_trace_n_steps (trace) + step) % MAX_STEPS];
}

const GArray *
scope_trace_get_seconds (const ScopeTrace *trace)
{
  return trace->seconds;
}
