/* write-chrome.c — writes Chrome trace JSON in Kineto's dialect.
 *
 * Times are microseconds with three decimals since baseTimeNanoseconds.  Complete events nest in
 * the row of the thread; runs are ProfilerStep#N annotations around them.  GPUs are processes of their own.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/write-trace.h"

#include "engine/formats/file.h"
#include "engine/formats/json-text.h"
#include "profiler/base/statistics.h"
#include "profiler/exchange/chrome-counters.h"
#include "profiler/exchange/chrome-device.h"
#include "profiler/exchange/chrome-launches.h"
#include "profiler/summary/device-time.h"

#include <math.h>
#include <stdlib.h>

#define THREAD PROF_CHROME_PROCESS /* the main thread has the number of the process */

typedef struct
{
  const ProfEvent *event;
  guint32          index;
  guint            row; /* of work of a GPU */
} Entry;

/* The fields common to all events. */
typedef struct
{
  const ProfCapture  *capture;
  const ProfEvent    *events; /* of capture */
  guint64             base;   /* where times begin */
  const ProfLaunches *launches;
} Writer;

/* By begin, the outer event first. */
static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const ProfEvent *x = ((const Entry *) a)->event, *y = ((const Entry *) b)->event;

  if (x->begin_ns != y->begin_ns)
    return x->begin_ns < y->begin_ns ? -1 : 1;
  if (prof_event_depth (x) != prof_event_depth (y))
    return prof_event_depth (x) < prof_event_depth (y) ? -1 : 1;
  if (prof_event_duration (x) != prof_event_duration (y))
    return prof_event_duration (x) > prof_event_duration (y) ? -1 : 1;
  return ((const Entry *) a)->index < ((const Entry *) b)->index ? -1 : 1;
}

static void
append_times (GString *to, const ProfEvent *event, guint64 base)
{
  g_string_append_printf (to, ",\"pid\":%d,\"tid\":%u,\"ts\":", PROF_CHROME_PROCESS,
                          THREAD + prof_event_stream (event));
  prof_chrome_append_micros (to, event->begin_ns - base);
  g_string_append (to, ",\"dur\":");
  prof_chrome_append_micros (to, prof_event_duration (event));
}

static void
append_text (GString *to, const char *key, const char *value)
{
  g_string_append_printf (to, "\"%s\":", key);
  hyb_json_append_string (to, value);
}

static void
append_node (GString           *to,
             const ProfCapture *capture,
             const ProfEvent   *event,
             guint64            base,
             guint32            id)
{
  gboolean        is_known = event->node < prof_capture_n_nodes (capture);
  const ProfNode *node = is_known ? prof_capture_get_node (capture, event->node) : NULL;

  g_string_append (to, "{\"ph\":\"X\",\"cat\":\"cpu_op\",");
  append_text (to, "name", node ? prof_capture_get_string (capture, node->type) : "unknown");
  append_times (to, event, base);
  g_string_append_printf (to, ",\"args\":{\"External id\":%u", id);
  if (prof_event_device (event) > 0) /* the host only launched it */
    g_string_append_printf (to, ",\"device\":%u", prof_event_device (event) - 1);
  if (node)
    {
      g_string_append_c (to, ',');
      append_text (to, "node", prof_capture_get_string (capture, node->name));
      if (node->origin < prof_capture_n_nodes (capture))
        {
          const ProfNode *origin = prof_capture_get_node (capture, node->origin);

          g_string_append_c (to, ',');
          append_text (to, "origin", prof_capture_get_string (capture, origin->name));
        }
      g_string_append_c (to, ',');
      append_text (to, "output", prof_capture_get_string (capture, node->shape));
      if (isfinite (node->flops))
        {
          g_string_append (to, ",\"flops\":");
          hyb_json_append_double (to, node->flops);
        }
    }
  g_string_append_printf (to, ",\"step\":%u,\"run\":%u}}",
                          node && node->step != PROF_NONE ? node->step : event->step, event->run);
}

/* The part of a node that another thread computed. */
static void
append_slice (GString *to, const ProfCapture *capture, const ProfEvent *event, guint64 base)
{
  gboolean        is_known = event->node < prof_capture_n_nodes (capture);
  const ProfNode *node = is_known ? prof_capture_get_node (capture, event->node) : NULL;

  g_string_append (to, "{\"ph\":\"X\",\"cat\":\"slice\",");
  append_text (to, "name", node ? prof_capture_get_string (capture, node->type) : "slice");
  append_times (to, event, base);
  g_string_append_printf (to, ",\"args\":{\"run\":%u", event->run);
  if (node)
    {
      g_string_append_c (to, ',');
      append_text (to, "of", prof_capture_get_string (capture, node->name));
    }
  g_string_append (to, "}}");
}

