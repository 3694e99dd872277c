/* export-graph.c — goes through a graph of the engine and its bodies.
 *
 * Nodes are written when their values are requested, so unused nodes are left out.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/export/export-private.h"

#include "engine/analysis/subgraph-types.h"

/* --- Values --- */

void
onnx_set_output (OnnxExport *export, guint index, OnnxValue value)
{
  HybValueId       id = onnx_node (export)->first_output + index;
  g_autofree char *name = hyb_graph_dup_value_name (export->graph, id);
  gboolean         is_new = export->nodes->len > 0;
  OnnxNode        *last = is_new ? export->nodes->pdata[export->nodes->len - 1] : NULL;

  export->values[id] = value;
  if (last && value >= last->first_output && value < last->first_output + last->n_outputs &&
      !g_hash_table_contains (export->shared->is_taken, name))
    onnx_export_rename (export, value, name);
}

void
onnx_export_set_value (OnnxExport *export, HybValueId value, OnnxValue stands_for)
{
  export->values[value] = stands_for;
}

/* A parameter of the model becomes an array of the file.  One without values, such as a label, must not be read in the end. */
static void
write_variable (OnnxExport *export, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (export->graph, id);
  HybTensor     *tensor = hyb_model_get_parameter (export->model, node->name);

  export->current = id;
  if (tensor)
    export->values[node->first_output] = onnx_tensor (export, node->name, hyb_tensor_ref (tensor));
  else
    {
      export->values[node->first_output] = onnx_value_new (export, node->name);
      g_hash_table_insert (export->shared->no_values,
                           GUINT_TO_POINTER (export->values[node->first_output]),
                           (gpointer) node->name);
    }
}

