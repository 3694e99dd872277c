/* test-measure.c — hscope profile, compare, report and import from outside.
 *
 * Checks JSON keys, exit codes, files, and what an interrupted measurement leaves; no times.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/program.h"

#include <cjson/cJSON.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

/* Runs hscope and returns its exit code.  output, errors: (out) (optional) (transfer full).  Without
 * output the child's stdout is discarded, since this test prints TAP there. */
static int
run_hscope (const char *const *arguments, char **output, char **errors)
{
  g_autoptr (GPtrArray) command = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  int status = 0;

  g_ptr_array_add (command, (gpointer) HSCOPE);
  for (guint i = 0; arguments[i]; i++)
    g_ptr_array_add (command, (gpointer) arguments[i]);
  g_ptr_array_add (command, NULL);
  g_assert_true (g_spawn_sync (NULL, (char **) command->pdata, NULL,
                               output ? G_SPAWN_DEFAULT : G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL,
                               output, errors, &status, &error));
  g_assert_no_error (error);
  return WIFEXITED (status) ? WEXITSTATUS (status) : -1;
}

#define HSCOPE_RUN(output, ...) \
  run_hscope ((const char *const[]){ __VA_ARGS__, NULL }, output, NULL)

static cJSON *
parse (const char *text)
{
  cJSON *json = cJSON_Parse (text);

  g_assert_nonnull (json);
  return json;
}

static void
assert_keys (const cJSON *object, const char *const *keys)
{
  for (guint i = 0; keys[i]; i++)
    if (!cJSON_HasObjectItem (object, keys[i]))
      g_error ("the key “%s” is missing", keys[i]);
}

static double
number (const cJSON *object, const char *key)
{
  const cJSON *item = cJSON_GetObjectItem (object, key);

  g_assert_true (cJSON_IsNumber (item));
  return item->valuedouble;
}

/* A path in a new folder, to be removed with remove_temporary().  (transfer full) */
static char *
temporary (const char *name)
{
  g_autofree char *folder = g_dir_make_tmp ("measure-XXXXXX", NULL);

  return g_build_filename (folder, name, NULL);
}

static void
remove_temporary (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);

  g_unlink (path);
  g_rmdir (folder);
}

static void
test_profile_has_the_promised_keys (void)
{
  static const char *const keys[] = { "clean", "traced_over_clean", "operators", "nodes",
                                      "steps", "peak_bytes",        NULL };
  static const char *const clean_keys[] = { "median", "low", "high", "samples", NULL };
  static const char *const traced_keys[] = { "runs",          "seconds",
                                             "nodes_seconds", "overhead_seconds",
                                             "relation",      NULL };
  static const char *const operator_keys[] = { "name",  "count", "self_seconds", "share", "flops",
                                               "bytes", NULL };
  g_autofree char         *capture = temporary ("a.hscope");
  g_autofree char         *output = NULL, *report = NULL, *html = NULL, *info = NULL;
  cJSON                   *json;

  g_assert_cmpint (HSCOPE_RUN (&output, "profile", "gallery:lstm-foreach", "--repeat", "4",
                               "--traced", "3", "--capture", capture, "--json"),
                   ==, 0);
  json = parse (output);
  assert_keys (json, keys);
  g_assert_cmpint (cJSON_GetArraySize (
                       cJSON_GetObjectItem (cJSON_GetObjectItem (json, "clean"), "list")),
                   ==, 4);
  assert_keys (cJSON_GetObjectItem (json, "clean"), clean_keys);
  assert_keys (cJSON_GetObjectItem (json, "traced"), traced_keys);
  g_assert_true (
      cJSON_IsString (cJSON_GetObjectItem (cJSON_GetObjectItem (json, "traced"), "relation")));
  assert_keys (cJSON_GetArrayItem (cJSON_GetObjectItem (json, "operators"), 0), operator_keys);
  g_assert_cmpfloat (number (cJSON_GetObjectItem (json, "clean"), "samples"), ==, 4);
  g_assert_cmpint (cJSON_GetArraySize (cJSON_GetObjectItem (json, "steps")), ==, 35);
  cJSON_Delete (json);

  g_assert_cmpint (HSCOPE_RUN (&report, "report", capture), ==, 0);
  g_assert_nonnull (strstr (report, "FullyConnected"));
  g_assert_cmpint (HSCOPE_RUN (&html, "report", capture, "--html"), ==, 0);
  g_assert_true (g_str_has_prefix (html, "<!DOCTYPE html>"));
  g_assert_nonnull (strstr (html, "<svg "));
  g_assert_null (strstr (html, "http-equiv"));
  g_assert_null (strstr (html, "<script"));
  g_assert_null (strstr (html, "src="));

  /* A capture can be opened as a model, since it holds the graph. */
  g_assert_cmpint (HSCOPE_RUN (&info, "info", capture, "--json"), ==, 0);
  json = parse (info);
  g_assert_cmpfloat (number (cJSON_GetObjectItem (json, "operators"), "_foreach"), ==, 1);
  cJSON_Delete (json);
  remove_temporary (capture);
}

