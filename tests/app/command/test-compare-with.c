/* test-compare-with.c — hscope compare --with sets a model beside the profile of another program, node by node.
 *
 * The profile in tests/data/traces was recorded by ONNX Runtime.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

#define TRACES  SOURCE_ROOT "/tests/data/traces/"
#define MLP     TRACES "mlp-symbol.json --shape data=32,784 --repeat 3 --no-ladder"
#define DENSE_0 "hybridsequential0_dense0_fwd"
#define RELU_0  "hybridsequential0_dense0_relu_fwd"

static double
get_number (const cJSON *object, const char *name)
{
  const cJSON *item = cJSON_GetObjectItem (object, name);

  g_assert_true (cJSON_IsNumber (item));
  return item->valuedouble;
}

static const char *
get_text (const cJSON *object, const char *name)
{
  const char *text = cJSON_GetStringValue (cJSON_GetObjectItem (object, name));

  g_assert_nonnull (text);
  return text;
}

/* Seconds of an iteration in the trace, which has three. */
static double
sum_trace (void)
{
  g_autofree char *text = NULL;
  g_autoptr (cJSON) trace = NULL;
  const cJSON *event;
  double       microseconds = 0;

  g_assert_true (g_file_get_contents (TRACES "onnxruntime-mlp.json", &text, NULL, NULL));
  trace = cJSON_Parse (text);
  cJSON_ArrayForEach (event, cJSON_GetObjectItem (trace, "traceEvents"))
  {
    if (g_strcmp0 (cJSON_GetStringValue (cJSON_GetObjectItem (event, "cat")), "Node") == 0)
      microseconds += get_number (event, "dur");
  }
  return microseconds * 1e-6 / 3;
}

static void
test_fusions_of_both_are_one_row (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (cJSON) document = NULL;
  const cJSON *with, *group;
  double       ours = 0, theirs = 0;
  guint        n_found = 0;

  fixture_run_line (fixture, "hscope compare " MLP " --with " TRACES "onnxruntime-mlp.json --json");
  g_assert_cmpint (fixture->code, ==, 0);
  document = parse_output (fixture);
  with = cJSON_GetObjectItem (document, "with");
  g_assert_cmpfloat (get_number (with, "iterations"), ==, 3);
  cJSON_ArrayForEach (group, cJSON_GetObjectItem (with, "groups"))
  {
    const cJSON *nodes = cJSON_GetObjectItem (group, "nodes");

    ours += get_number (group, "ours_seconds");
    theirs += get_number (group, "theirs_seconds");
    if (!g_str_equal (cJSON_GetArrayItem (nodes, 0)->valuestring, DENSE_0))
      continue;
    /* ONNX Runtime computes both as FusedGemm. */
    n_found++;
    g_assert_cmpint (cJSON_GetArraySize (nodes), ==, 2);
    g_assert_cmpstr (cJSON_GetArrayItem (nodes, 1)->valuestring, ==, RELU_0);
    g_assert_nonnull (strstr (get_text (group, "ours"), DENSE_0 " ("));
    g_assert_cmpstr (get_text (group, "theirs"), !=, "");
    g_assert_cmpfloat_with_epsilon (get_number (group, "ratio"),
                                    get_number (group, "ours_seconds") /
                                        get_number (group, "theirs_seconds"),
                                    1e-6);
  }
  g_assert_cmpuint (n_found, ==, 1);
  g_assert_cmpfloat (ours, >, 0);
  g_assert_cmpfloat (ours, <=, get_number (with, "ours_seconds") * 1.000001);
  g_assert_cmpfloat_with_epsilon (theirs + get_number (with, "theirs_unplaced_seconds"),
                                  sum_trace (), 1e-9);
}

static void
test_the_text_names_nodes_of_the_model (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, "hscope compare " MLP " --with " TRACES "onnxruntime-mlp.json");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "  " DENSE_0 " + " RELU_0 "\n"));
  g_assert_nonnull (strstr (fixture->out, "ours: " DENSE_0));
  g_assert_nonnull (strstr (fixture->out, "theirs: "));
  g_assert_nonnull (strstr (fixture->out, "(3 iterations)"));
}

/* The report says what the text says. */
static void
test_the_report_has_the_table (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autofree char *html = NULL, *totals = NULL;
  const char      *begin, *end;

  fixture_run_line (fixture, "hscope compare " MLP " --with " TRACES
                             "onnxruntime-mlp.json --report with.html");
  g_assert_cmpint (fixture->code, ==, 0);
  begin = strstr (fixture->out, "  beside ") + strlen ("  beside ");
  end = strchr (begin, '\n');
  totals = g_strndup (begin, (gsize) (end - begin));
  fixture_run_line (fixture, "cat with.html; rm with.html");
  g_assert_nonnull (strstr (fixture->out, totals));
  g_assert_nonnull (strstr (fixture->out, DENSE_0 " + " RELU_0 "<br>ours: " DENSE_0));
}

static void
test_what_does_not_fit_is_refused (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, "hscope compare " MLP " --variants as-is,foreach --with " TRACES
                             "onnxruntime-mlp.json");
  g_assert_cmpint (fixture->code, ==, 2);
  g_assert_nonnull (strstr (fixture->err, "--with"));

  fixture_run_line (fixture, "echo '[]' >empty.json; hscope compare " MLP
                             " --with empty.json; status=$?; rm empty.json; exit $status");
  g_assert_cmpint (fixture->code, ==, 3);
  g_assert_nonnull (strstr (fixture->err, "empty.json"));

  fixture_run_line (fixture, "hscope compare " MLP " --with missing.json");
  g_assert_cmpint (fixture->code, ==, 3);
  g_assert_nonnull (strstr (fixture->err, "missing.json"));
}

TEST_PROGRAM (test_compare_with)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add ("/app/compare-with/fusions-of-both-are-one-row", Fixture, NULL, fixture_set_up,
              test_fusions_of_both_are_one_row, fixture_tear_down);
  g_test_add ("/app/compare-with/the-text-names-nodes-of-the-model", Fixture, NULL, fixture_set_up,
              test_the_text_names_nodes_of_the_model, fixture_tear_down);
  g_test_add ("/app/compare-with/the-report-has-the-table", Fixture, NULL, fixture_set_up,
              test_the_report_has_the_table, fixture_tear_down);
  g_test_add ("/app/compare-with/what-does-not-fit-is-refused", Fixture, NULL, fixture_set_up,
              test_what_does_not_fit_is_refused, fixture_tear_down);

  return g_test_run ();
}
