/* test-commands.c — what all commands of hscope have in common: help, suggestions, “-”, guesses.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

/* --- Help --- */

static void
test_help_of_a_command_is_that_of_its_option (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autofree char *help = NULL;

  fixture_run_line (fixture, "hscope help convert");
  help = g_strdup (fixture->out);
  fixture_run_line (fixture, "hscope convert --help");
  g_assert_cmpstr (help, ==, fixture->out);
}

static void
test_misspelt_commands_and_options_are_suggested (Fixture             *fixture,
                                                  gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const lines[][2] = {
    { "hscope proflie gallery:mlp", "did you mean “profile”?" },
    { "hscope prof gallery:mlp", "did you mean “profile”?" },
    { "hscope c gallery:mlp", "hscope --help lists them" }, /* check, compare or convert */
    { "hscope hlep", "did you mean “help”?" },
    { "hscope help rnu", "did you mean “run”?" },
    { "hscope run gallery:mlp --inptu x", "did you mean --input?" },
    { "hscope run gallery:mlp --thraeds=2", "did you mean --threads?" },
    { "hscope frobnicate", "hscope --help lists them" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      fixture_run_line (fixture, lines[i][0]);
      g_assert_cmpint (fixture->code, ==, 2);
      g_assert_nonnull (strstr (fixture->err, lines[i][1]));
    }
}

static void
test_mistakes_of_the_first_minute_say_what_to_do (Fixture             *fixture,
                                                  gconstpointer unused G_GNUC_UNUSED)
{
  static const struct
  {
    const char *line;
    int         code;
    const char *wanted;
  } rows[] = {
    { "hscope .", 3, "Name a file inside it" },
    { "echo hello >a.txt; hscope a.txt", 3,
      "this is data of no known kind. Models are files such" },
    { "head -c 100 /bin/sh | tail -c 90 >a.bin; hscope a.bin", 3, "this is " },
    { "hscope info --frobnicate net.json", 2, "hscope info --help lists them" },
    { "hscope info --hlep", 2, "did you mean --help?" },
    { "hscope new lstm-unrolled", 2,
      "hscope new lstm-unrolled --output net writes net-symbol.json" },
    { "hscope new lstm-unroled --output x", 3, "did you mean “lstm-unrolled”?" },
    { "hscope new --output x", 2, "hscope new --list shows the names" },
    { "hscope new mlp --output net >log; hscope report net-symbol.json", 3,
      "Captures are files such" },
    { "hscope info net", 3, "did you mean “net-symbol.json”?" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      fixture_run_line (fixture, rows[i].line);
      g_test_message ("%s", fixture->err);
      g_assert_nonnull (strstr (fixture->err, rows[i].wanted));
      g_assert_cmpint (fixture->code, ==, rows[i].code);
    }
}

/* --- “-” --- */

static void
test_a_dash_stands_for_stdin_and_stdout (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture,
                    "hscope new mlp --output net >log && "
                    "hscope info net-symbol.json net-0000.params --json > file.json && "
                    "hscope info - net-0000.params --json < net-symbol.json > stdin.json && "
                    "hscope check net-symbol.json - < net-0000.params >log && "
                    "hscope run net-symbol.json --init uniform --output out.npz >log && "
                    "hscope run net-symbol.json --init uniform --output - > piped.npz && "
                    "cmp out.npz piped.npz && "
                    "hscope render - --output - < net-symbol.json 2>log > piped.svg && "
                    "hscope weights net-0000.params --to - | hscope weights - --json > piped.json "
                    "&& "
                    "hscope weights net-0000.params --json > weights.json && "
                    "head -c 5 piped.svg");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_cmpstr (fixture->out, ==, "<svg ");
  fixture_run_line (fixture, "cmp weights.json piped.json");
  g_assert_cmpint (fixture->code, ==, 0);
  fixture_run_line (fixture, "ls tmp");
  g_assert_cmpstr (fixture->out, ==, "");
}

/* Messages and reports call it by the name that every shell knows. */
static void
test_stdin_has_a_name (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, "hscope new mlp -o net >log && hscope info - < net-symbol.json");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_true (g_str_has_prefix (fixture->out, "/dev/stdin: "));
  fixture_run_line (fixture, "echo garbage | hscope check -");
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_nonnull (strstr (fixture->out, "/dev/stdin"));
}

