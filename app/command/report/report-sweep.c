/* report-sweep.c — tables of a sweep over two axes, one for each combination of the others.
 *
 * In the page a field is the darker the larger its value is in its table.  Start at scope_report_sweep().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/report/report-sweep.h"

#include "app/command/frame/messages.h"
#include "app/command/frame/said-text.h"
#include "app/command/report/report-curves.h"
#include "app/command/report/report-said.h"
#include "app/command/report/report-sqlite.h"
#include "app/command/sweep/sweep-results.h"

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/base/remedy.h"
#include "engine/formats/file.h"
#include "engine/formats/json-text.h"
#include "profiler/base/format.h"
#include "profiler/exchange/csv-text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_TABLES  500
#define MAX_LABEL   80 /* columns of the terminal, here and below */
#define VALUE_WIDTH 13

static const char caution[] =
    "A pair is two cells that differ in the form only and were measured on the same machine. It is "
    "certain if their times differ by more than two processes of the same form do. Cells of "
    "different machines are not compared.";

/* A proof's difference, or a time.  (transfer full) */
static char *
dup_value (const ScopeSweepResults *results, double value)
{
  if (isnan (value))
    return g_strdup ("–");
  return scope_sweep_results_is_timing (results) ? prof_format_seconds (value)
                                                 : g_strdup_printf ("%.3g", value);
}

static const char *
name_of (const char *value)
{
  return *value == '\0' ? "as it is" : value;
}

/* "fused against unrolled: faster in 3 of 4 …".  (transfer full) */
static char *
dup_pairs (const ScopeSweepResults *results, guint variant)
{
  char           **names = results->plan->values[SCOPE_SWEEP_VARIANT];
  ScopeSweepPairs  pairs = scope_sweep_results_pair (results, variant);
  g_autofree char *crowded =
      pairs.n_crowded > 0
          ? g_strdup_printf ("; %u measured while another cell ran", pairs.n_crowded)
          : g_strdup ("");

  return g_strdup_printf ("%s against %s: faster in %u of %u pairs, slower in %u, not certain in "
                          "%u; %u of different machines%s",
                          names[variant], names[0], pairs.n_faster,
                          pairs.n_faster + pairs.n_slower + pairs.n_unclear, pairs.n_slower,
                          pairs.n_unclear, pairs.n_apart, crowded);
}

/* The problem with the placement of the cells; NULL if there is none.  (transfer full) */
static char *
dup_placement (const ScopeSweepResults *results)
{
  if (results->n_crowded == 0)
    return NULL;
  return g_strdup_printf ("%u cells were measured while another one ran on the same machine; their "
                          "times are too long, and their pairs are not compared. Give each worker "
                          "a machine of its own, with Slurm by --exclusive",
                          results->n_crowded);
}

static guint
n_pairs (const ScopeSweepResults *results)
{
  return scope_sweep_results_is_timing (results) ? results->plan->n_values[SCOPE_SWEEP_VARIANT] : 0;
}

/* --- What is said --- */

/* The smallest and the largest value of a table. */
static void
find_range (const ScopeSweepResults *results, const ScopeSweepView *view, double range[2])
{
  range[0] = INFINITY;
  range[1] = 0;
  for (guint row = 0; row < results->plan->n_values[view->rows]; row++)
    for (guint column = 0; column < results->plan->n_values[view->columns]; column++)
      {
        double value = scope_sweep_view_get (view, results, row, column);

        if (value > 0)
          {
            range[0] = MIN (range[0], value);
            range[1] = MAX (range[1], value);
          }
      }
}

