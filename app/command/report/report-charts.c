/* report-charts.c — bars, curves and tables of a capture.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/report/report-charts.h"

#include "app/command/report/report-bars.h"
#include "profiler/base/format.h"
#include "profiler/base/statistics.h"
#include "profiler/summary/gradients.h"

#include <math.h>

#define MOST_BARS      20
#define CURVE_HEIGHT   140.0
#define MOST_BINS      40
#define MOST_GRADIENTS 40

/* --- Bars --- */

static void
add_groups (ScopePage *page, const char *title, const GArray *groups)
{
  ScopeBars *bars = scope_bars_new ();

  for (guint i = 0; i < MIN (groups->len, MOST_BARS); i++)
    {
      const ProfGroupSum *sum = &g_array_index (groups, ProfGroupSum, i);
      g_autofree char    *time = prof_format_seconds (sum->self);
      g_autofree char    *text =
          g_strdup_printf ("%s · %.1f %% · %.0f×", time, 100 * sum->share, sum->count);

      scope_bars_add (bars,
                      *sum->name ? sum->name : "(no scope)",
                      text,
                      sum->self,
                      sum->self,
                      sum->self,
                      scope_bars_category (sum->category));
    }
  scope_page_add_bars (page, title, bars);
}

static void
add_nodes (ScopePage *page, const ProfCapture *capture, const ProfSummary *summary)
{
  ScopeBars *bars = scope_bars_new ();

  for (guint i = 0; i < MIN (summary->node->len, MOST_BARS); i++)
    {
      const ProfNodeSum *sum = &g_array_index (summary->node, ProfNodeSum, i);
      const ProfNode    *node = prof_capture_get_node (capture, sum->row);
      g_autofree char   *time = prof_format_seconds (sum->self);
      g_autofree char   *text =
          g_strdup_printf ("%s · %.1f %%", time, 100 * sum->self / summary->traced);

      scope_bars_add (bars,
                      prof_capture_get_string (capture, node->name),
                      text,
                      sum->self,
                      sum->low,
                      sum->high,
                      scope_bars_category (node->category));
    }
  scope_page_add_bars (page, "Nodes", bars);
}

/* --- Curves --- */

typedef struct
{
  guint   n;
  double *values;
  char   *low, *high; /* what the axes say */
} Curve;

static void
curve_free (gpointer data)
{
  Curve *curve = data;

  g_free (curve->values);
  g_free (curve->low);
  g_free (curve->high);
  g_free (curve);
}

static double
largest (const Curve *curve)
{
  double most = 0;

  for (guint i = 0; i < curve->n; i++)
    most = MAX (most, curve->values[i]);
  return most;
}

static void
write_label (VizPen *pen, const VizTheme *theme, double x, double y, double align, const char *text)
{
  VizTextAt at = { VIZ_TEXT_ROW, viz_text_size (VIZ_TEXT_ROW), x, y, align, theme->text_faint };

  pen->text (pen, &at, text);
}

/* A filled step curve; columns where several values share a pixel show the largest. */
static void
draw_curve (VizPen *pen, const VizRect *rect, const VizTheme *theme, gpointer data)
{
  const Curve        *curve = data;
  double              most = largest (curve), height = rect->height - 20;
  guint               n = MIN (curve->n, (guint) rect->width);
  g_autofree VizRect *columns = g_new (VizRect, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    {
      guint from = (guint) ((guint64) i * curve->n / n),
            to = (guint) ((guint64) (i + 1) * curve->n / n);
      double value = 0;

      for (guint k = from; k < MAX (to, from + 1); k++)
        value = MAX (value, curve->values[k]);
      value = most > 0 ? value / most * height : 0;
      columns[i] = (VizRect){
        rect->x + i * rect->width / n, rect->y + height - value, rect->width / n, value
      };
    }
  if (n > 0)
    pen->rects (pen, columns, n, &theme->heat[2]);
  write_label (pen, theme, rect->x, rect->y + rect->height - 4, 0, curve->low);
  write_label (pen, theme, rect->x + rect->width, rect->y + rect->height - 4, 1, curve->high);
}

static void
add_memory (ScopePage *page, const ProfCapture *capture)
{
  const ProfMemoryPoint *points = prof_capture_get_memory (capture);
  Curve                 *curve;
  double                 most;
  g_autofree char       *bytes = NULL;

  if (prof_capture_n_memory (capture) < 2)
    return;
  curve = g_new0 (Curve, 1);
  curve->n = prof_capture_n_memory (capture);
  curve->values = g_new (double, curve->n);
  for (guint i = 0; i < curve->n; i++)
    curve->values[i] = (double) points[i].bytes;
  most = largest (curve);
  bytes = prof_format_bytes (most);
  curve->high = g_strdup_printf ("at most %s", bytes);
  curve->low = g_strdup_printf ("%u steps of the plan", curve->n);
  scope_page_add_chart (page,
                        "Memory in use while the plan runs",
                        CURVE_HEIGHT,
                        draw_curve,
                        curve,
                        curve_free);
}

/* How clean runs are spread: two heaps are two clock frequencies. */
static void
add_histogram (ScopePage *page, const ProfCapture *capture)
{
  guint              n;
  g_autofree double *samples = prof_capture_dup_samples (capture, PROF_SAMPLE_CLEAN, &n);
  ProfStatistics     statistics;
  Curve             *curve;

  prof_statistics (samples, n, &statistics);
  if (n < 5 || !(statistics.maximum > statistics.minimum))
    return;
  curve = g_new0 (Curve, 1);
  curve->n = CLAMP ((guint) (2 * sqrt (n)), 5, MOST_BINS);
  curve->values = g_new0 (double, curve->n);
  for (guint i = 0; i < n; i++)
    {
      double share = (samples[i] - statistics.minimum) / (statistics.maximum - statistics.minimum);

      curve->values[(guint) MIN (share * curve->n, curve->n - 1)]++;
    }
  curve->low = prof_format_seconds (statistics.minimum);
  curve->high = prof_format_seconds (statistics.maximum);
  scope_page_add_chart (page,
                        "Clean runs, from the fastest to the slowest",
                        CURVE_HEIGHT,
                        draw_curve,
                        curve,
                        curve_free);
}

/* --- Gradients --- */

static void
add_gradients (ScopePage *page, const ProfCapture *capture)
{
  g_autoptr (GArray) list = prof_gradients (capture);
  ScopeBars *bars = scope_bars_new ();

  for (guint i = 0; i < MIN (list->len, MOST_GRADIENTS); i++)
    {
      const ProfGradient *gradient = &g_array_index (list, ProfGradient, i);
      g_autofree char    *time = prof_format_seconds (gradient->seconds);

      scope_bars_add (bars,
                      gradient->name,
                      time,
                      gradient->seconds,
                      gradient->seconds,
                      gradient->seconds,
                      viz_chart_hue (1));
    }
  scope_page_add_bars (page, "When each parameter's gradient was ready, from the beginning", bars);
}

void
scope_report_add_capture (ScopePage *page, const ProfCapture *capture)
{
  g_autoptr (ProfSummary) summary = prof_summary_new (capture);

  scope_report_add_result (page, capture, summary);
  scope_report_add_advice (page, capture, summary);
  add_groups (page, "Operators", summary->operators);
  add_groups (page, "Scopes", summary->scope);
  add_nodes (page, capture, summary);
  scope_report_add_node_table (page, capture, summary);
  scope_report_add_steps (page, capture);
  scope_report_add_roofline (page, capture, summary);
  add_memory (page, capture);
  add_gradients (page, capture);
  add_histogram (page, capture);
  scope_report_add_conditions (page, capture);
}