static void
test_a_dash_that_cannot_be_meant_is_refused (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const lines[][2] = {
    { "hscope check - - </dev/null", "stdin can be read only once" },
    { "hscope new mlp --output -", "cannot hold several files" },
    { "hscope run gallery:mlp --init uniform --output - --aux -", "written to stdout already" },
    { "hscope run gallery:mlp --init uniform --output - --json", "both" },
    { "hscope compare gallery:mlp --preset control-flow --resume -", "several files" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      fixture_run_line (fixture, lines[i][0]);
      g_assert_cmpint (fixture->code, ==, 2);
      g_assert_nonnull (strstr (fixture->err, lines[i][1]));
    }
}

static void
test_a_dash_for_a_full_stdout_fails (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, "hscope run gallery:mlp --init uniform --output - >/dev/full");
  g_assert_cmpint (fixture->code, ==, 3);
  g_assert_nonnull (strstr (fixture->err, "No space left"));
}

/* --- Models without shapes and parameters --- */

/* A symbol file alone, as many are published. */
#define SYMBOL                                                                                   \
  "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"                         \
  "{\"op\": \"null\", \"name\": \"fc_weight\", \"inputs\": []},"                                 \
  "{\"op\": \"FullyConnected\", \"name\": \"fc\", \"attrs\": {\"num_hidden\": \"10\", "          \
  "\"no_bias\": \"True\"}, \"inputs\": [[0,0,0], [1,0,0]]}], \"arg_nodes\": [0, 1], \"heads\": " \
  "[[2,0,0]], \"attrs\": {\"mxnet_version\": [\"int\", 10901]}}"

static void
assert_guessed (Fixture *fixture)
{
  g_autoptr (cJSON) json = parse_output (fixture);
  const cJSON *guess = cJSON_GetArrayItem (cJSON_GetObjectItem (json, "guessed"), 0);

  g_assert_cmpstr (cJSON_GetObjectItem (guess, "name")->valuestring, ==, "data");
  g_assert_cmpint (cJSON_GetArraySize (cJSON_GetObjectItem (guess, "shape")), ==, 2);
  g_assert_nonnull (cJSON_GetObjectItem (guess, "reason")->valuestring);
  g_assert_cmpint (cJSON_GetObjectItem (json, "filled")->valueint, ==, 1);
  g_assert_nonnull (strstr (fixture->err, "data: 1,784 (guessed: "));
  g_assert_nonnull (strstr (fixture->err, "1 parameter has no values and is filled"));
}

static void
test_shapes_are_guessed_and_parameters_filled (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autofree char *symbol = in_folder (fixture, "net-symbol.json");

  g_assert_true (g_file_set_contents (symbol, SYMBOL, -1, NULL));
  fixture_run_line (fixture, "hscope profile net-symbol.json --repeat 5 --json");
  g_assert_cmpint (fixture->code, ==, 0);
  assert_guessed (fixture);
  fixture_run_line (fixture, "hscope prove net-symbol.json net-symbol.json --json");
  g_assert_cmpint (fixture->code, ==, 0);
  assert_guessed (fixture);

  fixture_run_line (fixture, "hscope run net-symbol.json");
  g_assert_cmpint (fixture->code, ==, 4);
  g_assert_nonnull (strstr (fixture->err, "no value for “data”, “fc_weight”"));
  fixture_run_line (fixture, "hscope run net-symbol.json --init uniform");
  g_assert_cmpint (fixture->code, ==, 0);
  fixture_run_line (fixture, "hscope run net-symbol.json --init uniform --no-guess");
  g_assert_cmpint (fixture->code, ==, 4);
  g_assert_nonnull (strstr (fixture->err, "unknown shape of “data”"));
}

/* The first weight is as large as the limit. */
static void
test_a_value_that_needs_too_much_memory_is_the_only_error (Fixture             *fixture,
                                                           gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const lines[] = {
    "hscope profile net-symbol.json --shape data=4,512 --limit-memory 1M",
    "hscope prove net-symbol.json net-symbol.json --shape data=4,512 --limit-memory 1M",
  };

  fixture_run_line (fixture, "hscope new 'mlp?inputs=512&hidden=512' --output net >log && "
                             "rm net-0000.params");
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      fixture_run_line (fixture, lines[i]);
      g_assert_cmpint (fixture->code, ==, 4);
      g_assert_true (
          g_str_has_prefix (fixture->err,
                            "error: variable “hybridsequential0_dense0_weight”: it needs "
                            "1048576 bytes"));
      g_assert_true (strchr (fixture->err, '\n') == fixture->err + strlen (fixture->err) - 1);
    }
}

