/* chrome-device.c — writes what a GPU did as Chrome trace events.
 *
 * As in Kineto's dialect the number of the process is that of the GPU, from 0, which no process of a host has.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/chrome-device.h"

#include "engine/formats/json-text.h"
#include "profiler/exchange/chrome-counters.h"
#include "profiler/summary/device-time.h"

#define MAX_DEVICES 16 /* of an event */
#define COPIES      1000

static guint
row_of (const ProfEvent *event)
{
  return prof_event_kind (event) == PROF_EVENT_COPY ? COPIES : prof_event_stream (event);
}

static void
append_row (GString *to, guint device, guint row)
{
  g_autofree char *name = g_strdup_printf ("stream %u", row);

  g_string_append_printf (to,
                          "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,"
                          "\"ts\":0.000,\"args\":{\"name\":\"%s\"}},\n",
                          device,
                          row,
                          row == COPIES ? "copies" : name);
}

static void
append_device (GString *to, guint device)
{
  g_string_append_printf (to,
                          "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"tid\":0,"
                          "\"ts\":0.000,\"args\":{\"name\":\"GPU %u\"}},\n"
                          "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%u,\"tid\":0,"
                          "\"ts\":0.000,\"args\":{\"sort_index\":%u}},\n",
                          device,
                          device,
                          device,
                          5000000 + device);
}

void
prof_chrome_append_devices (GString *to, const ProfCapture *capture)
{
  const ProfEvent     *events = prof_capture_get_events (capture);
  g_autofree gboolean *seen = g_new0 (gboolean, MAX_DEVICES * (COPIES + 1));

  for (guint i = 0; i < prof_capture_n_events (capture); i++)
    if (prof_event_is_of_device (&events[i]) && prof_event_device (&events[i]) > 0)
      seen[(prof_event_device (&events[i]) - 1) * (COPIES + 1) + row_of (&events[i])] = TRUE;
  for (guint device = 0; device < MAX_DEVICES; device++)
    {
      gboolean is_named = FALSE;

      for (guint row = 0; row <= COPIES; row++)
        if (seen[device * (COPIES + 1) + row])
          {
            if (!is_named)
              append_device (to, device);
            is_named = TRUE;
            append_row (to, device, row);
          }
    }
}

void
prof_chrome_append_work (GString           *to,
                         const ProfCapture *capture,
                         const ProfEvent   *event,
                         guint64            base)
{
  gboolean        is_copy = prof_event_kind (event) == PROF_EVENT_COPY;
  gboolean        is_known = event->node < prof_capture_n_nodes (capture);
  const ProfNode *node = is_known ? prof_capture_get_node (capture, event->node) : NULL;
  guint           device = MAX (prof_event_device (event), 1) - 1;

  if (prof_event_duration (event) == 0)
    return;
  g_string_append_printf (to,
                          "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":",
                          is_copy ? "gpu_memcpy" : "kernel");
  hyb_json_append_string (to,
                          is_copy ? "copy"
                          : node  ? prof_capture_get_string (capture, node->type)
                                  : "(GPU, no operator)");
  g_string_append_printf (to, ",\"pid\":%u,\"tid\":%u,\"ts\":", device, row_of (event));
  prof_chrome_append_micros (to, event->begin_ns - base);
  g_string_append (to, ",\"dur\":");
  prof_chrome_append_micros (to, prof_event_duration (event));
  g_string_append_printf (to,
                          ",\"args\":{\"device\":%u,\"stream\":%u,\"correlation\":%u,\"run\":%u",
                          device,
                          prof_event_stream (event),
                          event->correlation,
                          event->run);
  if (node)
    {
      g_string_append (to, ",\"node\":");
      hyb_json_append_string (to, prof_capture_get_string (capture, node->name));
      g_string_append_printf (to,
                              ",\"step\":%u",
                              node->step != PROF_NONE ? node->step : event->step);
    }
  g_string_append (to, "}}");
}
