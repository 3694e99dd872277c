/* compare-with.c — see compare-with.h.
 *
 * Start at scope_compare_join_with(); profiler/exchange/beside.h finds which nodes belong together.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-with.h"

#include "app/command/frame/command.h"
#include "app/command/recordings/read-trace.h"

#include "engine/base/one-line.h"
#include "profiler/base/format.h"
#include "profiler/exchange/beside.h"

#include <math.h>
#include <stdio.h>

#define MAX_ROWS        20  /* in text */
#define MAX_REPORT_ROWS 200 /* in a report */
#define MAX_NAMES       6   /* of nodes in a line */

struct _ScopeComparedWith
{
  ProfTrace   *trace;
  ProfImport   import;
  ProfCapture *theirs;
  ProfSummary *theirs_summary, *ours_summary;
  GArray      *rows;            /* of ProfBesideRow; NULL: not joined yet */
  double       ours_unplaced;   /* seconds of a run */
  double       theirs_unplaced; /* seconds of an iteration */
};

void
scope_compared_with_free (ScopeComparedWith *with)
{
  if (!with)
    return;
  g_clear_pointer (&with->rows, g_array_unref);
  prof_summary_free (with->theirs_summary);
  prof_summary_free (with->ours_summary);
  prof_capture_unref (with->theirs);
  prof_import_clear (&with->import);
  prof_trace_free (with->trace);
  g_free (with);
}

gboolean
scope_compare_read_with (ScopeComparison *self, GError **error)
{
  const ScopeCompareOptions *options = self->options;

  if (!options->with)
    return TRUE;
  if (self->files[1] || options->variants || options->modes || options->devices || options->batch ||
      options->length || options->hidden || options->preset || options->backward)
    return scope_usage_error (error, "--with sets one run of one model beside the trace: leave out "
                                     "further models, --variants, --modes, --devices, --batch, "
                                     "--length, --hidden, --preset and --backward");
  self->with = g_new0 (ScopeComparedWith, 1);
  self->with->trace = scope_read_trace (options->with, error);
  return self->with->trace != NULL;
}

/* Seconds of an iteration that belong to no node of the model. */
static double
count_unplaced (const ProfImport *import)
{
  double seconds = 0;

  for (guint i = 0; i < import->unmatched->len; i++)
    seconds += g_array_index (import->unmatched, ProfUnmatched, i).seconds;
  return seconds / MAX (import->n_iterations, 1);
}

gboolean
scope_compare_join_with (ScopeComparison *self, GError **error)
{
  ScopeComparedWith    *with = self->with;
  const ScopeGroup     *group = self->groups->pdata[0];
  const ScopeCandidate *candidate = group->candidates->pdata[0];
  HybGraph  *graph = hyb_model_get_graph (((ScopeCompleted *) self->completed->pdata[0])->model);
  ProfBeside beside;

  if (!with || !candidate->capture)
    return TRUE;
  with->theirs =
      prof_import_trace (with->trace, graph, &(ProfImportOptions){ 0 }, &with->import, error);
  if (!with->theirs)
    return FALSE;
  if (with->import.n_attributed == 0)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                   "%s: nothing of this trace belongs to a node of %s. hscope import %s --symbol "
                   "%s says why",
                   self->options->with, self->files[0], self->options->with, self->files[0]);
      return FALSE;
    }
  with->theirs_summary = prof_summary_new (with->theirs);
  with->ours_summary = prof_summary_new (candidate->capture);
  with->theirs_unplaced = count_unplaced (&with->import);
  beside = (ProfBeside){ graph,        candidate->capture,   with->ours_summary,
                         with->theirs, with->theirs_summary, &with->import };
  with->rows = prof_beside_list (&beside, &with->ours_unplaced);
  return TRUE;
}

/* --- What is said --- */

