/* float-model.c — writes a quantised model with float operators.  Start at hyb_float_model().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/quantised/float-model.h"

#include "engine/base/error.h"
#include "engine/exec/executor.h"
#include "engine/graph/builder.h"
#include "engine/variants/proof/trial.h"

#include <math.h>
#include <string.h>

/* Prefixes and suffixes that MXNet's quantisation adds to names. */
#define NODE_PREFIX      "quantized_"
#define PARAMETER_SUFFIX "_quantize"
/* MXNet quantises parameters to this many levels on each side of 0. */
#define PARAMETER_LEVELS 127.0

typedef struct
{
  HybModel       *from, *to;
  HybGraph       *graph;
  HybBuilder     *builder;
  HybValueId     *map; /* by value of graph; HYB_NO_ID: no float value */
  HybFloatReport *report;
} Writer;

static gboolean
refuse (const HybNode *node, const char *hint, GError **error, const char *what)
{
  return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, node->name, hint,
                       "“%s” (%s) %s", node->name, node->type, what);
}

/* --- Parameters --- */

static double
limit_of (HybModel *model, const char *name, const char *suffix)
{
  g_autofree char *limit = g_strconcat (name, suffix, NULL);
  HybTensor       *tensor = hyb_model_get_parameter (model, limit);

  return tensor && hyb_tensor_get_size (tensor) == 1 ? fabs (hyb_tensor_get_value (tensor, 0))
                                                     : NAN;
}

/* An int8 parameter as floats, or NULL and an error.  (transfer full) */
static HybTensor *
dequantise (Writer *writer, const HybNode *node, HybTensor *levels, GError **error)
{
  HybType    type = { *hyb_tensor_get_shape (levels), HYB_F32 };
  double     low = limit_of (writer->from, node->name, "_min");
  double     high = limit_of (writer->from, node->name, "_max");
  double     step = fmax (low, high) / PARAMETER_LEVELS;
  HybTensor *tensor;

  if (isnan (low) || isnan (high))
    {
      refuse (node, "Give the parameter file that belongs to the graph", error,
              "is int8, and its range (…_min and …_max) is not among the parameters");
      return NULL;
    }
  tensor = hyb_tensor_new (&type, error);
  for (gint64 i = 0; tensor && i < hyb_tensor_get_size (tensor); i++)
    ((float *) hyb_tensor_get_data (tensor))[i] = (float) (hyb_tensor_get_value (levels, i) * step);
  return tensor;
}

/* The name without the suffix from quantisation, unless another variable has it. */
static char *
plain_name (const Writer *writer, const char *name)
{
  g_autofree char *plain = g_str_has_suffix (name, PARAMETER_SUFFIX)
                               ? g_strndup (name, strlen (name) - strlen (PARAMETER_SUFFIX))
                               : g_strdup (name);

  return hyb_graph_find_variable (writer->graph, plain) == HYB_NO_ID ? g_steal_pointer (&plain)
                                                                     : g_strdup (name);
}

/* Adds the variable that a value is, with its parameter. */
static gboolean
add_variable (Writer *writer, HybValueId value, const HybNode *node, GError **error)
{
  HybTensor       *tensor = hyb_model_get_parameter (writer->from, node->name);
  gboolean         is_quantised = tensor && hyb_tensor_get_dtype (tensor) == HYB_I8;
  g_autofree char *name = is_quantised ? plain_name (writer, node->name) : g_strdup (node->name);
  g_autoptr (HybTensor) floats = NULL;

  if (tensor)
    floats = is_quantised ? dequantise (writer, node, tensor, error) : hyb_tensor_ref (tensor);
  if (tensor && !floats)
    return FALSE;
  if (floats)
    hyb_model_set_parameter (writer->to, name, floats);
  writer->report->n_parameters += is_quantised;
  writer->map[value] =
      hyb_builder_add_variable (writer->builder, name, is_quantised ? NULL : node->attributes);
  return TRUE;
}

/* --- Nodes --- */

