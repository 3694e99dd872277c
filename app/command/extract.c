/* extract.c — hscope extract: writes the part of a model between some of its values as a model of its own.
 *
 * A part of an ONNX file keeps nodes, arrays and types as they were read; a part of a model of MXNet is written as its pair of
 * files, or as ONNX.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/convert/convert-files.h"
#include "app/command/describe/describe.h"
#include "app/command/describe/known-types.h"
#include "app/command/frame/command.h"
#include "app/command/frame/open-model.h"

#include "engine/analysis/part.h"
#include "engine/base/one-line.h"
#include "engine/formats/model-files.h"
#include "engine/open/open.h"

#include <stdio.h>

typedef struct
{
  char **from, **to;
  char  *output;
} ExtractOptions;

/* The names of a repeated option, each of which may be several with commas; NULL: none.  (transfer full) */
static char **
split_names (char **given)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();

  for (guint i = 0; given && given[i]; i++)
    {
      g_auto (GStrv) parts = g_strsplit (given[i], ",", -1);

      for (guint k = 0; parts[k]; k++)
        if (parts[k][0] != '\0')
          g_strv_builder_add (names, parts[k]);
    }
  return given ? g_strv_builder_end (names) : NULL;
}

/* Gives inputs the types that are known of them, so that those of the values between follow. */
static gboolean
set_types (const ScopeCommonOptions *common, HybModel *model, GError **error)
{
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = scope_known_types_new (common, model, NULL, NULL, error);
  guint               n;
  const HybNodeId    *variables = hyb_graph_get_arguments (graph, &n);

  for (guint i = 0; i < n && types; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);

      if (hyb_type_is_known (&types[node->first_output]) &&
          !hyb_model_get_parameter (model, node->name))
        hyb_model_set_input_type (model, node->name, &types[node->first_output]);
    }
  return types != NULL;
}

/* Writes the part, and returns it as it will be read; NULL and an error if that is not possible.  (transfer full) */
static HybModel *
write_part (const ScopeCommonOptions *common,
            const ExtractOptions     *options,
            HybModel                 *model,
            GPtrArray                *written,
            GError                  **error)
{
  const HybFormat *format = scope_find_output_format (options->output);
  g_auto (GStrv) from = split_names (options->from);
  g_auto (GStrv) to = split_names (options->to);
  HybWriteJob job = { .model = model,
                      .path = options->output,
                      .from = (const char *const *) from,
                      .to = (const char *const *) to };
  g_autoptr (HybModel) part = NULL;
  g_autoptr (GPtrArray) files = NULL;

  if (!scope_is_same_format (options->output, model))
    {
      if (!set_types (common, model, error) ||
          !(part = hyb_model_part (model, job.from, job.to, error)))
        return NULL;
      job = (HybWriteJob){ .model = part, .path = options->output };
    }
  if (!format)
    return hyb_model_save (part, options->output, 0, written, error) ? g_steal_pointer (&part)
                                                                     : NULL;
  files = format->prepare (&job, error);
  if (!files || !hyb_written_files_commit (files, written, error))
    return NULL;
  return hyb_model_open_tolerant (options->output, NULL, HYB_EPOCH_HIGHEST, error);
}

static guint
count_nodes (HybGraph *graph)
{
  guint n = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    n += !hyb_node_is_variable (hyb_graph_get_node (graph, id));
  return n;
}

/* The arguments of a graph without parameters.  (transfer full) */
static GPtrArray *
list_inputs (HybModel *model)
{
  HybGraph        *graph = hyb_model_get_graph (model);
  GPtrArray       *names = g_ptr_array_new_with_free_func (g_free);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_arguments (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, variables[i])->name;

      if (!hyb_model_get_parameter (model, name))
        g_ptr_array_add (names, g_strdup (name));
    }
  return names;
}

static void
print_names (const char *what, GPtrArray *names)
{
  printf ("%s:", what);
  for (guint i = 0; i < names->len; i++)
    printf ("%s %s", i > 0 ? "," : "", hyb_one_line (names->pdata[i]));
  printf ("\n");
}