static void
test_stopped_runs_keep_what_is_there (void)
{
  g_autofree char *capture = temporary ("b.hscope");
  g_autofree char *report = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) child =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_PIPE, &error,
                        HSCOPE, "profile", "gallery:lstm-foreach", "--repeat", "100000",
                        "--time-limit", "300", "--progress=json", "--capture", capture, NULL);
  g_autoptr (GDataInputStream) lines = NULL;
  char *line;
  guint n_progress = 0;

  g_assert_no_error (error);
  lines = g_data_input_stream_new (g_subprocess_get_stderr_pipe (child));
  while ((line = g_data_input_stream_read_line (lines, NULL, NULL, NULL)))
    {
      cJSON       *json = *line == '{' ? parse (line) : NULL;
      const cJSON *phase = json ? cJSON_GetObjectItem (json, "phase") : NULL;

      if (phase && strcmp (phase->valuestring, "clean") == 0 && number (json, "done") >= 2)
        {
          g_assert_cmpfloat (number (json, "remaining"), >=, 0);
          if (n_progress++ == 0)
            g_subprocess_send_signal (child, SIGTERM);
        }
      cJSON_Delete (json);
      g_free (line);
    }
  g_assert_true (g_subprocess_wait (child, NULL, NULL));
  g_assert_cmpuint (n_progress, >, 0);
  g_assert_true (g_subprocess_get_if_exited (child));
  g_assert_cmpint (g_subprocess_get_exit_status (child), ==, 128 + SIGTERM);
  g_assert_cmpint (HSCOPE_RUN (&report, "report", capture), ==, 0);
  g_assert_nonnull (strstr (report, "stopped: cancelled"));
  remove_temporary (capture);
}

/* The parts of an explanation are the difference that it explains. */
static void
assert_adds_up (const cJSON *explanation)
{
  static const char *const bucket_keys[] = { "name", "seconds",      "low", "high",
                                             "rung", "rung_seconds", NULL };
  double                   sum = number (explanation, "unexplained");
  const cJSON             *bucket;

  cJSON_ArrayForEach (bucket, cJSON_GetObjectItem (explanation, "buckets"))
  {
    assert_keys (bucket, bucket_keys);
    sum += number (bucket, "seconds");
  }
  g_assert_cmpfloat_with_epsilon (sum, number (explanation, "saved"), 1e-9);
}