/* The weight has no value, and the labels, which are generated, no room. */
static void
test_a_label_without_room_ends_the_command (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char labelled[] =
      "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []}, {\"op\": \"null\", "
      "\"name\": \"fc_weight\", \"inputs\": []}, {\"op\": \"FullyConnected\", \"name\": \"fc\", "
      "\"attrs\": {\"num_hidden\": \"3\", \"no_bias\": \"True\"}, \"inputs\": [[0,0,0], [1,0,0]]}, "
      "{\"op\": \"null\", \"name\": \"softmax_label\", \"inputs\": []}, {\"op\": "
      "\"SoftmaxOutput\", \"name\": \"softmax\", \"inputs\": [[2,0,0], [3,0,0]]}], "
      "\"arg_nodes\": [0, 1, 3], \"heads\": [[4,0,0]], \"attrs\": {\"mxnet_version\": [\"int\", "
      "10901]}}";
  g_autofree char *symbol = in_folder (fixture, "net-symbol.json");

  g_assert_true (g_file_set_contents (symbol, labelled, -1, NULL));
  fixture_run_line (fixture, "hscope run net-symbol.json --shape data=1000000,4 --limit-memory 1M");
  g_assert_cmpint (fixture->code, ==,
                   4); /* a sanitizer that finds a leak exits with another status */
  g_assert_nonnull (strstr (fixture->err, "variable “softmax_label”: it needs 4000000 bytes"));
}

static void
test_a_recurrent_export_runs_on_guessed_shapes (Fixture             *fixture,
                                                gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture,
                    "hscope new 'lstm-hybrid?hidden=16&embedding=8&length=5' --output net >log && "
                    "hscope run net-symbol.json --init uniform --backward --gradients in.npz");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->err, "data0: 5,1 (guessed"));
}

/* The fused model takes sequences of any length, the unrolled one only those of five steps. */
static void
test_prove_guesses_shapes_that_fit_both_models (Fixture             *fixture,
                                                gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture,
                    "hscope new 'lstm-hybrid?hidden=16&embedding=8&length=5' --output net >log && "
                    "hscope convert net-symbol.json --to fused --output fused >log && "
                    "hscope prove net-symbol.json fused-symbol.json");
  g_assert_cmpint (fixture->code, ==, 0);
  fixture_run_line (fixture, "hscope prove fused-symbol.json net-symbol.json");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->err, "data0: 5,1 (guessed"));
}

/* One run of each has no interval: there is no speed-up to print, and no difference to call noise. */
static void
test_compare_says_that_runs_are_too_few (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture,
                    "hscope compare 'gallery:lstm-lm?hidden=16&embedding=8&length=5' --no-ladder "
                    "--variants unrolled,fused --length 5,6 --repeat 1");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "too few runs to tell a difference from the noise"));
  g_assert_nonnull (strstr (fixture->out, "  –  "));
  g_assert_null (strstr (fixture->out, "no difference"));
  g_assert_null (strstr (fixture->out, "nan"));
}

/* A benchmark case is planned and timed in training, too. */
static void
test_bench_times_training (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, "hscope bench --case lstm-train-h256-t5-b1-unrolled --repeat 1 --runs "
                             "1 --json");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "\"seconds\": ["));
  fixture_run_line (fixture, "hscope bench --case lenet-train-b32 --repeat 1 --runs 1 --json");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "\"seconds\": ["));
}

/* run knows what check knows about parameters that do not fit. */
static void
test_run_explains_missing_parameters (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autofree char *check = NULL;

  fixture_run_line (fixture,
                    "hscope new mlp --output net >log && hscope new lenet --output other >log && "
                    "cp net-symbol.json mix-symbol.json && cp other-0000.params mix-0000.params && "
                    "hscope check mix-symbol.json");
  g_assert_cmpint (fixture->code, ==, 1);
  check = g_strdup (fixture->out);
  g_assert_nonnull (strstr (check, "belongs to another model"));
  g_assert_nonnull (strstr (check, "net-0000.params"));
  fixture_run_line (fixture, "hscope run mix-symbol.json");
  g_assert_cmpint (fixture->code, ==, 4);
  g_assert_nonnull (strstr (fixture->err, "belongs to another model"));
  g_assert_nonnull (strstr (fixture->err, "net-0000.params"));
  fixture_run_line (fixture, "hscope new lstm-lm --output lm >log && "
                             "hscope run net-symbol.json lm-0000.params --init uniform");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->err, "parameters are not in lm-0000.params"));
  fixture_run_line (fixture, "hscope run net-symbol.json --init uniform");
  g_assert_null (strstr (fixture->err, "are not in"));
  fixture_run_line (fixture, "hscope run mix-symbol.json --json");
  g_assert_nonnull (strstr (fixture->out, "belongs to another model"));
}

