/* test-contract.c — what scripts rely on: JSON keys, exit codes, quiet stdout.
 *
 * A row of a table is a command line with what is expected of it.  In arguments "@" is the folder
 * with the small files that set_up() makes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/npz.h"
#include "tests/program.h"

#include <cjson/cJSON.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC (cJSON, cJSON_Delete)

static const char symbol[] =
    "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
    "{\"op\": \"null\", \"name\": \"w\", \"inputs\": []},"
    "{\"op\": \"FullyConnected\", \"name\": \"fc\", \"attrs\": {\"num_hidden\": \"2\", "
    "\"no_bias\": \"True\"}, \"inputs\": [[0,0,0],[1,0,0]]}], "
    "\"arg_nodes\": [0,1], \"heads\": [[2,0,0]], "
    "\"attrs\": {\"mxnet_version\": [\"int\", 10901]}}";

static const char cycle[] =
    "{\"nodes\": [{\"op\": \"relu\", \"name\": \"r\", \"inputs\": [[0,0,0]]}],"
    "\"arg_nodes\": [], \"heads\": [[0,0,0]]}";

static char *folder;

static char *
in_folder (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "@", -1);

  return g_strjoinv (folder, parts);
}

static void
write_text (const char *name, const char *text)
{
  g_autofree char *path = in_folder (name);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
set_up (void)
{
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  g_autoptr (HybTensor) data =
      hyb_tensor_new_float (2, (gint64[]){ 2, 3 }, (float[]){ 1.5, 2, 3, 4, 5, 6 });
  g_autoptr (HybTensor) weight =
      hyb_tensor_new_float (2, (gint64[]){ 2, 3 }, (float[]){ 1, 0, 0, 0, 1, 1 });
  g_autoptr (HybTensorList) wrong = hyb_tensor_list_new ();
  g_autoptr (HybTensor) data_too = hyb_tensor_new_float (1, (gint64[]){ 2 }, (float[]){ 1, 2 });
  g_autofree char *npz = in_folder ("@/in.npz");
  g_autofree char *other = in_folder ("@/other.npz");

  hyb_tensor_list_set (list, "data", data);
  hyb_tensor_list_set (list, "w", weight);
  g_assert_true (hyb_npz_write_file (list, npz, NULL));
  hyb_tensor_list_set (wrong, "data", data);
  hyb_tensor_list_set (wrong, "w", data_too);
  g_assert_true (hyb_npz_write_file (wrong, other, NULL));
  write_text ("@/net-symbol.json", symbol);
  write_text ("@/cycle.json", cycle);
  write_text ("@/empty.json", "");
  write_text ("@/object.json", "{}");
  write_text ("@/cut.json", "{\"nodes\": [");
  write_text ("@/onnx.onnx", "\x08\x07\x12\x07pytorch\x1a");
  write_text ("@/cut.params", "\x12\x01");
}

static void
tear_down (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)))
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_remove (path);
    }
  g_rmdir (folder);
}

typedef struct
{
  char *out, *err;
  int   code;
} Output;

static void
output_clear (Output *output)
{
  g_free (output->out);
  g_free (output->err);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Output, output_clear)

/* Runs hscope with the arguments of line.  environment (nullable): one more variable, "NAME=value". */
static Output
run_hscope (const char *line, const char *environment)
{
  g_autofree char *whole = in_folder (line);
  g_autofree char *command = g_strconcat (HSCOPE " ", whole, NULL);
  g_auto (GStrv) arguments = NULL;
  g_auto (GStrv) settings = g_get_environ ();
  g_auto (GStrv) pair = environment ? g_strsplit (environment, "=", 2) : NULL;
  g_autoptr (GError) error = NULL;
  Output output = { 0 };
  int    status;

  if (pair)
    settings = g_environ_setenv (settings, pair[0], pair[1], TRUE);
  g_assert_true (g_shell_parse_argv (command, NULL, &arguments, NULL));
  g_spawn_sync (NULL, arguments, settings, G_SPAWN_DEFAULT, NULL, NULL, &output.out, &output.err,
                &status, &error);
  g_assert_no_error (error);
  g_assert_true (WIFEXITED (status));
  output.code = WEXITSTATUS (status);
  return output;
}