static void
test_compare_explains_and_adds_up (void)
{
  static const char *const keys[] = { "cells", "pairs", "equal", "explanation", NULL };
  static const char *const cell_keys[] = { "variant", "mode", "batch",      "length", "median",
                                           "low",     "high", "peak_bytes", NULL };
  static const char *const pair_keys[] = { "a", "b", "ratio", "low", "high", "verdict", NULL };
  g_autofree char         *output = NULL;
  cJSON                   *json;
  const cJSON             *explanation, *pair;

  g_assert_cmpint (HSCOPE_RUN (&output, "compare",
                               "gallery:foreach-rnn?hidden=8&inputs=8&length=6&batch=2",
                               "--variants", "as-is,unrolled,fused", "--modes", "imperative,static",
                               "--repeat", "6", "--time-limit", "20", "--json"),
                   ==, 0);
  json = parse (output);
  assert_keys (json, keys);
  g_assert_cmpint (cJSON_GetArraySize (cJSON_GetObjectItem (json, "cells")), ==, 6);
  assert_keys (cJSON_GetArrayItem (cJSON_GetObjectItem (json, "cells"), 0), cell_keys);
  g_assert_cmpint (cJSON_GetArraySize (cJSON_GetObjectItem (json, "pairs")), ==, 15);
  assert_keys (cJSON_GetArrayItem (cJSON_GetObjectItem (json, "pairs"), 0), pair_keys);
  g_assert_true (cJSON_IsTrue (cJSON_GetObjectItem (cJSON_GetObjectItem (json, "equal"), "ok")));

  explanation = cJSON_GetObjectItem (json, "explanation");
  g_assert_true (cJSON_IsBool (cJSON_GetObjectItem (explanation, "complete")));
  g_assert_nonnull (cJSON_GetObjectItem (cJSON_GetObjectItem (explanation, "residual"), "share"));
  assert_adds_up (explanation);
  cJSON_ArrayForEach (pair, cJSON_GetObjectItem (json, "pairs"))
  {
    explanation = cJSON_GetObjectItem (pair, "explanation");
    assert_adds_up (explanation);
  }
  cJSON_Delete (json);
}

/* Units of the layers are a size, too; a file cannot be built with others.  Captures are numbered by size. */
static void
test_units_make_curves (void)
{
  static const char *const captures[] = { "-0-as-is-static.hscope", "-0-unrolled-static.hscope",
                                          "-1-as-is-static.hscope", "-1-unrolled-static.hscope" };
  g_autofree char         *output = NULL, *refusal = NULL, *prefix = temporary ("k");
  cJSON                   *json;
  const cJSON             *curve;

  g_assert_cmpint (HSCOPE_RUN (&output, "compare", "gallery:foreach-rnn?inputs=8&length=3",
                               "--variants", "as-is,unrolled", "--hidden", "4,9", "--repeat", "3",
                               "--no-ladder", "--captures", prefix, "--json"),
                   ==, 0);
  json = parse (output);
  g_assert_cmpint (cJSON_GetArraySize (cJSON_GetObjectItem (json, "cells")), ==, 4);
  g_assert_cmpint (cJSON_GetArraySize (cJSON_GetObjectItem (json, "curves")), ==, 1);
  curve = cJSON_GetArrayItem (cJSON_GetObjectItem (json, "curves"), 0);
  g_assert_cmpstr (cJSON_GetObjectItem (curve, "over")->valuestring, ==, "hidden");
  g_assert_cmpint (cJSON_GetArrayItem (cJSON_GetObjectItem (curve, "sizes"), 1)->valueint, ==, 9);
  cJSON_Delete (json);
  for (guint i = 0; i < G_N_ELEMENTS (captures); i++)
    {
      g_autofree char *path = g_strconcat (prefix, captures[i], NULL);

      g_test_message ("%s", path);
      g_assert_cmpint (g_remove (path), ==, 0);
    }
  remove_temporary (prefix);
  g_assert_cmpint (HSCOPE_RUN (&refusal, "compare", "net-symbol.json", "--hidden", "4,9", "--json"),
                   ==, 2);
}

/* Two batches by two lengths: four groups, and a family of curves through each pair. */
static void
test_sizes_make_curves (void)
{
  g_autofree char *output = NULL, *page = temporary ("c.html"), *html = NULL;
  cJSON           *json;
  const cJSON     *curves, *curve, *series;

  g_assert_cmpint (HSCOPE_RUN (&output, "compare", "gallery:foreach-rnn?hidden=8&inputs=8",
                               "--variants", "as-is,unrolled", "--batch", "1,3", "--length", "3,6",
                               "--repeat", "3", "--no-ladder", "--report", page, "--json"),
                   ==, 0);
  json = parse (output);
  g_assert_cmpint (cJSON_GetArraySize (cJSON_GetObjectItem (json, "cells")), ==, 8);
  curves = cJSON_GetObjectItem (json, "curves");
  g_assert_cmpint (cJSON_GetArraySize (curves), ==, 4);
  cJSON_ArrayForEach (curve, curves)
  {
    g_assert_cmpint (cJSON_GetArraySize (cJSON_GetObjectItem (curve, "sizes")), ==, 2);
    cJSON_ArrayForEach (series, cJSON_GetObjectItem (curve, "series"))
    {
      const cJSON *bytes = cJSON_GetObjectItem (series, "peak_bytes");

      g_assert_cmpint (cJSON_GetArraySize (cJSON_GetObjectItem (series, "median")), ==, 2);
      g_assert_cmpfloat (cJSON_GetArrayItem (bytes, 0)->valuedouble, <=,
                         cJSON_GetArrayItem (bytes, 1)->valuedouble);
    }
  }
  cJSON_Delete (json);
  g_assert_true (g_file_get_contents (page, &html, NULL, NULL));
  g_assert_nonnull (strstr (html, "Time of a run over the batch"));
  g_assert_nonnull (strstr (html, "Memory over the length"));
  remove_temporary (page);
}