/* --- Structure --- */

static void
test_info_shows_the_structure (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const lines[][2] = {
    { "hscope info gallery:foreach-rnn", "\n  loop " },
    { "hscope info gallery:lstm-lm", "\n  cell    lstm, 1 layer, 256 units" },
    { "hscope info gallery:lstm-hybrid", "\n  cell    lstm" },
    { "hscope info stack-symbol.json", " equal blocks, 5 nodes each" },
  };
  static const char *const operators[] = { "sin", "cos", "tanh", "relu", "exp" };
  g_autoptr (GString) graph = g_string_new ("{\"nodes\": [");
  g_autofree char *path = in_folder (fixture, "stack-symbol.json");
  g_autoptr (cJSON) json = NULL;
  const cJSON *blocks;

  g_string_append (graph, "{\"op\": \"null\", \"name\": \"data\", \"inputs\": []}");
  for (guint i = 0; i < 60; i++)
    g_string_append_printf (graph, ", {\"op\": \"%s\", \"name\": \"n%u\", \"inputs\": [[%u,0,0]]}",
                            operators[i % G_N_ELEMENTS (operators)], i, i);
  g_string_append (graph, "], \"arg_nodes\": [0], \"heads\": [[60,0,0]]}");
  g_assert_true (g_file_set_contents (path, graph->str, -1, NULL));

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      fixture_run_line (fixture, lines[i][0]);
      g_assert_cmpint (fixture->code, ==, 0);
      if (!strstr (fixture->out, lines[i][1]))
        g_error ("%s: %s", lines[i][0], fixture->out);
    }
  fixture_run_line (fixture, "hscope info stack-symbol.json --json");
  json = parse_output (fixture);
  blocks = cJSON_GetArrayItem (cJSON_GetObjectItem (json, "structure"), 0);
  g_assert_cmpstr (cJSON_GetObjectItem (blocks, "kind")->valuestring, ==, "blocks");
  g_assert_cmpint (cJSON_GetObjectItem (blocks, "period")->valueint, ==, 5);
  g_assert_cmpint (cJSON_GetObjectItem (blocks, "blocks")->valueint, >=, 11);
}

