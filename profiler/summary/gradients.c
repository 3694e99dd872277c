/* gradients.c — finds the end of the nodes that make gradients, in every traced run.
 *
 * measured-capture.c stores which rows these are.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/gradients.h"

#include "profiler/base/statistics.h"

#include <math.h>
#include <string.h>

static void
gradient_clear (gpointer data)
{
  g_free (((ProfGradient *) data)->name);
}

static int
compare_times (gconstpointer a, gconstpointer b)
{
  double x = ((const ProfGradient *) a)->seconds, y = ((const ProfGradient *) b)->seconds;

  return (x > y) - (x < y);
}

/* The median time from the beginning of a run to the last end of the node in this row.  The RUN
 * event follows the events of its nodes. */
static double
find_completion (const ProfCapture *capture, guint32 row)
{
  const ProfEvent *events = prof_capture_get_events (capture);
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (double));
  guint64 end = 0;

  for (guint i = 0; i < prof_capture_n_events (capture); i++)
    {
      ProfEventKind kind = prof_event_kind (&events[i]);

      if ((kind == PROF_EVENT_NODE || kind == PROF_EVENT_DEVICE) && events[i].node == row)
        end = events[i].begin_ns + prof_event_duration (&events[i]);
      if (kind == PROF_EVENT_RUN && end >= events[i].begin_ns && end > 0)
        {
          double seconds = (double) (end - events[i].begin_ns) * 1e-9;

          g_array_append_val (times, seconds);
        }
      if (kind == PROF_EVENT_RUN)
        end = 0;
    }
  return prof_median ((gconstpointer) times->data, times->len);
}

GArray *
prof_gradients (const ProfCapture *capture)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (ProfGradient));
  g_autoptr (ProfFacts) facts = prof_capture_dup_facts (capture);

  g_array_set_clear_func (list, gradient_clear);
  for (guint i = 0; i < prof_facts_n (facts); i++)
    {
      const ProfFact *fact = prof_facts_get (facts, i);
      ProfGradient    gradient;

      if (fact->text || !g_str_has_prefix (fact->key, PROF_GRADIENT_KEY) ||
          !(fact->number >= 0 && fact->number < prof_capture_n_nodes (capture)))
        continue;
      gradient.seconds = find_completion (capture, (guint32) fact->number);
      if (!isfinite (gradient.seconds))
        continue;
      gradient.name = g_strdup (fact->key + strlen (PROF_GRADIENT_KEY));
      g_array_append_val (list, gradient);
    }
  g_array_sort (list, compare_times);
  return list;
}
