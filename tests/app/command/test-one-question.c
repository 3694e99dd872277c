/* test-one-question.c — several commands are asked the same, and must answer the same: names of files, shapes, errors.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <string.h>

#define SYMBOL_END                                                                              \
  "], \"arg_nodes\": [0, 1], \"heads\": [[2, 0, 0]], \"attrs\": {\"mxnet_version\": [\"int\", " \
  "10901]}}"

/* x (of any shape) · w (3, 2) */
static const char dense[] = "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
                            " {\"op\": \"null\", \"name\": \"fc_weight\", \"inputs\": []},"
                            " {\"op\": \"FullyConnected\", \"name\": \"fc\", \"attrs\": "
                            "{\"num_hidden\": \"3\", \"no_bias\": \"True\"},"
                            " \"inputs\": [[0, 0, 0], [1, 0, 0]]}" SYMBOL_END;

static void
write_text (Fixture *fixture, const char *name, const char *text, gssize n)
{
  g_autofree char *path = in_folder (fixture, name);

  g_assert_true (g_file_set_contents (path, text, n, NULL));
}

/* --- Names of files --- */

/* The files of a model whose names begin like options. */
#define MAKE_DASHED                                                                             \
  "hscope new 'mlp?inputs=8&hidden=4' --output m >log && cp m-symbol.json ./-m-symbol.json && " \
  "cp m-0000.params ./-m-0000.params && "                                                       \
  "hscope profile m-symbol.json --repeat 1 --traced 1 --capture ./-c.hscope --trace ./-t.json " \
  ">log 2>&1 && "

static void
test_two_dashes_end_options (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const rows[] = {
    "info --json -- -m-symbol.json",
    "info -- -m-symbol.json",
    "-- -m-symbol.json",
    "check -- -m-symbol.json -m-0000.params",
    "run --init uniform -- -m-symbol.json",
    "profile --repeat 1 --traced 1 -- -m-symbol.json",
    "weights -- -m-0000.params",
    "weights -- -m-0000.params -m-0000.params",
    "render --output a.svg -- -m-symbol.json",
    "new --output n -- mlp",
    "trace --output n -- gallery:mlp",
    "train --epochs 1 -- gallery:mlp",
    "import --symbol=-m-symbol.json -- -t.json",
    "compare --repeat 1 --no-ladder -- -m-symbol.json",
    "compare --memory -- -m-symbol.json",
    "convert --weights float16 --output u -- -m-symbol.json",
    "prove -- -m-symbol.json -m-symbol.json",
    "report -- -c.hscope",
    "diff -- -m-symbol.json -m-symbol.json",
    "bench --case rnn-infer-h8-t2-b1-cell --repeat 1 --",
    "--sandbox info -- -m-symbol.json",
  };

  fixture_run_line (fixture, MAKE_DASHED "true");
  g_assert_cmpint (fixture->code, ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *line = g_strconcat ("hscope ", rows[i], NULL);

      fixture_run_line (fixture, line);
      if (fixture->code != 0)
        fixture_complain ("%s: %d %s", rows[i], fixture->code, fixture->err);
    }
  /* What follows is no option. */
  fixture_run_line (fixture, "hscope info -- -m-symbol.json --json");
  g_assert_cmpint (fixture->code, ==, 3);
  g_assert_nonnull (strstr (fixture->err, "--json: No such file"));
}

static void
test_file_alone_is_described (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autofree char *described = NULL;

  write_text (fixture, "m-symbol.json", dense, -1);
  fixture_run_line (fixture, "cp m-symbol.json plain && hscope info m-symbol.json --json");
  described = g_strdup (fixture->out);
  fixture_run_line (fixture, "hscope m-symbol.json --json");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_cmpstr (fixture->out, ==, described);
  fixture_run_line (fixture, "hscope plain");
  g_assert_cmpint (fixture->code, ==, 0);
  fixture_run_line (fixture, "hscope absent-symbol.json");
  g_assert_cmpint (fixture->code, ==, 3);
  fixture_run_line (fixture, "hscope frobnicate");
  g_assert_cmpint (fixture->code, ==, 2);
  g_assert_nonnull (strstr (fixture->err, "has no command"));
  fixture_run_line (fixture, "hscope new TYPO --output n");
  g_assert_cmpint (fixture->code, ==, 3);
}

