/* complete-model.c — guesses shapes and fills parameters of a model.
 *
 * Start at scope_complete_model().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/complete-model.h"

#include "app/command/frame/generate.h"
#include "app/command/frame/messages.h"
#include "app/command/frame/open-model.h"

#include "engine/analysis/infer-types.h"
#include "engine/graph/reach.h"
#include "engine/open/guess-inputs.h"

#include <string.h>

/* The model, and the types that are inferred from its parameters, the given arrays and --shape. */
typedef struct
{
  HybModel                     *model;
  HybGraph                     *graph;
  const ScopeCompletionOptions *options;
  HybType                      *types;
  guint8                       *needed;
} Open;

/* FALSE without an error if the types contradict each other, which the command reports. */
static gboolean
infer (Open *open, const ScopeCommonOptions *common, GError **error)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (open->graph, &n);

  if (!scope_fill_types (common, open->model, open->types, error))
    return FALSE;
  for (guint i = 0; open->options->given && i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (open->graph, variables[i]);
      HybTensor     *tensor = hyb_tensor_list_find (open->options->given, node->name);

      if (tensor)
        open->types[node->first_output] = *hyb_tensor_get_type (tensor);
    }
  return hyb_infer_types (open->graph, open->types, NULL, common->train, NULL);
}

static void
guess (Open *open, ScopeCompletion *completion)
{
  g_autoptr (GStrvBuilder) shapes = g_strv_builder_new ();
  gboolean names_options = !scope_messages_are_events ();

  completion->guesses =
      hyb_model_guess_inputs (open->model, open->types, open->needed, completion->common.train,
                              &(HybGuessHints){ hyb_model_get_file (open->model),
                                                open->options->batch, open->options->length });
  if (completion->guesses->len == 0)
    return;
  for (guint i = 0; completion->common.shapes && completion->common.shapes[i]; i++)
    g_strv_builder_add (shapes, completion->common.shapes[i]);
  for (guint i = 0; i < completion->guesses->len; i++)
    {
      const HybShapeGuess *found = completion->guesses->pdata[i];
      const char          *name = hyb_graph_get_node (open->graph, found->variable)->name;
      g_autofree char     *text = hyb_shape_join (&found->shape, ",");
      g_autofree char     *option = g_strdup_printf ("%s=%s", name, text);

      g_strv_builder_add (shapes, option);
      scope_print_message (HYB_SEVERITY_NOTE, "%s: %s (guessed: %s%s%s%s)", name, text,
                           found->reason, names_options ? "; --shape " : "",
                           names_options ? name : "", names_options ? "=… to change" : "");
    }
  g_strfreev (completion->common.shapes);
  completion->common.shapes = g_strv_builder_end (shapes);
}

/* The types that follow from the parameters of a model and --shape; NULL if they contradict each other.
 * (transfer full) */
static HybType *
infer_known (const ScopeCommonOptions *common, HybModel *model)
{
  HybGraph           *graph = hyb_model_get_graph (model);
  gsize               n_values = hyb_graph_n_values (graph);
  g_autofree HybType *types = g_new (HybType, MAX (n_values, 1));
  Open                open = { model, graph, &(ScopeCompletionOptions){ 0 }, types, NULL };

  for (gsize i = 0; i < n_values; i++)
    types[i] = HYB_TYPE_UNKNOWN;
  return infer (&open, common, NULL) ? g_steal_pointer (&types) : NULL;
}

gboolean
scope_guesses_fit (const ScopeCommonOptions *common, HybModel *first, HybModel *second)
{
  HybGraph           *graph = hyb_model_get_graph (first), *other = hyb_model_get_graph (second);
  g_autofree HybType *types = infer_known (common, first), *others = infer_known (common, second);
  g_autofree guint8  *needed = hyb_graph_find_needed (graph, NULL);
  HybGuessHints       hints = { .file = hyb_model_get_file (first) };
  g_autoptr (GPtrArray) guesses = NULL;

  if (!types || !others)
    return FALSE;
  guesses = hyb_model_guess_inputs (first, types, needed, common->train, &hints);
  for (guint i = 0; i < guesses->len; i++)
    {
      const HybShapeGuess *found = guesses->pdata[i];
      const char          *name = hyb_graph_get_node (graph, found->variable)->name;
      HybNodeId            id = hyb_graph_find_variable (other, name);

      if (id != HYB_NO_ID)
        others[hyb_graph_get_node (other, id)->first_output].shape = found->shape;
    }
  return hyb_infer_types (other, others, NULL, common->train, NULL);
}

