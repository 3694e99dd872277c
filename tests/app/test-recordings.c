/* test-recordings.c — hscope compare and profile with recordings: outputs and exit codes.
 *
 * Recordings are made of chosen numbers, so that verdicts do not depend on the machine.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/measured-capture.h"
#include "tests/app/hscope-fixture.h"
#include "tests/profiler/made-recording.h"
#include "tests/program.h"

#include <gio/gio.h>
#include <string.h>

/* Writes a recording to a file of the folder.  (transfer full) */
static char *
write_recording (Fixture *fixture, const char *name, const MadeRecording *recording)
{
  g_autoptr (ProfCapture) capture = made_recording_new (recording);
  g_autoptr (GError) error = NULL;
  char *path = in_folder (fixture, name);

  prof_capture_write (capture, path, &error);
  g_assert_no_error (error);
  return path;
}

/* old.hscope, and new.hscope that takes factor times as long.  (transfer full) */
static void
write_two (Fixture *fixture, double factor, char **old, char **new)
{
  MadeRecording b = made_recording;

  b.seconds *= factor;
  b.seed = 2;
  *old = write_recording (fixture, "old.hscope", &made_recording);
  *new = write_recording (fixture, "new.hscope", &b);
}

#define RUN(fixture, ...) \
  fixture_run (fixture, (char **) (const char *[]){ HSCOPE, __VA_ARGS__, NULL })

static char *
read_file (Fixture *fixture, const char *name)
{
  g_autofree char *path = in_folder (fixture, name);
  g_autoptr (GError) error = NULL;
  char *text = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  return text;
}

static const char *
text_of (const cJSON *object, const char *key)
{
  const cJSON *item = cJSON_GetObjectItem (object, key);

  g_assert_true (cJSON_IsString (item));
  return item->valuestring;
}

static void
test_two_recordings_are_compared_without_running (Fixture *fixture, gconstpointer unused)
{
  static const char *const keys[] = { "cells", "pairs", "equal", "explanation", "comparisons" };
  g_autofree char         *old = NULL, *new = NULL;
  g_autoptr (cJSON) json = NULL;
  const cJSON *pair, *ok;

  write_two (fixture, 1.5, &old, &new);
  RUN (fixture, "compare", old, new, "--json");
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    g_assert_true (cJSON_HasObjectItem (json, keys[i]));
  g_assert_cmpint (cJSON_GetArraySize (cJSON_GetObjectItem (json, "cells")), ==, 2);
  pair = cJSON_GetArrayItem (cJSON_GetObjectItem (json, "pairs"), 0);
  g_assert_cmpstr (text_of (pair, "a"), ==, new);
  g_assert_cmpstr (text_of (pair, "b"), ==, old);
  g_assert_cmpstr (text_of (pair, "verdict"), ==, "slower");
  g_assert_cmpfloat_with_epsilon (cJSON_GetObjectItem (pair, "ratio")->valuedouble, 1.5, 0.03);
  g_assert_cmpint (cJSON_GetObjectItem (pair, "samples")->valueint, ==, 30);
  ok = cJSON_GetObjectItem (cJSON_GetObjectItem (json, "equal"), "ok");
  g_assert_true (cJSON_IsNull (ok));

  RUN (fixture, "compare", old, new);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "compared with the baseline: slower: +"));
  g_assert_nonnull (strstr (fixture->out, "fc1"));
  g_assert_nonnull (strstr (fixture->out, "is assumed"));
}

static void
test_the_gate_fails_only_when_it_is_certain (Fixture *fixture, gconstpointer unused)
{
  static const struct
  {
    double      factor;
    const char *threshold, *outcome;
    int         code;
  } cases[] = {
    { 1.5, "3%", "failed", 1 },  { 1.5, "3", "failed", 1 },      { 1.5, "100 %", "passed", 0 },
    { 1, "3%", "undecided", 0 }, { 1.04, "3%", "undecided", 0 }, { 0.5, "0%", "passed", 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *old = NULL, *new = NULL;

      write_two (fixture, cases[i].factor, &old, &new);
      RUN (fixture, "compare", old, new, "--fail-if-slower", cases[i].threshold);
      g_test_message ("%g, %s: %s", cases[i].factor, cases[i].threshold, fixture->out);
      g_assert_cmpint (fixture->code, ==, cases[i].code);
      g_assert_nonnull (strstr (fixture->out, cases[i].outcome));
    }
}

static void
test_different_machines_are_a_headline_and_never_fail (Fixture *fixture, gconstpointer unused)
{
  MadeRecording    b = made_recording;
  g_autofree char *old = write_recording (fixture, "old.hscope", &made_recording), *new = NULL;

  b.processor = "Example 9000";
  b.seconds *= 10;
  new = write_recording (fixture, "new.hscope", &b);
  RUN (fixture, "compare", old, new, "--fail-if-slower", "3%");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "\nDIFFERENT MACHINES"));
  g_assert_nonnull (strstr (fixture->out, "undecided: "));
}