/* crash.so ends a process that loads it. */
static void
test_data_is_no_plug_in_whatever_its_name_is (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const commands[] = { "info", "check", "render --output a.svg",
                                          "run --init uniform" };
  static const char *const names[] = { "x.so:m", "x.so?m=1", "x.so:m?n=1", "y.so/m", "./x.so:m" };

  write_text (fixture, "m-symbol.json", dense, -1);
  fixture_run_line (fixture,
                    "cp '" HYB_MODULES
                    "/crash.so' x.so && mkdir y.so && cp m-symbol.json y.so/m && "
                    "for name in x.so:m 'x.so?m=1' 'x.so:m?n=1'; do cp m-symbol.json \"$name\"; "
                    "done");
  g_assert_cmpint (fixture->code, ==, 0);
  for (guint c = 0; c < G_N_ELEMENTS (commands); c++)
    for (guint i = 0; i < G_N_ELEMENTS (names); i++)
      {
        g_autofree char *line =
            g_strdup_printf ("hscope %s --shape data=2,2 '%s'", commands[c], names[i]);

        fixture_run_line (fixture, line);
        if (fixture->code > 1)
          fixture_complain ("%s: %d %s", line, fixture->code, fixture->err);
      }
  fixture_run_line (fixture, "hscope info x.so");
  g_assert_cmpint (fixture->code, ==, 4);
}

/* --- Outputs --- */

static void
test_ending_decides_about_the_format (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autofree char *params = NULL;

  write_text (fixture, "m-symbol.json", dense, -1);
#define RUN "hscope run m-symbol.json --shape data=2,2 --init zeros --output "
  fixture_run_line (fixture, RUN "o.csv >log && cat o.csv");
  g_assert_cmpstr (fixture->out, ==, "0,0,0\n0,0,0\n");
  fixture_run_line (fixture, RUN "o.npy >log && hscope weights o.npy --json");
  g_assert_nonnull (strstr (fixture->out, "\"shape\": [2, 3]"));
  fixture_run_line (fixture, RUN "o.params >log && hscope weights o.params --json");
  g_assert_nonnull (strstr (fixture->out, "\"shape\": [2, 3]"));
  fixture_run_line (fixture, RUN "o.safetensors >log && tail -c +9 o.safetensors | head -c 72");
  g_assert_true (g_str_has_prefix (fixture->out, "{\"fc_output\":{\"dtype\":\"F32\",\"shape\":[2,3]"
                                                 ",\"data_offsets\":[0,24]}}"));
  fixture_run_line (fixture, RUN "o.npz >log && head -c 2 o.npz");
  g_assert_cmpstr (fixture->out, ==, "PK");
  fixture_run_line (fixture, RUN "o.txt");
  g_assert_cmpint (fixture->code, ==, 2);
  fixture_run_line (fixture, RUN "/dev/null");
  g_assert_cmpint (fixture->code, ==, 0);

  /* More than such a file can hold. */
  fixture_run_line (fixture, RUN "o.npz --gradients g.csv --backward");
  g_assert_cmpint (fixture->code, ==, 3);
  g_assert_nonnull (strstr (fixture->err, "g.csv: a CSV file holds one array, and there are 2"));
  fixture_run_line (fixture,
                    "hscope new lenet --output l >log && hscope weights l-0000.params --to w.npy");
  g_assert_cmpint (fixture->code, ==, 3);
  g_assert_nonnull (strstr (fixture->err, "w.npy: an npy file holds one array"));
  fixture_run_line (fixture, "ls g.csv w.npy o.txt");
  g_assert_cmpstr (fixture->out, ==, "");
}

/* --- JSON on every path --- */