/* Colours a graph by the difference of two captures, with and without a pass. */
static void
test_differences_are_painted (void)
{
  g_autofree char *before = temporary ("a.hscope"), *after = temporary ("b.hscope");
  g_autofree char *picture = temporary ("c.svg"), *svg = NULL, *page = NULL, *errors = NULL;
  const char      *model = "gallery:lstm-foreach";

  g_assert_cmpint (HSCOPE_RUN (NULL, "profile", model, "--repeat", "2", "--traced", "5",
                               "--capture", before),
                   ==, 0);
  g_assert_cmpint (HSCOPE_RUN (NULL, "profile", model, "--repeat", "2", "--traced", "5",
                               "--plan-without", "fuse-gates", "--capture", after),
                   ==, 0);
  g_assert_cmpint (HSCOPE_RUN (NULL, "render", model, "--overlay", after, "--against", before,
                               "--output", picture),
                   ==, 0);
  g_assert_true (g_file_get_contents (picture, &svg, NULL, NULL));
  g_assert_nonnull (strstr (svg, "change of self time"));
  g_assert_nonnull (strstr (svg, "within the noise"));
  g_assert_cmpint (HSCOPE_RUN (&page, "report", before, after, "--html"), ==, 0);
  g_assert_nonnull (strstr (page, "What b.hscope (B) changes against a.hscope (A)"));
  g_assert_nonnull (strstr (page, "Loops and operators by time step"));
  g_assert_nonnull (strstr (page, "Roofline"));
  g_assert_nonnull (strstr (page, "memory of the process"));
  g_assert_cmpint (run_hscope ((const char *const[]){ "render", model, "--heat", "self", "-o",
                                                      picture, NULL },
                               NULL, &errors),
                   ==, 2);
  g_assert_nonnull (strstr (errors, "--overlay with a capture"));
  remove_temporary (before);
  remove_temporary (after);
  remove_temporary (picture);
}

static void
test_wrong_usage_is_reported (void)
{
  g_autofree char *errors = NULL, *other = NULL, *third = NULL;

  g_assert_cmpint (run_hscope ((const char *const[]){ "compare", "gallery:mlp", "--variants",
                                                      "melted", NULL },
                               NULL, &errors),
                   ==, 2);
  g_assert_nonnull (strstr (errors, "“melted” is not a form"));
  g_assert_cmpint (HSCOPE_RUN (NULL, "compare", "gallery:mlp", "--device", "gpu", "--variants",
                               "as-is"),
                   !=, 0);
  g_assert_cmpint (run_hscope ((const char *const[]){ "report", "/nowhere.hscope", NULL }, NULL,
                               &other),
                   ==, 3);
  g_assert_cmpint (run_hscope ((const char *const[]){ "import", "/dev/null", NULL }, NULL, &third),
                   ==, 2);
}

/* A single run takes longer than the limit, and planning alone may; nothing measured is an error that names the limit. */
static void
test_the_limit_of_a_comparison_ends_a_run (void)
{
  g_autofree char *errors = NULL;

  g_assert_cmpint (run_hscope ((const char *const[]){ "compare", "gallery:lenet", "--batch", "4000",
                                                      "--time-limit", "0.001", NULL },
                               NULL, &errors),
                   ==, 4);
  g_assert_nonnull (strstr (errors, "stopped after 0.001 seconds, the limit"));
}

