/* recordings.c — opens a baseline and compares captures with it.
 *
 * Start reading at scope_recordings_add(); the statistics are profiler/explain/sessions.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/recordings/recordings.h"

#include "app/command/frame/open-model.h"

#include <math.h>

#define MAX_PERCENT 1000

/* --- Options --- */

static gboolean
parse_threshold (const char *text, double *threshold, GError **error)
{
  char  *end;
  double percent;

  *threshold = NAN;
  if (!text)
    return TRUE;
  percent = g_ascii_strtod (text, &end);
  if (end != text)
    {
      while (*end == ' ')
        end++;
      end += *end == '%';
      if (!*end && percent >= 0 && percent <= MAX_PERCENT)
        {
          *threshold = percent / 100;
          return TRUE;
        }
    }
  return scope_usage_error (error,
                            "--fail-if-slower %s: this is not a percentage from 0 to %d; write it "
                            "as in 3%%",
                            text, MAX_PERCENT);
}

static gboolean
refuse_without_baseline (const ScopeBaselineOptions *options, GError **error)
{
  const char *option = options->fail_if_slower ? "--fail-if-slower"
                       : options->junit        ? "--junit"
                       : options->markdown     ? "--markdown"
                                               : NULL;

  if (!option)
    return TRUE;
  return scope_usage_error (error,
                            "%s needs --baseline FILE, a recording to compare with; hscope profile "
                            "MODEL --capture FILE makes one",
                            option);
}

/* --- Opening and comparing --- */

static void
recording_free (gpointer data)
{
  ScopeRecording *recording = data;

  prof_sessions_clear (&recording->sessions);
  g_free (recording->file);
  g_free (recording);
}

void
scope_recordings_free (ScopeRecordings *recordings)
{
  if (!recordings)
    return;
  g_ptr_array_unref (recordings->baseline);
  g_ptr_array_unref (recordings->results);
  g_free (recordings);
}

ScopeRecordings *
scope_recordings_new (const ScopeBaselineOptions *options,
                      const ScopeCommonOptions   *common,
                      const char                 *first,
                      GError                    **error)
{
  g_autoptr (ScopeRecordings) recordings = g_new0 (ScopeRecordings, 1);
  const char *only[] = { first, NULL };
  char      **files = options->baseline ? options->baseline : (char **) only;

  recordings->baseline = g_ptr_array_new_with_free_func ((GDestroyNotify) prof_capture_unref);
  recordings->results = g_ptr_array_new_with_free_func (recording_free);
  if (!parse_threshold (options->fail_if_slower, &recordings->threshold, error) ||
      (!*files && !refuse_without_baseline (options, error)))
    return NULL;
  for (; *files; files++)
    {
      ProfCapture *capture = scope_open_capture (*files, error);

      if (!capture)
        return NULL;
      g_ptr_array_add (recordings->baseline, capture);
    }
  return g_steal_pointer (&recordings);
}

gboolean
scope_recordings_have_baseline (const ScopeRecordings *recordings)
{
  return recordings->baseline->len > 0;
}

const char *
scope_recordings_describe_node (const ProfDifference *difference)
{
  return difference->row_a == PROF_NONE ? "only now"
         : difference->row_b == PROF_NONE
             ? "only in the baseline"
             : prof_verdict_describe (difference->pairing.verdict, &difference->pairing.ratio);
}

const ProfCapture *
scope_recordings_last (const ScopeRecordings *recordings)
{
  return recordings->baseline->pdata[recordings->baseline->len - 1];
}

gboolean
scope_recordings_add (ScopeRecordings   *recordings,
                      const ProfCapture *capture,
                      const char        *file,
                      GError           **error)
{
  ScopeRecording *recording = g_new0 (ScopeRecording, 1);

  recording->capture = capture;
  recording->file = g_strdup (file);
  g_ptr_array_add (recordings->results, recording);
  if (!prof_sessions_compare (&recording->sessions,
                              (const ProfCapture *const *) recordings->baseline->pdata,
                              recordings->baseline->len, capture, error))
    return FALSE;
  if (!isnan (recordings->threshold))
    recording->gate = prof_sessions_gate (&recording->sessions, recordings->threshold);
  return TRUE;
}

ScopeExit
scope_recordings_exit (const ScopeRecordings *recordings)
{
  for (guint i = 0; i < recordings->results->len && !isnan (recordings->threshold); i++)
    if (((const ScopeRecording *) recordings->results->pdata[i])->gate == PROF_GATE_FAILED)
      return SCOPE_EXIT_CHECK_FAILED;
  return SCOPE_EXIT_DONE;
}

/* --- Common to all outputs --- */

GArray *
scope_recordings_changed_nodes (const ScopeRecordings *recordings,
                                const ScopeRecording  *recording,
                                guint                  max,
                                guint                 *n_same)
{
  g_autoptr (GArray) list =
      prof_difference (scope_recordings_last (recordings), recording->capture);
  GArray *changed = g_array_new (FALSE, FALSE, sizeof (ProfDifference));

  *n_same = 0;
  for (guint i = 0; i < list->len; i++)
    {
      ProfDifference *difference = &g_array_index (list, ProfDifference, i);
      gboolean        is_matched = difference->row_a != PROF_NONE && difference->row_b != PROF_NONE;

      if (is_matched)
        prof_sessions_widen (&recording->sessions, &difference->pairing);
      if (is_matched && difference->pairing.verdict != PROF_SLOWER &&
          difference->pairing.verdict != PROF_FASTER)
        (*n_same)++;
      else if (changed->len < max)
        g_array_append_val (changed, *difference);
    }
  return changed;
}

char *
scope_recording_dup_change (const ScopeRecording *recording)
{
  const ProfInterval *ratio = &recording->sessions.ratio;

  if (isnan (ratio->low))
    return g_strdup_printf ("%+.1f %% (no interval)", 100 * (ratio->median - 1));
  return g_strdup_printf ("%+.1f %% (%+.1f … %+.1f with 99 %%)", 100 * (ratio->median - 1),
                          100 * (ratio->low - 1), 100 * (ratio->high - 1));
}

char *
scope_recording_dup_verdict (const ScopeRecording *recording)
{
  const ProfSessions *sessions = &recording->sessions;

  return g_strdup_printf ("%s%s%s", prof_verdict_name (sessions->verdict),
                          sessions->machine == PROF_OTHER_MACHINE ? ", on different machines" : "",
                          sessions->is_same_work ? "" : ", with different work");
}
