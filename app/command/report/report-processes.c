/* report-processes.c — processes that train together: a table, and the lanes of one step.
 *
 * The step is the one of the run that the summary calls typical.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/report/report-sections.h"

#include "app/adapt/process-part.h"
#include "profiler/base/format.h"
#include "profiler/summary/processes.h"
#include "viz/paint/chart.h"

#include <math.h>

#define NAME_WIDTH    80.0
#define LANE          13.0
#define GAP           2.0
#define AXIS          18.0
#define MAX_PROCESSES 16
#define N_TICKS       5

/* A span as it is drawn. */
typedef struct
{
  double          begin, end; /* seconds */
  guint           process, depth;
  ProfProcessPart part;
} LaneSpan;

typedef struct
{
  GArray *spans; /* of LaneSpan */
  double  begin, end;
  guint   n_processes;
  guint   n_lanes; /* of a process, without that of the whole step */
} Lanes;

static void
lanes_free (gpointer data)
{
  Lanes *lanes = data;

  g_array_unref (lanes->spans);
  g_free (lanes);
}

/* --- The lanes --- */

static double
height_of (const Lanes *lanes)
{
  return lanes->n_processes * (lanes->n_lanes * (LANE + GAP) + 3 * GAP) + AXIS;
}

static void
draw_ticks (VizPen *pen, const VizRect *area, const VizTheme *theme, const Lanes *lanes)
{
  double length = lanes->end - lanes->begin;
  double step = viz_chart_step (length, N_TICKS, FALSE);

  for (guint i = 0; step > 0 && i * step <= length; i++)
    {
      double           x = area->x + i * step / length * area->width;
      VizRect          line = { x, area->y, 1, area->height - AXIS };
      g_autofree char *text = i == 0 ? g_strdup ("0") : prof_format_seconds (i * step);

      pen->rects (pen, &line, 1, &theme->box_border);
      scope_draw_text (pen,
                       (VizPoint){ x, area->y + area->height - 4 },
                       i == 0 ? 0 : 0.5,
                       theme->text_faint,
                       text);
    }
}

/* For ScopeDrawFunc. */
static void
draw_lanes (VizPen *pen, const VizRect *rect, const VizTheme *theme, gpointer data)
{
  const Lanes *lanes = data;
  VizRect      area = { rect->x + NAME_WIDTH, rect->y, rect->width - NAME_WIDTH, rect->height };
  double       of_process = lanes->n_lanes * (LANE + GAP) + 3 * GAP;
  double       scale = area.width / MAX (lanes->end - lanes->begin, 1e-9);

  draw_ticks (pen, &area, theme, lanes);
  for (guint i = 0; i < lanes->n_processes; i++)
    {
      g_autofree char *name = g_strdup_printf ("process %u", i);

      scope_draw_text (pen,
                       (VizPoint){ rect->x, rect->y + i * of_process + LANE - 2 },
                       0,
                       theme->text,
                       name);
    }
  for (guint i = 0; i < lanes->spans->len; i++)
    {
      const LaneSpan *span = &g_array_index (lanes->spans, LaneSpan, i);
      VizColour       colour = scope_process_part_colour (theme, span->part);
      VizRect         bar = { area.x + (span->begin - lanes->begin) * scale,
                              area.y + span->process * of_process + (span->depth - 1) * (LANE + GAP),
                              MAX ((span->end - span->begin) * scale - 0.5, 0.5),
                              LANE };

      pen->rects (pen, &bar, 1, &colour);
    }
}

static void
add_span (Lanes *lanes, const ProfEvent *event)
{
  LaneSpan span = { .begin = (double) event->begin_ns * 1e-9,
                    .process = prof_event_stream (event),
                    .depth = prof_event_depth (event),
                    .part = (ProfProcessPart) event->correlation };

  span.end = span.begin + (double) prof_event_duration (event) * 1e-9;
  if (span.depth == 0 || span.process >= MAX_PROCESSES || event->correlation >= PROF_N_PARTS)
    return;
  if (lanes->spans->len == 0)
    {
      lanes->begin = span.begin;
      lanes->end = span.end;
    }
  lanes->begin = MIN (lanes->begin, span.begin);
  lanes->end = MAX (lanes->end, span.end);
  lanes->n_processes = MAX (lanes->n_processes, span.process + 1);
  lanes->n_lanes = MAX (lanes->n_lanes, MIN (span.depth, 8));
  span.depth = MIN (span.depth, 8);
  g_array_append_val (lanes->spans, span);
}