/* "conv3 + bn3 + relu3".  (transfer full) */
static char *
join_nodes (const GPtrArray *nodes)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < MIN (nodes->len, MAX_NAMES); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " + " : "", hyb_one_line (nodes->pdata[i]));
  if (nodes->len > MAX_NAMES)
    g_string_append_printf (text, " and %u more", nodes->len - MAX_NAMES);
  return g_string_free (text, FALSE);
}

static char *
format_time (double seconds)
{
  return seconds > 0 ? prof_format_seconds (seconds) : g_strdup ("–");
}

static char *
format_ratio (const ProfBesideRow *row)
{
  return row->ours_seconds > 0 && row->theirs_seconds > 0
             ? g_strdup_printf ("%.2f", row->ours_seconds / row->theirs_seconds)
             : g_strdup ("–");
}

/* The names of the nodes in the other program, if they add information. */
static const char *
get_theirs (const ProfBesideRow *row)
{
  return row->nodes->len > 1 || !g_str_equal (row->theirs, row->nodes->pdata[0]) ? row->theirs : "";
}

static const char *
get_ours (const ProfBesideRow *row)
{
  return row->nodes->len > 1 ? row->ours : "";
}

/* (transfer full) */
static char *
say_totals (const ScopeComparison *self)
{
  const ScopeComparedWith *with = self->with;
  g_autofree char         *ours = prof_format_seconds (with->ours_summary->traced);
  g_autofree char         *theirs = prof_format_seconds (with->theirs_summary->traced);

  return g_strdup_printf ("%s: a traced run takes %s here and %s there (%u iterations)",
                          hyb_one_line (self->options->with), ours, theirs,
                          with->import.n_iterations);
}

/* Seconds that are in no row.  (transfer full) NULL: none */
static char *
say_rest (const char *what, double seconds)
{
  g_autofree char *text = prof_format_seconds (seconds);

  return seconds > 0 ? g_strdup_printf ("%s: %s", what, text) : NULL;
}

static char *
say_our_rest (const ScopeComparedWith *with)
{
  return say_rest ("ours that stand for no node of the model", with->ours_unplaced);
}

static char *
say_their_rest (const ScopeComparedWith *with)
{
  return say_rest ("theirs that belong to no node of the model", with->theirs_unplaced);
}

/* --- Text --- */

static void
print_right (const char *text, int width)
{
  printf ("%*s%s", (int) MAX (width - g_utf8_strlen (text, -1), 1), "", text);
}

static void
print_row (const ProfBesideRow *row)
{
  g_autofree char *nodes = join_nodes (row->nodes);
  g_autofree char *ours = format_time (row->ours_seconds);
  g_autofree char *theirs = format_time (row->theirs_seconds);
  g_autofree char *ratio = format_ratio (row);

  print_right (ours, 11);
  print_right (theirs, 11);
  print_right (ratio, 8);
  printf ("  %s\n", nodes);
  if (*get_ours (row) != '\0')
    printf ("%32sours: %s\n", "", hyb_one_line (get_ours (row)));
  if (*get_theirs (row) != '\0')
    printf ("%32stheirs: %s\n", "", hyb_one_line (get_theirs (row)));
}

void
scope_compare_print_with (const ScopeComparison *self)
{
  const ScopeComparedWith *with = self->with;
  g_autofree char         *totals = NULL, *ours = NULL, *theirs = NULL;

  if (!with || !with->rows)
    return;
  totals = say_totals (self);
  ours = say_our_rest (with);
  theirs = say_their_rest (with);
  printf ("\n  beside %s\n"
          "       ours     theirs   ratio  nodes of the model that one of both computes together\n",
          totals);
  for (guint i = 0; i < MIN (with->rows->len, MAX_ROWS); i++)
    print_row (&g_array_index (with->rows, ProfBesideRow, i));
  if (with->rows->len > MAX_ROWS)
    printf ("  and %u more; --json lists them\n", with->rows->len - MAX_ROWS);
  if (ours)
    printf ("  %s\n", ours);
  if (theirs)
    printf ("  %s\n", theirs);
}

/* --- Report --- */