static void
test_json_is_printed_for_any_file (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const files[] = { "empty", "brace",  "gzip",   "noise",
                                       "list",  "folder", "absent", "m-symbol.json" };
  static const char *const commands[] = {
    "info F",
    "check F",
    "run F",
    "profile F --repeat 1 --traced 1",
    "weights F",
    "render F --output a.svg",
    "diff F F",
    "prove F F",
    "convert F --to fused --output u",
    "report F",
    "compare F --repeat 1 --no-ladder",
    "import F --symbol m-symbol.json",
    "train F",
    "new F --output n",
    "trace F --output n",
  };

  write_text (fixture, "m-symbol.json", dense, -1);
  write_text (fixture, "empty", "", 0);
  write_text (fixture, "brace", "{", 1);
  write_text (fixture, "gzip", "\x1f\x8b\x08\x00\x00", 5);
  write_text (fixture, "noise", "\x93\xff\x00\x01\x02\xfe", 6);
  write_text (fixture, "list", "[1, 2, 3]", -1);
  fixture_run_line (fixture, "mkdir folder");
  for (guint c = 0; c < G_N_ELEMENTS (commands); c++)
    for (guint f = 0; f < G_N_ELEMENTS (files); f++)
      {
        g_autoptr (GString) line = g_string_new ("hscope ");
        g_autofree char *name = g_strconcat (" ", files[f], NULL);
        g_autoptr (cJSON) json = NULL;

        g_string_append_printf (line, "%s --json", commands[c]);
        g_string_replace (line, " F", name, 0);
        fixture_run_line (fixture, line->str);
        json = cJSON_ParseWithOpts (fixture->out, NULL, TRUE);
        if (!json || (fixture->code > 1 && !cJSON_HasObjectItem (json, "error")))
          fixture_complain ("%s: %d “%s” %s", line->str, fixture->code, fixture->out, fixture->err);
      }
}

/* --- Shapes --- */

static void
compare_values (Fixture *fixture, const char *arguments)
{
  static const char *const keys[] = { "arguments", "auxiliary", "outputs" };
  g_autofree char         *info_line = g_strdup_printf ("hscope info %s --json", arguments);
  g_autofree char         *check_line = g_strdup_printf ("hscope check %s --json", arguments);
  g_autoptr (cJSON) info = NULL;
  g_autoptr (cJSON) check = NULL;

  fixture_run_line (fixture, info_line);
  info = parse_output (fixture);
  fixture_run_line (fixture, check_line);
  check = parse_output (fixture);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      g_autofree char *a = cJSON_PrintUnformatted (cJSON_GetObjectItem (info, keys[i]));
      g_autofree char *b = cJSON_PrintUnformatted (cJSON_GetObjectItem (check, keys[i]));

      g_assert_nonnull (a);
      if (strcmp (a, b) != 0)
        fixture_complain ("%s: %s: info %s check %s", arguments, keys[i], a, b);
    }
}

