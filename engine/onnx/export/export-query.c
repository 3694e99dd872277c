/* export-query.c — queries of the node that a rule writes: types, stored values, attributes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/export/export-private.h"

#include "engine/exec/executor.h"
#include "engine/graph/reach.h"
#include "engine/graph/with-heads.h"
#include "engine/ops/array/constant.h"

/* --- The node --- */

gint64
onnx_opset (const OnnxExport *export)
{
  return export->opset;
}

const HybNode *
onnx_node (const OnnxExport *export)
{
  return hyb_graph_get_node (export->graph, export->current);
}

const HybOnnxRule *
onnx_rule (const OnnxExport *export)
{
  return export->rule;
}

static HybValueId
input_id (const OnnxExport *export, guint index)
{
  return hyb_graph_get_inputs (export->graph, export->current)[index];
}

OnnxValue
onnx_input (OnnxExport *export, guint index)
{
  return export->values[input_id (export, index)];
}

HybType
onnx_type_of (const OnnxExport *export, HybValueId value)
{
  HybType        type = export->types[0][value];
  const HybType *other = export->types[1] ? &export->types[1][value] : NULL;

  for (int i = 0; other && i < type.shape.rank; i++)
    if (other->shape.rank != type.shape.rank || other->shape.dim[i] != type.shape.dim[i])
      type.shape.dim[i] = HYB_UNKNOWN;
  return type;
}

HybType
onnx_input_type (const OnnxExport *export, guint index)
{
  return onnx_type_of (export, input_id (export, index));
}

HybType
onnx_output_type (const OnnxExport *export, guint index)
{
  return onnx_type_of (export, onnx_node (export)->first_output + index);
}

/* Whether a dimension of one value has the size of one of another in both choices of sizes. */
static gboolean
are_same_dims (const OnnxExport *export, HybValueId x, guint x_axis, HybValueId y, guint y_axis)
{
  for (guint turn = 0; turn < 2 && export->types[turn]; turn++)
    if (export->types[turn][x].shape.dim[x_axis] != export->types[turn][y].shape.dim[y_axis])
      return FALSE;
  return TRUE;
}

gboolean
onnx_is_same_dim (const OnnxExport *export, guint input, guint axis, guint output_axis)
{
  HybValueId x = input_id (export, input), y = onnx_node (export)->first_output;

  return (int) axis < export->types[0][x].shape.rank &&
         are_same_dims (export, x, axis, y, output_axis);
}

gboolean
onnx_find_dim (const OnnxExport *export,
               guint      output,
               guint      output_axis,
               OnnxValue *of,
               guint     *axis)
{
  const HybNode   *node = onnx_node (export);
  HybValueId       y = node->first_output + output;
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (export->graph, &n);

  for (guint i = 0; i < node->n_inputs + n; i++)
    {
      HybValueId x =
          i < node->n_inputs
              ? input_id (export, i)
              : hyb_graph_get_node (export->graph, variables[i - node->n_inputs])->first_output;

      *of = export->values[x];
      for (*axis = 0; *of != ONNX_NONE && (int) *axis < export->types[0][x].shape.rank; (*axis)++)
        if (are_same_dims (export, x, *axis, y, output_axis))
          return TRUE;
    }
  return FALSE;
}

/* The array stored in the file for an input; NULL if the input is computed or given in each run. */
static HybTensor *
stored (const OnnxExport *export, guint index)
{
  HybNodeId      id = hyb_graph_get_producer (export->graph, input_id (export, index));
  const HybNode *node = hyb_graph_get_node (export->graph, id);

  if (hyb_node_is_variable (node) && !export->outer)
    return hyb_model_get_parameter (export->model, node->name);
  return hyb_constant_get_contents (node->op, node->params);
}

/* Runs the part of the graph that computes a value from parameters; NULL if it reads anything else. */
static HybTensor *
compute (const OnnxExport *export, HybValueId value)
{
  g_autoptr (HybGraph) graph = hyb_graph_with_heads (export->graph, 1, &value);
  g_autoptr (HybExecutor) executor =
      hyb_executor_new (graph, &(HybExecutorOptions){ .mode = HYB_MODE_IMPERATIVE });
  g_autofree guint8 *is_needed = hyb_graph_find_needed (graph, NULL);
  guint              n;
  const HybNodeId   *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, variables[i])->name;
      HybTensor  *tensor = hyb_model_get_parameter (export->model, name);

      if (!tensor && is_needed[variables[i]])
        return NULL;
      if (tensor && !hyb_executor_bind (executor, name, tensor, NULL))
        return NULL;
    }
  if (!hyb_executor_run (executor, NULL, NULL))
    return NULL;
  return hyb_tensor_copy (hyb_executor_get_output (executor, 0));
}

HybTensor *
onnx_dup_contents (const OnnxExport *export, guint index)
{
  HybTensor *tensor = stored (export, index);

  if (tensor || export->outer)
    return tensor ? hyb_tensor_ref (tensor) : NULL;
  return compute (export, input_id (export, index));
}

gboolean
onnx_is_filled (const OnnxExport *export, guint index, double *number)
{
  HybNodeId          id = hyb_graph_get_producer (export->graph, input_id (export, index));
  const HybNode     *node = hyb_graph_get_node (export->graph, id);
  const HybOnnxRule *rule = onnx_rule_find (node->op);

  if (!rule || !rule->is_fill)
    return FALSE;
  *number = hyb_params_get_double (node->op->params, node->params, "value", rule->number);
  return TRUE;
}