/* "<br>ours: FusedConv" */
static void
append_computed (GString *html, const char *by, const char *what)
{
  if (*what == '\0')
    return;
  g_string_append_printf (html, "<br>%s: ", by);
  scope_html_append (html, what);
}

static void
append_row (GString *html, const ProfBesideRow *row)
{
  g_autofree char *nodes = join_nodes (row->nodes);
  g_autofree char *ours = format_time (row->ours_seconds);
  g_autofree char *theirs = format_time (row->theirs_seconds);
  g_autofree char *ratio = format_ratio (row);

  g_string_append (html, "<tr><td class=\"words\">");
  scope_html_append (html, nodes);
  append_computed (html, "ours", get_ours (row));
  append_computed (html, "theirs", get_theirs (row));
  g_string_append_printf (html, "</td><td>%s</td><td>%s</td><td>%s</td></tr>\n", ours, theirs,
                          ratio);
}

static void
append_paragraph (GString *html, const char *text)
{
  if (!text)
    return;
  g_string_append (html, "<p>");
  scope_html_append (html, text);
  g_string_append (html, "</p>\n");
}

void
scope_compare_report_with (ScopeReportPage *page, const ScopeComparison *self)
{
  const ScopeComparedWith *with = self->with;
  g_autofree char         *totals = NULL, *ours = NULL, *theirs = NULL, *more = NULL;
  GString                 *html;

  if (!with || !with->rows)
    return;
  totals = say_totals (self);
  ours = say_our_rest (with);
  theirs = say_their_rest (with);
  html = g_string_new (NULL);
  append_paragraph (html, totals);
  g_string_append (html, "<table><tr><th>nodes of the model that one of both computes together</th>"
                         "<th>ours</th><th>theirs</th><th>ratio</th></tr>\n");
  for (guint i = 0; i < MIN (with->rows->len, MAX_REPORT_ROWS); i++)
    append_row (html, &g_array_index (with->rows, ProfBesideRow, i));
  g_string_append (html, "</table>\n");
  if (with->rows->len > MAX_REPORT_ROWS)
    more = g_strdup_printf ("and %u more; --json lists them", with->rows->len - MAX_REPORT_ROWS);
  append_paragraph (html, more);
  append_paragraph (html, ours);
  append_paragraph (html, theirs);
  scope_report_page_add_html (page, "Node by node, beside another program", html);
}

/* --- JSON --- */

static void
describe_row (ScopeJson *json, const ProfBesideRow *row)
{
  scope_json_begin_object (json, NULL);
  scope_json_begin_list (json, "nodes");
  for (guint i = 0; i < row->nodes->len; i++)
    scope_json_string (json, NULL, row->nodes->pdata[i]);
  scope_json_end (json);
  scope_json_double (json, "ours_seconds", row->ours_seconds);
  scope_json_double (json, "theirs_seconds", row->theirs_seconds);
  scope_json_double (json, "ratio",
                     row->theirs_seconds > 0 ? row->ours_seconds / row->theirs_seconds : NAN);
  scope_json_string (json, "ours", row->ours);
  scope_json_string (json, "theirs", row->theirs);
  scope_json_end (json);
}

void
scope_compare_describe_with (ScopeJson *json, const ScopeComparison *self)
{
  const ScopeComparedWith *with = self->with;

  if (!with || !with->rows)
    return;
  scope_json_begin_object (json, "with");
  scope_json_string (json, "file", self->options->with);
  scope_json_int (json, "iterations", with->import.n_iterations);
  scope_json_double (json, "ours_seconds", with->ours_summary->traced);
  scope_json_double (json, "theirs_seconds", with->theirs_summary->traced);
  scope_json_double (json, "ours_unplaced_seconds", with->ours_unplaced);
  scope_json_double (json, "theirs_unplaced_seconds", with->theirs_unplaced);
  scope_json_begin_list (json, "groups");
  for (guint i = 0; i < with->rows->len; i++)
    describe_row (json, &g_array_index (with->rows, ProfBesideRow, i));
  scope_json_end (json);
  scope_json_end (json);
}