/* A row, whose fields have the colours of their values by their logarithms. */
static void
add_row (ScopeTable              *table,
         const ScopeSweepResults *results,
         const ScopeSweepView    *view,
         guint                    row,
         const double             range[2])
{
  const ScopeSweepPlan *plan = results->plan;

  scope_table_add (table, g_strdup (name_of (plan->values[view->rows][row])), FALSE);
  for (guint column = 0; column < plan->n_values[view->columns]; column++)
    {
      double value = scope_sweep_view_get (view, results, row, column);
      double share =
          value > 0 && range[1] > range[0] ? log (value / range[0]) / log (range[1] / range[0]) : 0;

      scope_table_add_cell (table,
                            &(ScopeCell){ .text = dup_value (results, value), .share = share });
    }
}

/* The width of the longest name of a row. */
static int
width_of_rows (const ScopeSweepPlan *plan, ScopeSweepAxis axis)
{
  int width = (int) strlen (scope_sweep_axes[axis].key);

  for (guint row = 0; row < plan->n_values[axis]; row++)
    width = MAX (width, (int) g_utf8_strlen (name_of (plan->values[axis][row]), -1));
  return MIN (width, MAX_LABEL);
}

static void
say_table (ScopeSaid *said, const ScopeSweepResults *results, const ScopeSweepView *view)
{
  const ScopeSweepPlan        *plan = results->plan;
  guint                        n_columns = plan->n_values[view->columns];
  g_autofree ScopeTableColumn *columns = g_new0 (ScopeTableColumn, n_columns + 1);
  g_autofree char             *title = scope_sweep_view_dup_title (view, results);
  ScopeTable                  *table;
  double                       range[2];

  find_range (results, view, range);
  columns[0] = (ScopeTableColumn){ .title = scope_sweep_axes[view->rows].key,
                                   .width = width_of_rows (plan, view->rows) };
  for (guint i = 0; i < n_columns; i++)
    columns[i + 1] =
        (ScopeTableColumn){ name_of (plan->values[view->columns][i]), NULL, TRUE, VALUE_WIDTH };
  scope_said_heading (said, *title ? title : "All cells", title);
  table = scope_said_table (said, columns, n_columns + 1);
  scope_table_begin_foot (table); /* all rows are shown */
  for (guint row = 0; row < plan->n_values[view->rows]; row++)
    add_row (table, results, view, row, range);
  scope_say_sweep_curves (said, results, view);
}

static void
say_pairs (ScopeSaid *said, const ScopeSweepResults *results)
{
  if (n_pairs (results) < 2)
    return;
  scope_said_heading (said, "Forms in pairs", "");
  scope_said_sentence (said, SCOPE_SAID_ON_PAGES, g_strdup (caution));
  for (guint variant = 1; variant < n_pairs (results); variant++)
    scope_said_sentence (said, SCOPE_SAID_PLAIN, dup_pairs (results, variant));
}

static void
say_failures (ScopeSaid *said, const ScopeSweepResults *results)
{
  if (results->n_failed > 0)
    scope_said_heading (said, "Failed", "");
  for (guint cell = 0; cell < results->plan->n_cells; cell++)
    if (results->cells[cell].reason)
      scope_said_sentence (said, SCOPE_SAID_PLAIN,
                           g_strdup_printf ("cell %u failed: %s", cell,
                                            results->cells[cell].reason));
}

static ScopeSaid *
say_sweep (const ScopeSweepResults *results, ScopeSweepView view)
{
  ScopeSaid       *said = scope_said_new ();
  g_autofree char *running =
      results->n_claimed > 0 ? g_strdup_printf (", %u running", results->n_claimed) : NULL;
  guint n = 0;

  scope_said_sentence (said, SCOPE_SAID_PLAIN,
                       g_strdup_printf ("%u of %u cells done, %u failed%s", results->n_done,
                                        results->plan->n_cells, results->n_failed,
                                        running ? running : ""));
  scope_said_sentence (said, SCOPE_SAID_WARNING, dup_placement (results));
  do
    say_table (said, results, &view);
  while (++n < MAX_TABLES && scope_sweep_view_next (&view, results));
  say_pairs (said, results);
  say_failures (said, results);
  return said;
}

