/* compare-recordings.c — hscope compare with captures: nothing is run.
 *
 * The comparison itself is in app/command/recordings; this file decides when it applies, and adds the
 * keys that hscope compare --json always has.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-recordings.h"

#include "app/command/frame/open-model.h"
#include "app/command/report/report-sections.h"

#include <math.h>

/* --- Arguments --- */

/* The first option that needs models; NULL if there is none. */
static const char *
find_model_option (const ScopeCommonOptions *common, const ScopeCompareOptions *options)
{
  const struct
  {
    const char *name;
    gboolean    is_given;
  } given[] = {
    { "--variants", options->variants != NULL },
    { "--modes", options->modes != NULL },
    { "--devices", options->devices != NULL },
    { "--batch", options->batch != NULL },
    { "--length", options->length != NULL },
    { "--preset", options->preset != NULL },
    { "--captures", options->captures != NULL },
    { "--with", options->with != NULL },
    { "--repeat", options->repeat != 0 },
    { "--time-limit", options->time_limit != 0 },
    { "--backward", options->backward },
    { "--no-ladder", options->no_ladder },
    { "--memory", options->memory },
    { "--params", common->params != NULL },
    { "--shape", common->shapes != NULL },
    { "--dtype", common->dtype != NULL },
    { "--threads", common->threads != 0 },
    { "--mode", common->mode != NULL },
    { "--train", common->train },
    { "--init", common->init != NULL },
    { "--plan-without", common->without != NULL },
    { "--fold-parameters", common->fold_parameters },
    { "--freeze-parameters", common->freeze_parameters },
  };

  for (guint i = 0; i < G_N_ELEMENTS (given); i++)
    if (given[i].is_given)
      return given[i].name;
  return NULL;
}

static gboolean
refuse_mixture (const char *capture, const char *model, GError **error)
{
  return scope_usage_error (error,
                            "%s is a recording and %s a model.  Recordings are compared with "
                            "recordings: hscope profile %s --baseline %s measures the model now "
                            "and compares",
                            capture, model, model, capture);
}

gboolean
scope_compare_find_recordings (const ScopeCommonOptions  *common,
                               const ScopeCompareOptions *options,
                               char                     **files,
                               gboolean                  *is_recordings,
                               GError                   **error)
{
  const ScopeBaselineOptions *baseline = &options->baseline;
  const char                 *capture = baseline->baseline ? baseline->baseline[0] : NULL;
  const char                 *model = NULL, *option;
  guint                       n_captures = 0;

  for (guint i = 0; files[i]; i++)
    if (scope_is_capture (files[i]))
      {
        n_captures++;
        capture = capture ? capture : files[i];
      }
    else
      model = model ? model : files[i];
  *is_recordings = n_captures > 1 || baseline->baseline;
  if (model && capture)
    return refuse_mixture (capture, model, error);
  option = *is_recordings ? find_model_option (common, options) : NULL;
  if (option)
    return scope_usage_error (
        error, "%s: recordings are compared as they are, nothing is run; give a model", option);
  if (!*is_recordings && (baseline->fail_if_slower || baseline->junit || baseline->markdown))
    return scope_usage_error (error, "--fail-if-slower, --markdown and --junit compare recordings: "
                                     "hscope compare OLD.hscope NEW.hscope, or hscope profile "
                                     "MODEL --baseline OLD.hscope");
  return TRUE;
}

/* --- Output --- */

