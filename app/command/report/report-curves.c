/* report-curves.c — a chart of one table of a sweep: a curve for each column.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/report/report-curves.h"

#include "profiler/base/format.h"

#define MAX_CURVES 24

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
scope_say_sweep_curves (ScopeSaid               *said,
                        const ScopeSweepResults *results,
                        const ScopeSweepView    *view)
{
  const ScopeSweepPlan *plan = results->plan;
  VizCurveTable        *table;
  guint                 n_points = 0;

  if (!are_ascending (plan, view->rows) || plan->n_values[view->columns] > MAX_CURVES)
    return;
  table =
      viz_curve_table_new (plan->n_values[view->rows], plan->n_values[view->columns],
                           scope_sweep_axes[view->rows].key,
                           scope_sweep_results_is_timing (results) ? prof_format_seconds : NULL);
  for (guint row = 0; row < table->n_x; row++)
    table->x[row] = g_ascii_strtod (plan->values[view->rows][row], NULL);
  for (guint column = 0; column < table->n_curves; column++)
    {
      const char *name = plan->values[view->columns][column];

      table->labels[column] = g_strdup (*name ? name : "as it is");
      for (guint row = 0; row < table->n_x; row++)
        n_points += (guint) viz_curve_table_set (table, column, row,
                                                 scope_sweep_view_get (view, results, row, column));
    }
  if (n_points < 2)
    {
      viz_curve_table_free (table);
      return;
    }
  scope_said_figure (said, &(ScopeFigure){ .drawing = &scope_drawing_curves, .is_on_pages = TRUE })
      ->curves = table;
}