/* The float values of the first n inputs of a node. */
static gboolean
find_inputs (Writer *writer, HybNodeId id, guint n, HybValueId *to, GError **error)
{
  const HybNode    *node = hyb_graph_get_node (writer->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (writer->graph, id);

  for (guint i = 0; i < n; i++)
    {
      const HybNode *producer =
          hyb_graph_get_node (writer->graph, hyb_graph_get_producer (writer->graph, inputs[i]));

      if (writer->map[inputs[i]] == HYB_NO_ID && hyb_node_is_variable (producer) &&
          !add_variable (writer, inputs[i], producer, error))
        return FALSE;
      if (writer->map[inputs[i]] == HYB_NO_ID)
        return refuse (node, "Convert the model before it is changed by hand", error,
                       "reads the range of a quantised value, which a float model does not have");
      to[i] = writer->map[inputs[i]];
    }
  return TRUE;
}

/* The attributes that an operator has, without calibrated ranges.  (transfer container) */
static const char **
keep_attributes (const HybNode *node, const HybOp *op)
{
  GPtrArray *kept = g_ptr_array_new ();

  for (guint i = 0; node->attributes && node->attributes[i]; i += 2)
    if (hyb_params_find (op->params, node->attributes[i]) &&
        !g_str_has_suffix (node->attributes[i], "_calib_range"))
      {
        g_ptr_array_add (kept, (gpointer) node->attributes[i]);
        g_ptr_array_add (kept, (gpointer) node->attributes[i + 1]);
      }
  g_ptr_array_add (kept, NULL);
  return (const char **) g_ptr_array_free (kept, FALSE);
}

static const char *
strip_prefix (const char *name)
{
  return g_str_has_prefix (name, NODE_PREFIX) ? name + strlen (NODE_PREFIX) : name;
}

/* Adds the float form of a quantised operator. */
static gboolean
add_float_form (Writer *writer, HybNodeId id, const HybOp *form, GError **error)
{
  const HybNode          *node = hyb_graph_get_node (writer->graph, id);
  g_autofree const char **attributes = keep_attributes (node, form);
  g_autofree HybValueId  *inputs = NULL;
  guint                   n_inputs, n_outputs;
  HybNodeId               added;

  /* The parameters are those of the float form, or that has none. */
  hyb_op_arity (form, node->params, &n_inputs, &n_outputs);
  inputs = g_new (HybValueId, n_inputs + 1);
  if (!find_inputs (writer, id, n_inputs, inputs, error))
    return FALSE;
  added = hyb_builder_add (writer->builder,
                           &(HybNodeSpec){ .op = form,
                                           .name = strip_prefix (node->name),
                                           .attributes = attributes,
                                           .n_inputs = n_inputs,
                                           .inputs = inputs },
                           error);
  if (added == HYB_NO_ID)
    return FALSE;
  writer->map[node->first_output] = hyb_builder_output (writer->builder, added, 0);
  writer->report->n_layers++;
  return TRUE;
}

/* Puts the nodes of a body in place of a fused layer. */
static gboolean
add_body (Writer *writer, HybNodeId id, GError **error)
{
  const HybNode         *node = hyb_graph_get_node (writer->graph, id);
  HybGraph              *body = hyb_graph_get_bodies (writer->graph, id)[0];
  guint                  n_variables, n_heads, n = 0;
  const HybValueId      *heads = hyb_graph_get_heads (body, &n_heads);
  g_autofree HybValueId *inputs = NULL, *map = g_new (HybValueId, hyb_graph_n_values (body) + 1);

  hyb_graph_get_variables (body, &n_variables);
  inputs = g_new (HybValueId, n_variables + 1);
  if (!find_inputs (writer, id, n_variables, inputs, error))
    return FALSE;
  for (HybNodeId i = 0; i < hyb_graph_n_nodes (body); i++)
    {
      const HybNode         *inner = hyb_graph_get_node (body, i);
      const HybValueId      *values = hyb_graph_get_inputs (body, i);
      g_autofree HybValueId *read = g_new (HybValueId, inner->n_inputs + 1);
      HybValueId             first;

      if (hyb_node_is_variable (inner))
        {
          map[inner->first_output] = inputs[n++];
          continue;
        }
      for (guint k = 0; k < inner->n_inputs; k++)
        read[k] = map[values[k]];
      first = hyb_builder_copy (writer->builder, body, i, read);
      for (guint k = 0; k < inner->n_outputs; k++)
        map[inner->first_output + k] = first + k;
    }
  writer->map[node->first_output] = map[heads[0]];
  writer->report->n_layers++;
  return TRUE;
}

/* quantize, dequantize and requantize pass their input on. */
static gboolean
pass_on (Writer *writer, HybNodeId id, GError **error)
{
  const HybNode *node = hyb_graph_get_node (writer->graph, id);
  HybValueId     input = HYB_NO_ID;

  if (!find_inputs (writer, id, 1, &input, error))
    return FALSE;
  writer->map[node->first_output] = input;
  writer->report->n_dropped++;
  return TRUE;
}

static gboolean
copy_node (Writer *writer, HybNodeId id, GError **error)
{
  const HybNode         *node = hyb_graph_get_node (writer->graph, id);
  g_autofree HybValueId *inputs = g_new (HybValueId, node->n_inputs + 1);
  HybValueId             first;

  if (!find_inputs (writer, id, node->n_inputs, inputs, error))
    return FALSE;
  first = hyb_builder_copy (writer->builder, writer->graph, id, inputs);
  for (guint i = 0; i < node->n_outputs; i++)
    writer->map[node->first_output + i] = first + i;
  return TRUE;
}

static gboolean
add_node (Writer *writer, HybNodeId id, GError **error)
{
  const HybNode *node = hyb_graph_get_node (writer->graph, id);
  const HybOp   *form = node->op->float_form ? hyb_op_find (node->op->float_form) : NULL;

  if (hyb_node_is_variable (node))
    return TRUE;
  if (form && form == hyb_op_find ("_copy"))
    return pass_on (writer, id, error);
  if (form)
    return add_float_form (writer, id, form, error);
  if (node->n_bodies == 1 && node->op->body_arity)
    return add_body (writer, id, error);
  return copy_node (writer, id, error);
}

static gboolean
add_all (Writer *writer, GError **error)
{
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (writer->graph, &n_heads);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (writer->graph); id++)
    if (!add_node (writer, id, error))
      return FALSE;
  if (writer->report->n_layers + writer->report->n_dropped == 0)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, NULL, NULL,
                         "the model has no quantised or fused layers: it is a float model already");
  for (guint i = 0; i < n_heads; i++)
    {
      HybNodeId producer = hyb_graph_get_producer (writer->graph, heads[i]);

      if (writer->map[heads[i]] == HYB_NO_ID)
        return refuse (hyb_graph_get_node (writer->graph, producer), NULL, error,
                       "returns a range as an output of the model, which a float model does not "
                       "have");
      hyb_builder_add_head (writer->builder, writer->map[heads[i]]);
    }
  return TRUE;
}