/* Adds random values for parameters without one. */
static gboolean
fill (Open *open, ScopeCompletion *completion, GError **error)
{
  static char        uniform[] = "uniform";
  ScopeCommonOptions common = completion->common;
  gsize              total = 0;
  guint              n;
  const HybNodeId   *variables = hyb_graph_get_variables (open->graph, &n);

  if (!common.init)
    common.init = uniform;
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (open->graph, variables[i]);
      HybRole        role = hyb_graph_get_role (open->graph, variables[i], FALSE);
      HybType        type = open->types[node->first_output];
      g_autoptr (HybTensor) tensor = NULL;

      if (!open->needed[variables[i]] || role != HYB_ROLE_PARAMETER ||
          !hyb_shape_is_known (&type.shape) || hyb_model_get_parameter (open->model, node->name) ||
          (open->options->given && hyb_tensor_list_has (open->options->given, node->name)))
        continue;
      if (type.dtype == HYB_DTYPE_UNKNOWN)
        type.dtype = HYB_F32;
      tensor = scope_allocate_value (node->name, &type, &total, error);
      if (!tensor)
        return FALSE;
      scope_generate_value (&common, node->name, role, tensor);
      hyb_model_set_parameter (open->model, node->name, tensor);
      completion->n_filled++;
    }
  if (completion->n_filled > 0)
    scope_print_message (HYB_SEVERITY_WARNING,
                         "%u %s filled with random ones (seed %" G_GINT64_FORMAT
                         "): times are real, numbers mean nothing",
                         completion->n_filled,
                         completion->n_filled == 1 ? "parameter has no values and is"
                                                   : "parameters have no values and are",
                         common.seed);
  return TRUE;
}

gboolean
scope_complete_model (ScopeCompletion              *completion,
                      const ScopeCommonOptions     *common,
                      HybModel                     *model,
                      const ScopeCompletionOptions *options,
                      GError                      **error)
{
  HybGraph           *graph = hyb_model_get_graph (model);
  gsize               n_values = hyb_graph_n_values (graph);
  g_autofree HybType *types = g_new (HybType, MAX (n_values, 1));
  g_autofree guint8  *needed = hyb_graph_find_needed (graph, NULL);
  Open                open = { model, graph, options, types, needed };
  GError             *local_error = NULL;

  *completion = (ScopeCompletion){ .common = *common };
  completion->common.shapes = g_strdupv (common->shapes);
  for (gsize i = 0; i < n_values; i++)
    types[i] = HYB_TYPE_UNKNOWN;
  if (!infer (&open, common, &local_error))
    {
      if (local_error)
        g_propagate_error (error, local_error);
      return !local_error;
    }
  /* Files of other formats name their open dimensions: only a run needs sizes. */
  if (!common->no_guess && (options->fills || !hyb_graph_get_dialect (graph)))
    guess (&open, completion);
  if (options->fills && !fill (&open, completion, error))
    return FALSE;
  /* Another command filled them, as a conversion does. */
  if (common->random_values && completion->n_filled == 0)
    completion->n_filled = hyb_model_n_parameters (model);
  return TRUE;
}

/* Adds zeros in the shapes that a gallery model is usually run with. */
static gboolean
add_usual_inputs (HybModel *model, HybTensorList *list, GError **error)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (hyb_model_get_graph (model), &n);

  for (guint i = 0; i < n; i++)
    {
      const char    *name = hyb_graph_get_node (hyb_model_get_graph (model), variables[i])->name;
      const HybType *usual = hyb_model_get_input_type (model, name);
      g_autoptr (HybTensor) zeros = NULL;

      if (!usual || !hyb_type_is_known (usual))
        continue;
      zeros = hyb_tensor_new_zeros (usual, error);
      if (!zeros)
        return FALSE;
      hyb_tensor_list_set (list, name, zeros);
    }
  return TRUE;
}

