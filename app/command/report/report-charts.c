/* report-charts.c — bars and curves of a capture, and the order of its sections.
 *
 * Start at scope_say_capture().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/report/report-sections.h"

#include "profiler/base/format.h"
#include "profiler/base/statistics.h"
#include "profiler/summary/gradients.h"

#include <math.h>

#define MAX_BARS      20
#define CURVE_HEIGHT  140.0
#define HEIGHTS_WIDTH 70.0 /* of the labels of heights */
#define TICK_HEIGHT   36.0
#define MAX_BINS      40
#define MAX_GRADIENTS 40

/* --- Bars --- */

static VizCategory
colour_of (guint category /* HybCategory */)
{
  return (VizCategory) ((category + 1) % VIZ_N_CATEGORIES);
}

static ScopeFigure *
add_bars (ScopeSaid *said, const char *title)
{
  return scope_said_figure (said, &(ScopeFigure){ .drawing = &scope_drawing_bars, .title = title });
}

static void
add_group (ScopeFigure *figure, const ProfGroupSum *sum)
{
  g_autofree char *time = prof_format_seconds (sum->self);
  g_autofree char *count =
      sum->count > 0 ? g_strdup_printf (" · %.0f×", sum->count) : g_strdup ("");

  scope_figure_add_bar (figure,
                        &(VizBar){ .label = *sum->name ? sum->name : "(no scope)",
                                   .value = sum->self,
                                   .category = colour_of (sum->category) },
                        g_strdup_printf ("%s · %.1f %%%s", time, 100 * sum->share, count));
}

/* Bars of the largest groups, of all others together and of the time outside of nodes: a whole run. */
static void
add_groups (ScopeSaid *said, const char *title, const ProfSummary *summary, const GArray *groups)
{
  ScopeFigure *figure = add_bars (said, title);
  ProfGroupSum rest[PROF_MAX_REST];
  ProfGroupSum more = { .name = "(all others)", .category = G_MAXUINT16 };
  guint        n_rest = prof_summary_rest (summary, rest);

  for (guint i = 0; i < groups->len; i++)
    {
      const ProfGroupSum *sum = &g_array_index (groups, ProfGroupSum, i);

      if (i < MAX_BARS)
        add_group (figure, sum);
      more.self += i < MAX_BARS ? 0 : sum->self;
      more.share += i < MAX_BARS ? 0 : sum->share;
    }
  if (groups->len > MAX_BARS)
    add_group (figure, &more);
  for (guint i = 0; i < n_rest && groups->len > 0; i++)
    add_group (figure, &rest[i]);
}

static void
add_nodes (ScopeSaid *said, const ProfCapture *capture, const ProfSummary *summary)
{
  ScopeFigure *figure = add_bars (said, "Nodes");

  for (guint i = 0; summary->n_used > 0 && i < MIN (summary->node->len, MAX_BARS); i++)
    {
      const ProfNodeSum *sum = &g_array_index (summary->node, ProfNodeSum, i);
      const ProfNode    *node = prof_capture_get_node (capture, sum->row);
      g_autofree char   *time = prof_format_seconds (sum->self);

      scope_figure_add_bar (figure,
                            &(VizBar){ .label = prof_capture_get_string (capture, node->name),
                                       .value = sum->self,
                                       .low = sum->low,
                                       .high = sum->high,
                                       .category = colour_of (node->category) },
                            g_strdup_printf ("%s · %.1f %%", time,
                                             100 * sum->self / summary->traced));
    }
}

/* --- Curves --- */

typedef struct
{
  guint   n;
  double *values;
  char   *low, *high;             /* labels at the ends of the axis */
  char *(*format) (double value); /* prints heights (transfer full) */
  gboolean is_binary;             /* heights are bytes */
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
  double maximum = 0;

  for (guint i = 0; i < curve->n; i++)
    maximum = MAX (maximum, curve->values[i]);
  return maximum;
}

/* Lines at round heights, and what they stand for at the left of the curve. */
static void
draw_heights (VizPen *pen, const VizRect *area, const VizTheme *theme, const Curve *curve)
{
  double    maximum = largest (curve);
  double    step = viz_chart_step (maximum, (guint) (area->height / TICK_HEIGHT), curve->is_binary);
  VizColour faint = theme->box_border;

  faint.alpha *= 0.6;
  for (guint i = 0; step > 0 && i * step <= maximum; i++)
    {
      double           y = area->y + area->height - i * step / maximum * area->height;
      VizRect          line = { area->x, y - 0.5, area->width, 1 };
      g_autofree char *text = i == 0 ? g_strdup ("0") : curve->format (i * step);

      pen->rects (pen, &line, 1, &faint);
      scope_draw_text (pen, (VizPoint){ area->x - 6, y + 4 }, 1, theme->text_faint, text);
    }
}

