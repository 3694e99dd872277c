/* recordings-text.c — recordings compared with a baseline as blocks, and as JSON.
 *
 * Every comparison lists the limits of what recordings can show.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/said-text.h"
#include "app/command/recordings/recordings.h"

#include "profiler/base/format.h"

#include <math.h>

#define MAX_NODES 20 /* that are listed */

/* --- Blocks --- */

/* "1.2 ms, 20 clean samples: a.hscope".  (transfer full) */
static char *
dup_times (const ProfStatistics *clean, const char *file)
{
  g_autofree char *median = prof_format_seconds (clean->median.median);

  return g_strdup_printf ("%s, %u clean samples: %s", median, clean->n, file);
}

static void
add_node (ScopeTable *table, const ProfDifference *difference)
{
  scope_table_add (table, g_strdup (difference->name), FALSE);
  scope_table_add (table, prof_format_seconds (difference->a), FALSE);
  scope_table_add (table, prof_format_seconds (difference->b), FALSE);
  scope_table_add (table, g_strdup (scope_recordings_describe_node (difference)), FALSE);
}

static void
say_nodes (ScopeSaid *said, const ScopeRecordings *recordings, const ScopeRecording *recording)
{
  static const ScopeTableColumn columns[] = { { "node, traced", NULL, FALSE, 40 },
                                              { "baseline", NULL, TRUE, 12 },
                                              { "now", NULL, TRUE, 12 },
                                              { "", NULL, FALSE, 0 } };
  guint                         n_same;
  g_autoptr (GArray) changed =
      scope_recordings_changed_nodes (recordings, recording, MAX_NODES, &n_same);
  ScopeTable *table =
      changed->len > 0 ? scope_said_table (said, columns, G_N_ELEMENTS (columns)) : NULL;

  for (guint i = 0; i < changed->len; i++)
    add_node (table, &g_array_index (changed, ProfDifference, i));
  if (table)
    table->indent = 4;
  scope_said_sentence (said, SCOPE_SAID_PLAIN, g_strdup_printf (SCOPE_NODES_ALIKE, n_same));
}

void
scope_recordings_say (ScopeSaid             *said,
                      const ScopeRecordings *recordings,
                      const ScopeRecording  *recording)
{
  const ProfSessions *sessions = &recording->sessions;
  const ProfCapture  *last = scope_recordings_last (recordings);
  ScopeTable         *table;
  g_autofree char    *change = scope_recording_dup_change (recording);
  g_autofree char    *verdict = scope_recording_dup_verdict (recording);
  g_autofree char    *title = g_strdup_printf ("%s: %s", verdict, change);
  g_autofree char    *line = g_strconcat ("compared with the baseline: ", title, NULL);

  scope_said_heading (said, title, line);
  if (sessions->machine == PROF_OTHER_MACHINE)
    scope_said_sentence (said, SCOPE_SAID_WARNING,
                         g_strdup ("DIFFERENT MACHINES: the difference may be the machines' and "
                                   "not the models'"));
  if (!sessions->is_same_work)
    scope_said_sentence (said, SCOPE_SAID_WARNING,
                         g_strdup ("DIFFERENT WORK: the recordings were not made with the same "
                                   "options"));
  if (!isnan (recordings->threshold))
    {
      g_autofree char *reason = prof_sessions_dup_reason (sessions, recordings->threshold);

      scope_said_sentence (said, SCOPE_SAID_PLAIN,
                           g_strdup_printf ("%s: %s", prof_gate_name (recording->gate), reason));
    }
  table = scope_said_names (said, 2, FALSE);
  scope_table_add_name (table, "baseline", dup_times (&sessions->a, prof_capture_get_file (last)));
  scope_table_add_name (table, "now", dup_times (&sessions->b, recording->file));
  say_nodes (said, recordings, recording);
  scope_said_sentence (said, SCOPE_SAID_PLAIN, g_strdup ("before you rely on it:"));
  table = scope_said_names (said, 4, FALSE);
  for (guint i = 0; i < sessions->cautions->len; i++)
    {
      const ProfCaution *caution = sessions->cautions->pdata[i];

      scope_table_add_name (table, prof_caution_name (caution->kind), g_strdup (caution->text));
    }
}

