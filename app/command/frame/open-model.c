/* open-model.c — opens the model that a command line names, and its input types.
 *
 * Start at scope_open_model().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/open-model.h"

#include "app/adapt/file-kind.h"
#include "app/command/frame/crash.h"
#include "app/command/frame/messages.h"
#include "engine/analysis/declared-types.h"
#include "engine/analysis/same-inputs.h"
#include "engine/base/error.h"
#include "engine/base/one-line.h"
#include "engine/block/plugin.h"
#include "engine/formats/file.h"
#include "engine/formats/format.h"
#include "engine/formats/mxnet-symbol.h"
#include "engine/op/suggest.h"
#include "engine/open/open-private.h"

#include <stdio.h>

/* --- Opening --- */

/* Sets the parameter file that was named, or NULL.  FALSE and a usage error if two are named, or a file and an
 * epoch: one of them would be ignored. */
static gboolean
choose_params (const ScopeCommonOptions *common, char **files, const char **params, GError **error)
{
  *params = common->params ? common->params : files[1];
  if (common->params && files[1])
    scope_usage_error (error, "two parameter files are named, %s and %s (--params): name one",
                       files[1], common->params);
  else if (*params && common->epoch != HYB_EPOCH_HIGHEST)
    scope_usage_error (error,
                       "--epoch %" G_GINT64_FORMAT
                       " chooses a file beside the model, but %s is named: leave one of them out",
                       common->epoch, *params);
  else
    return TRUE;
  return FALSE;
}

/* From here on code of the plug-in may run. */
static void
prepare_for_plugin (const char *file)
{
  if (hyb_is_plugin_name (file))
    scope_crash_set_plugin (file);
}

gboolean
scope_is_capture (const char *file)
{
  guint8 head[8];

  return prof_capture_sniff (head, scope_read_head (file, head, sizeof head));
}

gboolean
scope_require_outputs (HybModel *model, GError **error)
{
  guint n_outputs;

  hyb_graph_get_heads (hyb_model_get_graph (model), &n_outputs);
  return n_outputs > 0 ||
         hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE,
                       hyb_model_get_file (model), "Export it with the outputs that are wanted",
                       "the model has no outputs, so there is nothing to compute");
}

ProfCapture *
scope_open_capture (const char *file, GError **error)
{
  ProfCapture *capture = prof_capture_open (file, error);

  if (capture && prof_capture_get_missing (capture))
    scope_print_message (HYB_SEVERITY_WARNING, "%s: %s", file, prof_capture_get_missing (capture));
  return capture;
}

static HybModel *
open_capture (const char *file, GError **error)
{
  g_autoptr (ProfCapture) capture = scope_open_capture (file, error);
  g_autoptr (GBytes) symbol = capture ? prof_capture_dup_symbol (capture, error) : NULL;
  g_autoptr (HybModel) model = hyb_model_new ();

  if (!symbol || !hyb_symbol_read (model, symbol, file, error))
    return NULL;
  hyb_model_set_file (model, file);
  return g_steal_pointer (&model);
}

HybModel *
scope_open_model (const ScopeCommonOptions *common, char **files, GError **error)
{
  HybModel   *model;
  const char *params;

  if (!choose_params (common, files, &params, error))
    return NULL;
  if (scope_is_capture (files[0]))
    return open_capture (files[0], error);
  prepare_for_plugin (files[0]);
  model = hyb_model_open_unmatched (files[0], params, common->epoch, error);

  if (model)
    scope_print_findings (model, HYB_SEVERITY_NOTE);
  return model;
}

HybModel *
scope_open_model_tolerant (const ScopeCommonOptions *common, char **files, GError **error)
{
  const char *params;

  if (!choose_params (common, files, &params, error))
    return NULL;
  if (scope_is_capture (files[0]))
    return open_capture (files[0], error);
  prepare_for_plugin (files[0]);
  return hyb_model_open_tolerant (files[0], params, common->epoch, error);
}

/* --- Types --- */

static gboolean
refuse_variable (HybGraph *graph, const char *name, GError **error)
{
  guint                   n;
  const HybNodeId        *arguments = hyb_graph_get_arguments (graph, &n);
  g_autofree const char **names = g_new (const char *, n + 1);
  const char             *near;

  for (guint i = 0; i < n; i++)
    names[i] = hyb_graph_get_node (graph, arguments[i])->name;
  near = hyb_suggest_name (names, n, name);
  return scope_usage_error (error, "--shape %s: the model has no such variable%s%s%s", name,
                            near ? "; did you mean “" : ". hscope info lists them",
                            near ? near : "", near ? "”?" : "");
}

