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

#define MAX_ROWS  20 /* on a terminal */
#define MAX_NAMES 6  /* of nodes in a line */

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

/* --- Sentences --- */

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

/* The nodes, and below them what computes them.  (transfer full) */
static char *
dup_nodes (const ProfBesideRow *row)
{
  g_autofree char *nodes = join_nodes (row->nodes);
  const char      *ours = get_ours (row), *theirs = get_theirs (row);

  return g_strconcat (nodes, *ours ? "\nours: " : "", ours, *theirs ? "\ntheirs: " : "", theirs,
                      NULL);
}

void
scope_compare_say_with (ScopeSaid *said, const ScopeComparison *self)
{
  static const ScopeTableColumn columns[] = {
    { "nodes of the model that one of both computes together", NULL, FALSE, 0 },
    { "ours", NULL, TRUE, 11 },
    { "theirs", NULL, TRUE, 11 },
    { "ratio", NULL, TRUE, 8 },
  };
  const ScopeComparedWith *with = self->with;
  g_autofree char         *totals = NULL, *line = NULL;
  ScopeTable              *table;

  if (!with || !with->rows)
    return;
  totals = say_totals (self);
  line = g_strconcat ("  beside ", totals, NULL);
  scope_said_heading (said, "Node by node, beside another program", line);
  scope_said_sentence (said, SCOPE_SAID_ON_PAGES, g_steal_pointer (&totals));
  table = scope_said_table (said, columns, G_N_ELEMENTS (columns));
  table->n_lines = MAX_ROWS;
  for (guint i = 0; i < with->rows->len; i++)
    {
      const ProfBesideRow *row = &g_array_index (with->rows, ProfBesideRow, i);

      scope_table_add (table, dup_nodes (row), FALSE);
      scope_table_add (table, format_time (row->ours_seconds), FALSE);
      scope_table_add (table, format_time (row->theirs_seconds), FALSE);
      scope_table_add (table, format_ratio (row), FALSE);
    }
  scope_said_sentence (said, SCOPE_SAID_PLAIN, say_our_rest (with));
  scope_said_sentence (said, SCOPE_SAID_PLAIN, say_their_rest (with));
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