static void
test_info_and_check_show_the_same_types (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const rows[] = {
    "m-symbol.json",
    "m-symbol.json --shape data=5,2",
    "m-symbol.json --shape 'data=?,2'",
    "m-symbol.json --shape data=5,7", /* contradicts the weight below */
    "m-symbol.json m.params",
    "m-symbol.json m.params --shape data=5,7",
    "m-symbol.json m.params --shape data=5,2 --dtype float16",
    "l-symbol.json",
    "l-symbol.json --shape data=1,20",
    "l-symbol.json --shape softmax_label=1,20",
    "l-symbol.json --shape data=2,8 --shape softmax_label=3",
    "gallery:lstm-lm",
    "gallery:lstm-lm --shape data0=1,20",
    "gallery:lenet --shape data=4,1,28,28",
    "gallery:lenet --shape data=1,20",
    "gallery:cond",
  };
  static const char labelled[] =
      "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
      " {\"op\": \"null\", \"name\": \"softmax_label\", \"inputs\": []},"
      " {\"op\": \"SoftmaxOutput\", \"name\": \"softmax\", \"inputs\": [[0, 0, 0], [1, 0, "
      "0]]}" SYMBOL_END;

  write_text (fixture, "m-symbol.json", dense, -1);
  write_text (fixture, "l-symbol.json", labelled, -1);
  fixture_run_line (fixture,
                    "hscope run m-symbol.json --shape data=1,2 --init zeros --backward --gradients "
                    "m.params");
  g_assert_cmpint (fixture->code, ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    compare_values (fixture, rows[i]);
}

static void
test_run_computes_what_info_shows (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (cJSON) info = NULL;
  g_autoptr (cJSON) run = NULL;
  const cJSON *output;
  int          i = 0;

  fixture_run_line (fixture, "hscope info gallery:lenet --shape data=4,1,28,28 --json");
  info = parse_output (fixture);
  fixture_run_line (fixture,
                    "hscope run gallery:lenet --shape data=4,1,28,28 --init uniform --json");
  run = parse_output (fixture);
  cJSON_ArrayForEach (output, cJSON_GetObjectItem (run, "outputs"))
  {
    const cJSON     *shown = cJSON_GetArrayItem (cJSON_GetObjectItem (info, "outputs"), i++);
    g_autofree char *a = cJSON_PrintUnformatted (cJSON_GetObjectItem (shown, "shape"));
    g_autofree char *b = cJSON_PrintUnformatted (cJSON_GetObjectItem (output, "shape"));

    g_assert_cmpstr (a, ==, b);
  }
  g_assert_cmpint (i, >, 0);
}

/* What hscope COMMAND says, as JSON. */
static cJSON *
ask (Fixture *fixture, const char *command, const char *arguments)
{
  g_autofree char *line = g_strdup_printf ("hscope %s %s --json", command, arguments);
  cJSON           *answer;

  fixture_run_line (fixture, line);
  answer = parse_output (fixture);
  if (cJSON_HasObjectItem (answer, "error"))
    fixture_complain ("%s: %s", line, fixture->out);
  return answer;
}

static const char *
text_of (const cJSON *object, const char *key)
{
  return cJSON_GetStringValue (cJSON_GetObjectItem (object, key));
}

/* The item of a list whose text at this key is this one, and whose number at “output” is, if it has one. */
static const cJSON *
find_item (const cJSON *list, const char *key, const char *text, int output)
{
  const cJSON *item;

  cJSON_ArrayForEach (item, list)
  {
    const cJSON *number = cJSON_GetObjectItem (item, "output");

    if (g_strcmp0 (text_of (item, key), text) == 0 && (!number || number->valueint == output))
      return item;
  }
  return NULL;
}

/* Compares shapes; got: what a command says, NULL if it does not list the value.  Sizes that info does not know are guessed by
 * commands that run the model. */
static void
compare_shape (const char *what, const cJSON *info, const cJSON *got)
{
  const cJSON *shown = cJSON_GetObjectItem (info, "shape"),
              *shape = got ? cJSON_GetObjectItem (got, "shape") : NULL;
  gboolean is_same =
      shape && (cJSON_IsNull (shown) || cJSON_GetArraySize (shape) == cJSON_GetArraySize (shown));

  for (int i = 0; is_same && i < cJSON_GetArraySize (shown); i++)
    is_same = cJSON_IsNull (cJSON_GetArrayItem (shown, i)) ||
              cJSON_Compare (cJSON_GetArrayItem (shown, i), cJSON_GetArrayItem (shape, i), TRUE);
  if (!is_same)
    {
      g_autofree char *a = cJSON_PrintUnformatted (shown),
                      *b = shape ? cJSON_PrintUnformatted (shape) : g_strdup ("not listed");

      fixture_complain ("%s of %s is %s in info, %s there", what, text_of (info, "name"), a, b);
    }
}

/* “float32 (2, 3)” for each input of a node, which has the outputs of other nodes. */
static char *
join_inputs (const cJSON *nodes, const cJSON *node, const cJSON *values)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const cJSON *edge;

  cJSON_ArrayForEach (edge, cJSON_GetObjectItem (node, "inputs"))
  {
    const cJSON *from = cJSON_GetArrayItem (nodes, cJSON_GetArrayItem (edge, 0)->valueint);
    const cJSON *value = find_item (values, "node", text_of (from, "name"),
                                    cJSON_GetArrayItem (edge, 1)->valueint),
                *size;

    g_string_append_printf (text, "%sfloat32 (", text->len > 0 ? " " : "");
    cJSON_ArrayForEach (size, cJSON_GetObjectItem (value, "shape"))
        g_string_append_printf (text, "%d, ", size->valueint);
    g_string_truncate (text,
                       text->len - (cJSON_GetArraySize (cJSON_GetObjectItem (value, "shape")) == 1
                                        ? 1
                                        : 2));
    g_string_append_c (text, ')');
  }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* The inputs of each node that profile lists are the values of run.  Returns how many were compared. */
static guint
compare_profiled (Fixture *fixture, const cJSON *profile, const cJSON *values)
{
  g_autofree char *path = in_folder (fixture, "m-symbol.json");
  g_autofree char *text = NULL;
  g_autoptr (cJSON) symbol = NULL;
  const cJSON *nodes, *profiled;
  guint        n = 0;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  symbol = cJSON_Parse (text);
  nodes = cJSON_GetObjectItem (symbol, "nodes");
  cJSON_ArrayForEach (profiled, cJSON_GetObjectItem (profile, "nodes"))
  {
    const cJSON     *node = find_item (nodes, "name", text_of (profiled, "name"), 0);
    g_autofree char *inputs = node ? join_inputs (nodes, node, values) : NULL;

    if (!node || g_strcmp0 (text_of (profiled, "inputs"), inputs) != 0)
      fixture_complain ("inputs of %s: %s in profile, %s in run", text_of (profiled, "name"),
                        text_of (profiled, "inputs"), inputs);
    n++;
  }
  return n;
}

/* Every value that info lists has that shape in run, and as argument or output in check; profile has it as input of nodes. */
static void
test_every_command_shows_the_same_shape_of_a_value (Fixture             *fixture,
                                                    gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const models[][2] = {
    { "mlp", "" },
    { "mlp", "--shape data=3,512" },
    { "lenet", "--shape data=4,1,28,28" },
    { "resnet18?channels=4&classes=5&size=32&batch=2", "" },
    { "lstm-unrolled?hidden=4&length=3&batch=2", "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    {
      g_autofree char *make = g_strdup_printf ("hscope new '%s' --output m", models[i][0]);
      g_autofree char *shapes = g_strdup_printf ("m-symbol.json %s", models[i][1]);
      g_autofree char *all = g_strdup_printf ("%s --find 'name:*'", shapes);
      g_autofree char *values_of = g_strdup_printf ("%s --init uniform --values", shapes);
      g_autofree char *once =
          g_strdup_printf ("%s --init uniform --mode imperative --repeat 1 --traced 1", shapes);
      g_autoptr (cJSON) info = NULL;
      g_autoptr (cJSON) check = NULL;
      g_autoptr (cJSON) run = NULL;
      g_autoptr (cJSON) profile = NULL;
      const cJSON *node, *output;

      fixture_run_line (fixture, make);
      g_assert_cmpint (fixture->code, ==, 0);
      info = ask (fixture, "info", all);
      check = ask (fixture, "check", shapes);
      run = ask (fixture, "run", values_of);
      profile = ask (fixture, "profile", once);
      cJSON_ArrayForEach (node, cJSON_GetObjectItem (info, "found"))
      {
        int k = 0;

        cJSON_ArrayForEach (output, cJSON_GetObjectItem (node, "outputs"))
        {
          const cJSON *argument = find_item (cJSON_GetObjectItem (check, "arguments"), "name",
                                             text_of (output, "name"), 0);
          const cJSON *head = find_item (cJSON_GetObjectItem (check, "outputs"), "name",
                                         text_of (output, "name"), 0);

          compare_shape ("run: the shape", output,
                         find_item (cJSON_GetObjectItem (run, "values"), "node",
                                    text_of (node, "name"), k++));
          if (argument)
            compare_shape ("check: the argument", output, argument);
          if (head)
            compare_shape ("check: the output", output, head);
        }
      }
      g_assert_cmpuint (compare_profiled (fixture, profile, cJSON_GetObjectItem (run, "values")), >,
                        2);
    }
}

/* “(?, 3)” in the text of both, “[null, 3]” in the JSON of both. */
static void
test_unknown_dimensions_have_one_notation (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  write_text (fixture, "m-symbol.json", dense, -1);
  fixture_run_line (fixture, "hscope info m-symbol.json --shape 'data=?,2'");
  g_assert_nonnull (strstr (fixture->out, "(?, 3)"));
  fixture_run_line (fixture, "hscope check m-symbol.json --shape 'data=?,2'");
  g_assert_nonnull (strstr (fixture->out, "got (?, 3)"));
  g_assert_null (strstr (fixture->out, "null"));
  fixture_run_line (fixture, "hscope check m-symbol.json --shape 'data=?,2' --json");
  g_assert_nonnull (strstr (fixture->out, "\"shape\": [null, 3]"));
}

/* --- Findings --- */

/* “(1, -1)” makes one row of any number of elements. */
static void
test_one_row_is_no_frozen_batch (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const shapes[] = { "(1, -1)", "(2, 8)" };

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      g_autofree char *text =
          g_strdup_printf ("{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
                           " {\"op\": \"null\", \"name\": \"scale\", \"attrs\": {\"__shape__\": "
                           "\"(8,)\"}, \"inputs\": []},"
                           " {\"op\": \"Reshape\", \"name\": \"row\", \"attrs\": {\"shape\": "
                           "\"%s\"}, \"inputs\": [[0, 0, 0]]},"
                           " {\"op\": \"broadcast_mul\", \"name\": \"y\", \"inputs\": [[2, 0, 0], "
                           "[1, 0, 0]]}],"
                           " \"arg_nodes\": [0, 1], \"heads\": [[3, 0, 0]], \"attrs\": "
                           "{\"mxnet_version\": [\"int\", 10901]}}",
                           shapes[i]);

      write_text (fixture, "r-symbol.json", text, -1);
      fixture_run_line (fixture, "hscope check r-symbol.json");
      g_assert_true ((strstr (fixture->out, "frozen-batch") != NULL) == (i == 1));
    }
}

/* run says what check says. */
static void
test_pair_of_strangers_has_one_name (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const others[] = { "mlp", "lstm-lm" };

  write_text (fixture, "m-symbol.json", dense, -1);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autofree char *line = g_strdup_printf ("hscope new %s --output o >log && hscope check "
                                               "m-symbol.json o-0000.params",
                                               others[i]);

      fixture_run_line (fixture, line);
      g_assert_nonnull (strstr (fixture->out, "wrong-pair"));
      g_assert_null (strstr (fixture->out, "missing-parameter"));
      fixture_run_line (fixture, "hscope run m-symbol.json o-0000.params");
      g_assert_cmpint (fixture->code, ==, 4);
      g_assert_nonnull (strstr (fixture->err, "belongs to another model"));
    }
}