/* The first recording of 3,000 steps overflows, and is repeated with room for them. */
static void
test_long_runs_are_recorded_whole (void)
{
  g_autofree char *output = NULL;
  cJSON           *json, *traced;

  g_assert_cmpint (HSCOPE_RUN (&output, "profile",
                               "gallery:foreach-rnn?inputs=1&hidden=1&length=3000&batch=1",
                               "--repeat", "1", "--traced", "2", "--json"),
                   ==, 0);
  json = cJSON_Parse (output);
  g_assert_nonnull (json);
  traced = cJSON_GetObjectItem (json, "traced");
  g_assert_cmpfloat (number (traced, "runs"), ==, 2);
  g_assert_cmpfloat (number (traced, "spans"), >=, 2 * 3000);
  cJSON_Delete (json);
}

/* A distribution needs five clean runs. */
static void
test_few_runs_have_no_distribution (void)
{
  static const char *const repeats[] = { "3", "30" };
  g_autofree char         *capture = temporary ("a.hscope");
  g_autofree char         *page = g_strconcat (capture, ".html", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (repeats); i++)
    {
      g_autofree char *html = NULL;

      g_assert_cmpint (HSCOPE_RUN (NULL, "profile", "gallery:mlp", "--repeat", repeats[i],
                                   "--traced", "2", "--capture", capture),
                       ==, 0);
      g_assert_cmpint (HSCOPE_RUN (NULL, "report", capture, "--html", page), ==, 0);
      g_assert_true (g_file_get_contents (page, &html, NULL, NULL));
      g_assert_cmpint (strstr (html, "Distribution of the times of clean runs") != NULL, ==,
                       i == 1);
    }
  g_unlink (page);
  remove_temporary (capture);
}

/* A trace of another program has no clean runs to which traced ones could be compared. */
static void
test_colours_of_a_trace_name_no_clean_runs (void)
{
  g_autofree char *capture = temporary ("a.hscope");
  g_autofree char *trace = g_strconcat (capture, ".json", NULL);
  g_autofree char *picture = g_strconcat (capture, ".svg", NULL);
  g_autofree char *svg = NULL;

  g_assert_cmpint (HSCOPE_RUN (NULL, "profile", "gallery:mlp", "--repeat", "3", "--traced", "3",
                               "--trace", trace),
                   ==, 0);
  g_assert_cmpint (HSCOPE_RUN (NULL, "import", trace, "--symbol", "gallery:mlp", "--capture",
                               capture),
                   ==, 0);
  g_assert_cmpint (HSCOPE_RUN (NULL, "render", "gallery:mlp", "--overlay", capture, "--output",
                               picture),
                   ==, 0);
  g_assert_true (g_file_get_contents (picture, &svg, NULL, NULL));
  g_assert_null (strstr (svg, "of clean"));
  g_unlink (trace);
  g_unlink (picture);
  remove_temporary (capture);
}

TEST_PROGRAM (test_measure)
{
  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/measure/profile-has-the-promised-keys",
                   test_profile_has_the_promised_keys);
  g_test_add_func ("/app/measure/stopped-runs-keep-what-is-there",
                   test_stopped_runs_keep_what_is_there);
  g_test_add_func ("/app/measure/compare-explains-and-adds-up", test_compare_explains_and_adds_up);
  g_test_add_func ("/app/measure/sizes-make-curves", test_sizes_make_curves);
  g_test_add_func ("/app/measure/units-make-curves", test_units_make_curves);
  g_test_add_func ("/app/measure/the-limit-of-a-comparison-ends-a-run",
                   test_the_limit_of_a_comparison_ends_a_run);
  g_test_add_func ("/app/measure/long-runs-are-recorded-whole", test_long_runs_are_recorded_whole);
  g_test_add_func ("/app/measure/few-runs-have-no-distribution",
                   test_few_runs_have_no_distribution);
  g_test_add_func ("/app/measure/colours-of-a-trace-name-no-clean-runs",
                   test_colours_of_a_trace_name_no_clean_runs);
  g_test_add_func ("/app/measure/differences-are-painted", test_differences_are_painted);
  g_test_add_func ("/app/measure/wrong-usage-is-reported", test_wrong_usage_is_reported);
  return g_test_run ();
}
