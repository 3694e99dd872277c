/* recordings-text.c — recordings compared with a baseline as text on stdout, and as JSON.
 *
 * What the recordings cannot tell is printed with every comparison.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/recordings/recordings.h"

#include "engine/base/one-line.h"
#include "profiler/base/format.h"
#include "profiler/explain/difference.h"

#include <math.h>
#include <stdio.h>

#define MAX_NODES 20 /* that are listed */

/* --- Text --- */

static void
print_recording (const char *name, const char *file, const ProfStatistics *clean)
{
  g_autofree char *median = prof_format_seconds (clean->median.median);

  printf ("  %-9s %s, %u clean samples: %s\n", name, median, clean->n, hyb_one_line (file));
}

static void
print_nodes (const ScopeRecordings *recordings, const ScopeRecording *recording)
{
  guint n_same;
  g_autoptr (GArray) changed =
      scope_recordings_changed_nodes (recordings, recording, MAX_NODES, &n_same);

  if (changed->len > 0)
    printf ("  nodes, traced:\n");
  for (guint i = 0; i < changed->len; i++)
    {
      const ProfDifference *difference = &g_array_index (changed, ProfDifference, i);
      g_autofree char      *a = prof_format_seconds (difference->a);
      g_autofree char      *b = prof_format_seconds (difference->b);

      printf ("    %-40s %s → %s  %s\n", hyb_one_line (difference->name), a, b,
              difference->row_a == PROF_NONE ? "only now"
              : difference->row_b == PROF_NONE
                  ? "only in the baseline"
                  : prof_verdict_describe (difference->pairing.verdict,
                                           &difference->pairing.ratio));
    }
  printf ("  %u nodes do not differ beyond what runs and sessions vary by\n", n_same);
}

static void
print_comparison (const ScopeRecordings *recordings, const ScopeRecording *recording)
{
  const ProfSessions *sessions = &recording->sessions;
  g_autofree char    *change = scope_recording_dup_change (recording);
  g_autofree char    *verdict = scope_recording_dup_verdict (recording);

  printf ("\ncompared with the baseline: %s: %s\n", verdict, change);
  if (sessions->machine == PROF_OTHER_MACHINE)
    printf ("DIFFERENT MACHINES: the difference may be the machines' and not the models'\n");
  if (!sessions->is_same_work)
    printf ("DIFFERENT WORK: the recordings were not made with the same options\n");
  if (!isnan (recordings->threshold))
    {
      g_autofree char *reason = prof_sessions_dup_reason (sessions, recordings->threshold);

      printf ("%s: %s\n", prof_gate_name (recording->gate), reason);
    }
  print_recording ("baseline", prof_capture_get_file (scope_recordings_last (recordings)),
                   &sessions->a);
  print_recording ("now", recording->file, &sessions->b);
  print_nodes (recordings, recording);
  printf ("  before you rely on it:\n");
  for (guint i = 0; i < sessions->cautions->len; i++)
    {
      const ProfCaution *caution = sessions->cautions->pdata[i];

      printf ("    %-9s %s\n", prof_caution_name (caution->kind), caution->text);
    }
}

void
scope_recordings_print (const ScopeRecordings *recordings)
{
  for (guint i = 0; i < recordings->results->len; i++)
    print_comparison (recordings, recordings->results->pdata[i]);
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
