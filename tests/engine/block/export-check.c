/* export-check.c — builds a model in C and compares it with MXNet's export: the graph byte for
 * byte, and outputs and gradients within tolerances.
 *
 * export-check.h has the interface.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/block/export-check.h"

#include "engine/formats/mxnet-symbol.h"
#include "engine/open/open.h"
#include "tests/engine/goldens/golden.h"

#include <string.h>

typedef struct
{
  const char     *folder;
  ExportBuild     build;
  ExportGraph     graph;
  gconstpointer   data;
  const char     *structure;
  cJSON          *json; /* case.json */
  HybModel       *model;
  GHashTable     *inputs, *want;
  GoldenTolerance tolerance;
} Check;

static GHashTable *named; /* folder → "" or the reason why it is left out */

static char *
path_of (const Check *check, const char *suffix)
{
  g_autofree char *file = g_strconcat (check->folder, suffix, NULL);

  return golden_path ("models", check->folder, file, NULL);
}

/* The text of the symbol file, unpacked where it is packed; NULL: not there. */
static char *
read_symbol (const Check *check)
{
  g_autofree char *plain = path_of (check, "-symbol.json");
  g_autofree char *packed = path_of (check, "-symbol.json.gz");
  g_autoptr (GFile) file = g_file_new_for_path (packed);
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (GInputStream) unpacked = NULL;
  g_autoptr (GOutputStream) memory = g_memory_output_stream_new_resizable ();
  g_autoptr (GConverter) gzip =
      G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP));
  char *text = NULL;

  if (g_file_get_contents (plain, &text, NULL, NULL))
    return text;
  stream = G_INPUT_STREAM (g_file_read (file, NULL, NULL));
  if (!stream)
    return NULL;
  unpacked = g_converter_input_stream_new (stream, gzip);
  g_output_stream_splice (memory, unpacked, G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET, NULL, NULL);
  return g_strndup (g_memory_output_stream_get_data (G_MEMORY_OUTPUT_STREAM (memory)),
                    g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (memory)));
}

static void
show_difference (const char *got, const char *want)
{
  g_auto (GStrv) got_lines = g_strsplit (got, "\n", -1);
  g_auto (GStrv) want_lines = g_strsplit (want, "\n", -1);
  guint shown = 0;

  for (guint i = 0; got_lines[i] && want_lines[i] && shown < 12; i++)
    if (strcmp (got_lines[i], want_lines[i]) != 0)
      {
        g_test_message ("line %u: %s, MXNet wrote %s", i + 1, got_lines[i], want_lines[i]);
        shown++;
      }
}

static char *
replace (const char *text, const char *pattern, const char *by)
{
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_RAW, 0, NULL);

  return g_regex_replace (regex, text, -1, 0, by, 0, NULL);
}

/* What depends on the program around MXNet: a constant carries the address of an object,
 * and an edge to an auxiliary state how often an operator was put on it. */
static char *
without_accidents (const char *text)
{
  g_autofree char *no_address = replace (text, "(Constant_\\w+)_[0-9]+\"", "\\1\"");

  return replace (no_address, "\\[(\\d+), (\\d+), \\d+\\]", "[\\1, \\2]");
}

static void
compare_text (HybGraph *graph, const char *wanted)
{
  gsize            length;
  g_autofree char *printed = hyb_symbol_print (graph, &length);
  g_autofree char *got = without_accidents (printed);
  g_autofree char *want = without_accidents (wanted);

  g_strchomp (got);
  g_strchomp (want);
  if (strcmp (got, want) == 0)
    return;
  show_difference (got, want);
  g_test_fail ();
}

static guint
count_inputs (const char *structure)
{
  guint n = 0;

  for (const char *c = structure; *c != '\0'; c++)
    n += *c == '0';
  return n;
}

/* --- Numbers --- */

static void
report (const char *how, const char *what, const char *wrong)
{
  g_test_message ("%s: %s: %s", how, what, wrong);
  g_test_fail ();
}

static gboolean
is_training (const Check *check)
{
  return g_str_equal (cJSON_GetObjectItem (check->json, "mode")->valuestring, "train");
}

