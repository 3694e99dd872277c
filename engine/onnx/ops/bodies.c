/* bodies.c — shared parts of If, Loop and Scan.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/bodies.h"

#include "engine/analysis/depth-first.h"

/* At most this many times a body is lowered until the types of its states hold in every step. */
#define MAX_ROUNDS 4

/* --- Types --- */

void
hyb_onnx_variables_init (HybLowering *lowering, HybOnnxVariables *variables, guint body)
{
  const HybOnnxUse *use = hyb_onnx_use (lowering);

  variables->n = use->n_variables[body];
  variables->types = g_new (HybType, MAX (variables->n, 1));
  variables->contents = g_new0 (HybTensor *, MAX (variables->n, 1));
  for (guint v = 0; v < variables->n; v++)
    {
      guint captured = use->body_inputs[body][v];

      variables->types[v] = HYB_TYPE_UNKNOWN;
      if (captured == G_MAXUINT)
        continue;
      variables->types[v] = *hyb_lowering_input_type (lowering, captured);
      variables->contents[v] = hyb_lowering_input_contents (lowering, captured);
    }
}

void
hyb_onnx_variables_clear (HybOnnxVariables *variables)
{
  g_clear_pointer (&variables->types, g_free);
  g_clear_pointer (&variables->contents, g_free);
}

HybValueId
hyb_onnx_captured (HybLowering *lowering, guint body, guint variable)
{
  guint captured = hyb_onnx_use (lowering)->body_inputs[body][variable];

  if (captured != G_MAXUINT)
    return hyb_lowering_input (lowering, captured);
  hyb_lowering_fail (lowering, NULL, "input %u of its body has no value", variable);
  return HYB_NO_ID;
}

HybType
hyb_onnx_common_type (const HybType *a, const HybType *b)
{
  HybType type = *a;

  if (a->dtype != b->dtype)
    type.dtype = a->dtype == HYB_DTYPE_UNKNOWN   ? b->dtype
                 : b->dtype == HYB_DTYPE_UNKNOWN ? a->dtype
                                                 : HYB_DTYPE_UNKNOWN;
  if (a->shape.rank != b->shape.rank)
    type.shape.rank = HYB_UNKNOWN;
  for (int i = 0; i < type.shape.rank; i++)
    if (a->shape.dim[i] != b->shape.dim[i])
      type.shape.dim[i] = HYB_UNKNOWN;
  return type;
}

HybType
hyb_onnx_stacked_type (const HybType *row, gint64 n, int axis)
{
  HybType type = *row;

  if (row->shape.rank < 0 || row->shape.rank >= HYB_MAX_RANK)
    {
      type.shape.rank = HYB_UNKNOWN;
      return type;
    }
  type.shape.rank++;
  axis = axis < 0 ? axis + type.shape.rank : axis;
  if (axis < 0 || axis >= type.shape.rank)
    axis = 0;
  for (int i = type.shape.rank - 1; i > axis; i--)
    type.shape.dim[i] = type.shape.dim[i - 1];
  type.shape.dim[axis] = n;
  return type;
}

/* Updates the types of the states after a step.  TRUE if one changed. */
static gboolean
loosen_states (HybOnnxVariables *variables, const HybOnnxStates *states, const HybLoweredBody *body)
{
  gboolean has_changed = FALSE;

  for (guint s = 0; s < states->n && states->first_head + s < body->n_heads; s++)
    {
      HybType *before = &variables->types[states->first_variable + s];
      HybType  after = hyb_onnx_common_type (before, &body->head_types[states->first_head + s]);

      has_changed |=
          after.dtype != before->dtype || !hyb_shape_equal (&after.shape, &before->shape);
      *before = after;
    }
  return has_changed;
}

HybLoweredBody *
hyb_onnx_settle_states (HybLowering         *lowering,
                        HybOnnxVariables    *variables,
                        const HybOnnxStates *states,
                        const HybBodyUse    *use)
{
  g_autoptr (HybLoweredBody) body = NULL;

  if (states->first_variable + states->n > variables->n)
    {
      hyb_lowering_fail (lowering, NULL, "its body has too few inputs for its states");
      return NULL;
    }
  for (guint round = 0; round < MAX_ROUNDS; round++)
    {
      g_clear_pointer (&body, hyb_lowered_body_free);
      body = hyb_lowering_lower_body (lowering, 0, use);
      if (!body || !loosen_states (variables, states, body))
        break;
    }
  return g_steal_pointer (&body);
}

