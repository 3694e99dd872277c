/* test-output.c — what hscope prints: nothing is lost without a word, and names cannot steer a terminal.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

#define SYMBOL(operator)                                                                \
  "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"                \
  "{\"op\": \""                                                                         \
  operator"\", \"name\": \"a\\u001b]0;title\\u0007\\u202eb\xc2\x9b"                     \
          "c\\r\", \"inputs\": [[0,0,0]]}], \"arg_nodes\": [0], \"heads\": [[1,0,0]], " \
          "\"attrs\": {\"mxnet_version\": [\"int\", 10901]}}"

static void
set_up (Fixture *fixture, gconstpointer unused)
{
  fixture_set_up (fixture, unused);
  fixture->symbol = in_folder (fixture, "net-symbol.json");
  g_assert_true (g_file_set_contents (fixture->symbol, SYMBOL ("relu"), -1, NULL));
}

/* Runs a line of the shell, in which $H is hscope and $M the model. */
static void
run_line (Fixture *fixture, const char *line)
{
  g_autofree char *script =
      g_strdup_printf ("H='%s' M='%s' F='%s'; %s", HSCOPE, fixture->symbol, fixture->folder, line);

  fixture_run (fixture, (char *[]){ (char *) "/bin/sh", (char *) "-c", script, NULL });
}

/* --- Output that cannot be written --- */

static void
test_full_output (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const lines[] = {
    "$H --help >/dev/full",
    "$H --version >/dev/full",
    "$H run --help >/dev/full",
    "$H info $M >/dev/full",
    "$H info $M --json >/dev/full",
    "$H check $M >/dev/full",
    "$H run $M --shape data=2,3 --init uniform >/dev/full",
    "$H run $M --shape data=2,3 --init uniform --values >/dev/full",
    "$H new --list >/dev/full",
    "$H diff $M $M >/dev/full",
    "$H profile $M --repeat 5 --shape data=2,3 --capture $F/b.hscope >/dev/null && "
    "$H report $F/b.hscope >/dev/full",
  };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      run_line (fixture, lines[i]);
      g_test_message ("%s: %s", lines[i], fixture->err);
      g_assert_cmpint (fixture->code, ==, 3);
      g_assert_nonnull (
          strstr (fixture->err, "error: the output cannot be written: No space left"));
    }
}

static void
test_closed_output (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  run_line (fixture, "$H info $M >&-");
  g_assert_cmpint (fixture->code, ==, 3);
}

/* --- Names --- */

static void
check_text (const char *text)
{
  g_assert_true (g_utf8_validate (text, -1, NULL));
  for (const char *at = text; *at; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);

      if ((c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0) || c == 0x202e)
        g_error ("U+%04X in: %s", c, text);
    }
}

static void
test_names (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const lines[] = {
    "$H info $M",
    "$H info $M --json",
    "$H check $M",
    "$H check $M --json",
    "$H run $M --shape data=2,3 --init uniform",
    "$H run $M --shape data=2,3 --init uniform --values",
    "$H run $M",
    "$H convert $M --to fused --output $F/out",
    "$H diff $M $M",
    "$H profile $M --repeat 5 --shape data=2,3 --capture $F/a.hscope --progress json",
    "$H profile $M --repeat 5 --shape data=2,3 --capture $F/a.hscope && $H report $F/a.hscope",
    "$H profile $M --repeat 5 --shape data=2,3 --capture $F/a.hscope && $H report $F/a.hscope "
    "--json",
  };

  for (guint kind = 0; kind < 2; kind++)
    {
      g_assert_true (g_file_set_contents (fixture->symbol,
                                          kind == 0 ? SYMBOL ("relu") : SYMBOL ("no_such_op"), -1,
                                          NULL));
      for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
        {
          run_line (fixture, lines[i]);
          g_test_message ("%s", lines[i]);
          check_text (fixture->out);
          check_text (fixture->err);
        }
    }
}

/* A document stays a document, and its strings stay the same. */
static void
test_names_in_json (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (cJSON) json = NULL;
  g_autofree char *printed = NULL;

  run_line (fixture, "$H info $M --json");
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  printed = cJSON_PrintUnformatted (json);
  g_assert_nonnull (strstr (printed, "\xe2\x80\xae"));
  g_assert_nonnull (strstr (printed, "\xc2\x9b"));
  g_assert_nonnull (strstr (fixture->out, "\\u202e"));
}