void
scope_recordings_print (const ScopeRecordings *recordings)
{
  g_autoptr (ScopeSaid) said = scope_said_new ();

  for (guint i = 0; i < recordings->results->len; i++)
    scope_recordings_say (said, recordings, recordings->results->pdata[i]);
  scope_said_print (said);
}

/* --- JSON --- */

static void
describe_interval (ScopeJson *json, const ProfInterval *ratio)
{
  scope_json_double (json, "ratio", ratio->median);
  scope_json_double (json, "low", ratio->low);
  scope_json_double (json, "high", ratio->high);
}

static void
describe_nodes (ScopeJson *json, const ScopeRecordings *recordings, const ScopeRecording *recording)
{
  guint n_same;
  g_autoptr (GArray) changed =
      scope_recordings_changed_nodes (recordings, recording, MAX_NODES, &n_same);

  scope_json_int (json, "nodes_same", n_same);
  scope_json_begin_list (json, "nodes_changed");
  for (guint i = 0; i < changed->len; i++)
    {
      const ProfDifference *difference = &g_array_index (changed, ProfDifference, i);
      gboolean is_matched = difference->row_a != PROF_NONE && difference->row_b != PROF_NONE;

      scope_json_begin_object (json, NULL);
      scope_json_string (json, "name", difference->name);
      scope_json_double (json, "baseline_seconds", difference->a);
      scope_json_double (json, "seconds", difference->b);
      if (is_matched)
        describe_interval (json, &difference->pairing.ratio);
      scope_json_string (json, "verdict",
                         is_matched ? prof_verdict_name (difference->pairing.verdict) : NULL);
      scope_json_end (json);
    }
  scope_json_end (json);
}

static void
describe_gate (ScopeJson *json, const ScopeRecordings *recordings, const ScopeRecording *recording)
{
  g_autofree char *reason = NULL;

  if (isnan (recordings->threshold))
    return;
  reason = prof_sessions_dup_reason (&recording->sessions, recordings->threshold);
  scope_json_begin_object (json, "gate");
  scope_json_double (json, "threshold", recordings->threshold);
  scope_json_string (json, "outcome", prof_gate_name (recording->gate));
  scope_json_string (json, "reason", reason);
  scope_json_end (json);
}

static void
describe_comparison (ScopeJson             *json,
                     const ScopeRecordings *recordings,
                     const ScopeRecording  *recording)
{
  static const char *const relations[] = {
    [PROF_SAME_MACHINE] = "same",
    [PROF_LIKE_MACHINE] = "like",
    [PROF_OTHER_MACHINE] = "other",
  };
  const ProfSessions *sessions = &recording->sessions;

  scope_json_begin_object (json, NULL);
  scope_json_string (json, "file", recording->file);
  describe_interval (json, &sessions->ratio);
  scope_json_string (json, "verdict", prof_verdict_name (sessions->verdict));
  scope_json_int (json, "samples", MIN (sessions->a.n, sessions->b.n));
  scope_json_string (json, "machine", relations[sessions->machine]);
  scope_json_boolean (json, "same_work", sessions->is_same_work);
  scope_json_double (json, "session_deviation", sessions->spread);
  scope_json_boolean (json, "session_deviation_measured", sessions->is_spread_measured);
  scope_json_int (json, "baseline_recordings", sessions->n_used);
  describe_gate (json, recordings, recording);
  describe_nodes (json, recordings, recording);
  scope_json_begin_list (json, "cautions");
  for (guint i = 0; i < sessions->cautions->len; i++)
    {
      const ProfCaution *caution = sessions->cautions->pdata[i];

      scope_json_begin_object (json, NULL);
      scope_json_string (json, "kind", prof_caution_name (caution->kind));
      scope_json_string (json, "text", caution->text);
      scope_json_end (json);
    }
  scope_json_end (json);
  scope_json_end (json);
}

void
scope_recordings_describe (ScopeJson *json, const ScopeRecordings *recordings)
{
  scope_json_begin_list (json, "baseline");
  for (guint i = 0; i < recordings->baseline->len; i++)
    scope_json_string (json, NULL, prof_capture_get_file (recordings->baseline->pdata[i]));
  scope_json_end (json);
  scope_json_begin_list (json, "comparisons");
  for (guint i = 0; i < recordings->results->len; i++)
    describe_comparison (json, recordings, recordings->results->pdata[i]);
  scope_json_end (json);
}