static void
describe_cell (ScopeJson *json, const ProfCapture *capture)
{
  static const char *const texts[] = { "variant", "mode" };
  static const char *const numbers[] = { "batch", "length" };
  ProfStatistics           clean;
  guint                    n;
  ProfDisturbance          disturbance;
  g_autofree double       *samples = prof_capture_dup_undisturbed (capture, &n, &disturbance);

  prof_statistics (samples, n, &clean);
  scope_json_begin_object (json, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    scope_json_string (json, texts[i], prof_capture_get_text (capture, texts[i]));
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    scope_json_double (json, numbers[i], prof_capture_get_number (capture, numbers[i]));
  scope_json_double (json, "median", clean.median.median);
  scope_json_double (json, "low", n >= PROF_SESSION_MIN_SAMPLES ? clean.median.low : NAN);
  scope_json_double (json, "high", n >= PROF_SESSION_MIN_SAMPLES ? clean.median.high : NAN);
  scope_json_int (json, "samples", n);
  scope_json_double (json, "peak_bytes", prof_capture_get_number (capture, "memory.planned"));
  scope_json_string (json, "capture", prof_capture_get_file (capture));
  scope_json_end (json);
}

static void
describe_pair (ScopeJson *json, const ScopeRecordings *recordings, const ScopeRecording *recording)
{
  const ProfSessions *sessions = &recording->sessions;

  scope_json_begin_object (json, NULL);
  scope_json_string (json, "a", recording->file);
  scope_json_string (json, "b", prof_capture_get_file (scope_recordings_last (recordings)));
  scope_json_double (json, "ratio", sessions->ratio.median);
  scope_json_double (json, "low", sessions->ratio.low);
  scope_json_double (json, "high", sessions->ratio.high);
  scope_json_int (json, "samples", MIN (sessions->a.n, sessions->b.n));
  scope_json_string (json, "verdict", prof_verdict_name (sessions->verdict));
  scope_json_end (json);
}

/* Members that only comparisons of models have. */
static void
describe_unknown (ScopeJson *json)
{
  scope_json_begin_object (json, "equal");
  scope_json_null (json, "max_abs");
  scope_json_null (json, "tolerance");
  scope_json_null (json, "ok");
  scope_json_end (json);
  scope_json_begin_object (json, "explanation");
  scope_json_string (json, "reason", "nothing was run, so no cause is measured");
  scope_json_begin_list (json, "buckets");
  scope_json_end (json);
  scope_json_begin_object (json, "residual");
  scope_json_null (json, "seconds");
  scope_json_null (json, "share");
  scope_json_end (json);
  scope_json_boolean (json, "complete", FALSE);
  scope_json_end (json);
}

static void
print_json (const ScopeRecordings *recordings)
{
  g_autoptr (ScopeJson) json = scope_json_new ();

  describe_unknown (json);
  scope_json_begin_list (json, "cells");
  for (guint i = 0; i < recordings->baseline->len; i++)
    describe_cell (json, recordings->baseline->pdata[i]);
  for (guint i = 0; i < recordings->results->len; i++)
    describe_cell (json, ((const ScopeRecording *) recordings->results->pdata[i])->capture);
  scope_json_end (json);
  scope_json_begin_list (json, "pairs");
  for (guint i = 0; i < recordings->results->len; i++)
    describe_pair (json, recordings, recordings->results->pdata[i]);
  scope_json_end (json);
  scope_recordings_describe (json, recordings);
  scope_json_print (json);
}

static gboolean
write_report (const ScopeRecordings *recordings, const char *path, GError **error)
{
  g_autoptr (ScopeReportPage) page = scope_report_page_new ("Recordings compared by Hybridscope");
  g_autoptr (ScopeSaid) said = scope_said_new ();

  for (guint i = 0; i < recordings->results->len; i++)
    {
      const ScopeRecording *recording = recordings->results->pdata[i];

      scope_recordings_say (said, recordings, recording);
      scope_say_differences (said, scope_recordings_last (recordings), recording->capture);
    }
  scope_report_page_add_said (page, said);
  return scope_report_page_write (page, path, error);
}

int
scope_compare_recordings (const ScopeCommonOptions  *common,
                          const ScopeCompareOptions *options,
                          char                     **files,
                          GError                   **error)
{
  gboolean has_baseline = options->baseline.baseline != NULL;
  g_autoptr (GPtrArray) captures =
      g_ptr_array_new_with_free_func ((GDestroyNotify) prof_capture_unref);
  g_autoptr (ScopeRecordings) recordings =
      scope_recordings_new (&options->baseline, common, files[0], error);

  if (!recordings)
    return SCOPE_EXIT_FAILED;
  for (char **file = files + !has_baseline; *file; file++)
    {
      ProfCapture *capture = scope_open_capture (*file, error);

      if (!capture)
        return SCOPE_EXIT_FAILED;
      g_ptr_array_add (captures, capture);
      if (!scope_recordings_add (recordings, capture, *file, error))
        return SCOPE_EXIT_FAILED;
    }
  if (common->json)
    print_json (recordings);
  else
    scope_recordings_print (recordings);
  if ((options->report && !write_report (recordings, options->report, error)) ||
      !scope_recordings_write (recordings, &options->baseline, error))
    return SCOPE_EXIT_FAILED;
  return scope_recordings_exit (recordings);
}