/* The element type that the graph declares for an input; float32 if it declares none. */
static HybDType
declared_dtype (HybModel *model, const char *name)
{
  HybGraph   *graph = hyb_model_get_graph (model);
  HybNodeId   id = hyb_graph_find_variable (graph, name);
  const char *text =
      id == HYB_NO_ID ? NULL : hyb_node_get_attribute (hyb_graph_get_node (graph, id), "__dtype__");
  HybDType dtype = text ? hyb_dtype_from_name (text) : HYB_DTYPE_UNKNOWN;

  return dtype == HYB_DTYPE_UNKNOWN ? HYB_F32 : dtype;
}

/* Zeros for all inputs of a file that declares shapes, whose dimensions --dim, --shape or the file fix. */
static gboolean
add_declared_inputs (const ScopeCommonOptions *common,
                     HybModel                 *model,
                     HybTensorList            *list,
                     GError                  **error)
{
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = hyb_model_new_types (model);
  guint               n;
  const HybNodeId    *variables = hyb_graph_get_variables (graph, &n);

  if (!hyb_graph_get_dialect (graph))
    return TRUE;
  if (!scope_fill_types (common, model, types, error))
    return FALSE;
  hyb_infer_types (graph, types, NULL, FALSE, NULL);
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      const HybType *type = &types[node->first_output];
      g_autoptr (HybTensor) zeros = NULL;

      if (hyb_model_get_parameter (model, node->name) || !hyb_type_is_known (type) ||
          hyb_tensor_list_has (list, node->name))
        continue;
      zeros = hyb_tensor_new_zeros (type, error);
      if (!zeros)
        return FALSE;
      hyb_tensor_list_set (list, node->name, zeros);
    }
  return TRUE;
}

HybTensorList *
scope_shaped_inputs (const ScopeCommonOptions *common,
                     HybModel                 *model,
                     HybTensorList            *given,
                     GError                  **error)
{
  g_autoptr (HybTensorList) list = given ? hyb_tensor_list_ref (given) : hyb_tensor_list_new ();

  if (!given && !common->shapes && !add_usual_inputs (model, list, error))
    return NULL;
  if (!add_declared_inputs (common, model, list, error))
    return NULL;
  for (guint i = 0; common->shapes && common->shapes[i]; i++)
    {
      HybType          type = { .dtype = HYB_DTYPE_UNKNOWN };
      g_autofree char *name = NULL;
      g_autoptr (HybTensor) zeros = NULL;

      if (!scope_parse_shape (common->shapes[i], &name, &type.shape, error))
        return NULL;
      if (!hyb_shape_is_known (&type.shape) || hyb_tensor_list_has (list, name))
        continue;
      type.dtype = declared_dtype (model, name);
      zeros = hyb_tensor_new_zeros (&type, error);
      if (!zeros)
        return NULL;
      hyb_tensor_list_set (list, name, zeros);
    }
  return g_steal_pointer (&list);
}

void
scope_completion_clear (ScopeCompletion *completion)
{
  g_clear_pointer (&completion->guesses, g_ptr_array_unref);
  g_clear_pointer (&completion->common.shapes, g_strfreev);
}

void
scope_describe_completion (ScopeJson *json, HybModel *model, const ScopeCompletion *completion)
{
  scope_json_begin_list (json, "guessed");
  for (guint i = 0; completion->guesses && i < completion->guesses->len; i++)
    {
      const HybShapeGuess *found = completion->guesses->pdata[i];

      scope_json_begin_object (json, NULL);
      scope_json_string (json, "name",
                         hyb_graph_get_node (hyb_model_get_graph (model), found->variable)->name);
      scope_json_shape (json, "shape", &found->shape);
      scope_json_string (json, "reason", found->reason);
      scope_json_end (json);
    }
  scope_json_end (json);
  scope_json_int (json, "filled", completion->n_filled);
}