/* The beginnings of arrows from an execution of a node to the work that it launched. */
static void
append_arrows (GString *to, const Writer *self, const Entry *entry)
{
  for (guint32 i = self->launches->next[entry->index]; i != PROF_NONE; i = self->launches->next[i])
    {
      if (prof_event_duration (&self->events[i]) == 0)
        continue;
      g_string_append_printf (to,
                              ",\n{\"ph\":\"s\",\"id\":%u,\"cat\":\"ac2g\",\"name\":\"ac2g\","
                              "\"pid\":%d,\"tid\":%u,\"ts\":",
                              i + 1, PROF_CHROME_PROCESS,
                              THREAD + prof_event_stream (entry->event));
      prof_chrome_append_micros (to, entry->event->begin_ns - self->base);
      g_string_append_c (to, '}');
    }
}

static void
append_work (GString *to, const Writer *self, const Entry *entry)
{
  guint32        launcher = self->launches->launcher[entry->index];
  ProfPlacedWork work = { entry->event, entry->row, entry->index + 1,
                          launcher == PROF_NONE ? PROF_NONE : launcher + 1 };

  prof_chrome_append_work (to, self->capture, &work, self->base);
}

static void
append_event (GString *to, const Writer *self, const Entry *entry)
{
  const ProfEvent *event = entry->event;
  guint64          base = self->base;
  guint32          id = entry->index + 1;

  if (prof_event_is_of_device (event))
    {
      append_work (to, self, entry);
      return;
    }
  switch (prof_event_kind (event))
    {
    case PROF_EVENT_NODE:
    case PROF_EVENT_COPY:
      append_node (to, self->capture, event, base, id);
      append_arrows (to, self, entry);
      return;
    case PROF_EVENT_BRANCH:
      g_string_append_printf (to, "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"step %u\"",
                              event->step);
      append_times (to, event, base);
      g_string_append_printf (to, ",\"args\":{\"External id\":%u,\"body\":%u,\"run\":%u}}", id,
                              event->node, event->run);
      return;
    case PROF_EVENT_SLICE:
      append_slice (to, self->capture, event, base);
      return;
    case PROF_EVENT_RUN:
      g_string_append_printf (
          to, "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%u\"", event->run);
      break;
    case PROF_EVENT_PASS:
      g_string_append_printf (to, "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"pass %u\"",
                              event->node);
      break;
    case PROF_EVENT_MEMORY:
    case PROF_EVENT_DEVICE:
    case PROF_N_EVENTS:
      return;
    }
  append_times (to, event, base);
  g_string_append_printf (to, ",\"args\":{\"External id\":%u,\"run\":%u}}", id, event->run);
}

/* Names the rows: the main thread, then those that computed slices of its loops. */
static void
append_threads (GString *to, const GArray *entries)
{
  guint last = 0;

  for (guint i = 0; i < entries->len; i++)
    if (!prof_event_is_of_device (g_array_index (entries, Entry, i).event))
      last = MAX (last, prof_event_stream (g_array_index (entries, Entry, i).event));
  for (guint i = 0; i <= last; i++)
    g_string_append_printf (to,
                            "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%u,\"ts\":0."
                            "000,\"args\":{\"name\":\"%s %u\"}},\n"
                            "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":%d,\"tid\":%u,"
                            "\"ts\":0.000,\"args\":{\"sort_index\":%u}},\n",
                            PROF_CHROME_PROCESS, THREAD + i, i == 0 ? "engine" : "worker", i,
                            PROF_CHROME_PROCESS, THREAD + i, i);
}

static void
append_metadata (GString *to, const ProfCapture *capture)
{
  const char      *variant = prof_capture_get_text (capture, "variant");
  const char      *subject = prof_capture_get_text (capture, "subject");
  g_autofree char *process =
      g_strdup_printf ("hybridscope: %s, %s", subject ? subject : "", variant ? variant : "as is");

  g_string_append_printf (to,
                          "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"tid\":0,\"ts\":0."
                          "000,\"args\":{",
                          PROF_CHROME_PROCESS);
  append_text (to, "name", process);
  g_string_append (to, "}},\n");
}