/* What computes refuses a model without outputs; what describes takes it. */
static void
test_model_without_outputs_is_refused (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const struct
  {
    const char *line;
    int         code;
  } rows[] = {
    { "check m-symbol.json", 1 },
    { "check m-symbol.json --json", 1 },
    { "check m-symbol.json --repair r", 1 },
    { "run m-symbol.json --init zeros", 4 },
    { "run m-symbol.json --init zeros --json", 4 },
    { "profile m-symbol.json", 4 },
    { "compare m-symbol.json", 4 },
    { "train m-symbol.json o-0000.params --data d.npz --epochs 1", 4 },
    { "prove m-symbol.json m-symbol.json", 4 },
    { "convert m-symbol.json --output m.onnx", 4 },
    { "info m-symbol.json", 0 },
    { "render m-symbol.json --output m.svg", 0 },
    { "diff m-symbol.json m-symbol.json", 0 },
  };

  write_text (fixture, "m-symbol.json",
              "{\"nodes\": [{\"op\": \"null\", \"name\": \"x\", \"attrs\": {\"__shape__\": \"(2, "
              "3)\"}, "
              "\"inputs\": []}], \"arg_nodes\": [0], \"heads\": []}",
              -1);
  fixture_run_line (fixture, "hscope new mlp --output o && hscope run o-symbol.json --init zeros "
                             "--output d.npz");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *line = g_strdup_printf ("hscope %s 2>&1", rows[i].line);

      fixture_run_line (fixture, line);
      if (fixture->code != rows[i].code ||
          (rows[i].code != 0 && !strstr (fixture->out, "no outputs, so there is nothing to ")))
        fixture_complain ("%s\nends with %d and says:\n%s", line, fixture->code, fixture->out);
    }
}

