/* train-trace.c — a ring of steps, each with its spans, and a probe that sees where the forward pass ends.
 *
 * The forward pass ends with the last operator that the loss and the outputs depend on.  Which ones these are is known
 * after the first run of a plan.  Start with scope_trace_begin_step().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/train/train-trace.h"

#include "engine/exec/plan.h"
#include "engine/train/exchange.h"
#include "profiler/base/clock.h"

#define MAX_SECONDS 10000 /* samples */
#define MAX_WAITS   64    /* of a step: gradients, and running statistics */

typedef struct
{
  ScopeTraceSpan *spans;
  guint           n;
} Step;

struct _ScopeTrace
{
  HybTrainer *trainer;
  HybProbe    probe; /* where no exchange watches */
  guint       n_gradients;
  guint       max_spans; /* of a step */

  Step   *steps; /* a ring */
  guint   max_steps;
  guint64 n_steps; /* since the beginning */
  GArray *seconds; /* of double */

  guint64  cursor; /* until when the step is divided into spans */
  guint64  turn;   /* when the last operator of the forward pass ended; 0: not known */
  guint64 *sent;   /* by gradient */

  HybPlan  *plan;       /* of the last run; NULL: none yet */
  gboolean *is_forward; /* by node of plan's graph */
};

static void
end_of_node (gpointer data, const HybSpan *span)
{
  scope_trace_end_node (data, span);
}

ScopeTrace *
scope_trace_new (HybTrainer *trainer, guint max_steps, gboolean is_shared)
{
  ScopeTrace *trace = g_new0 (ScopeTrace, 1);

  trace->trainer = trainer;
  trace->probe = (HybProbe){ .data = trace, .end = end_of_node };
  trace->n_gradients = hyb_trainer_n_trained (trainer);
  trace->max_spans = trace->n_gradients + MAX_WAITS;
  trace->max_steps = MAX (max_steps, 1);
  trace->steps = g_new0 (Step, trace->max_steps);
  for (guint i = 0; i < trace->max_steps; i++)
    trace->steps[i].spans = g_new (ScopeTraceSpan, trace->max_spans);
  trace->sent = g_new0 (guint64, MAX (trace->n_gradients, 1));
  trace->seconds = g_array_sized_new (FALSE, FALSE, sizeof (double), MAX_SECONDS);
  if (!is_shared)
    hyb_executor_set_probe (hyb_trainer_get_executor (trainer), &trace->probe);
  return trace;
}

void
scope_trace_free (ScopeTrace *trace)
{
  if (!trace)
    return;
  for (guint i = 0; i < trace->max_steps; i++)
    g_free (trace->steps[i].spans);
  g_clear_pointer (&trace->plan, hyb_plan_unref);
  g_array_unref (trace->seconds);
  g_free (trace->steps);
  g_free (trace->sent);
  g_free (trace->is_forward);
  g_free (trace);
}

/* --- The forward pass --- */

/* Marks what the head needs.  Nodes come after what they read. */
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
    if (i == 0 || i > trace->n_gradients)
      trace->is_forward[hyb_graph_get_producer (graph, heads[i])] = TRUE;
  mark_ancestors (graph, trace->is_forward);
}

void
scope_trace_end_node (ScopeTrace *trace, const HybSpan *span)
{
  if (span->kind == HYB_SPAN_NODE && trace->plan && span->plan == trace->plan &&
      trace->is_forward[span->id])
    trace->turn = prof_clock_now ();
}

/* --- Steps --- */

static Step *
get_step (ScopeTrace *trace)
{
  return &trace->steps[trace->n_steps % trace->max_steps];
}

/* Spans beyond the room for them are left out. */
static void
add_span (ScopeTrace *trace, const ScopeTraceSpan *span)
{
  Step *step = get_step (trace);

  if (step->n < trace->max_spans)
    step->spans[step->n++] = *span;
}

/* The time since the last span is this part. */
static void
end_part (ScopeTrace *trace, ProfProcessPart part, guint64 now)
{
  if (now > trace->cursor)
    add_span (trace, &(ScopeTraceSpan){ trace->cursor, now, part, 0 });
  trace->cursor = now;
}

void
scope_trace_begin_step (ScopeTrace *trace)
{
  Step *step = get_step (trace);

  trace->turn = 0;
  trace->cursor = prof_clock_now ();
  step->n = 0;
  add_span (trace, &(ScopeTraceSpan){ trace->cursor, trace->cursor, PROF_PART_STEP, 0 });
}

void
scope_trace_end_run (ScopeTrace *trace)
{
  guint64        now = prof_clock_now ();
  const HybPlan *plan = hyb_executor_get_plan (hyb_trainer_get_executor (trace->trainer));

  if (trace->turn > trace->cursor)
    {
      end_part (trace, PROF_PART_FORWARD, trace->turn);
      end_part (trace, PROF_PART_BACKWARD, now);
    }
  else
    end_part (trace, PROF_PART_COMPUTING, now);
  if (plan && plan != trace->plan)
    take_plan (trace, plan);
}

void
scope_trace_send (ScopeTrace *trace, guint gradient)
{
  trace->sent[gradient] = prof_clock_now ();
}

void
scope_trace_receive (ScopeTrace *trace, guint gradient)
{
  add_span (trace,
            &(ScopeTraceSpan){
                trace->sent[gradient], prof_clock_now (), PROF_PART_AVERAGE, gradient });
}

void
scope_trace_begin_wait (ScopeTrace *trace)
{
  end_part (trace, PROF_PART_UPDATE, prof_clock_now ());
}

void
scope_trace_end_wait (ScopeTrace *trace)
{
  end_part (trace, PROF_PART_WAITING, prof_clock_now ());
}

void
scope_trace_end_step (ScopeTrace *trace)
{
  Step  *step = get_step (trace);
  double seconds;

  end_part (trace, PROF_PART_UPDATE, prof_clock_now ());
  step->spans[0].end_ns = trace->cursor;
  seconds = (double) (trace->cursor - step->spans[0].begin_ns) * 1e-9;
  if (trace->n_steps++ > 0 && trace->seconds->len < MAX_SECONDS)
    g_array_append_val (trace->seconds, seconds);
}

/* --- What was noted --- */

guint
scope_trace_n_steps (const ScopeTrace *trace)
{
  return (guint) MIN (trace->n_steps, trace->max_steps);
}

const ScopeTraceSpan *
scope_trace_get_step (const ScopeTrace *trace, guint step, guint *n)
{
  guint64     number = trace->n_steps - scope_trace_n_steps (trace) + step;
  const Step *kept = &trace->steps[number % trace->max_steps];

  *n = kept->n;
  return kept->spans;
}

const GArray *
scope_trace_get_seconds (const ScopeTrace *trace)
{
  return trace->seconds;
}