/* Draws a filled step curve.  If several values share a pixel, the largest is drawn. */
static void
draw_curve (const ScopeFigure *figure, VizPen *pen, const VizRect *rect, const VizTheme *theme)
{
  const Curve        *curve = figure->data;
  VizRect             area = { rect->x + HEIGHTS_WIDTH, rect->y + 8, rect->width - HEIGHTS_WIDTH,
                               rect->height - 28 };
  double              maximum = largest (curve);
  guint               n = MIN (curve->n, (guint) area.width);
  g_autofree VizRect *columns = g_new (VizRect, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    {
      guint from = (guint) ((guint64) i * curve->n / n),
            to = (guint) ((guint64) (i + 1) * curve->n / n);
      double value = 0;

      for (guint k = from; k < MAX (to, from + 1); k++)
        value = MAX (value, curve->values[k]);
      value = maximum > 0 ? value / maximum * area.height : 0;
      columns[i] = (VizRect){ area.x + i * area.width / n, area.y + area.height - value,
                              area.width / n, value };
    }
  if (n > 0)
    pen->rects (pen, columns, n, &theme->heat[2]);
  draw_heights (pen, &area, theme, curve);
  scope_draw_text (pen, (VizPoint){ area.x, rect->y + rect->height - 4 }, 0, theme->text_faint,
                   curve->low);
  scope_draw_text (pen, (VizPoint){ rect->x + rect->width, rect->y + rect->height - 4 }, 1,
                   theme->text_faint, curve->high);
}

static double
curve_height (const ScopeFigure *figure G_GNUC_UNUSED)
{
  return CURVE_HEIGHT;
}

static const ScopeDrawing curve_drawing = { curve_height, draw_curve };

static void
add_curve (ScopeSaid *said, const char *title, Curve *curve /* (transfer full) */)
{
  scope_said_figure (said, &(ScopeFigure){ .drawing = &curve_drawing,
                                           .title = title,
                                           .data = curve,
                                           .destroy = curve_free });
}

static void
add_memory (ScopeSaid *said, const ProfCapture *capture)
{
  const ProfMemoryPoint *points = prof_capture_get_memory (capture);
  Curve                 *curve;
  g_autofree char       *bytes = NULL;

  if (prof_capture_n_memory (capture) < 2)
    return;
  curve = g_new0 (Curve, 1);
  curve->n = prof_capture_n_memory (capture);
  curve->values = g_new (double, curve->n);
  for (guint i = 0; i < curve->n; i++)
    curve->values[i] = (double) points[i].bytes;
  bytes = prof_format_bytes (largest (curve));
  curve->format = prof_format_bytes;
  curve->is_binary = TRUE;
  curve->high = g_strdup_printf ("peak %s", bytes);
  curve->low = g_strdup_printf ("%u steps of the plan", curve->n);
  add_curve (said, "Memory in use while the plan runs", curve);
}

static char *
format_count (double count)
{
  return g_strdup_printf ("%.3g", count);
}

/* The distribution of the clean runs.  Two peaks usually mean two clock frequencies. */
static void
add_histogram (ScopeSaid *said, const ProfCapture *capture)
{
  guint                   n;
  g_autofree double      *samples = prof_capture_dup_samples (capture, PROF_SAMPLE_CLEAN, &n);
  ProfStatistics          statistics;
  Curve                  *curve;
  guint                   n_used;
  ProfDisturbance         disturbance;
  g_autofree double *used G_GNUC_UNUSED =
      prof_capture_dup_undisturbed (capture, &n_used, &disturbance);
  g_autofree char *title =
      disturbance.n_disturbed == 0
          ? g_strdup ("Distribution of the times of clean runs")
          : g_strdup_printf ("Distribution of the times of clean runs, with %u of %u disturbed",
                             disturbance.n_disturbed, disturbance.n);

  prof_statistics (samples, n, &statistics);
  if (n < 5 || !(statistics.maximum > statistics.minimum))
    return;
  curve = g_new0 (Curve, 1);
  curve->n = CLAMP ((guint) (2 * sqrt (n)), 5, MAX_BINS);
  curve->values = g_new0 (double, curve->n);
  for (guint i = 0; i < n; i++)
    {
      double share = (samples[i] - statistics.minimum) / (statistics.maximum - statistics.minimum);

      curve->values[(guint) MIN (share * curve->n, curve->n - 1)]++;
    }
  curve->format = format_count;
  curve->low = prof_format_seconds (statistics.minimum);
  curve->high = prof_format_seconds (statistics.maximum);
  add_curve (said, title, curve);
}

/* --- Gradients --- */

static void
add_gradients (ScopeSaid *said, const ProfCapture *capture)
{
  g_autoptr (GArray) list = prof_gradients (capture);
  ScopeFigure *figure =
      add_bars (said, "When each parameter's gradient was ready, since the start of the run");

  for (guint i = 0; i < MIN (list->len, MAX_GRADIENTS); i++)
    {
      const ProfGradient *gradient = &g_array_index (list, ProfGradient, i);

      scope_figure_add_bar (figure,
                            &(VizBar){ .label = gradient->name,
                                       .value = gradient->seconds,
                                       .category = viz_chart_hue (1) },
                            prof_format_seconds (gradient->seconds));
    }
}

/* --- A capture --- */

void
scope_say_capture (ScopeSaid *said, const ProfCapture *capture)
{
  g_autoptr (ProfSummary) summary = prof_summary_new (capture);

  scope_say_result (said, capture, summary);
  scope_say_advice (said, capture, summary);
  add_groups (said, "Operators", summary, summary->operators);
  add_groups (said, "Scopes", summary, summary->scope);
  add_nodes (said, capture, summary);
  scope_say_nodes (said, capture, summary);
  scope_say_steps (said, capture, summary);
  scope_say_roofline (said, capture, summary);
  add_memory (said, capture);
  add_gradients (said, capture);
  add_histogram (said, capture);
  scope_say_conditions (said, capture);
}