/* --- Exit statuses and messages --- */

typedef struct
{
  const char *line;
  int         code;
  const char *message; /* part of stderr; NULL: anything */
} Case;

static const Case cases[] = {
  { "--help", 0, NULL },
  { "--version", 0, NULL },
  { "info --help", 0, NULL },
  { "check --help", 0, NULL },
  { "run --help", 0, NULL },
  { "weights --help", 0, NULL },
  { "info --passes", 0, NULL },
  { "info @/net-symbol.json", 0, NULL },
  { "info @/in.npz", 0, NULL },
  { "check @/net-symbol.json @/in.npz", 0, NULL },
  { "run @/net-symbol.json --input @/in.npz", 0, NULL },
  { "run @/net-symbol.json --input @/in.npz --fold-parameters", 0, NULL },
  { "run @/net-symbol.json --input @/in.npz --freeze-parameters", 0, NULL },
  { "run @/net-symbol.json --init xavier --shape data=1,3", 0, NULL },
  { "weights @/in.npz", 0, NULL },

  { "check @/net-symbol.json @/other.npz", 1, NULL },
  { "check @/cut.json", 1, NULL },
  { "check @/cycle.json", 1, NULL },
  { "check @/object.json", 1, NULL },

  { "", 2, "Usage" },
  { "fly", 2, "--help" },
  { "info", 2, "--help" },
  { "run", 2, "--help" },
  { "info a b c", 2, "--help" },
  { "info --no-such @/net-symbol.json", 2, "--no-such" },
  { "run @/net-symbol.json --mode quick", 2, "static" },
  { "run @/net-symbol.json --init ones", 2, "xavier" },
  { "run @/net-symbol.json --device tpu", 2, "cpu" },
  { "run @/net-symbol.json --threads -1", 2, "--threads" },
  { "run @/net-symbol.json --threads many", 2, "many" },
  { "run @/net-symbol.json --plan-without tea", 2, "--passes" },
  { "run @/net-symbol.json --dump-after tea", 2, "--passes" },
  { "run @/net-symbol.json --fold-parameters --train", 2, "training changes parameters" },
  { "run @/net-symbol.json --fold-parameters --backward", 2, "--backward" },
  { "run @/net-symbol.json --freeze-parameters --train", 2, "training changes parameters" },
  { "run @/net-symbol.json --freeze-parameters --backward", 2, "--backward" },
  { "profile @/net-symbol.json --freeze-parameters --mode imperative", 2, "no plan" },
  { "profile @/net-symbol.json --fold-parameters --backward", 2, "--backward" },
  { "compare @/net-symbol.json --fold-parameters --backward", 2, "--backward" },
  { "profile @/net-symbol.json --fold-parameters --mode imperative", 2, "no plan" },
  { "run @/net-symbol.json --progress=loud", 2, "json" },
  { "run @/net-symbol.json --dtype float33 --init zeros", 2, "float32" },
  { "run @/net-symbol.json --gradients @/g.npz", 2, "--backward" },
  { "info @/net-symbol.json --shape data", 2, "NAME=" },
  { "info @/net-symbol.json --shape data=1,two", 2, "two" },
  { "info @/net-symbol.json --shape dta=1,3", 2, "“data”" },

  { "info @/none.json", 3, "none.json" },
  { "info @", 3, "folder" },
  { "info @/empty.json", 3, "empty" },
  { "info @/cut.json", 3, "cut.json" },
  { "info @/object.json", 3, "not an MXNet graph" },
  { "info @/onnx.onnx", 3, "ONNX" },
  { "info @/cycle.json", 3, "“r”" },
  { "check @/none.json", 3, "none.json" },
  { "run @/none.json", 3, "none.json" },
  { "run @/net-symbol.json @/none.params", 3, "none.params" },
  { "run @/net-symbol.json @/cut.params", 3, "cut.params" },
  { "run @/net-symbol.json --input @/none.npz", 3, "none.npz" },
  { "run @/net-symbol.json --input @/in.npz --output @/none/out.npz", 3, "none" },
  { "weights @/none.npz", 3, "none.npz" },
  { "weights @/cut.params", 3, "cut.params" },
  { "weights @/in.npz --to @/none/out.npz", 3, "none" },
  { "weights @/in.npz --to @/out.txt", 2, ".npz" },

  { "run @/net-symbol.json", 4, "“w”" },
  { "run @/net-symbol.json --init zeros --no-guess", 4, "--shape" },
  { "run @/net-symbol.json --init zeros --shape data=99999999999,9", 4, "bytes" },
  { "run @/net-symbol.json --input @/other.npz", 4, "“w”" },
};