/* Two layers whose names hold a line break, a tab, and where "%s" is "?" an operator that does not exist. */
static const char broken_names[] =
    "{\"nodes\": [{\"op\": \"null\", \"name\": \"da^~ta\", \"attrs\": {\"__shape__\": \"(2, 3)\"}, "
    "\"inputs\": []}, {\"op\": \"null\", \"name\": \"w^~_weight\", \"inputs\": []}, {\"op\": "
    "\"FullyConnected\", \"name\": \"f^~c\", \"attrs\": {\"num_hidden\": \"2\", \"no_bias\": "
    "\"True\"}, "
    "\"inputs\": [[0,0,0], [1,0,0]]}, {\"op\": \"%s\", \"name\": \"r^~elu\", \"inputs\": "
    "[[2,0,0]]}], "
    "\"arg_nodes\": [0, 1], \"heads\": [[3,0,0]], \"attrs\": {\"mxnet_version\": [\"int\", "
    "10901]}}";

/* Writes the model with texts in place of line breaks and tabs. */
static void
write_names (Fixture *fixture, const char *operator, const char * line_break, const char *tab)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_printf (text, broken_names, operator);
  g_string_replace (text, "^", line_break, 0);
  g_string_replace (text, "~", tab, 0);
  g_assert_true (g_file_set_contents (fixture->symbol, text->str, -1, NULL));
}

/* The output for names with line breaks and tabs is that for names with two harmless characters in their place; where it
 * holds times, no tab is enough. */
static void
test_lines_of_names (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const struct
  {
    const char *operator, * line;
    gboolean    is_timed;
  } cases[] = {
    { "relu", "$H info $M", FALSE },
    { "relu", "$H info $M --find ''", FALSE },
    { "relu", "$H check $M", FALSE },
    { "no^~op", "$H info $M", FALSE },
    { "no^~op", "$H info $M --find ''", FALSE },
    { "no^~op", "$H check $M", FALSE },
    { "no^~op", "$H run $M --init zeros", FALSE },
    { "relu", "$H run $M", FALSE },
    { "relu", "$H run $M --init zeros --values", TRUE },
    { "relu", "$H run $M --init zeros --backward", TRUE },
    { "relu", "$H diff $M $M", FALSE },
    { "relu", "sed s/2/4/g $M > $F/b.json; $H diff $M $F/b.json", FALSE },
    { "relu", "$H run $M --init zeros --output $F/o.npz && $H weights $F/o.npz", TRUE },
    { "relu", "$H profile $M --init zeros --repeat 3 --capture $F/a.hscope", TRUE },
    { "relu",
      "$H profile $M --init zeros --repeat 3 --capture $F/a.hscope --quiet; $H report $F/a.hscope",
      TRUE },
    { "relu",
      "echo '[{\"name\": \"r^~elu\", \"ph\": \"X\", \"ts\": 1, \"dur\": 1, \"cat\": "
      "\"operator\"}]' | "
      "sed 's/\\^/\\\\n/; s/~/\\\\t/' > $F/t.json; $H import $F/t.json --symbol $M",
      TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GString) expected = NULL;
      int code;

      write_names (fixture, cases[i].operator, "##", "##");
      run_line (fixture, cases[i].line);
      code = fixture->code;
      expected = g_string_new (fixture->out);

      write_names (fixture, cases[i].operator, "\\n", "\\t");
      run_line (fixture, cases[i].line);
      g_test_message ("%s: %s", cases[i].line, fixture->out);
      g_assert_cmpint (fixture->code, ==, code);
      g_assert_null (strchr (fixture->out, '\t'));
      g_assert_null (strchr (fixture->err, '\t'));
      if (!cases[i].is_timed)
        {
          g_string_replace (expected, "####", "\\n\\t", 0);
          g_assert_cmpstr (fixture->out, ==, expected->str);
        }
    }
}

/* Text in other scripts is not touched. */
static void
test_other_scripts (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char text[] =
      "{\"nodes\": [{\"op\": \"null\", \"name\": \"שלום-数据-données\", \"inputs\": []}],"
      "\"arg_nodes\": [0], \"heads\": [[0,0,0]]}";

  g_assert_true (g_file_set_contents (fixture->symbol, text, -1, NULL));
  run_line (fixture, "$H info $M");
  g_assert_nonnull (strstr (fixture->out, "שלום-数据-données"));
}

/* --- The log of training --- */

