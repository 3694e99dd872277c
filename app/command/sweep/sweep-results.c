/* sweep-results.c — reads the lines of a sweep, and arranges them by two axes.
 *
 * Lines come from a folder that others may write to: they are checked like any file.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/sweep/sweep-results.h"

#include "app/command/children/find-json.h"
#include "app/command/frame/messages.h"
#include "app/command/sweep/sweep-folder.h"
#include "app/command/sweep/sweep-table.h"
#include "app/command/sweep/sweep-task.h"
#include "profiler/base/pairing.h"

#include <dirent.h>
#include <math.h>
#include <string.h>

#define MAX_ROUND 10000 /* values of an axis */

gboolean
scope_is_sweep (const char *path)
{
  g_autofree char *plan = scope_sweep_dup_path (path, SCOPE_SWEEP_PLAN);

  return g_file_test (path, G_FILE_TEST_IS_DIR) && g_file_test (plan, G_FILE_TEST_EXISTS);
}

/* --- Reading --- */

static void
read_number (const HybJson *json, const char *key, double *value)
{
  if (!scope_find_double (json, 0, key, value))
    *value = NAN;
}

static void
read_result (const HybJson *json, gboolean is_done, ScopeSweepResult *result)
{
  const char *worker, *target;
  double      seconds;

  read_number (json, "median", &result->value);
  if (isnan (result->value))
    read_number (json, "max_abs", &result->value);
  read_number (json, "low", &result->low);
  read_number (json, "high", &result->high);
  read_number (json, "ended", &result->ended);
  read_number (json, "seconds", &seconds);
  result->began = result->ended - seconds;
  worker = scope_find_string (json, 0, "worker");
  target = scope_find_string (json, 0, "target");
  result->worker = g_strdup (worker);
  result->host = target   ? g_strdup (target)
                 : worker ? g_strndup (worker, strcspn (worker, "."))
                          : NULL;
  result->reason = g_strdup (scope_find_string (json, 0, "reason"));
  result->is_done = is_done;
  result->has_line = TRUE;
}

/* The cell that a file belongs to.  FALSE: it belongs to none of the plan. */
static gboolean
parse_name (const ScopeSweepResults *results, const char *name, const char *ending, guint *cell)
{
  guint64          number = g_ascii_strtoull (name, NULL, 10);
  g_autofree char *same = NULL;

  if (!g_ascii_isdigit (*name) || number >= results->plan->n_cells)
    return FALSE;
  *cell = (guint) number;
  same = g_strdup_printf ("%06u%s", *cell, ending);
  return strcmp (name, same) == 0;
}

/* Takes as long as there are files, however many cells the plan says that it has. */
static void
read_cells (ScopeSweepResults *results, int cells)
{
  DIR                 *dir = fdopendir (cells);
  const struct dirent *entry;
  guint                cell;

  while (dir && (entry = readdir (dir)))
    {
      gboolean is_done = FALSE;
      g_autoptr (HybJson) json = NULL;

      if (parse_name (results, entry->d_name, ".part", &cell))
        results->cells[cell].is_claimed = scope_sweep_part_is_held (cells, entry->d_name);
      if (!parse_name (results, entry->d_name, ".json", &cell) || results->cells[cell].has_line)
        continue;
      json = scope_sweep_read_line (cells, cell, NULL, &is_done);
      if (json)
        read_result (json, is_done, &results->cells[cell]);
    }
  if (dir)
    closedir (dir);
}

static void
count_states (ScopeSweepResults *results)
{
  for (guint cell = 0; cell < results->plan->n_cells; cell++)
    {
      const ScopeSweepResult *result = &results->cells[cell];

      results->n_done += result->has_line && result->is_done;
      results->n_failed += result->has_line && !result->is_done;
      results->n_claimed += !result->has_line && result->is_claimed;
    }
}

const char *
scope_sweep_result_get_state (const ScopeSweepResult *result)
{
  if (result->has_line)
    return result->is_done ? "done" : "failed";
  return result->is_claimed ? "running" : "left";
}

ScopeSweepResults *
scope_sweep_results_read (const char *folder, GError **error)
{
  g_autofree char   *path = scope_sweep_dup_path (folder, SCOPE_SWEEP_PLAN);
  ScopeSweepPlan    *plan = scope_sweep_plan_read (path, error);
  ScopeSweepResults *results;
  int                cells;

  if (!plan)
    return NULL;
  results = g_new0 (ScopeSweepResults, 1);
  results->plan = plan;
  results->cells = g_new0 (ScopeSweepResult, plan->n_cells);
  for (guint cell = 0; cell < plan->n_cells; cell++)
    {
      ScopeSweepResult *result = &results->cells[cell];

      result->value = result->low = result->high = result->began = result->ended = NAN;
    }
  cells = scope_sweep_open_cells (folder);
  if (cells >= 0)
    read_cells (results, cells);
  count_states (results);
  if (scope_sweep_results_is_timing (results))
    results->n_crowded = scope_sweep_results_find_crowded (results);
  return results;
}

void
scope_sweep_results_free (ScopeSweepResults *results)
{
  for (guint cell = 0; cell < results->plan->n_cells; cell++)
    {
      g_free (results->cells[cell].worker);
      g_free (results->cells[cell].host);
      g_free (results->cells[cell].reason);
    }
  g_free (results->cells);
  scope_sweep_plan_free (results->plan);
  g_free (results);
}

/* --- Two axes --- */

/* By how much the number of a cell grows from one value of the axis to the next. */
static guint
stride_of (const ScopeSweepPlan *plan, ScopeSweepAxis axis)
{
  guint stride = 1;

  for (guint faster = SCOPE_SWEEP_N_AXES - 1; faster > axis; faster--)
    stride *= plan->n_values[faster];
  return stride;
}

