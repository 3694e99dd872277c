/* compare-with.c — see compare-with.h.
 *
 * Start at scope_compare_join_with(); profiler/exchange/beside.h finds which nodes belong together.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-with.h"

#include "app/adapt/said-comparison.h"
#include "app/command/frame/command.h"
#include "app/command/recordings/read-trace.h"

#include "profiler/exchange/beside.h"

#include <math.h>

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

void
scope_compare_say_with (ScopeSaid *said, const ScopeComparison *self)
{
  const ScopeComparedWith *with = self->with;

  if (with && with->rows)
    scope_said_beside (said,
                       &(ScopeBeside){ self->options->with, with->import.n_iterations,
                                       with->ours_summary->traced, with->theirs_summary->traced,
                                       with->ours_unplaced, with->theirs_unplaced, with->rows });
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
