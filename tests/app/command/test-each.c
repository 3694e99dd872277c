/* test-each.c — hscope check, info, prove and convert --each: many models in one call.
 *
 * Each test makes a folder of models, some of them damaged.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

/* Three good models, one whose end is missing and one that is no JSON, in two folders. */
#define MAKE_ZOO                                                                               \
  "mkdir -p zoo/deep/er && hscope new mlp --output zoo/a >log && "                             \
  "hscope new lenet --output zoo/deep/c >log && "                                              \
  "hscope new 'lstm-unrolled?hidden=4&embedding=4&vocabulary=8&length=3' --output "            \
  "zoo/deep/er/d >log && "                                                                     \
  "head -c 300 zoo/a-symbol.json >zoo/b-symbol.json && echo hello >zoo/deep/e-symbol.json && " \
  "echo '{\"settings\": 1}' >zoo/settings.json && "

#define CLEAN "; status=$?; rm -rf zoo other out; exit $status"

/* Parses line number index of out. */
static cJSON *
parse_line (Fixture *fixture, guint index)
{
  g_auto (GStrv) lines = g_strsplit (fixture->out, "\n", -1);
  cJSON *json;

  g_assert_cmpuint (index, <, g_strv_length (lines));
  json = cJSON_ParseWithOpts (lines[index], NULL, TRUE);
  if (!json)
    g_error ("not JSON: %s", lines[index]);
  return json;
}

static void
assert_line (Fixture *fixture, guint index, const char *model, int status)
{
  g_autoptr (cJSON) json = parse_line (fixture, index);

  g_assert_cmpstr (cJSON_GetObjectItem (json, "model")->valuestring, ==, model);
  g_assert_cmpint (cJSON_GetObjectItem (json, "status")->valueint, ==, status);
  g_assert_true (cJSON_IsNumber (cJSON_GetObjectItem (json, "seconds")));
  g_assert_true (cJSON_IsObject (cJSON_GetObjectItem (json, "result")));
}

static guint
count_lines (const char *text)
{
  guint n = 0;

  for (; *text; text++)
    n += *text == '\n';
  return n;
}

static void
test_every_model_has_a_line_in_order (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, MAKE_ZOO "hscope check --each zoo --jobs 3 --json" CLEAN);
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_cmpuint (count_lines (fixture->out), ==, 5);
  assert_line (fixture, 0, "a-symbol.json", 0);
  assert_line (fixture, 1, "b-symbol.json", 1);
  assert_line (fixture, 2, "deep/c-symbol.json", 0);
  assert_line (fixture, 3, "deep/e-symbol.json", 1);
  assert_line (fixture, 4, "deep/er/d-symbol.json", 0);
  g_assert_nonnull (strstr (fixture->err, "5 models in "));
  g_assert_nonnull (strstr (fixture->err, "3 ok, 2 with status 1"));
}

/* Files that cannot be read are worse than findings. */
static void
test_the_worst_status_counts (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, MAKE_ZOO "hscope info --each zoo --json" CLEAN);
  g_assert_cmpint (fixture->code, ==, 3);
  assert_line (fixture, 0, "a-symbol.json", 0);
  assert_line (fixture, 1, "b-symbol.json", 3);
  fixture_run_line (fixture, MAKE_ZOO "hscope info --each zoo/deep/er --json" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_cmpuint (count_lines (fixture->out), ==, 1);
}

static void
test_a_result_is_what_the_command_prints_alone (Fixture             *fixture,
                                                gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (cJSON) line = NULL;
  g_autoptr (cJSON) alone = NULL;

  fixture_run_line (fixture, MAKE_ZOO "hscope info --each zoo --shape data=3,512 --json" CLEAN);
  line = parse_line (fixture, 0);
  fixture_run_line (fixture,
                    MAKE_ZOO "hscope info zoo/a-symbol.json --shape data=3,512 --json" CLEAN);
  alone = parse_output (fixture);
  g_assert_true (cJSON_Compare (cJSON_GetObjectItem (line, "result"), alone, TRUE));
}