/* Whether the types of all inputs and outputs of a node were inferred; rules need their ranks. */
static gboolean
are_types_known (const OnnxExport *export, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (export->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (export->graph, id);
  gboolean          are_known = TRUE;

  for (guint i = 0; i < node->n_inputs; i++)
    are_known &= export->types[0][inputs[i]].dtype != HYB_DTYPE_UNKNOWN;
  for (guint i = 0; i < node->n_outputs; i++)
    are_known &= export->types[0][node->first_output + i].dtype != HYB_DTYPE_UNKNOWN;
  return are_known;
}

/* The first attribute that the rule writes unchanged although its text differs at other sizes; NULL if no attribute does. */
static const char *
find_varying (const OnnxExport *export, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (export->graph, id);
  const HybNode *other = export->other ? hyb_graph_get_node (export->other, id) : NULL;

  for (guint i = 0; other && node->attributes && node->attributes[i]; i += 2)
    if (!onnx_rule_follows (export->rule, node->attributes[i]) &&
        g_strcmp0 (node->attributes[i + 1], hyb_node_get_attribute (other, node->attributes[i])) !=
            0)
      return node->attributes[i];
  return NULL;
}

static void
write_node (OnnxExport *export, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (export->graph, id);
  const char    *varying;

  export->current = id;
  export->rule = onnx_rule_find (node->op);
  varying = export->rule ? find_varying (export, id) : NULL;
  if (export->rule && !are_types_known (export, id))
    onnx_fail (export, "the types of its inputs and outputs are not known");
  else if (varying)
    onnx_fail (export, "its %s follows from an open size in a way that cannot be written", varying);
  else if (export->rule)
    export->rule->write (export);
  else
    g_hash_table_add (export->shared->missing, (gpointer) g_intern_string (node->type));
  for (guint i = 0; i < node->n_outputs && (!export->rule || export->shared->error); i++)
    if (export->values[node->first_output + i] == ONNX_NONE)
      export->values[node->first_output + i] = onnx_value_new (export, "missing");
}

/* Nodes that a value needs and that are not written yet, in topological order. */
static void
write_needed (OnnxExport *export, HybNodeId last)
{
  g_autofree guint8 *is_needed = g_new0 (guint8, (gsize) last + 1);

  is_needed[last] = TRUE;
  for (HybNodeId id = last + 1; id-- > 0;)
    {
      const HybNode    *node = hyb_graph_get_node (export->graph, id);
      const HybValueId *inputs = hyb_graph_get_inputs (export->graph, id);

      for (guint i = 0; is_needed[id] && i < node->n_inputs; i++)
        if (export->values[inputs[i]] == ONNX_NONE)
          is_needed[hyb_graph_get_producer (export->graph, inputs[i])] = TRUE;
    }
  for (HybNodeId id = 0; id <= last; id++)
    if (is_needed[id] && hyb_node_is_variable (hyb_graph_get_node (export->graph, id)))
      write_variable (export, id);
    else if (is_needed[id])
      write_node (export, id);
}

OnnxValue
onnx_export_value (OnnxExport *export, HybValueId value)
{
  if (export->values[value] == ONNX_NONE)
    write_needed (export, hyb_graph_get_producer (export->graph, value));
  if (export->values[value] == ONNX_NONE && !export->shared->error)
    {
      export->current = hyb_graph_get_producer (export->graph, value);
      onnx_fail (export, "its output %u cannot be written as ONNX",
                 hyb_graph_get_output_index (export->graph, value));
    }
  export->current = HYB_NO_ID;
  return export->values[value];
}

/* --- Inputs and outputs --- */

void
onnx_export_add_input (OnnxExport *export, HybValueId variable, const char *const *dims)
{
  const HybNode *node =
      hyb_graph_get_node (export->graph, hyb_graph_get_producer (export->graph, variable));
  HybType type = onnx_type_of (export, variable);

  export->values[variable] = onnx_export_define (export, node->name);
  hyb_protobuf_write_message (export->inputs, 11, onnx_value_message (node->name, &type, dims));
}

void
onnx_export_copy_input (OnnxExport *export, const char *name, HybOnnxBytes message)
{
  g_autoptr (GBytes) bytes = g_bytes_new (message.data, message.length);

  onnx_export_reserve (export, name);
  hyb_protobuf_write_bytes (export->inputs, 11, bytes);
}

void
onnx_export_add_output (OnnxExport *export,
                        OnnxValue          value,
                        const HybType     *type,
                        const char *const *dims)
{
  hyb_protobuf_write_message (export->outputs, 12,
                              onnx_value_message (onnx_export_get_name (export, value), type,
                                                  dims));
}

/* --- Bodies --- */

/* The types of the variables of a body in one choice of sizes.  (transfer full) */
static HybType *
variable_types (const OnnxExport *outer, HybGraph *graph, guint body, guint turn)
{
  const HybNode *node = onnx_node (outer);
  guint          n = hyb_subgraph_n_variables (graph);
  HybType       *types = g_new (HybType, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    {
      guint input = node->op->body_variable (node->params, node->n_inputs, body, i);

      types[i] =
          input < node->n_inputs
              ? outer->types[turn][hyb_graph_get_inputs (outer->graph, outer->current)[input]]
              : HYB_TYPE_UNKNOWN;
      if (node->op->body_port (node->params, node->n_inputs, body, i) == HYB_PORT_DATA)
        types[i].shape = hyb_loop_row_shape (&types[i].shape, hyb_graph_has_legacy_shapes (graph));
    }
  return types;
}

OnnxExport *
onnx_body_new (OnnxExport *outer, guint body)
{
  HybGraph *graph = hyb_graph_get_bodies (outer->graph, outer->current)[body];
  OnnxExport *export = onnx_export_new_in (outer, graph);

  if (outer->other)
    export->other = hyb_graph_get_bodies (outer->other, outer->current)[body];
  for (guint turn = 0; turn < 2 && outer->types[turn]; turn++)
    {
      g_autofree HybType *variables = variable_types (outer, graph, body, turn);
      GError            **error = outer->shared->error ? NULL : &outer->shared->error;

      export->own[turn] = hyb_subgraph_value_types (graph, variables, FALSE, error);
      if (!export->own[turn])
        export->own[turn] = g_new0 (HybType, MAX (hyb_graph_n_values (graph), 1));
      export->types[turn] = export->own[turn];
    }
  return export;
}

OnnxExport *
onnx_body_new_inline (OnnxExport *outer, OnnxExport *into, guint body)
{
  OnnxExport *export = onnx_body_new (outer, body);

  g_ptr_array_unref (export->nodes);
  g_array_unref (export->initializers);
  export->nodes = g_ptr_array_ref (into->nodes);
  export->initializers = g_array_ref (into->initializers);
  return export;
}

guint
onnx_body_n_variables (const OnnxExport *body)
{
  return hyb_subgraph_n_variables (body->graph);
}

guint
onnx_body_n_heads (const OnnxExport *body)
{
  return hyb_subgraph_n_heads (body->graph);
}

static HybValueId
variable_id (OnnxExport *body, guint variable)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (body->graph, &n);

  return hyb_graph_get_node (body->graph, variables[variable])->first_output;
}

HybType
onnx_body_variable_type (OnnxExport *body, guint variable)
{
  return onnx_type_of (body, variable_id (body, variable));
}

OnnxValue
onnx_body_add_variable (OnnxExport *body, guint variable)
{
  HybValueId     id = variable_id (body, variable);
  const HybNode *node = hyb_graph_get_node (body->graph, hyb_graph_get_producer (body->graph, id));
  HybType        type = onnx_type_of (body, id);
  OnnxValue      value = onnx_value_new (body, node->name);

  body->values[id] = value;
  hyb_protobuf_write_message (body->inputs, 11,
                              onnx_value_message (onnx_export_get_name (body, value), &type, NULL));
  return value;
}

OnnxValue
onnx_body_add_scalar (OnnxExport *body, const char *name, HybDType dtype)
{
  OnnxValue value = onnx_value_new (body, name);
  HybType   type = { .shape.rank = 0, .dtype = dtype };

  hyb_protobuf_write_message (body->inputs, 11,
                              onnx_value_message (onnx_export_get_name (body, value), &type, NULL));
  return value;
}

void
onnx_body_set_variable (OnnxExport *body, guint variable, OnnxValue value)
{
  body->values[variable_id (body, variable)] = value;
}

OnnxValue
onnx_body_head (OnnxExport *body, guint head)
{
  guint n;

  return onnx_export_value (body, hyb_graph_get_heads (body->graph, &n)[head]);
}

HybType
onnx_body_head_type (OnnxExport *body, guint head)
{
  guint n;

  return onnx_type_of (body, hyb_graph_get_heads (body->graph, &n)[head]);
}

void
onnx_body_add_output (OnnxExport *body, OnnxValue value, const HybType *type)
{
  OnnxValue output = onnx_export_output_value (body, value, NULL);

  hyb_protobuf_write_message (body->outputs, 12,
                              onnx_value_message (onnx_export_get_name (body, output), type, NULL));
}
