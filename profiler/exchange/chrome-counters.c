/* chrome-counters.c — writes counter events: "ph":"C", whose args are the values of a track.
 *
 * Memory is the memory of the plan while a node runs, and further allocations.  Processors are the
 * CPU time of all threads in a run over its length.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/chrome-counters.h"

#include "engine/formats/json-text.h"

#include <math.h>

void
prof_chrome_append_micros (GString *to, guint64 ns)
{
  g_string_append_printf (to, "%" G_GUINT64_FORMAT ".%03u", ns / 1000, (guint) (ns % 1000));
}

static void
read_memory (ProfChromeCounters *self)
{
  const ProfMemoryPoint *points = prof_capture_get_memory (self->capture);

  self->in_use = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  for (guint i = 0; i < prof_capture_n_memory (self->capture); i++)
    {
      gpointer       row = GUINT_TO_POINTER (points[i].row);
      const guint64 *known = g_hash_table_lookup (self->in_use, row);

      if (points[i].row != PROF_NONE && (!known || *known < points[i].bytes))
        g_hash_table_insert (self->in_use, row, g_memdup2 (&points[i].bytes, sizeof (guint64)));
    }
}

/* Reads the CPU time of the runs of a kind. */
static void
read_cores (ProfChromeCounters *self, ProfSampleKind kind)
{
  const ProfSample           *samples = prof_capture_get_samples (self->capture);
  g_autofree ProfSampleFacts *facts = prof_capture_dup_sample_facts (self->capture, kind);
  guint                       n = 0;

  for (guint i = 0; facts && i < prof_capture_n_samples (self->capture); i++)
    if (samples[i].kind == kind)
      {
        const ProfSampleFacts *of_run = &facts[n++];
        double                 cores = of_run->wall > 0 ? of_run->cpu / of_run->wall : NAN;

        if (isfinite (cores))
          g_hash_table_insert (self->cores, GUINT_TO_POINTER (samples[i].run),
                               g_memdup2 (&cores, sizeof cores));
      }
}

void
prof_chrome_counters_init (ProfChromeCounters *counters, const ProfCapture *capture)
{
  *counters = (ProfChromeCounters){ .capture = capture,
                                    .cores = g_hash_table_new_full (NULL, NULL, NULL, g_free) };
  read_memory (counters);
  read_cores (counters, PROF_SAMPLE_TRACED);
  read_cores (counters, PROF_SAMPLE_EXACT);
}

void
prof_chrome_counters_clear (ProfChromeCounters *counters)
{
  g_clear_pointer (&counters->in_use, g_hash_table_unref);
  g_clear_pointer (&counters->cores, g_hash_table_unref);
}

/* Appends one counter event; the caller appends the value and finish_counter(). */
static void
begin_counter (GString *to, const char *name, const char *key, guint64 ns)
{
  g_string_append_printf (
      to, "{\"ph\":\"C\",\"cat\":\"counter\",\"name\":\"%s\",\"pid\":%d,\"tid\":0,\"ts\":", name,
      PROF_CHROME_PROCESS);
  prof_chrome_append_micros (to, ns);
  g_string_append_printf (to, ",\"args\":{\"%s\":", key);
}

static void
finish_counter (GString *to)
{
  g_string_append (to, "}},\n");
}

/* The processors in use until run_end end there. */
static void
end_run (ProfChromeCounters *self, GString *to, guint64 base)
{
  begin_counter (to, "processors in use", "cores", self->run_end - base);
  g_string_append_c (to, '0');
  finish_counter (to);
  self->run_end = 0;
}

void
prof_chrome_counters_append (ProfChromeCounters *self,
                             GString            *to,
                             const ProfEvent    *event,
                             guint64             base)
{
  const guint64 *bytes;
  const double  *cores;
  guint64        now = event->begin_ns - base;

  if (self->run_end > 0 && event->begin_ns >= self->run_end)
    end_run (self, to, base);
  switch (prof_event_kind (event))
    {
    case PROF_EVENT_RUN:
      cores = g_hash_table_lookup (self->cores, GUINT_TO_POINTER (event->run));
      if (!cores)
        return;
      begin_counter (to, "processors in use", "cores", now);
      hyb_json_append_double (to, *cores);
      finish_counter (to);
      self->run_end = event->begin_ns + prof_event_duration (event);
      return;
    case PROF_EVENT_NODE:
    case PROF_EVENT_DEVICE:
      bytes = g_hash_table_lookup (self->in_use, GUINT_TO_POINTER (event->node));
      if (!bytes || *bytes == self->last)
        return;
      self->last = *bytes;
      begin_counter (to, "memory in use", "bytes", now);
      g_string_append_printf (to, "%" G_GUINT64_FORMAT, *bytes);
      finish_counter (to);
      return;
    case PROF_EVENT_MEMORY:
      /* A damaged capture may have any numbers. */
      if (__builtin_add_overflow (self->allocated, prof_event_bytes (event), &self->allocated))
        self->allocated = 0;
      begin_counter (to, "allocated", "bytes", now);
      g_string_append_printf (to, "%" G_GINT64_FORMAT, self->allocated);
      finish_counter (to);
      return;
    case PROF_EVENT_BRANCH:
    case PROF_EVENT_PASS:
    case PROF_EVENT_COPY:
    case PROF_EVENT_SLICE:
    case PROF_N_EVENTS:
      return;
    }
}

void
prof_chrome_counters_finish (ProfChromeCounters *self, GString *to, guint64 base)
{
  if (self->run_end > 0)
    end_run (self, to, base);
}