/* The position of the cell on the axis. */
static guint
position_of (const ScopeSweepPlan *plan, guint cell, ScopeSweepAxis axis)
{
  return cell / stride_of (plan, axis) % plan->n_values[axis];
}

static gboolean
find_axis (const char *name, ScopeSweepAxis *axis, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = SCOPE_SWEEP_REPEAT + 1; i < SCOPE_SWEEP_N_AXES; i++)
    {
      if (strcmp (name, scope_sweep_axes[i].name) == 0)
        {
          *axis = i;
          return TRUE;
        }
      g_string_append_printf (names, " %s", scope_sweep_axes[i].name);
    }
  return scope_usage_error (error, "a sweep has no axis “%s”; there are%s", name, names->str);
}

gboolean
scope_sweep_view_init (ScopeSweepView          *view,
                       const ScopeSweepResults *results,
                       const char              *rows,
                       const char              *columns,
                       GError                 **error)
{
  *view = (ScopeSweepView){ SCOPE_SWEEP_MODEL, SCOPE_SWEEP_VARIANT, 0 };
  if (columns && !find_axis (columns, &view->columns, error))
    return FALSE;
  if (rows)
    {
      if (!find_axis (rows, &view->rows, error))
        return FALSE;
    }
  else
    for (guint axis = SCOPE_SWEEP_REPEAT + 1; axis < SCOPE_SWEEP_N_AXES; axis++)
      if (axis != view->columns &&
          (view->rows == view->columns ||
           results->plan->n_values[axis] > results->plan->n_values[view->rows]))
        view->rows = axis;
  if (view->rows != view->columns)
    return TRUE;
  return scope_usage_error (error, "--rows and --columns are the same axis");
}

gboolean
scope_sweep_view_next (ScopeSweepView *view, const ScopeSweepResults *results)
{
  const ScopeSweepPlan *plan = results->plan;
  guint                 round = stride_of (plan, SCOPE_SWEEP_REPEAT);

  do
    view->first++;
  while (view->first < round && (position_of (plan, view->first, view->rows) > 0 ||
                                 position_of (plan, view->first, view->columns) > 0));
  return view->first < round;
}

char *
scope_sweep_view_dup_title (const ScopeSweepView *view, const ScopeSweepResults *results)
{
  GString *title = g_string_new (NULL);

  for (guint axis = SCOPE_SWEEP_REPEAT + 1; axis < SCOPE_SWEEP_N_AXES; axis++)
    {
      const char *value = scope_sweep_plan_get (results->plan, view->first, axis);

      if (axis == view->rows || axis == view->columns || *value == '\0')
        continue;
      g_string_append (title, title->len > 0 ? ", " : "");
      if (scope_sweep_axes[axis].is_number)
        g_string_append_printf (title, "%s ", scope_sweep_axes[axis].key);
      g_string_append (title, value);
    }
  return g_string_free (title, FALSE);
}

double
scope_sweep_view_get (const ScopeSweepView    *view,
                      const ScopeSweepResults *results,
                      guint                    row,
                      guint                    column)
{
  const ScopeSweepPlan *plan = results->plan;
  guint                 n_rounds = MIN (plan->n_values[SCOPE_SWEEP_REPEAT], MAX_ROUND);
  g_autofree double    *values = g_new (double, n_rounds);
  guint                 n = 0;
  guint                 cell =
      view->first + row * stride_of (plan, view->rows) + column * stride_of (plan, view->columns);

  for (guint round = 0; round < n_rounds; round++, cell += stride_of (plan, SCOPE_SWEEP_REPEAT))
    if (results->cells[cell].is_done && isfinite (results->cells[cell].value))
      values[n++] = results->cells[cell].value;
  return n == 0 ? NAN : prof_median (values, n);
}

gboolean
scope_sweep_results_is_timing (const ScopeSweepResults *results)
{
  const ScopeSweepTask *task = scope_sweep_task_find (results->plan->task, NULL);

  return task && task->is_timing;
}

/* The verdict of a cell against another one, which another process measured. */
static ProfVerdict
find_verdict (const ScopeSweepResult *cell, const ScopeSweepResult *first)
{
  ProfPairing pairing;

  prof_compare_unpaired (&(ProfInterval){ cell->value, cell->low, cell->high },
                         &(ProfInterval){ first->value, first->low, first->high },
                         PROF_SESSION_DEVIATION, &pairing);
  return pairing.verdict;
}

ScopeSweepPairs
scope_sweep_results_pair (const ScopeSweepResults *results, guint variant)
{
  const ScopeSweepPlan *plan = results->plan;
  ScopeSweepPairs       pairs = { 0 };

  /* Forms are the fastest axis. */
  for (guint cell = 0; cell < plan->n_cells; cell += plan->n_values[SCOPE_SWEEP_VARIANT])
    {
      const ScopeSweepResult *a = &results->cells[cell], *b = &results->cells[cell + variant];
      ProfVerdict             verdict;

      if (!a->is_done || !b->is_done)
        continue;
      verdict = find_verdict (b, a);
      if (!a->host || g_strcmp0 (a->host, b->host) != 0)
        pairs.n_apart++;
      else if (a->is_crowded || b->is_crowded)
        pairs.n_crowded++;
      else if (verdict == PROF_FASTER)
        pairs.n_faster++;
      else if (verdict == PROF_SLOWER)
        pairs.n_slower++;
      else
        pairs.n_unclear++;
    }
  return pairs;
}