static void
compare_outputs (const Check *check, const char *how, char **names, GPtrArray *got)
{
  guint n = g_strv_length (names);

  if (got->len < n)
    report (how, "outputs", "there are too few");
  for (guint i = 0; i < MIN (n, got->len); i++)
    {
      HybTensor       *want = g_hash_table_lookup (check->want, names[i]);
      g_autofree char *wrong = want ? golden_compare (got->pdata[i], want, &check->tolerance)
                                    : g_strdup ("MXNet has none");

      if (wrong)
        report (how, names[i], wrong);
    }
}

static void
run_graph (const Check *check, HybGraph *graph, char **names)
{
  g_autoptr (GHashTable) tensors = golden_tensors_new ();
  g_autoptr (GPtrArray) got = NULL;
  g_autoptr (GError) error = NULL;
  GoldenRun run = {
    .graph = graph, .tensors = tensors, .training = is_training (check), .mode = HYB_MODE_STATIC
  };
  GHashTableIter iter;
  gpointer       name, tensor;

  for (guint i = 0; i < hyb_model_n_parameters (check->model); i++)
    {
      const char *parameter = hyb_model_get_parameter_name (check->model, i);

      g_hash_table_insert (tensors, g_strdup (parameter),
                           hyb_tensor_ref (hyb_model_get_parameter (check->model, parameter)));
    }
  g_hash_table_iter_init (&iter, check->inputs);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    g_hash_table_insert (tensors, g_strdup (name), hyb_tensor_ref (tensor));

  got = golden_run (&run, NULL, &error);
  if (got)
    compare_outputs (check, "as a graph", names, got);
  else
    report ("as a graph", "fails", error->message);
}

static gboolean
give_parameters (const Check *check, HybBlock *block)
{
  g_autoptr (GPtrArray) parameters = hyb_block_collect_parameters (block);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < parameters->len; i++)
    {
      HybParameter *parameter = g_ptr_array_index (parameters, i);
      HybTensor    *tensor =
          hyb_model_get_parameter (check->model, hyb_parameter_get_name (parameter));

      /* Registered but not in the graph: MXNet does not export it. */
      if (tensor && !hyb_parameter_set_data (parameter, tensor, &error))
        {
          report ("at once", "a parameter does not fit", error->message);
          return FALSE;
        }
    }
  return TRUE;
}

static HybValue *
nested_inputs (HybF *F, const char **structure, GPtrArray *arrays, guint *next)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();

  if (**structure == '0')
    {
      (*structure)++;
      return hyb_value_from_tensor (F, arrays->pdata[(*next)++]);
    }
  for ((*structure)++; **structure != ']';)
    if (**structure == ',' || **structure == ' ')
      (*structure)++;
    else
      g_ptr_array_add (items, nested_inputs (F, structure, arrays, next));
  (*structure)++;
  return hyb_list (F, items->len, (HybValue *const *) items->pdata);
}

static void
run_at_once (const Check *check, HybBlock *block, char **names, const char *how)
{
  g_autoptr (HybF) F = hyb_f_new (is_training (check), 1);
  g_autoptr (GPtrArray) arrays = g_ptr_array_new ();
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  const char *structure = check->structure;
  guint       n = count_inputs (structure), next = 0;
  HybValue   *output;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = n == 1 ? g_strdup ("data") : g_strdup_printf ("data%u", i);
      HybTensor       *tensor = g_hash_table_lookup (check->inputs, name);

      g_assert_nonnull (tensor);
      g_ptr_array_add (arrays, tensor);
    }
  output = hyb_call (F, block, nested_inputs (F, &structure, arrays, &next));
  if (hyb_f_get_error (F))
    {
      report (how, "fails", hyb_f_get_error (F)->message);
      return;
    }
  hyb_flatten_into (output, values);
  for (guint i = 0; i < values->len; i++)
    values->pdata[i] = hyb_value_get_tensor (values->pdata[i]);
  compare_outputs (check, how, names, values);
}

