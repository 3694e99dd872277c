/* chrome-device.c — writes the work of a GPU as Chrome trace events.
 *
 * As in Kineto's dialect the process has the number of the GPU, from 0, which no process of a host has, and arrows
 * go from the launcher to the work.  A loop without work of its own is a mark, so that our import can count it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/chrome-device.h"

#include "engine/formats/json-text.h"
#include "profiler/base/machine.h"
#include "profiler/exchange/chrome-counters.h"

#define MAX_DEVICES 16 /* of an event */
#define COPIES      1000
#define FURTHER     2000 /* between a row and the next one of the same stream */
#define MAX_FURTHER 100  /* rows of a stream; more overlapping events share the last row */

struct ProfDeviceRows
{
  /* By device, then by stream; NULL: not seen.  Of guint64: when the rows of a stream are free. */
  GArray **ends[MAX_DEVICES];
};

static guint
device_of (const ProfEvent *event)
{
  return MAX (prof_event_device (event), 1) - 1;
}

static guint
first_row_of (const ProfEvent *event)
{
  return prof_event_kind (event) == PROF_EVENT_COPY ? COPIES : prof_event_stream (event);
}

/* --- Rows --- */

ProfDeviceRows *
prof_device_rows_new (void)
{
  return g_new0 (ProfDeviceRows, 1);
}

void
prof_device_rows_free (ProfDeviceRows *rows)
{
  if (!rows)
    return;
  for (guint i = 0; i < MAX_DEVICES; i++)
    {
      for (guint k = 0; rows->ends[i] && k <= COPIES; k++)
        if (rows->ends[i][k])
          g_array_unref (rows->ends[i][k]);
      g_free (rows->ends[i]);
    }
  g_free (rows);
}

guint
prof_device_rows_place (ProfDeviceRows *rows, const ProfEvent *event)
{
  guint    device = device_of (event), first = first_row_of (event), nth = 0;
  GArray **ends;
  guint64  duration = prof_event_duration (event);
  guint64 end = event->begin_ns > G_MAXUINT64 - duration ? G_MAXUINT64 : event->begin_ns + duration;

  if (!rows->ends[device])
    rows->ends[device] = g_new0 (GArray *, COPIES + 1);
  ends = &rows->ends[device][first];
  if (!*ends)
    *ends = g_array_new (FALSE, FALSE, sizeof (guint64));
  if (duration == 0) /* a mark */
    return first;
  while (nth < (*ends)->len && g_array_index (*ends, guint64, nth) > event->begin_ns)
    nth++;
  nth = MIN (nth, MAX_FURTHER - 1);
  if (nth < (*ends)->len)
    g_array_index (*ends, guint64, nth) = end;
  else
    g_array_append_val (*ends, end);
  return first + nth * FURTHER;
}

static void
append_row (GString *to, guint device, guint row, guint nth)
{
  g_autofree char *name = row == COPIES ? g_strdup ("copies") : g_strdup_printf ("stream %u", row);
  g_autofree char *number = nth > 0 ? g_strdup_printf (", %u", nth + 1) : g_strdup ("");

  g_string_append_printf (to,
                          "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,\"ts\":0."
                          "000,\"args\":{\"name\":\"%s%s\"}},\n",
                          device, row + nth * FURTHER, name, number);
}

static void
append_device (GString *to, const ProfCapture *capture, guint device)
{
  const char *model = prof_capture_get_text (capture, PROF_DEVICE_KEY);
  const char *tracer = prof_capture_get_text (capture, PROF_DEVICE_TRACE_KEY);

  g_string_append_printf (to,
                          "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"tid\":0,\"ts\":0."
                          "000,\"args\":{\"name\":\"GPU %u\"}},\n"
                          "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%u,\"tid\":0,"
                          "\"ts\":0.000,\"args\":{\"sort_index\":%u}},\n"
                          "{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":%u,\"tid\":0,\"ts\":0."
                          "000,\"args\":{\"labels\":",
                          device, device, device, 5000000 + device, device);
  hyb_json_append_string (to, model ? model : "");
  g_string_append (to, ",\"tracer\":");
  hyb_json_append_string (to, tracer ? tracer : "");
  g_string_append (to, "}},\n");
}

