/* summary-steps.c — the same sums, a step of a loop or of an unrolled sequence each.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/statistics.h"
#include "profiler/summary-private.h"

/* No sequence that is drawn has more. */
#define MAX_STEPS (1 << 20)

typedef struct
{
  const ProfCapture *capture;
  guint32            row;   /* PROF_NONE: all */
  GArray            *self;  /* of double, by step: ns over all runs */
  GArray            *count; /* of double */
} Steps;

/* Of a loop's body: as the loop counts; else as the name says. */
static guint32
step_of (const ProfCapture *capture, const ProfEvent *event)
{
  const ProfNode *node = prof_capture_get_node (capture, event->node);

  return node->graph != 0 ? event->step : node->step;
}

static void
add_event (gpointer data, const ProfEvent *event, guint64 duration, guint64 self)
{
  Steps  *steps = data;
  guint32 step;

  if (prof_event_kind (event) != PROF_EVENT_NODE ||
      event->node >= prof_capture_n_nodes (steps->capture) ||
      (steps->row != PROF_NONE && event->node != steps->row))
    return;
  step = step_of (steps->capture, event);
  if (step >= MAX_STEPS)
    return;
  if (step >= steps->self->len)
    {
      g_array_set_size (steps->self, step + 1);
      g_array_set_size (steps->count, step + 1);
    }
  g_array_index (steps->self, double, step) += (double) self;
  g_array_index (steps->count, double, step) += 1;
}

GArray *
prof_sum_steps (const ProfCapture *capture, guint32 row, guint n_runs)
{
  GArray *sums = g_array_new (FALSE, FALSE, sizeof (ProfStepSum));
  Steps   steps = {
      .capture = capture,
      .row = row,
      .self = g_array_new (FALSE, TRUE, sizeof (double)),
      .count = g_array_new (FALSE, TRUE, sizeof (double)),
  };

  prof_walk_events (capture, add_event, &steps);
  for (guint i = 0; i < steps.self->len; i++)
    {
      ProfStepSum sum = { .step = i,
                          .self = g_array_index (steps.self, double, i) * 1e-9 / MAX (n_runs, 1),
                          .count = g_array_index (steps.count, double, i) / MAX (n_runs, 1) };

      if (sum.count > 0)
        g_array_append_val (sums, sum);
    }
  g_array_unref (steps.self);
  g_array_unref (steps.count);
  return sums;
}

static guint
count_runs (const ProfCapture *capture)
{
  guint n = 0;

  for (guint i = 0; i < prof_capture_n_events (capture); i++)
    n += prof_event_kind (&prof_capture_get_events (capture)[i]) == PROF_EVENT_RUN;
  return n;
}

GArray *
prof_summary_steps_of (const ProfCapture *capture, guint32 row)
{
  return prof_sum_steps (capture, row, count_runs (capture));
}
