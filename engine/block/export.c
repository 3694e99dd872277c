/* export.c — blocks and files: exports for MXNet, files of parameters, loaded models as blocks
 * (SymbolBlock), and the summary of a block.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/error.h"
#include "engine/block/block-private.h"
#include "engine/formats/format.h"
#include "engine/formats/model-files.h"

#include <string.h>

/* --- Export --- */

/* The graph with the parameters of the block that it uses.  (transfer full) */
static HybModel *
make_model (HybBlock *block, HybGraph *graph, GError **error)
{
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GPtrArray) parameters = hyb_block_collect_parameters (block);

  hyb_model_set_graph (model, graph);
  hyb_model_set_format (model, "block");
  for (guint i = 0; i < parameters->len; i++)
    {
      HybParameter *parameter = g_ptr_array_index (parameters, i);
      HybNodeId     id = hyb_graph_find_variable (graph, parameter->name);
      HybTensor    *data;

      /* MXNet leaves parameters that the graph does not use out since 1.8. */
      if (id == HYB_NO_ID)
        continue;
      data = hyb_parameter_get_data (parameter, error);
      if (!data)
        return NULL;
      hyb_model_set_parameter (model, parameter->name, data);
      hyb_model_set_parameter_prefix (model, parameter->name,
                                      hyb_graph_is_auxiliary (graph, id) ? HYB_PREFIX_AUX
                                                                         : HYB_PREFIX_ARG);
    }
  return g_steal_pointer (&model);
}

HybModel *
hyb_block_to_model (HybBlock *block, GError **error)
{
  const CachedGraph *cached;

  g_return_val_if_fail (block, NULL);
  if (!block->priv->is_active || block->priv->cached->len == 0)
    {
      hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, hyb_block_get_name (block),
                    "Call hyb_block_hybridize() and run it once, then export",
                    "there is no graph of this block yet");
      return NULL;
    }
  /* There is one graph for each structure of inputs; the last one is exported. */
  cached = g_ptr_array_index (block->priv->cached, block->priv->cached->len - 1);
  return make_model (block, cached->graph, error);
}

gboolean
hyb_block_export (HybBlock *block, const char *prefix, guint epoch, GError **error)
{
  g_return_val_if_fail (block, FALSE);

  g_autoptr (HybModel) model = hyb_block_to_model (block, error);

  return model && hyb_model_save (model, prefix, epoch, NULL, error);
}

/* --- Files of parameters --- */

typedef void (*ParameterFunc) (const char *path, HybParameter *parameter, gpointer data);

/* The name without the block's prefix. */
static const char *
local_name (HybBlock *block, HybParameter *parameter)
{
  const char *prefix = block->priv->parameter_prefix;

  return g_str_has_prefix (parameter->name, prefix) ? parameter->name + strlen (prefix)
                                                    : parameter->name;
}

/* Calls function for every parameter with its structural name, which follows the names of the
 * children: "encoder.0.weight". */
static void
for_each_parameter (HybBlock *block, const char *path, ParameterFunc function, gpointer data)
{
  for (guint i = 0; i < block->priv->parameters->len; i++)
    {
      HybParameter    *parameter = g_ptr_array_index (block->priv->parameters, i);
      g_autofree char *name = g_strconcat (path, local_name (block, parameter), NULL);

      function (name, parameter, data);
    }
  for (guint i = 0; i < block->priv->children->len; i++)
    {
      g_autofree char *below =
          g_strdup_printf ("%s%s.", path, (char *) g_ptr_array_index (block->priv->child_names, i));

      for_each_parameter (g_ptr_array_index (block->priv->children, i), below, function, data);
    }
}

typedef struct
{
  HybTensorList *list;
  const char    *file;
  GError        *error;
} Transfer;

static void
save_one (const char *path, HybParameter *parameter, gpointer data)
{
  Transfer  *transfer = data;
  HybTensor *tensor;

  if (transfer->error)
    return;
  tensor = hyb_parameter_get_data (parameter, &transfer->error);
  if (tensor)
    hyb_tensor_list_set (transfer->list, path, tensor);
}