static void
test_text_has_a_heading_for_each_model (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, MAKE_ZOO "hscope check --each zoo" CLEAN);
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_true (g_str_has_prefix (fixture->out, "a-symbol.json: ok\n  no problems found"));
  g_assert_nonnull (
      strstr (fixture->out, "\nb-symbol.json: status 1\n  1 error\n  error truncated: "));
  g_assert_null (strstr (fixture->out, "settings"));
}

static void
test_second_models_are_found_by_their_paths (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, MAKE_ZOO "cp -r zoo other && "
                                      "hscope prove --each zoo/deep/er other/deep/er --json" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  assert_line (fixture, 0, "d-symbol.json", 0);
  g_assert_nonnull (strstr (fixture->out, "\"ok\": true"));
  fixture_run_line (fixture,
                    MAKE_ZOO "mkdir other && hscope prove --each zoo/deep/er other --json" CLEAN);
  g_assert_cmpint (fixture->code, ==, 3);
  g_assert_nonnull (strstr (fixture->out, "\"error\""));
}

static void
test_conversions_go_to_a_folder_of_the_same_shape (Fixture             *fixture,
                                                   gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, MAKE_ZOO "hscope convert --each zoo --to fused --output out --json; "
                                      "hscope info out/deep/er/d-symbol.json out/deep/er/"
                                      "d-0000.params" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  assert_line (fixture, 4, "deep/er/d-symbol.json", 0);
  g_assert_nonnull (strstr (fixture->out, " RNN\n"));
}

/* net-symbol.json and net.json would both become net-symbol.json. */
static void
test_models_of_one_prefix_are_written_apart (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, MAKE_ZOO "cp zoo/a-symbol.json zoo/a.json && "
                                      "hscope check --each zoo --repair out >log; "
                                      "ls out/a-symbol.json out/a-2-symbol.json" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
}

/* What only is called like a model is never opened. */
static void
test_pipes_sockets_and_links_out_are_skipped (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, MAKE_ZOO
                    "rm zoo/b-symbol.json zoo/deep/e-symbol.json && mkfifo zoo/f-symbol.json && "
                    "mkdir other && cp zoo/a-symbol.json other/out-symbol.json && "
                    "ln -s ../other/out-symbol.json zoo/g-symbol.json && "
                    "ln -s nothing zoo/h.onnx && ln -s /dev/zero zoo/i.json && "
                    "ln -s a-symbol.json zoo/j-symbol.json && mkfifo zoo/k.txt && "
                    "ln -s ../other zoo/l && "
                    "python3 -c 'import socket; "
                    "socket.socket(socket.AF_UNIX).bind(\"zoo/m.onnx\")' && "
                    "timeout 60 " HSCOPE " check --each zoo --json" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_cmpuint (count_lines (fixture->out), ==, 4);
  assert_line (fixture, 1, "deep/c-symbol.json", 0);
  assert_line (fixture, 3, "j-symbol.json", 0);
  g_assert_true (
      g_str_has_prefix (fixture->err,
                        "warning: zoo/f-symbol.json: skipped, since it is a pipe\n"
                        "warning: zoo/g-symbol.json: skipped, since it is a link out of the "
                        "folder\n"
                        "warning: zoo/h.onnx: skipped, since it is a link that leads nowhere\n"
                        "warning: zoo/i.json: skipped, since it is a link out of the folder\n"
                        "warning: zoo/m.onnx: skipped, since it is a socket\n"));
  g_assert_null (strstr (fixture->err, "k.txt"));
}