/* --- JSON --- */

static void
print_axes (ScopeJson *json, const ScopeSweepPlan *plan)
{
  scope_json_begin_list (json, "axes");
  for (guint axis = 0; axis < SCOPE_SWEEP_N_AXES; axis++)
    {
      scope_json_begin_object (json, NULL);
      scope_json_string (json, "name", scope_sweep_axes[axis].name);
      scope_json_boolean (json, "is_number", scope_sweep_axes[axis].is_number);
      scope_json_begin_list (json, "values");
      for (guint i = 0; i < plan->n_values[axis]; i++)
        scope_json_string (json, NULL, plan->values[axis][i]);
      scope_json_end (json);
      scope_json_end (json);
    }
  scope_json_end (json);
}

static void
append_null_or_number (GString *text, double value)
{
  g_string_append (text, ", ");
  if (isfinite (value))
    hyb_json_append_double (text, value);
  else
    g_string_append (text, "null");
}

/* A list for each cell, in order: status, value, low, high, host, whether it is crowded, reason. */
static void
print_cells (ScopeJson *json, const ScopeSweepResults *results)
{
  g_autoptr (GString) text = g_string_new ("[");

  for (guint cell = 0; cell < results->plan->n_cells; cell++)
    {
      const ScopeSweepResult *result = &results->cells[cell];

      g_string_append (text, cell > 0 ? ",\n[" : "\n[");
      g_string_append_printf (text, "\"%s\"", scope_sweep_result_get_state (result));
      append_null_or_number (text, result->value);
      append_null_or_number (text, result->low);
      append_null_or_number (text, result->high);
      g_string_append (text, ", ");
      hyb_json_append_string (text, result->host ? result->host : "");
      g_string_append (text, result->is_crowded ? ", true, " : ", false, ");
      hyb_json_append_string (text, result->reason ? result->reason : "");
      g_string_append_c (text, ']');
    }
  g_string_append (text, "\n]");
  scope_json_raw (json, "cells_in_order", text->str);
}

static void
print_json (const ScopeSweepResults *results, const char *folder)
{
  g_autoptr (ScopeJson) json = scope_json_new ();

  scope_json_string (json, "folder", folder);
  scope_json_int (json, "cells", results->plan->n_cells);
  scope_json_int (json, "done", results->n_done);
  scope_json_int (json, "failed", results->n_failed);
  scope_json_int (json, "running", results->n_claimed);
  scope_json_int (json, "crowded", results->n_crowded);
  scope_json_boolean (json, "is_timing", scope_sweep_results_is_timing (results));
  scope_json_begin_list (json, "pairs");
  for (guint variant = 1; variant < n_pairs (results); variant++)
    {
      ScopeSweepPairs pairs = scope_sweep_results_pair (results, variant);

      scope_json_begin_object (json, NULL);
      scope_json_string (json, "a", results->plan->values[SCOPE_SWEEP_VARIANT][variant]);
      scope_json_string (json, "b", results->plan->values[SCOPE_SWEEP_VARIANT][0]);
      scope_json_int (json, "faster", pairs.n_faster);
      scope_json_int (json, "slower", pairs.n_slower);
      scope_json_int (json, "undecided", pairs.n_unclear);
      scope_json_int (json, "other_machines", pairs.n_apart);
      scope_json_int (json, "crowded", pairs.n_crowded);
      scope_json_end (json);
    }
  scope_json_end (json);
  print_axes (json, results->plan);
  print_cells (json, results);
  scope_json_print (json);
}

/* --- CSV --- */

