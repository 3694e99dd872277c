/* sweep-slice.c — finds cells by their places on two axes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/sweep/sweep-slice.h"

#include "profiler/base/statistics.h"

#include <math.h>

gboolean
scope_axis_is_ascending (const ScopeAxis *axis)
{
  double last = 0;

  for (guint i = 0; i < axis->n_values; i++)
    {
      double x = g_ascii_strtod (axis->values[i], NULL);

      if (!(x > last) || !isfinite (x))
        return FALSE;
      last = x;
    }
  return axis->is_number && axis->n_values > 1;
}

/* Whether curves over a say more than curves over b. */
static gboolean
is_better (const ScopeAxis *a, const ScopeAxis *b)
{
  return a->n_values > b->n_values || (a->n_values == b->n_values && a->is_number && !b->is_number);
}

/* The axis with the most values except `other`; ties prefer numbers.  The first axis, the rounds, is never an axis of a
 * slice. */
static guint
find_longest (const ScopeSweepData *data, guint other)
{
  guint longest = other == 1 ? 2 : 1;

  for (guint i = 1; i < data->n_axes; i++)
    if (i != other && is_better (&data->axes[i], &data->axes[longest]))
      longest = i;
  return longest;
}

void
scope_sweep_slice_init (ScopeSweepSlice *slice, const ScopeSweepData *data)
{
  *slice = (ScopeSweepSlice){ .columns = data->n_axes - 1 };
  slice->rows = find_longest (data, slice->columns);
  /* One form only: the second longest axis says more. */
  if (data->axes[slice->columns].n_values == 1)
    slice->columns = find_longest (data, slice->rows);
}

void
scope_sweep_slice_set_axis (ScopeSweepSlice      *slice,
                            const ScopeSweepData *data,
                            gboolean              is_rows,
                            guint                 axis)
{
  guint *chosen = is_rows ? &slice->rows : &slice->columns;
  guint *other = is_rows ? &slice->columns : &slice->rows;

  if (axis == 0 || axis >= data->n_axes)
    return;
  if (*other == axis)
    *other = *chosen;
  *chosen = axis;
  for (guint i = 0; i < data->n_axes; i++)
    slice->positions[i] = MIN (slice->positions[i], data->axes[i].n_values - 1);
}

guint
scope_sweep_slice_get_cell (const ScopeSweepSlice *slice,
                            const ScopeSweepData  *data,
                            guint                  row,
                            guint                  column)
{
  guint cell = row * data->axes[slice->rows].stride + column * data->axes[slice->columns].stride;

  for (guint i = 1; i < data->n_axes; i++)
    if (i != slice->rows && i != slice->columns)
      cell += slice->positions[i] * data->axes[i].stride;
  return cell;
}

double
scope_sweep_slice_get (const ScopeSweepSlice *slice,
                       const ScopeSweepData  *data,
                       guint                  row,
                       guint                  column,
                       ScopeCellState        *state)
{
  guint              first = scope_sweep_slice_get_cell (slice, data, row, column);
  guint              n_rounds = data->axes[0].n_values, n = 0;
  g_autofree double *values = g_new (double, n_rounds);
  gboolean           is_running = FALSE;

  *state = SCOPE_CELL_WAITING;
  for (guint round = 0; round < n_rounds; round++)
    {
      const ScopeCellResult *cell = &data->cells[first + round * data->axes[0].stride];

      if (cell->state == SCOPE_CELL_DONE && isfinite (cell->value))
        values[n++] = cell->value;
      if (cell->state == SCOPE_CELL_RUNNING)
        is_running = TRUE;
      else if (cell->state != SCOPE_CELL_WAITING && *state != SCOPE_CELL_DONE)
        *state = cell->state;
    }
  if (is_running && *state != SCOPE_CELL_DONE)
    *state = SCOPE_CELL_RUNNING;
  return n == 0 ? NAN : prof_median (values, n);
}