static void
test_exit_status (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (Output) output = run_hscope (cases[i].line, NULL);

      if (output.code == cases[i].code &&
          (!cases[i].message || strstr (output.err, cases[i].message)))
        continue;
      g_test_message ("hscope %s: exit status %d, not %d: %s", cases[i].line, output.code,
                      cases[i].code, output.err);
      g_test_fail ();
    }
}

/* A failure prints exactly one error message, and nothing on stdout. */
static void
test_failures_print_one_message (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (Output) output = run_hscope (cases[i].line, NULL);
      guint n_errors = 0;

      if (cases[i].code < 2 || !*cases[i].line)
        continue;
      for (const char *at = output.err; (at = strstr (at, "error: ")); at++)
        n_errors++;
      if (n_errors == 1 && !*output.out)
        continue;
      g_test_message ("hscope %s says: %s%s", cases[i].line, output.err, output.out);
      g_test_fail ();
    }
}

/* --- JSON --- */

typedef struct
{
  const char *line;
  const char *keys[16]; /* "a.b": key b of the object a, or of the first element of the list a */
} Document;

#define TENSOR(list) list ".name", list ".shape", list ".dtype"

static const Document documents[] = {
  { "info @/net-symbol.json --json",
    { "file", "format", "version", "nodes", "operators.FullyConnected", "auxiliary",
      TENSOR ("arguments"), "arguments.role", TENSOR ("outputs"), "subgraphs" } },
  { "info @/net-symbol.json --json",
    { "parameters.count", "parameters.bytes", "flops", "structure" } },
  { "info @/in.npz --json", { "format", TENSOR ("tensors") } },
  { "check @/net-symbol.json --json",
    { "findings.code", "findings.severity", "findings.node", "findings.place", "findings.message",
      "findings.hint", "findings.items", "summary", "auxiliary", TENSOR ("arguments"),
      TENSOR ("outputs") } },
  { "check @/cut.json --json", { "findings.code", "summary", "arguments", "outputs" } },
  { "check @/object.json --json", { "findings.place.file", "findings.code" } },
  { "run @/net-symbol.json --input @/in.npz --json",
    { TENSOR ("outputs"), "outputs.minimum", "outputs.maximum", "outputs.mean", "outputs.nan",
      "seconds" } },
  { "weights @/in.npz --json",
    { TENSOR ("tensors"), "tensors.minimum", "tensors.maximum", "tensors.mean", "tensors.std",
      "tensors.nan" } },
};

static const cJSON *
find_key (const cJSON *json, const char *path)
{
  g_auto (GStrv) parts = g_strsplit (path, ".", -1);

  for (guint i = 0; json && parts[i]; i++)
    {
      if (cJSON_IsArray (json))
        json = json->child;
      json = cJSON_GetObjectItemCaseSensitive (json, parts[i]);
    }
  return json;
}