gboolean
onnx_is_zero (const OnnxExport *export, guint index)
{
  HybTensor *contents = stored (export, index);
  double     number;

  if (!contents)
    return onnx_is_filled (export, index, &number) && number == 0;
  for (gint64 i = 0; i < hyb_tensor_get_size (contents); i++)
    if (hyb_tensor_get_value (contents, i) != 0)
      return FALSE;
  return TRUE;
}

gboolean
onnx_is_read (const OnnxExport *export, guint index)
{
  HybValueId        value = onnx_node (export)->first_output + index;
  guint             n_users, n_heads;
  const HybValueId *heads = hyb_graph_get_heads (export->graph, &n_heads);

  hyb_graph_get_users (export->graph, value, &n_users);
  for (guint i = 0; i < n_heads; i++)
    n_users += heads[i] == value;
  return n_users > 0;
}

/* --- Attributes --- */

gint64
onnx_param_int (const OnnxExport *export, const char *name, gint64 fallback)
{
  const HybNode *node = onnx_node (export);

  return hyb_params_get_int (node->op->params, node->params, name, fallback);
}

double
onnx_param_double (const OnnxExport *export, const char *name, double fallback)
{
  const HybNode *node = onnx_node (export);

  return hyb_params_get_double (node->op->params, node->params, name, fallback);
}

gboolean
onnx_param_bool (const OnnxExport *export, const char *name)
{
  return onnx_param_int (export, name, FALSE) == TRUE;
}

void
onnx_param_numbers (const OnnxExport *export, const char *name, double numbers[2])
{
  HybGraph *graphs[] = { export->graph, export->other ? export->other : export->graph };

  for (guint turn = 0; turn < 2; turn++)
    {
      const HybNode *node = hyb_graph_get_node (graphs[turn], export->current);

      numbers[turn] = hyb_params_get_double (node->op->params, node->params, name,
                                             (double) hyb_params_get_int (node->op->params,
                                                                          node->params, name, 0));
    }
}

gboolean
onnx_param_varies (const OnnxExport *export, const char *name)
{
  double numbers[2];

  onnx_param_numbers (export, name, numbers);
  return numbers[0] != numbers[1];
}

/* An input of the loop that is written whose first axis has these sizes in both choices: the rows of its steps. */
static OnnxValue
find_rows (const OnnxExport *export, const double sizes[2])
{
  const HybNode *node = hyb_graph_get_node (export->graph, export->current);

  for (guint i = 0; node->n_bodies > 0 && i < node->n_inputs && export->types[1]; i++)
    {
      HybValueId x = input_id (export, i);

      if (export->values[x] != ONNX_NONE && export->types[0][x].shape.rank > 0 &&
          export->types[1][x].shape.rank > 0 &&
          (double) export->types[0][x].shape.dim[0] == sizes[0] &&
          (double) export->types[1][x].shape.dim[0] == sizes[1])
        return export->values[x];
    }
  return ONNX_NONE;
}

OnnxValue
onnx_find_size (const OnnxExport *export, const double sizes[2], guint *axis)
{
  guint            n;
  const HybNodeId *variables;

  for (; export; export = export->outer)
    {
      OnnxValue rows = export->current == HYB_NO_ID ? ONNX_NONE : find_rows (export, sizes);

      *axis = 0;
      if (rows != ONNX_NONE)
        return rows;
      if (!export->outer)
        break;
    }
  variables = hyb_graph_get_variables (export->graph, &n);
  for (guint i = 0; i < n && export->types[1]; i++)
    {
      HybValueId value = hyb_graph_get_node (export->graph, variables[i])->first_output;

      for (*axis = 0; (int) *axis < export->types[0][value].shape.rank; (*axis)++)
        if (export->values[value] != ONNX_NONE &&
            (double) export->types[0][value].shape.dim[*axis] == sizes[0] &&
            (double) export->types[1][value].shape.dim[*axis] == sizes[1])
          return export->values[value];
    }
  return ONNX_NONE;
}

const char *
onnx_param_text (const OnnxExport *export, const char *name)
{
  const HybNode   *node = onnx_node (export);
  const HybParam  *param = node->params ? hyb_params_find (node->op->params, name) : NULL;
  g_autofree char *text = param ? hyb_param_to_string (param, node->params) : NULL;

  return g_intern_string (text ? text : "");
}

const gint64 *
onnx_param_ints (const OnnxExport *export, const char *name, guint *n)
{
  const HybNode  *node = onnx_node (export);
  const HybParam *param = node->params ? hyb_params_find (node->op->params, name) : NULL;
  const HybInts  *ints = hyb_params_get_ints (node->op->params, node->params, name);

  *n = 0;
  if (ints && ints->n >= 0)
    {
      static const gint64 none[1];

      *n = (guint) ints->n;
      return ints->n > 0 ? ints->value : none;
    }
  if (param && param->kind == HYB_PARAM_SHAPE)
    {
      const HybShape *shape =
          (const HybShape *) (gconstpointer) ((const char *) node->params + param->offset);

      *n = shape->rank < 0 ? 0 : (guint) shape->rank;
      return shape->rank < 0 ? NULL : shape->dim;
    }
  return NULL;
}

gint64
onnx_param_axis (OnnxExport *export, const char *name, gint64 fallback, guint index)
{
  gint64 axis = onnx_param_int (export, name, fallback);
  int    rank = onnx_input_type (export, index).shape.rank;

  if (axis < 0)
    axis += rank;
  if (axis < 0 || axis >= rank)
    onnx_fail (export, "its axis %" G_GINT64_FORMAT " is outside of its input", axis);
  return axis;
}