void
prof_device_rows_append (GString *to, const ProfDeviceRows *rows, const ProfCapture *capture)
{
  for (guint device = 0; device < MAX_DEVICES; device++)
    {
      gboolean is_named = FALSE;

      for (guint row = 0; rows->ends[device] && row <= COPIES; row++)
        {
          const GArray *ends = rows->ends[device][row];

          if (ends && !is_named)
            append_device (to, capture, device);
          is_named = is_named || ends;
          for (guint nth = 0; ends && nth < MAX (ends->len, 1); nth++)
            append_row (to, device, row, nth);
        }
    }
}

/* --- Work --- */

static void
append_args (GString              *to,
             const ProfCapture    *capture,
             const ProfPlacedWork *work,
             const ProfNode       *node /* (nullable) */)
{
  const ProfEvent *event = work->event;

  g_string_append_printf (to,
                          ",\"args\":{\"device\":%u,\"stream\":%u,\"correlation\":%u,\"run\":%u",
                          device_of (event), prof_event_stream (event), event->correlation,
                          event->run);
  if (work->launcher != PROF_NONE)
    g_string_append_printf (to, ",\"External id\":%u", work->launcher);
  if (prof_event_kind (event) == PROF_EVENT_DEVICE && prof_event_depth (event) == PROF_DEVICE_FIRST)
    g_string_append (to, ",\"first\":1");
  if (node)
    {
      g_string_append (to, ",\"node\":");
      hyb_json_append_string (to, prof_capture_get_string (capture, node->name));
      g_string_append_printf (to, ",\"step\":%u",
                              node->step != PROF_NONE ? node->step : event->step);
    }
  if (node && node->origin < prof_capture_n_nodes (capture))
    {
      g_string_append (to, ",\"origin\":");
      hyb_json_append_string (to,
                              prof_capture_get_string (capture,
                                                       prof_capture_get_node (capture, node->origin)
                                                           ->name));
    }
  g_string_append (to, "}}");
}

static void
append_arrow (GString *to, const ProfPlacedWork *work, guint64 base)
{
  g_string_append_printf (to,
                          ",\n{\"ph\":\"f\",\"bp\":\"e\",\"id\":%u,\"cat\":\"ac2g\",\"name\":"
                          "\"ac2g\",\"pid\":%u,\"tid\":%u,\"ts\":",
                          work->id, device_of (work->event), work->row);
  prof_chrome_append_micros (to, work->event->begin_ns - base);
  g_string_append_c (to, '}');
}

void
prof_chrome_append_work (GString              *to,
                         const ProfCapture    *capture,
                         const ProfPlacedWork *work,
                         guint64               base)
{
  const ProfEvent *event = work->event;
  gboolean         is_copy = prof_event_kind (event) == PROF_EVENT_COPY;
  gboolean         is_mark = prof_event_duration (event) == 0;
  gboolean         is_known = event->node < prof_capture_n_nodes (capture);
  const ProfNode  *node = is_known ? prof_capture_get_node (capture, event->node) : NULL;

  g_string_append_printf (to, "{\"ph\":%s,\"cat\":\"%s\",\"name\":",
                          is_mark ? "\"i\",\"s\":\"t\"" : "\"X\"",
                          is_copy   ? "gpu_memcpy"
                          : is_mark ? "gpu_loop"
                                    : "kernel");
  hyb_json_append_string (to, is_copy ? "copy"
                              : node  ? prof_capture_get_string (capture, node->type)
                                      : "(GPU, no operator)");
  g_string_append_printf (to, ",\"pid\":%u,\"tid\":%u,\"ts\":", device_of (event), work->row);
  prof_chrome_append_micros (to, event->begin_ns - base);
  if (!is_mark)
    {
      g_string_append (to, ",\"dur\":");
      prof_chrome_append_micros (to, prof_event_duration (event));
    }
  append_args (to, capture, work, node);
  if (work->launcher != PROF_NONE && !is_mark)
    append_arrow (to, work, base);
}