static void
test_keys (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (documents); i++)
    {
      g_auto (Output) output = run_hscope (documents[i].line, NULL);
      g_autoptr (cJSON) json = cJSON_ParseWithOpts (output.out, NULL, TRUE);

      if (!json)
        g_test_message ("hscope %s: no JSON: %s", documents[i].line, output.out);
      g_assert_nonnull (json);
      for (guint k = 0; documents[i].keys[k]; k++)
        if (!find_key (json, documents[i].keys[k]))
          {
            g_test_message ("hscope %s: there is no key %s", documents[i].line,
                            documents[i].keys[k]);
            g_test_fail ();
          }
    }
}

/* With --json a failure is a document with the same exit status. */
static void
test_failures_are_documents_under_json (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *line = g_strconcat (cases[i].line, " --json", NULL);

      if (cases[i].code < 2 || !*cases[i].line)
        continue;
      {
        g_auto (Output) output = run_hscope (line, NULL);
        g_autoptr (cJSON) json = cJSON_ParseWithOpts (output.out, NULL, TRUE);
        const cJSON *error = json ? cJSON_GetObjectItemCaseSensitive (json, "error") : NULL;

        if (output.code == cases[i].code && cJSON_HasObjectItem (error, "message") &&
            cJSON_IsObject (cJSON_GetObjectItem (error, "place")) &&
            cJSON_HasObjectItem (error, "hint"))
          continue;
        g_test_message ("hscope %s says: %s%s", line, output.out, output.err);
        g_test_fail ();
      }
    }
}

static void
test_errors_name_file_fact_and_hint_apart (void)
{
  g_auto (Output) output = run_hscope ("info @/onnx.onnx --json", NULL);
  g_autoptr (cJSON) json = cJSON_ParseWithOpts (output.out, NULL, TRUE);
  const cJSON     *error = cJSON_GetObjectItem (json, "error");
  const cJSON     *place = cJSON_GetObjectItem (error, "place");
  g_autofree char *file = in_folder ("@/onnx.onnx");

  g_assert_cmpstr (cJSON_GetStringValue (cJSON_GetObjectItem (place, "file")), ==, file);
  g_assert_true (
      g_str_has_prefix (cJSON_GetStringValue (cJSON_GetObjectItem (error, "message")), "this is"));
  g_assert_nonnull (cJSON_GetStringValue (cJSON_GetObjectItem (error, "hint")));
}

/* --- Environment --- */

static void
test_numbers_do_not_follow_the_locale (void)
{
  static const char *const locales[] = { "LC_ALL=C", "LC_ALL=C.UTF-8", "LC_ALL=de_DE.UTF-8" };
  g_auto (Output) first = run_hscope ("weights @/in.npz --json", locales[0]);

  for (guint i = 1; i < G_N_ELEMENTS (locales); i++)
    {
      g_auto (Output) output = run_hscope ("weights @/in.npz --json", locales[i]);

      g_assert_cmpstr (output.out, ==, first.out);
    }
}

/* Names that are not ASCII are accepted in the C locale, too. */
static void
test_names_survive_a_plain_locale (void)
{
  g_autofree char *path = in_folder ("@/näme-symbol.json");
  g_autofree char *renamed = NULL;
  g_auto (GStrv) parts = g_strsplit (symbol, "\"data\"", -1);

  renamed = g_strjoinv ("\"größe\"", parts);
  g_assert_true (g_file_set_contents (path, renamed, -1, NULL));
  for (guint i = 0; i < 2; i++)
    {
      g_auto (Output) output = run_hscope ("info @/näme-symbol.json --shape größe=2,3 --json",
                                           i == 0 ? "LC_ALL=C" : "LC_ALL=C.UTF-8");

      g_assert_cmpstr (output.err, ==, "");
      g_assert_cmpint (output.code, ==, 0);
      g_assert_nonnull (strstr (output.out, "größe"));
    }
}