/* Anything in a file may be in a name. */
static void
test_markdown_and_junit_are_written_and_escaped (Fixture *fixture, gconstpointer unused)
{
  MadeRecording    b = made_recording;
  g_autofree char *old = write_recording (fixture, "old.hscope", &made_recording), *new = NULL;
  g_autofree char *markdown = in_folder (fixture, "out.md"),
                  *junit = in_folder (fixture, "out.xml");
  g_autofree char *text = NULL, *xml = NULL;
  g_autoptr (GMarkupParseContext) context =
      g_markup_parse_context_new (&(GMarkupParser){ 0 }, 0, NULL, NULL);
  g_autoptr (GError) error = NULL;

  b.host = "a\001<b>|\"&]]>\n# title";
  b.seconds *= 2;
  new = write_recording (fixture, "new.hscope", &b);
  RUN (fixture, "compare", "--baseline", old, new, "--fail-if-slower", "3%", "--markdown", markdown,
       "--junit", junit);
  g_assert_cmpint (fixture->code, ==, 1);
  text = read_file (fixture, "out.md");
  xml = read_file (fixture, "out.xml");
  g_assert_nonnull (strstr (text, "**failed**: "));
  g_assert_nonnull (strstr (text, "| median | "));
  g_assert_nonnull (strstr (text, "a \\<b\\>\\|\"\\&\\]\\]\\> \\# title"));
  g_assert_null (strstr (text, "\n# title"));
  g_assert_true (g_markup_parse_context_parse (context, xml, (gssize) strlen (xml), &error));
  g_assert_true (g_markup_parse_context_end_parse (context, &error));
  g_assert_nonnull (strstr (xml, "tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\""));
  g_assert_nonnull (strstr (xml, "<failure message=\"failed: It takes at least"));
  g_assert_null (strstr (xml, "\001"));
  g_assert_null (strstr (xml, "&#x1;"));
}

/* Each made sample is a second of runs that keep one processor at work. */
static void
test_facts_of_a_sample_are_told_per_run (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *old = write_recording (fixture, "old.hscope", &made_recording);
  g_autoptr (cJSON) json = NULL;
  const cJSON *sample, *clean;

  RUN (fixture, "report", old, "--json");
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  clean =
      cJSON_GetObjectItem (cJSON_GetArrayItem (cJSON_GetObjectItem (json, "captures"), 0), "clean");
  g_assert_cmpint (cJSON_GetArraySize (cJSON_GetObjectItem (clean, "list")), ==, made_recording.n);
  cJSON_ArrayForEach (sample, cJSON_GetObjectItem (clean, "list"))
      g_assert_cmpfloat_with_epsilon (cJSON_GetObjectItem (sample, "cpu_seconds")->valuedouble,
                                      cJSON_GetObjectItem (sample, "seconds")->valuedouble, 1e-9);
}

static void
test_recordings_and_models_are_not_mixed (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *old = NULL, *new = NULL;

  write_two (fixture, 1, &old, &new);
  RUN (fixture, "compare", old, "gallery:mlp");
  g_assert_cmpint (fixture->code, ==, 2);
  g_assert_nonnull (strstr (fixture->err, "hscope profile gallery:mlp --baseline "));
  RUN (fixture, "compare", "gallery:mlp", "--baseline", old);
  g_assert_cmpint (fixture->code, ==, 2);
  RUN (fixture, "compare", old, new, "--variants", "unrolled");
  g_assert_cmpint (fixture->code, ==, 2);
  g_assert_nonnull (strstr (fixture->err, "--variants"));
  RUN (fixture, "compare", old, new, "--threads", "2");
  g_assert_cmpint (fixture->code, ==, 2);
  RUN (fixture, "compare", old, new, "--fail-if-slower", "fast");
  g_assert_cmpint (fixture->code, ==, 2);
  RUN (fixture, "compare", old, new, "--fail-if-slower", "-1%");
  g_assert_cmpint (fixture->code, ==, 2);
  RUN (fixture, "compare", old, new, "--json", "--markdown", "-");
  g_assert_cmpint (fixture->code, ==, 2);
  RUN (fixture, "compare", "gallery:mlp", "--fail-if-slower", "3%");
  g_assert_cmpint (fixture->code, ==, 2);
  RUN (fixture, "profile", "gallery:mlp", "--fail-if-slower", "3%");
  g_assert_cmpint (fixture->code, ==, 2);
  g_assert_nonnull (strstr (fixture->err, "--baseline FILE"));
}