static void
test_log_on_a_full_disk (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autofree char *log = in_folder (fixture, "log");
  g_autofree char *text = NULL;

  g_assert_true (g_file_set_contents (log, "old\n", -1, NULL));
  run_line (fixture, "export HYBRIDSCOPE_GALLERY='" HYB_GALLERY "'; ulimit -f 1; "
                     "$H train gallery:mlp --epochs 1 --log $F/log");
  g_assert_cmpint (fixture->code, ==, 3);
  g_assert_true (g_file_get_contents (log, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "old\n");
}

/* --- What is said about faults, and numbers that are made up --- */

/* The first error is printed; the others are counted. */
static void
test_further_errors (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char text[] =
      "{\"nodes\": [{\"op\": \"null\", \"name\": \"x\", \"inputs\": []}, {\"op\": \"Activation\", "
      "\"name\": "
      "\"a\", \"attrs\": {\"act_type\": \"no\"}, \"inputs\": [[0,0,0]]}, {\"op\": \"LeakyReLU\", "
      "\"name\": "
      "\"b\", \"attrs\": {\"act_type\": \"no\"}, \"inputs\": [[1,0,0]]}, {\"op\": \"Pooling\", "
      "\"name\": "
      "\"c\", \"attrs\": {\"pool_type\": \"no\"}, \"inputs\": [[2,0,0]]}], \"arg_nodes\": [0], "
      "\"heads\": [[3,0,0]]}";

  g_assert_true (g_file_set_contents (fixture->symbol, text, -1, NULL));
  run_line (fixture, "$H info $M");
  g_assert_cmpint (fixture->code, !=, 0);
  g_assert_nonnull (strstr (fixture->err, "node “a”"));
  g_assert_nonnull (strstr (fixture->err, "(and 2 more:"));
}

/* The largest element of a weight of 4 × 7 that was made up. */
static double
largest_weight (Fixture *fixture, const char *init)
{
  static const char text[] = "{\"nodes\": [{\"op\": \"null\", \"name\": \"fc_weight\", \"attrs\": "
                             "{\"__shape__\": \"(4, 7)\"}, "
                             "\"inputs\": []}, {\"op\": \"_copy\", \"name\": \"c\", \"inputs\": "
                             "[[0,0,0]]}], \"arg_nodes\": [0], "
                             "\"heads\": [[1,0,0]]}";
  g_autofree char  *line = g_strdup_printf ("$H run $M --json --init %s", init);
  g_autoptr (cJSON) json = NULL;
  cJSON *output;

  g_assert_true (g_file_set_contents (fixture->symbol, text, -1, NULL));
  run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  output = cJSON_GetArrayItem (cJSON_GetObjectItem (json, "outputs"), 0);
  return cJSON_GetNumberValue (cJSON_GetObjectItem (output, "maximum"));
}

/* 28 numbers between −0.07 and 0.07, or as large as MXNet's Xavier makes them: √(3 / ((4 + 7) / 2)). */
static void
test_scale_of_weights (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  double uniform = largest_weight (fixture, "uniform"), xavier = largest_weight (fixture, "xavier");

  g_assert_cmpfloat (uniform, >, 0);
  g_assert_cmpfloat (uniform, <=, 0.07);
  g_assert_cmpfloat (xavier, >, 0.07);
  g_assert_cmpfloat (xavier, <=, 0.7386);
}

/* --- A limit of time --- */

/* Counts to 200 million. */
static const char counting[] =
    "{\"nodes\": [{\"op\": \"null\", \"name\": \"i\", \"inputs\": []}, {\"op\": \"_while_loop\", "
    "\"name\": \"w\", \"inputs\": [[0,0,0]], \"attrs\": {\"num_args\": \"3\", \"num_outputs\": "
    "\"1\", \"num_out_data\": \"0\", \"max_iterations\": \"200000000\", \"cond_input_locs\": "
    "\"(0,)\", \"func_input_locs\": \"(0,)\", \"func_var_locs\": \"(0,)\"}, \"subgraphs\": ["
    "{\"nodes\": [{\"op\": \"null\", \"name\": \"i\", \"inputs\": []}, {\"op\": "
    "\"_lesser_scalar\", \"name\": \"l\", \"attrs\": {\"scalar\": \"3e8\"}, \"inputs\": "
    "[[0,0,0]]}], \"arg_nodes\": [0], \"heads\": [[1,0,0]]}, "
    "{\"nodes\": [{\"op\": \"null\", \"name\": \"i\", \"inputs\": []}, {\"op\": "
    "\"_plus_scalar\", \"name\": \"p\", \"attrs\": {\"scalar\": \"1\"}, \"inputs\": [[0,0,0]]}], "
    "\"arg_nodes\": [0], \"heads\": [[1,0,0]]}]}], \"arg_nodes\": [0], \"heads\": [[1,0,0]]}";

static void
test_time_limit (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const modes[] = { "imperative", "hybrid", "static" };

  g_assert_true (g_file_set_contents (fixture->symbol, counting, -1, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      g_autofree char *line = g_strdup_printf ("$H run $M --shape i=1 --init zeros --time-limit "
                                               "0.1 --mode %s --output $F/out.npz",
                                               modes[i]);
      g_autofree char *written = in_folder (fixture, "out.npz");

      run_line (fixture, line);
      g_assert_cmpint (fixture->code, ==, 4);
      g_assert_nonnull (strstr (fixture->err, "stopped after 0.1 seconds, the limit"));
      g_assert_false (g_file_test (written, G_FILE_TEST_EXISTS));
    }
  run_line (fixture, "$H run $M --shape i=1 --init zeros --time-limit -1");
  g_assert_cmpint (fixture->code, ==, 2);
}

/* One operator: the sum of 3·10¹³ products, which would take hours. */
static const char one_kernel[] =
    "{\"nodes\": [{\"op\": \"null\", \"name\": \"x\", \"attrs\": {\"__shape__\": \"(500,)\"}, "
    "\"inputs\": []}, {\"op\": \"_npi_einsum\", \"name\": \"sum\", \"attrs\": {\"num_args\": "
    "\"5\", "
    "\"subscripts\": \"a,b,c,d,e->\"}, \"inputs\": [[0,0,0], [0,0,0], [0,0,0], [0,0,0], "
    "[0,0,0]]}], "
    "\"arg_nodes\": [0], \"heads\": [[1,0,0]]}";

/* The limit does not wait for the end of an operator. */
static void
test_time_limit_of_a_kernel (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_assert_true (g_file_set_contents (fixture->symbol, one_kernel, -1, NULL));
  run_line (fixture, "$H run $M --init uniform --time-limit 0.1 --output $F/out.npz");
  g_assert_cmpint (fixture->code, ==, 4);
  g_assert_nonnull (strstr (fixture->err, "stopped after 0.1 seconds, the limit"));
  run_line (fixture, "ls -A $F");
  g_assert_cmpstr (fixture->out, ==, "net-symbol.json\n");
}

static void
test_limits (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  run_line (fixture, "$H info $M --limit-memory 10");
  g_assert_cmpint (fixture->code, ==, 4);
  g_assert_nonnull (strstr (fixture->err, "--limit-memory"));
  run_line (fixture, "$H run $M --shape data=2,3 --init zeros --limit-work 1e-7");
  g_assert_cmpint (fixture->code, ==, 4);
  g_assert_nonnull (strstr (fixture->err, "--limit-work"));
  run_line (fixture, "(echo '['; for i in $(seq 200); do echo '{\"name\": \"relu\"},'; done) > "
                     "$F/trace.json; "
                     "$H import $F/trace.json --symbol $M --limit-memory 20000");
  g_assert_cmpint (fixture->code, ==, 4);
  g_assert_nonnull (strstr (fixture->err, "trace.json: reading it would take"));
  g_assert_nonnull (strstr (fixture->err, "--limit-memory"));
  run_line (fixture, "$H import $F/trace.json --symbol $M --limit-memory 10");
  g_assert_cmpint (fixture->code, ==, 4);
  g_assert_nonnull (strstr (fixture->err, "--limit-memory"));
  run_line (fixture, "$H check $M --limit-memory 10");
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_nonnull (strstr (fixture->out, "--limit-memory"));
  run_line (fixture, "$H info $M --limit-memory 1M --limit-work 1000");
  g_assert_cmpint (fixture->code, ==, 0);
  run_line (fixture, "$H info $M --limit-memory 1X");
  g_assert_cmpint (fixture->code, ==, 2);
  run_line (fixture, "$H info $M --limit-memory 99999999999999999T");
  g_assert_cmpint (fixture->code, ==, 2);
  run_line (fixture, "$H info $M --limit-work -1");
  g_assert_cmpint (fixture->code, ==, 2);
  run_line (fixture, "$H info $M --limit-work nan");
  g_assert_cmpint (fixture->code, ==, 2);
}

/* --- Sentences --- */

/* The first line says whether something is wrong; notes do not hide it. */
static void
test_check_begins_with_its_verdict (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const struct
  {
    const char *line, *begins;
  } rows[] = {
    { "$H check gallery:mlp", "no problems found" },
    { "$H new mlp --output $F/m >/dev/null; $H check $F/m-symbol.json",
      "no problems found, 2 notes\nnote " },
    { "printf 'PK\\003\\004garbage' > $F/x.pt; cd $F; $H check x.pt",
      "1 error\nerror truncated: x.pt: the archive" },
    { "$H check $F/m-symbol.json --quiet", "no problems found, 2 notes\n" },
    { "sed s/relu/no-such/ $M > $F/b.json; $H check $F/b.json", "1 error" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      run_line (fixture, rows[i].line);
      if (!g_str_has_prefix (fixture->out, rows[i].begins))
        fixture_complain ("%s: %s", rows[i].line, fixture->out);
      if (strstr (rows[i].line, "--quiet") && strstr (fixture->out, "note "))
        fixture_complain ("%s: %s", rows[i].line, fixture->out);
    }
}

/* Messages of libraries are not translated while those of hscope are English. */
static void
test_all_messages_are_in_one_language (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  run_line (fixture, "LANGUAGE=de LC_ALL=C.UTF-8 $H info --no-such-option");
  g_assert_cmpint (fixture->code, ==, 2);
  g_assert_nonnull (strstr (fixture->err, "Unknown option"));
  run_line (fixture, "LANGUAGE=de LC_ALL=C.UTF-8 $H info --help");
  g_assert_nonnull (strstr (fixture->out, "Usage:"));
}

static void
test_an_empty_dimension_is_called_missing (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  run_line (fixture, "$H run $M --shape data=1,,3");
  g_assert_cmpint (fixture->code, ==, 2);
  g_assert_nonnull (strstr (fixture->err, "a dimension between two commas is missing"));
}

/* JSON says the same as the first line does. */
static void
test_json_has_the_verdict_of_the_text (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  run_line (fixture, "sed s/relu/no-such/ $M > $F/b.json; $H check $F/b.json --json");
  g_assert_nonnull (strstr (fixture->out, "\"summary\": \"1 error"));
}

/* Numbers that do not exist have no range. */
static void
test_an_array_without_elements_is_called_empty (Fixture             *fixture,
                                                gconstpointer unused G_GNUC_UNUSED)
{
  run_line (fixture, "$H new 'mlp?inputs=8&hidden=4' --output $F/m >/dev/null; "
                     "$H run $F/m-symbol.json --init uniform --shape data=0,8");
  g_assert_nonnull (strstr (fixture->out, "(empty)"));
  g_assert_null (strstr (fixture->out, "nan"));
}

TEST_PROGRAM (test_output)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, test) \
  g_test_add ("/app/output/" name, Fixture, NULL, set_up, test, fixture_tear_down)
  ADD ("a-full-disk-is-an-error", test_full_output);
  ADD ("a-closed-output-is-an-error", test_closed_output);
  ADD ("control-characters-in-names-are-escaped", test_names);
  ADD ("escaped-names-are-the-same-in-json", test_names_in_json);
  ADD ("a-name-is-one-line-and-one-column", test_lines_of_names);
  ADD ("other-scripts-are-printed", test_other_scripts);
  ADD ("a-full-disk-keeps-the-old-log", test_log_on_a_full_disk);
  ADD ("further-errors-are-counted", test_further_errors);
  ADD ("weights-have-the-scale-that-was-asked-for", test_scale_of_weights);
  ADD ("a-run-ends-at-its-limit-of-time", test_time_limit);
  ADD ("a-kernel-ends-at-the-limit-of-time", test_time_limit_of_a_kernel);
  ADD ("limits-are-refused-by-name", test_limits);
  ADD ("check-begins-with-its-verdict", test_check_begins_with_its_verdict);
  ADD ("json-has-the-verdict-of-the-text", test_json_has_the_verdict_of_the_text);
  ADD ("an-array-without-elements-is-called-empty", test_an_array_without_elements_is_called_empty);
  ADD ("all-messages-are-in-one-language", test_all_messages_are_in_one_language);
  ADD ("an-empty-dimension-is-called-missing", test_an_empty_dimension_is_called_missing);
#undef ADD
  return g_test_run ();
}