/* stderr is no terminal here, so there is no colour whatever the environment says. */
static void
test_no_colour_without_a_terminal (void)
{
  static const char *const settings[] = { "NO_COLOR=1", "NO_COLOR=", "TERM=xterm-256color" };

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    {
      g_auto (Output) wrong = run_hscope ("info @/cut.json", settings[i]);
      g_auto (Output) right = run_hscope ("check @/net-symbol.json", settings[i]);

      g_assert_null (strchr (wrong.err, '\033'));
      g_assert_null (strchr (right.out, '\033'));
    }
}

static void
test_progress_is_lines_of_json (void)
{
  g_auto (Output) output =
      run_hscope ("profile @/net-symbol.json --params @/in.npz --init zeros --shape "
                  "data=2,3 --capture @/c.hscope --repeat 2 --warmup 1 --json "
                  "--progress=json",
                  NULL);
  g_autoptr (cJSON) json = cJSON_ParseWithOpts (output.out, NULL, TRUE);
  g_auto (GStrv) lines = g_strsplit (output.err, "\n", -1);
  guint n = 0;

  g_assert_cmpint (output.code, ==, 0);
  g_assert_nonnull (json);
  for (guint i = 0; lines[i]; i++)
    if (lines[i][0] == '{')
      {
        g_autoptr (cJSON) line = cJSON_ParseWithOpts (lines[i], NULL, TRUE);

        g_assert_nonnull (line);
        n++;
      }
  g_assert_cmpuint (n, >, 0);
}

/* Empty files of their names are found before Pango and OpenBLAS.  A program that is linked with them would not start. */
static void
test_libraries_are_loaded_when_needed (void)
{
  g_autofree char *path = g_strconcat ("LD_LIBRARY_PATH=", folder, NULL);

  write_text ("@/libpangocairo-1.0.so.0", "");
  write_text ("@/libopenblas.so.0", "");
  {
    g_auto (Output) run = run_hscope ("run @/net-symbol.json --input @/in.npz", path);
    g_auto (Output) draw = run_hscope ("render @/net-symbol.json -o @/net.svg", path);

    g_assert_cmpstr (run.err, ==, "");
    g_assert_cmpint (run.code, ==, 0);
    g_assert_cmpint (draw.code, ==, 4);
    g_assert_nonnull (strstr (draw.err, "error: Nothing can be drawn: "));
    g_assert_nonnull (strstr (draw.err, folder));
    g_assert_nonnull (strstr (draw.err, "Install Pango"));
  }
}

TEST_PROGRAM (test_contract)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("contract-XXXXXX", NULL);
  set_up ();

  g_test_add_func ("/app/contract/exit-status", test_exit_status);
  g_test_add_func ("/app/contract/failures-print-one-message", test_failures_print_one_message);
  g_test_add_func ("/app/contract/failures-are-documents-under-json",
                   test_failures_are_documents_under_json);
  g_test_add_func ("/app/contract/errors-name-file-fact-and-hint-apart",
                   test_errors_name_file_fact_and_hint_apart);
  g_test_add_func ("/app/contract/keys", test_keys);
  g_test_add_func ("/app/contract/numbers-do-not-follow-the-locale",
                   test_numbers_do_not_follow_the_locale);
  g_test_add_func ("/app/contract/names-survive-a-plain-locale", test_names_survive_a_plain_locale);
  g_test_add_func ("/app/contract/no-colour-without-a-terminal", test_no_colour_without_a_terminal);
  g_test_add_func ("/app/contract/progress-is-lines-of-json", test_progress_is_lines_of_json);

  g_test_add_func ("/app/contract/libraries-are-loaded-when-needed",
                   test_libraries_are_loaded_when_needed);

  status = g_test_run ();
  tear_down ();
  g_free (folder);
  return status;
}
