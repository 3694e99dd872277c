/* open-inputs.c — which dimensions of a graph's inputs may have any size.
 *
 * Dimensions of inputs that have the same size are enlarged together; if types can be inferred then and the types of all
 * parameters stay, the graph leaves them open.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/export/open-inputs.h"

#include "engine/analysis/infer-types.h"

#include <string.h>

typedef struct
{
  HybModel        *model;
  HybGraph        *graph;
  const HybType   *types;
  guint            n;
  const HybNodeId *variables;
  HybShape        *shapes; /* of the variables, in their order, as they are enlarged so far */
} Opening;

static gboolean
is_input (const Opening *opening, guint i)
{
  const HybNode *node = hyb_graph_get_node (opening->graph, opening->variables[i]);

  return !hyb_model_get_parameter (opening->model, node->name);
}

static HybValueId
value_of (const Opening *opening, guint i)
{
  return hyb_graph_get_node (opening->graph, opening->variables[i])->first_output;
}

/* The types of all values with these shapes of variables; NULL: they contradict each other.  (transfer full) */
static HybType *
infer (const Opening *opening, const HybShape *shapes)
{
  guint    n_values = hyb_graph_n_values (opening->graph);
  HybType *types = g_new (HybType, MAX (n_values, 1));
  gboolean is_right;

  for (HybValueId value = 0; value < n_values; value++)
    types[value] = HYB_TYPE_UNKNOWN;
  for (guint i = 0; i < opening->n; i++)
    {
      types[value_of (opening, i)] = opening->types[value_of (opening, i)];
      types[value_of (opening, i)].shape = shapes[i];
    }
  is_right = hyb_infer_types (opening->graph, types, NULL, FALSE, NULL);
  for (guint i = 0; i < opening->n; i++)
    is_right &= hyb_shape_equal (&types[value_of (opening, i)].shape, &shapes[i]);
  for (HybValueId value = 0; value < n_values; value++)
    is_right &= hyb_type_is_known (&types[value]) == hyb_type_is_known (&opening->types[value]);
  if (!is_right)
    g_clear_pointer (&types, g_free);
  return types;
}

/* Enlarges all dimensions of this size, or a single one (input and axis given); FALSE: the graph does not allow it. */
static gboolean
enlarge (Opening *opening, gint64 size, gint64 larger, int input, int at)
{
  g_autofree HybShape *shapes = g_memdup2 (opening->shapes, opening->n * sizeof (HybShape));
  g_autofree HybType  *types = NULL;

  for (guint i = 0; i < opening->n; i++)
    for (int axis = 0; is_input (opening, i) && axis < shapes[i].rank; axis++)
      if (shapes[i].dim[axis] == size &&
          opening->types[value_of (opening, i)].shape.dim[axis] == size &&
          (input < 0 || (input == (int) i && at == axis)))
        shapes[i].dim[axis] = larger;
  types = infer (opening, shapes);
  if (!types)
    return FALSE;
  memcpy (opening->shapes, shapes, opening->n * sizeof (HybShape));
  return TRUE;
}

static gboolean
try_all (Opening *opening)
{
  gint64   larger = 1009; /* larger than sizes of examples, and another one each time */
  gboolean is_open = FALSE;

  for (guint i = 0; i < opening->n; i++)
    for (int axis = 0; is_input (opening, i) && axis < opening->shapes[i].rank; axis++)
      {
        gint64 size = opening->shapes[i].dim[axis];

        if (size != opening->types[value_of (opening, i)].shape.dim[axis] || size < 1)
          continue;
        if (enlarge (opening, size, larger, -1, 0) ||
            enlarge (opening, size, larger, (int) i, axis))
          is_open = TRUE;
        larger += 2;
      }
  return is_open;
}

HybType *
onnx_open_inputs (HybModel *model, const HybType *types)
{
  Opening              opening = { model, hyb_model_get_graph (model), types, 0, NULL, NULL };
  g_autofree HybShape *shapes = NULL;

  opening.variables = hyb_graph_get_variables (opening.graph, &opening.n);
  opening.shapes = shapes = g_new (HybShape, MAX (opening.n, 1));
  for (guint i = 0; i < opening.n; i++)
    shapes[i] = types[value_of (&opening, i)].shape;
  return try_all (&opening) ? infer (&opening, shapes) : NULL;
}
