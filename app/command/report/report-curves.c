/* report-curves.c — a chart of one table of a sweep: a curve for each column.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/report/report-curves.h"

#include "profiler/base/format.h"
#include "viz/paint/chart.h"

#include <math.h>
#include <stdlib.h>

#define HEIGHT     220.0
#define MAX_CURVES 24

typedef struct
{
  guint    n_x, n_curves;
  double  *x, *y;  /* y: [curve][x]; NAN: not measured */
  char   **labels; /* n_curves, NULL-terminated */
  char    *axis;
  gboolean is_timing;
} Curves;

static void
curves_free (gpointer data)
{
  Curves *curves = data;

  g_free (curves->x);
  g_free (curves->y);
  g_strfreev (curves->labels);
  g_free (curves->axis);
  g_free (curves);
}

static char *
dup_difference (double value)
{
  return g_strdup_printf ("%.3g", value);
}

/* For ScopeDrawFunc. */
static void
draw (VizPen *pen, const VizRect *rect, const VizTheme *theme, gpointer data)
{
  const Curves        *curves = data;
  g_autofree VizCurve *list = g_new0 (VizCurve, curves->n_curves);
  VizCurveChart        chart = { .x = curves->x,
                                 .n_x = curves->n_x,
                                 .x_name = curves->axis,
                                 .format = curves->is_timing ? prof_format_seconds : dup_difference,
                                 .is_logarithmic = TRUE,
                                 .mark = NAN,
                                 .curves = list,
                                 .n_curves = curves->n_curves };

  for (guint i = 0; i < curves->n_curves; i++)
    list[i] = (VizCurve){ .label = curves->labels[i], .y = curves->y + (gsize) i * curves->n_x };
  viz_chart_curves (pen, rect, theme, &chart);
}

/* Whether the rows are positive numbers in ascending order. */
static gboolean
are_ascending (const ScopeSweepPlan *plan, ScopeSweepAxis axis)
{
  double last = 0;

  for (guint i = 0; i < plan->n_values[axis]; i++)
    {
      double x = g_ascii_strtod (plan->values[axis][i], NULL);

      if (!(x > last))
        return FALSE;
      last = x;
    }
  return scope_sweep_axes[axis].is_number && plan->n_values[axis] > 1;
}

void
scope_report_add_curves (ScopePage               *page,
                         const ScopeSweepResults *results,
                         const ScopeSweepView    *view)
{
  const ScopeSweepPlan *plan = results->plan;
  Curves               *curves;
  guint                 n_points = 0;

  if (!are_ascending (plan, view->rows) || plan->n_values[view->columns] > MAX_CURVES)
    return;
  curves = g_new0 (Curves, 1);
  curves->n_x = plan->n_values[view->rows];
  curves->n_curves = plan->n_values[view->columns];
  curves->x = g_new (double, curves->n_x);
  curves->y = g_new (double, (gsize) curves->n_x * curves->n_curves);
  curves->labels = g_new0 (char *, curves->n_curves + 1);
  curves->axis = g_strdup (scope_sweep_axes[view->rows].key);
  curves->is_timing = scope_sweep_results_is_timing (results);
  for (guint column = 0; column < curves->n_curves; column++)
    {
      const char *name = plan->values[view->columns][column];

      curves->labels[column] = g_strdup (*name ? name : "as it is");
      for (guint row = 0; row < curves->n_x; row++)
        {
          double y = scope_sweep_view_get (view, results, row, column);

          curves->x[row] = g_ascii_strtod (plan->values[view->rows][row], NULL);
          /* The axis is logarithmic. */
          curves->y[(gsize) column * curves->n_x + row] = y > 0 ? y : NAN;
          n_points += y > 0;
        }
    }
  if (n_points < 2)
    {
      curves_free (curves);
      return;
    }
  scope_page_add_chart (page,
                        &(ScopeChart){ .title = "",
                                       .height = HEIGHT,
                                       .draw = draw,
                                       .data = curves,
                                       .destroy = curves_free });
}