/* FALSE: the folder has no numbers. */
static gboolean
read_numbers (Check *check)
{
  g_autofree char *case_path = golden_path ("models", check->folder, "case.json", NULL);
  g_autofree char *input_path = golden_path ("models", check->folder, "input.npz", NULL);
  g_autofree char *output_path = golden_path ("models", check->folder, "output.npz", NULL);
  g_autofree char *symbol_path = path_of (check, "-symbol.json");
  g_autoptr (GError) error = NULL;

  check->json = golden_read_json (case_path, &error);
  g_assert_no_error (error);
  if (g_str_equal (cJSON_GetObjectItem (check->json, "mode")->valuestring, "graph"))
    return FALSE;

  check->tolerance.rtol = cJSON_GetObjectItem (check->json, "rtol")->valuedouble;
  check->tolerance.atol = cJSON_GetObjectItem (check->json, "atol")->valuedouble;
  check->inputs = golden_read_npz (input_path, &error);
  g_assert_no_error (error);
  check->want = golden_read_npz (output_path, &error);
  g_assert_no_error (error);
  check->model = hyb_model_open (symbol_path, NULL, HYB_EPOCH_HIGHEST, &error);
  g_assert_no_error (error);
  return TRUE;
}

static void
forget_numbers (Check *check)
{
  g_clear_pointer (&check->json, cJSON_Delete);
  g_clear_pointer (&check->inputs, g_hash_table_unref);
  g_clear_pointer (&check->want, g_hash_table_unref);
  g_clear_pointer (&check->model, hyb_model_unref);
}

static HybBlock *
fresh_block (const Check *check)
{
  hyb_names_reset ();
  return check->build (check->data);
}

static void
run_check (gconstpointer data)
{
  Check            check = *(const Check *) data;
  g_autofree char *want = read_symbol (&check);
  g_autoptr (HybBlock) block = NULL;
  g_autoptr (HybGraph) graph = NULL;
  g_auto (GStrv) names = NULL;
  g_autoptr (GError) error = NULL;

  if (!want)
    {
      g_test_skip ("this golden is not in the small set");
      return;
    }
  block = check.build ? fresh_block (&check) : NULL;
  graph = block ? hyb_block_trace (block, count_inputs (check.structure), check.structure, FALSE,
                                   &error)
                : check.graph (check.data);
  g_assert_no_error (error);
  compare_text (graph, want);
  if (read_numbers (&check))
    {
      names = hyb_graph_dup_output_names (graph);
      run_graph (&check, graph, names);
      if (block && give_parameters (&check, block))
        run_at_once (&check, block, names, "at once");
      if (block && hyb_block_hybridize (block, TRUE, NULL, NULL))
        run_at_once (&check, block, names, "hybridized");
    }
  forget_numbers (&check);
}

/* --- Naming folders --- */

static void
name_folder (const char *folder, const char *reason)
{
  if (!named)
    named = g_hash_table_new (g_str_hash, g_str_equal);
  g_assert_true (g_hash_table_insert (named, (gpointer) folder, (gpointer) reason));
}

static void
add (const Check *given)
{
  g_autofree char *path = g_strconcat ("/engine/block/exports/", given->folder, NULL);

  name_folder (given->folder, "");
  g_test_add_data_func_full (path, g_memdup2 (given, sizeof *given), run_check, g_free);
}

void
export_check_add (const char *folder, ExportBuild build, gconstpointer data, const char *structure)
{
  add (&(Check){ .folder = folder, .build = build, .data = data, .structure = structure });
}

void
export_check_add_graph (const char *folder, ExportGraph graph, gconstpointer data)
{
  add (&(Check){ .folder = folder, .graph = graph, .data = data });
}

static HybBlock *
build_row (gconstpointer data)
{
  return model_from_row (data);
}

void
export_check_add_models (const ModelRow *rows, guint n)
{
  for (guint i = 0; i < n; i++)
    export_check_add (rows[i].folder, build_row, &rows[i], rows[i].structure);
}

void
export_check_leave_out (const char *folder, const char *reason)
{
  name_folder (folder, reason);
}

static void
test_every_folder_is_named (void)
{
  g_auto (GStrv) folders = golden_list ("models", NULL);

  for (guint i = 0; folders[i] != NULL; i++)
    if (!g_hash_table_contains (named, folders[i]))
      {
        g_test_message ("%s is neither built in C nor left out with a reason", folders[i]);
        g_test_fail ();
      }
}

void
export_check_add_roll (void)
{
  g_test_add_func ("/engine/block/exports/every-folder-is-named", test_every_folder_is_named);
}