static void
append_head (GString *to, const ProfCapture *capture, guint n_left_out)
{
  const char        *variant = prof_capture_get_text (capture, "variant");
  guint              n, n_traced;
  g_autofree double *clean = prof_capture_dup_undisturbed (capture, &n, NULL);
  g_autofree double *traced = prof_capture_dup_samples (capture, PROF_SAMPLE_TRACED, &n_traced);

  g_string_append (to, "{\"schemaVersion\":1,\"deviceProperties\":[],\"displayTimeUnit\":\"ms\","
                       "\"baseTimeNanoseconds\":0,\n\"hybridscope\":{");
  append_text (to, "variant", variant ? variant : "as is");
  g_string_append (to, ",\"mode\":\"trace\",\"clean_median_us\":");
  hyb_json_append_double (to, prof_median (clean, n) * 1e6);
  g_string_append (to, ",\"trace_over_clean\":");
  hyb_json_append_double (to, prof_median (traced, n_traced) / prof_median (clean, n));
  g_string_append_printf (to, ",\"dropped\":%u},\n\"traceEvents\":[\n", n_left_out);
}

/* All events, up to max_events, in the order that readers expect. */
static GArray *
sort_events (const ProfCapture *capture, guint max_events, guint *n_left_out)
{
  const ProfEvent *events = prof_capture_get_events (capture);
  GArray          *entries = g_array_new (FALSE, FALSE, sizeof (Entry));

  *n_left_out = 0;
  for (guint i = 0; i < prof_capture_n_events (capture); i++)
    {
      Entry         entry = { &events[i], i };
      ProfEventKind kind = prof_event_kind (&events[i]);

      if (kind >= PROF_N_EVENTS)
        continue;
      if (entries->len < max_events)
        g_array_append_val (entries, entry);
      else
        (*n_left_out)++;
    }
  g_array_sort (entries, compare_entries);
  return entries;
}

/* Places the work of GPUs in rows. */
static ProfDeviceRows *
place_work (const GArray *entries)
{
  ProfDeviceRows *rows = prof_device_rows_new ();

  for (guint i = 0; i < entries->len; i++)
    {
      Entry *entry = &g_array_index (entries, Entry, i);

      if (prof_event_is_of_device (entry->event))
        entry->row = prof_device_rows_place (rows, entry->event);
    }
  return rows;
}

/* The number of events of capture up to the last one that is written. */
static guint
count_events (const GArray *entries)
{
  guint n = 0;

  for (guint i = 0; i < entries->len; i++)
    n = MAX (n, g_array_index (entries, Entry, i).index + 1);
  return n;
}

char *
prof_print_chrome (const ProfCapture *capture, guint max_events, gsize *length)
{
  GString           *text = g_string_new (NULL);
  ProfChromeCounters counters;
  guint              n_left_out;
  g_autoptr (GArray) entries =
      sort_events (capture, max_events > 0 ? max_events : PROF_TRACE_EVENTS, &n_left_out);
  g_autoptr (ProfDeviceRows) rows = place_work (entries);
  g_autoptr (ProfLaunches) launches = prof_launches_new (capture, count_events (entries));
  guint64 base = entries->len > 0 ? g_array_index (entries, Entry, 0).event->begin_ns : 0;
  guint64 end = base;
  Writer  writer = { capture, prof_capture_get_events (capture), base, launches };

  prof_chrome_counters_init (&counters, capture);
  append_head (text, capture, n_left_out);
  append_metadata (text, capture);
  append_threads (text, entries);
  prof_device_rows_append (text, rows, capture);
  for (guint i = 0; i < entries->len; i++)
    {
      const Entry     *entry = &g_array_index (entries, Entry, i);
      const ProfEvent *event = entry->event;
      gsize            length_before;

      prof_chrome_counters_append (&counters, text, event, base);
      length_before = text->len;
      append_event (text, &writer, entry);
      if (text->len > length_before)
        g_string_append (text, ",\n");
      end = MAX (end, event->begin_ns + prof_event_duration (event));
    }
  prof_chrome_counters_finish (&counters, text, base);
  prof_chrome_counters_clear (&counters);
  g_string_append_printf (text,
                          "{\"ph\":\"i\",\"s\":\"g\",\"name\":\"Record Window "
                          "End\",\"cat\":\"cpu_instant_event\",\"pid\":%d,\"tid\":%d,\"ts\":",
                          PROF_CHROME_PROCESS, THREAD);
  prof_chrome_append_micros (text, end - base);
  g_string_append (text, "}\n],\"traceName\":\"hybridscope\"}\n");
  if (length)
    *length = text->len;
  return g_string_free (text, FALSE);
}

gboolean
prof_write_chrome (const ProfCapture *capture, const char *path, GError **error)
{
  gsize            length;
  g_autofree char *text = prof_print_chrome (capture, 0, &length);

  return hyb_file_replace_contents (path, text, length, error);
}