/* Parameters have the type of their array, inputs the type they usually have. */
static void
fill_known_types (const ScopeCommonOptions *common, HybModel *model, HybType *types)
{
  HybGraph        *graph = hyb_model_get_graph (model);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      HybTensor     *tensor = hyb_model_get_parameter (model, node->name);
      const HybType *usual = hyb_model_get_input_type (model, node->name);

      if (tensor)
        types[node->first_output] = *hyb_tensor_get_type (tensor);
      /* The usual shapes belong together: one --shape may contradict the others. */
      else if (usual && (!common->shapes || !common->shapes[0]))
        types[node->first_output] = *usual;
    }
}

/* The output of an opaque node that has this name; HYB_NO_ID if there is none. */
static HybValueId
find_opaque_output (HybGraph *graph, const char *name)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      for (guint i = 0; node->op->flags & HYB_OP_OPAQUE && i < node->n_outputs; i++)
        {
          g_autofree char *output = hyb_graph_dup_value_name (graph, node->first_output + i);

          if (strcmp (output, name) == 0)
            return node->first_output + i;
        }
    }
  return HYB_NO_ID;
}

/* The value that --shape may give a shape: a variable, or an output of an opaque node. */
static HybValueId
find_shaped_value (HybGraph *graph, const char *name)
{
  HybNodeId id = hyb_graph_find_variable (graph, name);

  return id == HYB_NO_ID ? find_opaque_output (graph, name)
                         : hyb_graph_get_node (graph, id)->first_output;
}

/* Gives named dimensions their sizes.  FALSE and a usage error if no input has a dimension of that name. */
static gboolean
fill_dims (const ScopeCommonOptions *common, HybGraph *graph, HybType *types, GError **error)
{
  if (!common->dims || !common->dims[0])
    return TRUE;
  hyb_declared_types_read (graph, types);
  for (guint i = 0; common->dims[i]; i++)
    {
      g_autofree char *name = NULL;
      gint64           size;

      scope_parse_dim (common->dims[i], &name, &size);
      if (hyb_declared_types_name (graph, types, name, size))
        continue;
      return scope_usage_error (error,
                                "--dim %s: no input of the model has a dimension of that name; "
                                "hscope info lists them",
                                common->dims[i]);
    }
  return TRUE;
}

gboolean
scope_fill_types (const ScopeCommonOptions *common, HybModel *model, HybType *types, GError **error)
{
  HybGraph *graph = hyb_model_get_graph (model);
  HybDType  dtype = HYB_DTYPE_UNKNOWN;

  if (common->dtype && (dtype = hyb_dtype_from_name (common->dtype)) == HYB_DTYPE_UNKNOWN)
    return scope_usage_error (error, "--dtype %s: unknown element type; write it as in float32",
                              common->dtype);

  fill_known_types (common, model, types);
  for (guint i = 0; common->shapes && common->shapes[i]; i++)
    {
      g_autofree char *name = NULL;
      const HybType   *usual;
      HybShape         shape;
      HybValueId       value;

      if (!scope_parse_shape (common->shapes[i], &name, &shape, error))
        return FALSE;
      value = find_shaped_value (graph, name);
      if (value == HYB_NO_ID)
        return refuse_variable (graph, name, error);
      usual = hyb_model_get_input_type (model, name);
      types[value].shape = shape;
      if (types[value].dtype == HYB_DTYPE_UNKNOWN && usual)
        types[value].dtype = usual->dtype;
      if (dtype != HYB_DTYPE_UNKNOWN && !hyb_model_get_parameter (model, name))
        types[value].dtype = dtype;
    }

  return fill_dims (common, graph, types, error);
}

HybModel *
scope_align_inputs (HybModel *model, HybModel *other)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  HybModel *aligned =
      other ? hyb_model_name_inputs_as (model, other, names) : hyb_model_ref (model);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i + 1 < names->len; i += 2)
    g_string_append_printf (text, "%s%s is %s", i > 0 ? ", " : "", hyb_one_line (names->pdata[i]),
                            hyb_one_line (names->pdata[i + 1]));
  if (names->len > 0)
    scope_print_message (HYB_SEVERITY_NOTE, "%s: inputs are matched by their order and types: %s",
                         hyb_model_get_file (model), text->str);
  return aligned;
}