static char *
make_csv (const ScopeSweepResults *results)
{
  GString *csv = g_string_new ("cell");

  for (guint axis = 0; axis < SCOPE_SWEEP_N_AXES; axis++)
    g_string_append_printf (csv, ",%s", scope_sweep_axes[axis].key);
  g_string_append (csv, ",status,value,low,high,host,reason\n");
  for (guint cell = 0; cell < results->plan->n_cells; cell++)
    {
      const ScopeSweepResult *result = &results->cells[cell];

      g_string_append_printf (csv, "%u", cell);
      for (guint axis = 0; axis < SCOPE_SWEEP_N_AXES; axis++)
        {
          g_string_append_c (csv, ',');
          prof_csv_append_text (csv, scope_sweep_plan_get (results->plan, cell, axis));
        }
      g_string_append_printf (csv, ",%s", scope_sweep_result_get_state (result));
      prof_csv_append_number (csv, result->value);
      prof_csv_append_number (csv, result->low);
      prof_csv_append_number (csv, result->high);
      g_string_append_c (csv, ',');
      prof_csv_append_text (csv, result->host ? result->host : "");
      g_string_append_c (csv, ',');
      prof_csv_append_text (csv, result->reason ? result->reason : "");
      g_string_append_c (csv, '\n');
    }
  return g_string_free (csv, FALSE);
}

/* A plan names each value once, a table of cells once in each cell: a small plan may fill terabytes. */
static gboolean
check_table (const ScopeSweepResults *results, const char *folder, GError **error)
{
  const ScopeSweepPlan *plan = results->plan;
  guint64               limit = hyb_limits_get_memory (0) / 2; /* the cells need the rest */
  guint64               bytes = 0;
  g_autoptr (GString) quoted = g_string_new (NULL);
  g_autofree char *size = NULL, *allowed = NULL;

  for (guint axis = 0; axis < SCOPE_SWEEP_N_AXES; axis++)
    for (guint i = 0; i < plan->n_values[axis]; i++)
      {
        g_string_truncate (quoted, 0);
        prof_csv_append_text (quoted, plan->values[axis][i]);
        bytes += (guint64) quoted->len * (plan->n_cells / plan->n_values[axis]);
      }
  if (bytes <= limit)
    return TRUE;
  size = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
  allowed = g_format_size_full (limit, G_FORMAT_SIZE_IEC_UNITS);
  hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_LIMIT, folder, NULL,
                "a table of its cells would repeat %s of names; the limit is %s", size, allowed);
  return hyb_error_add_remedy (error, HYB_REMEDY_MEMORY, NULL);
}

/* The table as .csv or .sqlite. */
static gboolean
write_table (const ScopeSweepReport *report, const ScopeSweepResults *results, GError **error)
{
  g_autofree char *text = NULL;

  if (!check_table (results, report->folder, error))
    return FALSE;
  if (g_str_has_suffix (report->output, ".sqlite"))
    return scope_report_write_sqlite (results, report->output, error);
  text = make_csv (results);
  return hyb_file_replace_contents (report->output, text, strlen (text), error);
}

gboolean
scope_report_sweep (const ScopeSweepReport *report, GError **error)
{
  g_autoptr (ScopeSweepResults) results = scope_sweep_results_read (report->folder, error);
  g_autoptr (ScopeReportPage) page = NULL;
  g_autoptr (ScopeSaid) said = NULL;
  g_autofree char *text = NULL;
  ScopeSweepView   view;

  if (!results || !scope_sweep_view_init (&view, results, report->rows, report->columns, error))
    return FALSE;
  if (report->is_json)
    print_json (results, report->folder);
  if (report->is_json && !report->output)
    return TRUE;
  if (report->output &&
      (g_str_has_suffix (report->output, ".csv") || g_str_has_suffix (report->output, ".sqlite")))
    return write_table (report, results, error);
  said = say_sweep (results, view);
  if (!report->output && !report->is_html)
    {
      scope_said_print (said);
      return TRUE;
    }
  page = scope_report_page_new ("A sweep, by Hybridscope");
  scope_report_page_add_said (page, said);
  if (report->output)
    return scope_report_page_write (page, report->output, error);
  text = scope_report_page_print_html (page);
  fputs (text, stdout);
  return TRUE;
}