static void
write_symbol (Fixture *fixture, const char *name, const char *nodes, const char *heads)
{
  g_autofree char *path = in_folder (fixture, name);
  g_autofree char *text = g_strdup_printf ("{\"nodes\": [%s], \"heads\": [%s], \"attrs\": "
                                           "{\"mxnet_version\": [\"int\", 10901]}}",
                                           nodes, heads);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* Five parameters of 2^62 bytes are more than 64 bits can count. */
static void
test_info_counts_huge_declared_parameters (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (GString) nodes = g_string_new (NULL);
  g_autoptr (cJSON) json = NULL;
  const cJSON *bytes;

  for (guint i = 0; i < 5; i++)
    g_string_append_printf (nodes,
                            "{\"op\": \"null\", \"name\": \"p%u_weight\", \"attrs\": "
                            "{\"__shape__\": "
                            "\"(1073741824, 536870912)\", \"__dtype__\": \"1\"}, \"inputs\": []}, ",
                            i);
  g_string_append (nodes, "{\"op\": \"add_n\", \"name\": \"y\", \"attrs\": {\"num_args\": \"5\"}, "
                          "\"inputs\": "
                          "[[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [4, 0, 0]]}");
  write_symbol (fixture, "huge-symbol.json", nodes->str, "[5, 0, 0]");
  fixture_run_line (fixture, "hscope info huge-symbol.json --json");
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  bytes = cJSON_GetObjectItem (cJSON_GetObjectItem (json, "parameters"), "bytes");
  g_assert_cmpfloat (bytes->valuedouble, >, 9e18);
}

static void
test_outputs_have_the_names_of_mxnet (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const names[] = { "a_out",    "b_out", "c_out", "d_out",
                                       "e_output", "f_var", "g_std", "h_out" };
  static const char        nodes[] =
      "{\"op\": \"null\", \"name\": \"x\", \"inputs\": []},"
      "{\"op\": \"_npi_matmul\", \"name\": \"a\", \"inputs\": [[0, 0, 0], [0, 0, 0]]},"
      "{\"op\": \"_npi_concatenate\", \"name\": \"b\", \"attrs\": {\"num_args\": \"2\"}, "
      "\"inputs\": [[0, 0, 0], [0, 0, 0]]},"
      "{\"op\": \"_npi_hstack\", \"name\": \"c\", \"attrs\": {\"num_args\": \"2\"}, \"inputs\": "
      "[[0, 0, 0], [0, 0, 0]]},"
      "{\"op\": \"_npi_dstack\", \"name\": \"d\", \"attrs\": {\"num_args\": \"2\"}, \"inputs\": "
      "[[0, 0, 0], [0, 0, 0]]},"
      "{\"op\": \"_npi_vstack\", \"name\": \"e\", \"attrs\": {\"num_args\": \"2\"}, \"inputs\": "
      "[[0, 0, 0], [0, 0, 0]]},"
      "{\"op\": \"_npi_var\", \"name\": \"f\", \"inputs\": [[0, 0, 0]]},"
      "{\"op\": \"_npi_std\", \"name\": \"g\", \"inputs\": [[0, 0, 0]]},"
      "{\"op\": \"CTCLoss\", \"name\": \"h\", \"inputs\": [[0, 0, 0], [0, 0, 0]]}";
  g_autoptr (cJSON) json = NULL;
  const cJSON *outputs;

  write_symbol (fixture, "n-symbol.json", nodes,
                "[1, 0, 0], [2, 0, 0], [3, 0, 0], [4, 0, 0], [5, 0, 0], [6, 0, 0], [7, 0, 0], [8, "
                "0, 0]");
  fixture_run_line (fixture, "hscope info n-symbol.json --json");
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  outputs = cJSON_GetObjectItem (json, "outputs");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_assert_cmpstr (cJSON_GetStringValue (
                         cJSON_GetObjectItem (cJSON_GetArrayItem (outputs, (int) i), "name")),
                     ==, names[i]);
}

/* A pipe or a folder with the name of a later epoch does not hide the file of an earlier one. */
static void
test_only_files_are_parameters (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture,
                    "hscope new mlp --output net >log && mkfifo net-0007.params && mkdir "
                    "net-0009.params && hscope run net-symbol.json --shape data=1,512 --json");
  g_assert_nonnull (strstr (fixture->err, "net-0000.params: these parameters are used"));
  fixture_run_line (fixture,
                    "hscope convert net-symbol.json --weights float16 --output half && rmdir "
                    "net-0009.params");
  g_assert_null (strstr (fixture->err, "random"));
}

/* A spreadsheet would compute a name that begins with “=”. */
static void
test_csv_has_no_formulas (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  write_symbol (fixture, "f-symbol.json",
                "{\"op\": \"null\", \"name\": \"x\", \"inputs\": []},"
                "{\"op\": \"relu\", \"name\": \"=1+1\", \"inputs\": [[0, 0, 0]]},"
                "{\"op\": \"relu\", \"name\": \"@a,b\", \"inputs\": [[1, 0, 0]]}",
                "[2, 0, 0]");
  fixture_run_line (fixture,
                    "hscope profile f-symbol.json --shape x=2 --repeat 1 --traced 1 --csv t.csv "
                    ">log 2>&1; cat t.csv");
  g_assert_nonnull (strstr (fixture->out, "\n'=1+1,"));
  g_assert_nonnull (strstr (fixture->out, "\n\"'@a,b\","));
}

/* --- The machine --- */

/* The first command measures, and stores in a file of the user alone; what is stored is shown and chosen by, and no
 * result depends on it. */
