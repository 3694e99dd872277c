/* chrome-launches.c — finds the launchers of a GPU's work; see chrome-launches.h.
 *
 * The host's executions of a node in one step of a run are in the order of their work on the GPU, and all come before
 * it in the capture.  So the n-th first piece of work of a node belongs to its n-th execution, and further pieces
 * to the same one.  A run that replays recorded work has no executions on the host.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/chrome-launches.h"

#include "profiler/summary/device-time.h"

/* The executions of one node in one step of the current run. */
typedef struct
{
  GArray *events;  /* of guint32: indices */
  guint   n_begun; /* whose first piece of work was seen */
} Executions;

typedef struct
{
  const ProfEvent *events;
  ProfLaunches    *launches;
  GHashTable      *executions; /* gint64 of node and step → Executions */
} Finder;

static void
executions_free (gpointer data)
{
  Executions *executions = data;

  g_array_unref (executions->events);
  g_free (executions);
}

static gint64
key_of (const ProfEvent *event)
{
  return (gint64) ((guint64) event->node << 32 | event->step);
}

static void
add_execution (Finder *self, guint32 index)
{
  gint64      key = key_of (&self->events[index]);
  Executions *executions = g_hash_table_lookup (self->executions, &key);

  if (!executions)
    {
      executions = g_new0 (Executions, 1);
      executions->events = g_array_new (FALSE, FALSE, sizeof (guint32));
      g_hash_table_insert (self->executions, g_memdup2 (&key, sizeof key), executions);
    }
  g_array_append_val (executions->events, index);
}

/* Copies to the GPU come before the first work of their execution, so the time decides: a copy belongs to the last
 * execution that had begun. */
static guint
find_copy (const Finder *self, const Executions *executions, guint32 index)
{
  guint low = 0, high = executions->events->len;

  while (low + 1 < high)
    {
      guint   middle = low + (high - low) / 2;
      guint32 event = g_array_index (executions->events, guint32, middle);

      if (self->events[event].begin_ns <= self->events[index].begin_ns)
        low = middle;
      else
        high = middle;
    }
  return low;
}

static void
add_work (Finder *self, guint32 index)
{
  const ProfEvent *event = &self->events[index];
  gint64           key = key_of (event);
  Executions      *executions = g_hash_table_lookup (self->executions, &key);
  guint            nth;
  guint32          launcher;

  if (!executions)
    return;
  if (prof_event_kind (event) == PROF_EVENT_COPY)
    nth = find_copy (self, executions, index);
  else
    {
      executions->n_begun += prof_event_depth (event) == PROF_DEVICE_FIRST;
      nth = MAX (executions->n_begun, 1) - 1;
    }
  launcher = g_array_index (executions->events, guint32, MIN (nth, executions->events->len - 1));
  self->launches->launcher[index] = launcher;
  self->launches->next[index] = self->launches->next[launcher];
  self->launches->next[launcher] = index;
}

ProfLaunches *
prof_launches_new (const ProfCapture *capture, guint n_events)
{
  ProfLaunches *launches = g_new (ProfLaunches, 1);
  guint         n = MAX (prof_capture_n_events (capture), 1);
  g_autoptr (GHashTable) executions =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, executions_free);
  Finder self = { prof_capture_get_events (capture), launches, executions };

  launches->launcher = g_new (guint32, n);
  launches->next = g_new (guint32, n);
  for (guint i = 0; i < n; i++)
    launches->launcher[i] = launches->next[i] = PROF_NONE;
  for (guint i = 0; i < MIN (n_events, prof_capture_n_events (capture)); i++)
    if (prof_event_is_of_device (&self.events[i]))
      add_work (&self, i);
    else if (prof_event_kind (&self.events[i]) == PROF_EVENT_NODE)
      add_execution (&self, i);
    else if (prof_event_kind (&self.events[i]) == PROF_EVENT_RUN)
      g_hash_table_remove_all (executions);
  return launches;
}

void
prof_launches_free (ProfLaunches *launches)
{
  if (!launches)
    return;
  g_free (launches->launcher);
  g_free (launches->next);
  g_free (launches);
}