gboolean
hyb_block_save_parameters (HybBlock *block, const char *file, GError **error)
{
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  Transfer transfer = { .list = list };

  g_return_val_if_fail (block, FALSE);
  for_each_parameter (block, "", save_one, &transfer);
  if (transfer.error)
    {
      g_propagate_error (error, transfer.error);
      return FALSE;
    }
  return hyb_weights_write_file (list, file, error);
}

/* The array of a parameter: under its full name, with or without the prefix of an export ("arg:",
 * "aux:"), or under its structural name. */
static HybTensor *
find_array (HybTensorList *list, const char *path, const char *full)
{
  const char *const forms[] = { "", "arg:", "aux:" };

  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      g_autofree char *name = g_strconcat (forms[i], full, NULL);
      HybTensor       *tensor = hyb_tensor_list_find (list, name);

      if (tensor)
        return tensor;
    }
  return hyb_tensor_list_find (list, path);
}

static void
load_one (const char *path, HybParameter *parameter, gpointer data)
{
  Transfer  *transfer = data;
  HybTensor *tensor = find_array (transfer->list, path, parameter->name);

  if (transfer->error)
    return;
  if (!tensor)
    hyb_error_at (&transfer->error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MISMATCH, transfer->file,
                  "Its prefix or structure may differ: compare with `hscope weights`",
                  "there is no array “%s” or “%s”", path, parameter->name);
  else if (!hyb_parameter_set_data (parameter, tensor, &transfer->error))
    g_prefix_error (&transfer->error, "%s: ", transfer->file);
}

gboolean
hyb_block_load_parameters (HybBlock *block, const char *file, GError **error)
{
  g_return_val_if_fail (block && file, FALSE);

  g_autoptr (HybTensorList) list = hyb_weights_read_file (file, NULL, error);
  Transfer transfer = { .list = list, .file = file };

  if (!list)
    return FALSE;
  for_each_parameter (block, "", load_one, &transfer);
  if (!transfer.error)
    return TRUE;
  g_propagate_error (error, transfer.error);
  return FALSE;
}

/* --- SymbolBlock --- */

typedef struct
{
  HybBlock   parent;
  HybGraph  *graph;
  GPtrArray *inputs; /* of char *: names of the variables that calls supply */
} SymbolBlock;

static HybValue *
symbol_forward (HybF *F, HybBlock *block, HybValue *input)
{
  SymbolBlock *self = (SymbolBlock *) block;
  g_autoptr (GPtrArray) given = g_ptr_array_new ();
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  const HybNodeId *variables;
  guint            n, index;

  hyb_flatten_into (input, given);
  if (given->len != self->inputs->len)
    {
      hyb_f_fail (F, "%u inputs were given where the graph has %u", given->len, self->inputs->len);
      return hyb_list (F, 0, NULL);
    }
  variables = hyb_graph_get_variables (self->graph, &n);
  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (self->graph, variables[i])->name;

      if (g_ptr_array_find_with_equal_func (self->inputs, name, g_str_equal, &index))
        g_ptr_array_add (values, g_ptr_array_index (given, index));
      else
        g_ptr_array_add (values, hyb_use (F, hyb_parameters_find (block->priv->parameters, name)));
    }
  return hyb_f_graph (F, self->graph, n, (HybValue *const *) values->pdata);
}

static void
symbol_finish (HybBlock *block)
{
  SymbolBlock *self = (SymbolBlock *) block;

  hyb_graph_unref (self->graph);
  g_ptr_array_unref (self->inputs);
}

static const HybBlockClass symbol_class = {
  .name = "SymbolBlock",
  .size = sizeof (SymbolBlock),
  .forward = symbol_forward,
  .finish = symbol_finish,
};

static gboolean
check_inputs (HybGraph *graph, const char *const *names, GError **error)
{
  for (guint i = 0; names[i] != NULL; i++)
    if (hyb_graph_find_variable (graph, names[i]) == HYB_NO_ID)
      return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING, NULL,
                           "List variables that are not parameters; `hscope info` shows them",
                           "the graph has no input “%s”", names[i]);
  return TRUE;
}