HybModel *
hyb_float_model (HybModel *model, HybFloatReport *report, GError **error)
{
  HybGraph              *graph = hyb_model_get_graph (model);
  g_autofree HybValueId *map = g_new (HybValueId, MAX (hyb_graph_n_values (graph), 1));
  g_autoptr (HybModel) to = hyb_model_new ();
  g_autoptr (HybGraph) result = NULL;
  Writer writer = { model, to, graph, hyb_builder_new (), map, report };

  *report = (HybFloatReport){ 0 };
  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    map[i] = HYB_NO_ID;
  hyb_builder_set_legacy_shapes (writer.builder, hyb_graph_has_legacy_shapes (graph));
  if (!add_all (&writer, error))
    {
      hyb_builder_free (writer.builder);
      return NULL;
    }
  result = hyb_builder_freeze (writer.builder);
  hyb_model_set_graph (to, result);
  hyb_model_set_format (to, "mxnet-symbol");
  return g_steal_pointer (&to);
}

/* --- Comparing --- */

/* The outputs of a model for inputs that are complete.  (transfer full) */
static HybTensorList *
run_model (HybModel *model, HybTensorList *values, GError **error)
{
  HybExecutorOptions options = { .mode = HYB_MODE_HYBRID };
  HybGraph          *graph = hyb_model_get_graph (model);
  g_autoptr (HybExecutor) executor = hyb_executor_new (graph, &options);
  g_auto (GStrv) names = hyb_graph_dup_output_names (graph);
  HybTensorList   *outputs;
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, variables[i])->name;
      HybTensor  *tensor = hyb_model_get_parameter (model, name);

      if (!tensor)
        tensor = hyb_tensor_list_find (values, name);
      if (tensor && !hyb_executor_bind (executor, name, tensor, error))
        return NULL;
    }
  if (!hyb_executor_run (executor, NULL, error))
    return NULL;
  outputs = hyb_tensor_list_new ();
  for (guint i = 0; i < hyb_executor_n_outputs (executor); i++)
    hyb_tensor_list_set (outputs, names[i], hyb_executor_get_output (executor, i));
  return outputs;
}

static gboolean
measure (HybFloatDistance *distance, HybTensor *a, HybTensor *b, const char *name, GError **error)
{
  if (!hyb_shape_equal (hyb_tensor_get_shape (a), hyb_tensor_get_shape (b)))
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, name, NULL,
                         "output “%s” has another shape in the float model", name);
  for (gint64 i = 0; i < hyb_tensor_get_size (a); i++)
    {
      double x = hyb_tensor_get_value (a, i);
      double difference = fabs (x - hyb_tensor_get_value (b, i));

      distance->largest = fmax (distance->largest, fabs (x));
      if (!(difference <= distance->max_abs))
        {
          distance->max_abs = difference;
          g_free (distance->output);
          distance->output = g_strdup (name);
        }
    }
  return TRUE;
}

gboolean
hyb_float_distance (HybModel         *quantised,
                    HybModel         *floats,
                    HybTensorList    *input,
                    HybFloatDistance *distance,
                    GError          **error)
{
  g_autoptr (HybTensorList) values = hyb_trial_complete (quantised, NULL, input, 1, error);
  g_autoptr (HybTensorList) a = values ? run_model (quantised, values, error) : NULL;
  g_autoptr (HybTensorList) b = a ? run_model (floats, values, error) : NULL;

  *distance = (HybFloatDistance){ 0 };
  /* Outputs are compared in their order: a removed conversion changes their names. */
  for (guint i = 0; b && i < hyb_tensor_list_n (a); i++)
    if (!measure (distance, hyb_tensor_list_get (a, i)->tensor, hyb_tensor_list_get (b, i)->tensor,
                  hyb_tensor_list_get (a, i)->name, error))
      {
        g_clear_pointer (&distance->output, g_free);
        return FALSE;
      }
  return b != NULL;
}
