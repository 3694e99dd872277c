/* batch-size.c — finds the batch in the shapes that a capture has.
 *
 * The first rows of a capture are the nodes of the main graph.  Where no layout names the axis of the batch, each of the
 * slowest axes is made one longer: a network whose weights or slices contradict does not have its batch there.  Loops and
 * fused cells accept other lengths, too, but then get more steps.  Start reading at scope_batch_size().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/batch-size.h"

#include "engine/analysis/infer-types.h"
#include "engine/graph/roles.h"

#include <string.h>

#define MAX_AXES 2 /* the batch is one of the slowest */

/* An input of the model, with its shape in the run. */
typedef struct
{
  HybNodeId id;
  HybShape  shape;
} Input;

/* The shape of a node's output, from a text such as “float32 (32, 10)”.  FALSE: the capture has none. */
static gboolean
read_shape (const ProfCapture *capture, HybNodeId id, const char *name, HybShape *shape)
{
  const ProfNode *row =
      id < prof_capture_n_nodes (capture) ? prof_capture_get_node (capture, id) : NULL;
  const char *at;

  *shape = (HybShape){ 0 };
  if (!row || row->graph != 0 || strcmp (prof_capture_get_string (capture, row->name), name) != 0)
    return FALSE;
  for (at = strchr (prof_capture_get_string (capture, row->shape), '(');
       at && shape->rank < HYB_MAX_RANK; at = strchr (at + 1, ','))
    {
      gint64 size = g_ascii_strtoll (at + 1, NULL, 10);

      if (size <= 0)
        return FALSE;
      shape->dim[shape->rank++] = size;
    }
  return shape->rank > 0;
}

/* The axis N of the first variable or begin state with a layout; 0: there is none. */
static gint64
find_layout (const ProfCapture *capture, HybGraph *graph)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);
      const char *layout = node->n_inputs == 0 ? hyb_node_get_attribute (node, "__layout__") : NULL;
      const char *at = layout ? strchr (layout, 'N') : NULL;
      HybShape    shape;

      if (at && read_shape (capture, id, node->name, &shape) && at - layout < shape.rank)
        return shape.dim[at - layout];
    }
  return 0;
}

/* The inputs whose shapes the capture has; the first is data, or there is none. */
static GArray *
list_inputs (const ProfCapture *capture, HybModel *model, HybGraph *graph)
{
  GArray          *inputs = g_array_new (FALSE, FALSE, sizeof (Input));
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      HybRole        role = hyb_graph_get_role (graph, variables[i], FALSE);
      Input          input = { variables[i], { 0 } };

      if (!hyb_model_get_parameter (model, node->name) && role != HYB_ROLE_PARAMETER &&
          (inputs->len > 0 || role == HYB_ROLE_DATA) &&
          read_shape (capture, variables[i], node->name, &input.shape))
        g_array_append_val (inputs, input);
    }
  return inputs;
}

/* TRUE if each step of a loop reads a slice of the input. */
static gboolean
is_sliced (HybGraph *graph, HybNodeId id, guint input)
{
  const HybNode *node = hyb_graph_get_node (graph, id);

  for (guint b = 0; node->op->body_port && b < node->n_bodies; b++)
    {
      guint n;

      hyb_graph_get_variables (hyb_graph_get_bodies (graph, id)[b], &n);
      for (guint v = 0; v < n; v++)
        if (node->op->body_variable (node->params, node->n_inputs, b, v) == input &&
            node->op->body_port (node->params, node->n_inputs, b, v) == HYB_PORT_DATA)
          return TRUE;
    }
  return FALSE;
}

/* The axis of an input along which the steps of a sequence are; -1: the node is not a loop or recurrent cell, or the input
 * no sequence. */
static int
find_step_axis (HybGraph *graph, HybNodeId id, guint input)
{
  const HybNode *node = hyb_graph_get_node (graph, id);

  if (node->op->category == HYB_CATEGORY_RECURRENT && input == 0)
    return g_strcmp0 (hyb_node_get_attribute (node, "layout"), "1") ==
           0; /* of ONNX: the batch first */
  return is_sliced (graph, id, input) ? 0 : -1;
}

/* TRUE if a sequence has more steps by the second types than by the first. */
static gboolean
has_more_steps (HybGraph *graph, const HybType *before, const HybType *after)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode    *node = hyb_graph_get_node (graph, id);
      const HybValueId *values = hyb_graph_get_inputs (graph, id);

      for (guint i = 0; i < node->n_inputs; i++)
        {
          int axis = find_step_axis (graph, id, i);

          if (axis >= 0 && axis < before[values[i]].shape.rank &&
              axis < after[values[i]].shape.rank &&
              before[values[i]].shape.dim[axis] != after[values[i]].shape.dim[axis])
            return TRUE;
        }
    }
  return FALSE;
}

/* The types of all values with an axis of the first input, and the first axis of the same size of each other, longer by
 * `more`.  NULL: the graph contradicts.  (transfer full) */
static HybType *
infer (HybModel *model, HybGraph *graph, const GArray *inputs, int axis, gint64 more)
{
  g_autofree HybType *types = hyb_model_new_types (model);
  gint64              size = g_array_index (inputs, Input, 0).shape.dim[axis];

  for (guint i = 0; i < inputs->len; i++)
    {
      const Input *input = &g_array_index (inputs, Input, i);
      HybShape     shape = input->shape;
      int          longer = i == 0 ? axis : 0;

      while (longer < shape.rank && shape.dim[longer] != size)
        longer++;
      if (longer < shape.rank)
        shape.dim[longer] += more;
      types[hyb_graph_get_node (graph, input->id)->first_output].shape = shape;
    }
  return hyb_infer_types (graph, types, NULL, FALSE, NULL) ? g_steal_pointer (&types) : NULL;
}

gint64
scope_batch_size (const ProfCapture *capture, HybModel *model, HybGraph *graph)
{
  g_autoptr (GArray) inputs = list_inputs (capture, model, graph);
  gint64              size = find_layout (capture, graph);
  const HybShape     *first = inputs->len > 0 ? &g_array_index (inputs, Input, 0).shape : NULL;
  g_autofree HybType *before = size == 0 && first ? infer (model, graph, inputs, 0, 0) : NULL;

  for (int axis = 0; before && size == 0 && axis < MIN (first->rank, MAX_AXES); axis++)
    {
      g_autofree HybType *after = infer (model, graph, inputs, axis, 1);

      if (after && !has_more_steps (graph, before, after))
        size = first->dim[axis];
    }
  return size;
}