/* --- The engine's loop --- */

void
hyb_onnx_append_head (HybLowering *inner, HybValueId head, GArray *arranged)
{
  HybValueId copy = hyb_onnx_unary (inner, "_copy", head);

  g_array_append_val (arranged, copy);
}

/* Inputs of the loop by kind, and the variables that they feed. */
typedef struct
{
  GArray *inputs; /* of HybValueId */
  GArray *places; /* of gint64 */

  const HybOnnxPort *ports; /* by variable of the body, as it was lowered */
  const gint64      *place; /* by the same: the variable of the loop's body, or -1 */
  guint              n;
} Wiring;

/* The variables of one kind as an attribute: “(1, 2)”.  States keep the order of the heads. */
static const char *
wire (HybLowering *lowering, Wiring *wiring, HybPortKind kind)
{
  g_array_set_size (wiring->places, 0);
  for (guint v = 0; v < wiring->n; v++)
    {
      if (wiring->ports[v].kind != kind || wiring->place[v] < 0)
        continue;
      g_array_append_val (wiring->inputs, wiring->ports[v].value);
      g_array_append_val (wiring->places, wiring->place[v]);
    }
  return hyb_lowering_text_ints (lowering, wiring->places->len,
                                 (const gint64 *) (gpointer) wiring->places->data);
}

HybGraph *
hyb_onnx_order_body (HybGraph *body, const gboolean *keep, gint64 *place)
{
  g_autofree HybNodeId *new_node = NULL;
  g_autoptr (HybGraph) ordered = hyb_graph_depth_first (body, &new_node);
  guint            n_before, n_after;
  const HybNodeId *before = hyb_graph_get_variables (body, &n_before);
  const HybNodeId *after = hyb_graph_get_variables (ordered, &n_after);
  gboolean         is_kept = FALSE;

  for (guint v = 0; v < n_before; v++)
    {
      place[v] = v;
      is_kept |= new_node[before[v]] == HYB_NO_ID && keep && keep[v];
    }
  if (is_kept)
    return hyb_graph_ref (body);
  for (guint v = 0; v < n_before; v++)
    {
      place[v] = -1;
      for (guint w = 0; w < n_after; w++)
        if (new_node[before[v]] == after[w])
          place[v] = w;
    }
  return g_steal_pointer (&ordered);
}

HybValueId
hyb_onnx_foreach (HybLowering          *lowering,
                  const HybLoweredBody *body,
                  guint                 n_variables,
                  const HybOnnxPort    *ports,
                  guint                 n_rows)
{
  g_autofree gint64   *place = g_new (gint64, MAX (n_variables, 1));
  g_autofree gboolean *keep = g_new (gboolean, MAX (n_variables, 1));
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (gint64));
  Wiring      wiring = { inputs, places, ports, place, n_variables };
  const char *data, *states, *captured;

  for (guint v = 0; v < n_variables; v++)
    keep[v] = ports[v].kind != HYB_PORT_CAPTURED;
  graph = hyb_onnx_order_body (body->graph, keep, place);
  data = wire (lowering, &wiring, HYB_PORT_DATA);
  states = wire (lowering, &wiring, HYB_PORT_STATE);
  captured = wire (lowering, &wiring, HYB_PORT_CAPTURED);
  const char *attributes[] = {
    "in_data_locs",
    data,
    "in_state_locs",
    states,
    "remain_locs",
    captured,
    "num_args",
    hyb_lowering_text (lowering, "%u", inputs->len + 1),
    "num_out_data",
    hyb_lowering_text (lowering, "%u", n_rows),
    "num_outputs",
    hyb_lowering_text (lowering, "%u", body->n_heads),
    NULL,
  };

  return hyb_lowering_add (lowering, "_foreach",
                           &(HybNodeSpec){ .n_inputs = inputs->len,
                                           .inputs = (const HybValueId *) (gpointer) inputs->data,
                                           .n_bodies = 1,
                                           .bodies = &graph,
                                           .attributes = attributes });
}