static void
print_part (const ScopeCommonOptions *common, HybModel *part, guint n_before, GPtrArray *written)
{
  HybGraph *graph = hyb_model_get_graph (part);
  g_autoptr (GPtrArray) inputs = list_inputs (part);
  g_autoptr (GPtrArray) outputs = g_ptr_array_new ();
  g_auto (GStrv) names = hyb_graph_dup_output_names (graph);
  g_autoptr (ScopeJson) json = NULL;

  for (guint i = 0; names[i]; i++)
    g_ptr_array_add (outputs, names[i]);
  if (!common->json)
    {
      printf ("%u of %u nodes\n", count_nodes (graph), n_before);
      print_names ("inputs", inputs);
      print_names ("outputs", outputs);
      scope_print_all_written (written);
      return;
    }
  json = scope_json_new ();
  scope_describe_strings (json, "written", written);
  scope_json_int (json, "nodes", count_nodes (graph));
  scope_json_int (json, "nodes_before", n_before);
  scope_describe_strings (json, "inputs", inputs);
  scope_describe_strings (json, "outputs", outputs);
  scope_json_print (json);
}

static int
run_extract (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  const ExtractOptions *options = data;
  g_autoptr (HybModel) model = NULL;
  g_autoptr (HybModel) part = NULL;
  g_autoptr (GPtrArray) written = g_ptr_array_new_with_free_func (g_free);

  if (!options->output || (!options->from && !options->to))
    {
      scope_usage_error (error,
                         "hscope extract needs --output NAME, and --from NAMES or --to NAMES");
      return SCOPE_EXIT_FAILED;
    }
  if (!(model = scope_open_model (common, files, error)))
    return SCOPE_EXIT_FAILED;
  if (hyb_graph_get_dialect (hyb_model_get_graph (model)) &&
      !scope_is_same_format (options->output, model))
    {
      scope_usage_error (error, "a part of an ONNX file is written as NAME.onnx; hscope convert "
                                "makes a pair of MXNet's files of it");
      return SCOPE_EXIT_FAILED;
    }
  part = write_part (common, options, model, written, error);
  if (!part)
    return SCOPE_EXIT_FAILED;
  print_part (common, part, count_nodes (hyb_model_get_graph (model)), written);
  return SCOPE_EXIT_DONE;
}

static const GOptionEntry extract_options[] = {
  { SCOPE_OPTION (ExtractOptions, STRING_ARRAY, "from", from),
    "Values that become inputs, or nodes whose results do (default: the model's inputs)", "NAMES" },
  { SCOPE_OPTION (ExtractOptions, STRING_ARRAY, "to", to),
    "Values that become outputs, or nodes whose results do (default: the model's outputs)",
    "NAMES" },
  { "output", 'o', 0, G_OPTION_ARG_FILENAME, SCOPE_OPTION_FIELD (ExtractOptions, output),
    "Write NAME.onnx, or PREFIX-symbol.json and PREFIX-0000.params", "NAME.onnx|PREFIX" },
  { 0 },
};

static const char *const examples[] = {
  "hscope new gallery:mlp --output net",
  "hscope extract net-symbol.json --to hybridsequential0_dense1_fwd --output part",
  NULL,
};

static const ScopeOutput outputs[] = {
  { "output", NULL },
  { 0 },
};

const ScopeCommand scope_command_extract = {
  .name = "extract",
  .arguments = "MODEL [PARAMS]",
  .summary = "Write the part of a model between some of its values as a model of its own",
  .notes = "Names are separated by commas.  hscope info --find NAME lists nodes and their outputs.",
  .n_files = { 1, 2 },
  .option_groups = SCOPE_OPTIONS_MODEL | SCOPE_OPTIONS_TYPES,
  .unused_options = "no-guess",
  .examples = examples,
  .outputs = outputs,
  .options = extract_options,
  .options_size = sizeof (ExtractOptions),
  .run = run_extract,
};