static void
test_the_machine_is_measured_once (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, "export XDG_CACHE_HOME=$PWD/cache; hscope run gallery:mlp --init "
                             "uniform --output a.npz; "
                             "ls cache; hscope --version --verbose");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_null (strstr (fixture->out, "hybridscope\n")); /* run measures nothing */
  g_assert_nonnull (strstr (fixture->out, "caches, as reported: first-level "));
  g_assert_nonnull (strstr (fixture->out, "\nmachine: "));
  g_assert_nonnull (strstr (fixture->out, "\nreading: weights are near up to "));

  /* Another machine than this one, which is small. */
  fixture_run_line (fixture,
                    "cd cache/hybridscope/machine; chmod 600 machine.ini; "
                    "sed -n '/^\\[/p' machine.ini >other; printf '%s\\n' time=1700000000 "
                    "attempts_left=0 disturbed=0 "
                    "second_cache=40000 last_cache=200000 >>other; cat other >machine.ini");
  fixture_run_line (fixture, "XDG_CACHE_HOME=$PWD/cache hscope --version --verbose");
  g_assert_nonnull (strstr (fixture->out, "machine: measured 2023-11-14 22:13 UTC\n"));
  g_assert_nonnull (strstr (fixture->out, "  second-level cache: 39 KiB (reported: "));
  g_assert_nonnull (strstr (fixture->out, "near up to 39 KiB"));
  fixture_run_line (fixture, "export XDG_CACHE_HOME=$PWD/cache; hscope run gallery:mlp --init "
                             "uniform --output b.npz; "
                             "cmp a.npz b.npz");
  g_assert_cmpint (fixture->code, ==, 0);
}

/* In a sandbox, too, and where the cache cannot be written. */
static void
test_bench_stores_the_machine (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (
      fixture,
      "XDG_CACHE_HOME=$PWD/cache hscope --sandbox bench --case rnn-infer-h16-t4-b2-fused "
      "--repeat 1 --threads 1; grep -c attempts_left cache/hybridscope/machine/machine.ini");
  g_assert_cmpint (fixture->code, ==, 0);
  fixture_run_line (fixture, "XDG_CACHE_HOME=$PWD/none hscope bench --case "
                             "rnn-infer-h16-t4-b2-fused --runs 1 && ! ls none");
  g_assert_cmpint (fixture->code, ==, 0);
  fixture_run_line (fixture, "XDG_CACHE_HOME=/dev/null hscope bench --case "
                             "rnn-infer-h16-t4-b2-fused --repeat 1");
  g_assert_cmpint (fixture->code, ==, 0);
}

TEST_PROGRAM (test_commands)
{
  static const struct
  {
    const char *name;
    void (*run) (Fixture *fixture, gconstpointer unused);
  } tests[] = {
    { "help-of-a-command-is-that-of-its-option", test_help_of_a_command_is_that_of_its_option },
    { "misspelt-commands-and-options-are-suggested",
      test_misspelt_commands_and_options_are_suggested },
    { "mistakes-of-the-first-minute-say-what-to-do",
      test_mistakes_of_the_first_minute_say_what_to_do },
    { "a-dash-stands-for-stdin-and-stdout", test_a_dash_stands_for_stdin_and_stdout },
    { "stdin-has-a-name", test_stdin_has_a_name },
    { "a-dash-that-cannot-be-meant-is-refused", test_a_dash_that_cannot_be_meant_is_refused },
    { "a-dash-for-a-full-stdout-fails", test_a_dash_for_a_full_stdout_fails },
    { "a-recurrent-export-runs-on-guessed-shapes", test_a_recurrent_export_runs_on_guessed_shapes },
    { "prove-guesses-shapes-that-fit-both-models", test_prove_guesses_shapes_that_fit_both_models },
    { "compare-says-that-runs-are-too-few", test_compare_says_that_runs_are_too_few },
    { "bench-times-training", test_bench_times_training },
    { "run-explains-missing-parameters", test_run_explains_missing_parameters },
    { "info-shows-the-structure", test_info_shows_the_structure },
    { "shapes-are-guessed-and-parameters-filled", test_shapes_are_guessed_and_parameters_filled },
    { "a-value-that-needs-too-much-memory-is-the-only-error",
      test_a_value_that_needs_too_much_memory_is_the_only_error },
    { "a-label-without-room-ends-the-command", test_a_label_without_room_ends_the_command },
    { "info-counts-huge-declared-parameters", test_info_counts_huge_declared_parameters },
    { "outputs-have-the-names-of-mxnet", test_outputs_have_the_names_of_mxnet },
    { "only-files-are-parameters", test_only_files_are_parameters },
    { "csv-has-no-formulas", test_csv_has_no_formulas },
    { "the-machine-is-measured-once", test_the_machine_is_measured_once },
    { "bench-stores-the-machine", test_bench_stores_the_machine },
  };

  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, TRUE);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autofree char *path = g_strconcat ("/commands/", tests[i].name, NULL);

      g_test_add (path, Fixture, NULL, fixture_set_up, tests[i].run, fixture_tear_down);
    }
  return g_test_run ();
}