static void
add_lanes (ScopeReportPage *page, const ProfCapture *capture, guint run)
{
  Lanes           *lanes = g_new0 (Lanes, 1);
  const ProfEvent *events = prof_capture_get_events (capture);

  lanes->spans = g_array_new (FALSE, FALSE, sizeof (LaneSpan));
  for (guint i = 0; i < prof_capture_n_events (capture); i++)
    if (events[i].run == run && prof_event_kind (&events[i]) == PROF_EVENT_PROCESS)
      add_span (lanes, &events[i]);
  if (lanes->spans->len == 0)
    {
      lanes_free (lanes);
      return;
    }
  scope_report_page_add_chart (page,
                               &(ScopeChart){ .title = "One step in each process",
                                              .height = height_of (lanes),
                                              .draw = draw_lanes,
                                              .data = lanes,
                                              .destroy = lanes_free });
}

/* --- The table --- */

static void
append_time (GString *html, double seconds)
{
  g_autofree char *text = seconds > 0 ? prof_format_seconds (seconds) : g_strdup ("–");

  g_string_append (html, "<td>");
  scope_html_append (html, text);
  g_string_append (html, "</td>");
}

static void
append_share (GString *html, double part, double whole)
{
  if (whole > 0)
    g_string_append_printf (html, "<td>%.1f %%</td>", 100 * part / whole);
  else
    g_string_append (html, "<td>–</td>");
}

static void
append_process (GString *html, const ProfProcess *process)
{
  g_string_append_printf (html, "<tr><td>%u</td>", process->number);
  append_time (html, process->step);
  append_time (html, process->forward);
  append_time (html, process->backward);
  append_time (html, process->update);
  append_time (html, process->waiting);
  append_share (html, process->waiting, process->step);
  append_time (html, process->averaging);
  append_share (html, process->hidden, process->averaging);
  g_string_append (html, "</tr>\n");
}

/* A coloured square and a word for each part. */
static void
append_legend (GString *html)
{
  static const struct
  {
    ProfProcessPart part;
    const char     *name;
  } parts[] = {
    { PROF_PART_FORWARD, "forward pass" },          { PROF_PART_BACKWARD, "backward pass" },
    { PROF_PART_AVERAGE, "average of a gradient" }, { PROF_PART_WAITING, "waiting" },
    { PROF_PART_UPDATE, "update of parameters" },
  };

  g_string_append (html, "<p>");
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      VizColour colour = scope_process_part_colour (viz_theme_find (NULL), parts[i].part);

      g_string_append_printf (html,
                              "<span style=\"color:#%02x%02x%02x\">■</span> %s &nbsp; ",
                              (guint) (colour.red * 255),
                              (guint) (colour.green * 255),
                              (guint) (colour.blue * 255),
                              parts[i].name);
    }
  g_string_append (html, "</p>\n");
}

void
scope_report_page_add_processes (ScopeReportPage   *page,
                                 const ProfCapture *capture,
                                 const ProfSummary *summary)
{
  g_autoptr (GArray) list = prof_processes (capture);
  g_autofree char *speed_up = prof_speed_up_describe (capture, prof_speed_up_known (capture));
  GString         *html;

  if (list->len == 0)
    return;
  html = g_string_new ("<table><tr><th>process</th><th>step</th><th>forward</th><th>backward</th>"
                       "<th>update</th><th>waiting</th><th>share</th>"
                       "<th title=\"while a gradient is on its way\">averaging</th>"
                       "<th title=\"what of the averaging forward and backward pass cover\">hidden"
                       "</th></tr>\n");
  for (guint i = 0; i < list->len; i++)
    append_process (html, &g_array_index (list, ProfProcess, i));
  g_string_append (html, "</table>\n");
  if (speed_up)
    g_string_append_printf (html, "<p>%s.</p>\n", speed_up);
  scope_report_page_add_html (page, "Processes", html);
  add_lanes (page, capture, summary->run);
  html = g_string_new (NULL);
  append_legend (html);
  scope_report_page_add_html (page, NULL, html);
}