static void
test_unreadable_recordings_end_with_3 (Fixture *fixture, gconstpointer unused)
{
  MadeRecording    none = made_recording;
  g_autofree char *old = write_recording (fixture, "old.hscope", &made_recording), *new = NULL;
  g_autofree char *cut = in_folder (fixture, "cut.hscope"), *text = NULL;
  gsize            length;

  none.n = 0;
  new = write_recording (fixture, "new.hscope", &none);
  RUN (fixture, "compare", old, new);
  g_assert_cmpint (fixture->code, ==, 3);
  g_assert_nonnull (strstr (fixture->err, "no clean runs"));
  g_assert_true (g_file_get_contents (old, &text, &length, NULL));
  g_assert_true (g_file_set_contents (cut, text, (gssize) length - 8, NULL));
  RUN (fixture, "compare", old, cut);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->err, "warning: "));
  g_assert_true (g_file_set_contents (cut, text, 40, NULL));
  RUN (fixture, "compare", old, cut);
  g_assert_cmpint (fixture->code, ==, 3);
  RUN (fixture, "profile", "gallery:mlp", "--baseline", cut);
  g_assert_cmpint (fixture->code, ==, 3);
}

/* The facts of this machine are in the first recording, so that the second is on the same one. */
static void
test_profile_compares_with_a_baseline_in_one_line (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *base = in_folder (fixture, "base.hscope"),
                  *junit = in_folder (fixture, "out.xml");
  g_autofree char *xml = NULL;
  g_autoptr (cJSON) json = NULL;
  const cJSON *comparison;

  RUN (fixture, "profile", "gallery:mlp", "--repeat", "8", "--capture", base);
  g_assert_cmpint (fixture->code, ==, 0);
  RUN (fixture, "profile", "gallery:mlp", "--repeat", "8", "--baseline", base, "--fail-if-slower",
       "1000%", "--junit", junit, "--json");
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  comparison = cJSON_GetArrayItem (cJSON_GetObjectItem (json, "comparisons"), 0);
  g_assert_cmpstr (text_of (comparison, "machine"), ==, "same");
  g_assert_true (cJSON_IsTrue (cJSON_GetObjectItem (comparison, "same_work")));
  g_assert_cmpstr (text_of (comparison, "file"), ==, "gallery:mlp");
  g_assert_true (cJSON_HasObjectItem (cJSON_GetObjectItem (comparison, "gate"), "outcome"));
  xml = read_file (fixture, "out.xml");
  g_assert_nonnull (strstr (xml, "name=\"gallery:mlp\""));
}

TEST_PROGRAM (test_recordings)
{
  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, TRUE);
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) \
  g_test_add ("/app/recordings/" name, Fixture, NULL, fixture_set_up, function, fixture_tear_down)
  ADD ("two-recordings-are-compared-without-running",
       test_two_recordings_are_compared_without_running);
  ADD ("the-gate-fails-only-when-it-is-certain", test_the_gate_fails_only_when_it_is_certain);
  ADD ("different-machines-are-a-headline-and-never-fail",
       test_different_machines_are_a_headline_and_never_fail);
  ADD ("markdown-and-junit-are-written-and-escaped",
       test_markdown_and_junit_are_written_and_escaped);
  ADD ("facts-of-a-sample-are-told-per-run", test_facts_of_a_sample_are_told_per_run);
  ADD ("recordings-and-models-are-not-mixed", test_recordings_and_models_are_not_mixed);
  ADD ("unreadable-recordings-end-with-3", test_unreadable_recordings_end_with_3);
  ADD ("profile-compares-with-a-baseline-in-one-line",
       test_profile_compares_with_a_baseline_in_one_line);
#undef ADD
  return g_test_run ();
}