/* The bar is on the terminal, and the results are in the file, in the order of the folder. */
static void
test_500_models_show_progress_on_a_terminal (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture,
                    "mkdir zoo && hscope new 'mlp?inputs=2&hidden=2' --output zoo/m >log && "
                    "for i in $(seq -w 1 499); do cp zoo/m-symbol.json zoo/$i-symbol.json; done && "
                    "script -qec \"" HSCOPE " info --each zoo --json >result.jsonl\" terminal "
                    "</dev/null >log && wc -l <result.jsonl && "
                    "sed 's/{\"model\": \"\\([^\"]*\\).*/\\1/' result.jsonl | LC_ALL=C sort -c && "
                    "grep -q '] *[0-9]* % info [0-9a-z-]*symbol.json, at most' terminal && "
                    "! grep -q 'at most' result.jsonl" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_true (g_str_has_prefix (g_strchug (fixture->out), "500\n"));
  /* Nowhere else. */
  fixture_run_line (fixture, MAKE_ZOO "hscope info --each zoo/deep/er --json" CLEAN);
  g_assert_null (strstr (fixture->err, "at most"));
}

static void
test_wrong_usage_is_refused_before_any_work (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const struct
  {
    const char *line;
    int         code;
    const char *message;
  } rows[] = {
    { "hscope check --each zoo zoo/a-symbol.json", 2, "takes no other model" },
    { "hscope prove --each zoo", 2, "takes one more folder" },
    { "hscope check --each zoo --jobs 0", 2, "--jobs 0" },
    { "hscope convert --each zoo --to fused --input - --output out", 2, "cannot share one stream" },
    { "hscope run --each zoo --output out.npz", 2, "all models would write to the same file" },
    { "hscope check --each nowhere", 3, "the folder cannot be read" },
    { "hscope check --each zoo/a-symbol.json", 3, "the folder cannot be read" },
    { "mkdir zoo/none && hscope check --each zoo/none", 3, "there is no model in the folder" },
    { "touch out && hscope convert --each zoo --to fused --output out", 3, "cannot be made" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *line = g_strconcat (MAKE_ZOO, rows[i].line, CLEAN, NULL);

      fixture_run_line (fixture, line);
      g_assert_cmpint (fixture->code, ==, rows[i].code);
      if (!strstr (fixture->err, rows[i].message))
        g_error ("%s: %s", rows[i].line, fixture->err);
    }
}

/* The process that starts the others opens no model; they enter the sandbox themselves. */
static void
test_the_sandbox_is_that_of_the_children (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, MAKE_ZOO "hscope --sandbox check --each zoo --json" CLEAN);
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_cmpuint (count_lines (fixture->out), ==, 5);
}

TEST_PROGRAM (test_each)
{
  static const struct
  {
    const char *name;
    void (*run) (Fixture *fixture, gconstpointer unused);
  } tests[] = {
    { "every-model-has-a-line-in-order", test_every_model_has_a_line_in_order },
    { "the-worst-status-counts", test_the_worst_status_counts },
    { "a-result-is-what-the-command-prints-alone", test_a_result_is_what_the_command_prints_alone },
    { "text-has-a-heading-for-each-model", test_text_has_a_heading_for_each_model },
    { "second-models-are-found-by-their-paths", test_second_models_are_found_by_their_paths },
    { "conversions-go-to-a-folder-of-the-same-shape",
      test_conversions_go_to_a_folder_of_the_same_shape },
    { "models-of-one-prefix-are-written-apart", test_models_of_one_prefix_are_written_apart },
    { "pipes-sockets-and-links-out-are-skipped", test_pipes_sockets_and_links_out_are_skipped },
    { "500-models-show-progress-on-a-terminal", test_500_models_show_progress_on_a_terminal },
    { "wrong-usage-is-refused-before-any-work", test_wrong_usage_is_refused_before_any_work },
    { "the-sandbox-is-that-of-the-children", test_the_sandbox_is_that_of_the_children },
  };

  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, TRUE);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autofree char *path = g_strconcat ("/each/", tests[i].name, NULL);

      g_test_add (path, Fixture, NULL, fixture_set_up, tests[i].run, fixture_tear_down);
    }
  return g_test_run ();
}