#define ADD(name, function) \
  g_test_add ("/app/one-question/" name, Fixture, NULL, fixture_set_up, function, fixture_tear_down)

TEST_PROGRAM (test_one_question)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("two-dashes-end-options", test_two_dashes_end_options);
  ADD ("a-file-alone-is-described", test_file_alone_is_described);
  ADD ("data-is-no-plug-in-whatever-its-name-is", test_data_is_no_plug_in_whatever_its_name_is);
  ADD ("the-ending-decides-about-the-format", test_ending_decides_about_the_format);
  ADD ("json-is-printed-for-any-file", test_json_is_printed_for_any_file);
  ADD ("info-and-check-show-the-same-types", test_info_and_check_show_the_same_types);
  ADD ("run-computes-what-info-shows", test_run_computes_what_info_shows);
  ADD ("every-command-shows-the-same-shape-of-a-value",
       test_every_command_shows_the_same_shape_of_a_value);
  ADD ("unknown-dimensions-have-one-notation", test_unknown_dimensions_have_one_notation);
  ADD ("one-row-is-no-frozen-batch", test_one_row_is_no_frozen_batch);
  ADD ("a-model-without-outputs-is-refused", test_model_without_outputs_is_refused);
  ADD ("a-pair-of-strangers-has-one-name", test_pair_of_strangers_has_one_name);
  return g_test_run ();
}