HybBlock *
hyb_symbol_block_new (HybModel *model, const char *const *input_names, GError **error)
{
  g_return_val_if_fail (model && input_names, NULL);

  HybGraph *graph = hyb_model_get_graph (model);
  g_autoptr (HybBlock) block = NULL;
  SymbolBlock     *self;
  const HybNodeId *variables;
  guint            n;

  if (!graph)
    {
      hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING, hyb_model_get_file (model),
                    NULL, "the model has no graph");
      return NULL;
    }
  if (!check_inputs (graph, input_names, error))
    return NULL;
  block = hyb_block_new (&symbol_class, "");
  self = (SymbolBlock *) block;
  self->graph = hyb_graph_ref (graph);
  self->inputs = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; input_names[i] != NULL; i++)
    g_ptr_array_add (self->inputs, g_strdup (input_names[i]));

  variables = hyb_graph_get_variables (graph, &n);
  for (guint i = 0; i < n; i++)
    {
      const char      *name = hyb_graph_get_node (graph, variables[i])->name;
      HybTensor       *tensor = hyb_model_get_parameter (model, name);
      HybParameterSpec spec = { .name = name,
                                .shape = HYB_SHAPE_UNKNOWN,
                                .allow_deferred = TRUE,
                                .is_auxiliary = hyb_graph_is_auxiliary (graph, variables[i]) };
      HybParameter    *parameter;

      if (g_strv_contains (input_names, name))
        continue;
      if (!tensor)
        {
          hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MISMATCH,
                        hyb_model_get_weights_file (model),
                        "If it is data or a state, list it among the inputs",
                        "there is no array for “%s”", name);
          return NULL;
        }
      parameter = hyb_block_add_parameter (block, &spec);
      if (!hyb_parameter_set_data (parameter, tensor, error))
        return NULL;
    }
  return g_steal_pointer (&block);
}

/* --- Summary --- */

typedef struct
{
  GString *text;
  gint64   total;
} Summary;

/* The number of elements in the block's own parameters, as far as their shapes are known. */
static gint64
count_elements (HybBlock *block)
{
  gint64 size = 0;

  for (guint i = 0; i < block->priv->parameters->len; i++)
    {
      HybParameter *parameter = g_ptr_array_index (block->priv->parameters, i);

      if (hyb_shape_is_known (&parameter->shape))
        size += hyb_shape_size (&parameter->shape);
    }
  return size;
}

/* Appends a line for the block and for each block below it. */
static void
summarise (Summary *summary, HybBlock *block, guint depth)
{
  gint64           size = count_elements (block);
  g_autofree char *shape =
      block->priv->last_output ? g_strdup (block->priv->last_output) : g_strdup ("not run");

  summary->total += size;
  g_string_append_printf (summary->text, "%*s%-*s %-24s %12" G_GINT64_FORMAT "\n", (int) depth * 2,
                          "", MAX (40 - (int) depth * 2, 8), hyb_block_get_name (block), shape,
                          size);
  for (guint i = 0; i < block->priv->children->len; i++)
    summarise (summary, g_ptr_array_index (block->priv->children, i), depth + 1);
}

char *
hyb_block_summary (HybBlock *block, HybF *F, HybValue *input)
{
  g_return_val_if_fail (block && F, NULL);

  Summary  summary = { .text = g_string_new (NULL) };
  gboolean active = block->priv->is_active;

  /* A cached graph would not call the layers, and their outputs would not be known. */
  block->priv->is_active = FALSE;
  hyb_call (F, block, input);
  block->priv->is_active = active;
  g_string_append_printf (summary.text, "%-40s %-24s %12s\n", "layer", "output", "parameters");
  summarise (&summary, block, 0);
  g_string_append_printf (summary.text, "%-40s %-24s %12" G_GINT64_FORMAT "\n", "total", "",
                          summary.total);
  return g_string_free (summary.text, FALSE);
}
