/* open-sizes.c — constants that follow the open dimensions of inputs.
 *
 * A file that leaves the batch open is lowered for one size, so that an initial state of zeros has that size.  MXNet's files have
 * no arithmetic on shapes: the constant is written with size 1, and broadcast_like repeats it as often as the input says.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/open-sizes.h"

#include "engine/analysis/rewrite.h"
#include "engine/variants/node-kind.h"

#include <string.h>

typedef struct
{
  HybModel  *model, *other;
  HybRewrite rewrite;
} Opening;

/* An axis of an input. */
typedef struct
{
  HybNodeId variable;
  int       axis;
} Axis;

/* An axis of an input that has this size in the model, and that size in the other one. */
static gboolean
find_axis (const Opening *opening, gint64 size, gint64 other_size, Axis *axis)
{
  HybGraph        *graph = hyb_model_get_graph (opening->model);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char    *name = hyb_graph_get_node (graph, variables[i])->name;
      const HybType *here = hyb_model_get_input_type (opening->model, name);
      const HybType *there = hyb_model_get_input_type (opening->other, name);

      for (int at = 0; here && there && at < here->shape.rank && at < there->shape.rank; at++)
        if (here->shape.dim[at] == size && there->shape.dim[at] == other_size)
          {
            *axis = (Axis){ variables[i], at };
            return TRUE;
          }
    }
  return FALSE;
}

/* The attributes of a constant of another shape. (transfer full) */
static GPtrArray *
dup_attributes (const HybNode *node, const HybShape *shape)
{
  GPtrArray *attributes = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; node->attributes[i]; i += 2)
    {
      g_ptr_array_add (attributes, g_strdup (node->attributes[i]));
      g_ptr_array_add (attributes, strcmp (node->attributes[i], "shape") == 0
                                       ? hyb_shape_to_string (shape)
                                       : g_strdup (node->attributes[i + 1]));
    }
  g_ptr_array_add (attributes, NULL);
  return attributes;
}

/* The shape of a constant in both models.  FALSE if the node is not a constant, or has the same shape in both. */
static gboolean
get_shapes (const Opening *opening, HybNodeId id, const HybShape *shapes[2])
{
  const HybNode *node = hyb_graph_get_node (hyb_model_get_graph (opening->model), id);
  const HybNode *other = hyb_graph_get_node (hyb_model_get_graph (opening->other), id);

  if (hyb_node_kind (node) != HYB_KIND_CONSTANT || !node->attributes)
    return FALSE;
  shapes[0] = hyb_node_shape (node, "shape");
  shapes[1] = hyb_node_shape (other, "shape");
  return shapes[0] && shapes[1] && shapes[0]->rank == shapes[1]->rank &&
         !hyb_shape_equal (shapes[0], shapes[1]);
}

/* Repeats value along an axis as often as an axis of the input says. */
static HybValueId
repeat (Opening *opening, HybNodeId id, HybValueId value, int axis, const Axis *like)
{
  const HybNode   *node = hyb_graph_get_node (hyb_model_get_graph (opening->model), id);
  g_autofree char *lhs = g_strdup_printf ("(%d,)", axis);
  g_autofree char *rhs = g_strdup_printf ("(%d,)", like->axis);
  HybValueId       inputs[2] = { value };

  inputs[1] =
      hyb_rewrite_value (&opening->rewrite,
                         hyb_graph_get_node (hyb_model_get_graph (opening->model), like->variable)
                             ->first_output);
  return hyb_builder_call (opening->rewrite.builder, "broadcast_like",
                           &(HybNodeSpec){
                               .name = node->name,
                               .attributes =
                                   (const char *const[]){ "lhs_axes", lhs, "rhs_axes", rhs, NULL },
                               .n_inputs = 2,
                               .inputs = inputs,
                               .origin_plus_one = node->origin + 1 },
                           NULL);
}

/* Adds a constant that has the sizes of axes of inputs.  FALSE: it is a constant like others. */
static gboolean
add_open (Opening *opening, HybNodeId id)
{
  const HybNode  *node = hyb_graph_get_node (hyb_model_get_graph (opening->model), id);
  const HybShape *shapes[2];
  HybShape        one;
  Axis            like[HYB_MAX_RANK];
  g_autoptr (GPtrArray) attributes = NULL;
  g_autofree char *name = NULL;
  HybValueId       value;

  if (!get_shapes (opening, id, shapes))
    return FALSE;
  one = *shapes[0];
  for (int i = 0; i < one.rank; i++)
    if (shapes[0]->dim[i] != shapes[1]->dim[i])
      {
        /* An axis whose size differs between the two trials follows an input; which one must be
         * known. */
        if (!find_axis (opening, shapes[0]->dim[i], shapes[1]->dim[i], &like[i]))
          return FALSE;
        one.dim[i] = 1;
      }
  attributes = dup_attributes (node, &one);
  name = g_strconcat (node->name, "_one", NULL);
  value = hyb_builder_call (opening->rewrite.builder, node->op->name,
                            &(HybNodeSpec){ .name = name,
                                            .attributes = (const char *const *) attributes->pdata,
                                            .origin_plus_one = node->origin + 1 },
                            NULL);
  /* The constant is written with size 1 there, and repeated to the size of the input. */
  for (int i = 0; i < one.rank && value != HYB_NO_ID; i++)
    if (shapes[0]->dim[i] != shapes[1]->dim[i])
      value = repeat (opening, id, value, i, &like[i]);
  if (value == HYB_NO_ID)
    return FALSE;
  hyb_rewrite_set_value (&opening->rewrite, node->first_output, value);
  return TRUE;
}

static void
renumber (GArray *matches, const HybNodeId *new_id)
{
  for (guint i = 0; matches && i < matches->len; i++)
    {
      HybMatch *match = &g_array_index (matches, HybMatch, i);

      match->b = new_id[match->b];
    }
}

/* Whether any constant differs between both models. */
static gboolean
has_open (const Opening *opening)
{
  HybGraph       *graph = hyb_model_get_graph (opening->model);
  const HybShape *shapes[2];

  if (hyb_graph_n_nodes (graph) != hyb_graph_n_nodes (hyb_model_get_graph (opening->other)))
    return FALSE;
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    if (get_shapes (opening, id, shapes))
      return TRUE;
  return FALSE;
}

void
hyb_variant_open_sizes (HybVariant *variant, const HybVariant *other)
{
  HybGraph *graph = hyb_model_get_graph (variant->model);
  g_autoptr (GArray) map = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  g_autofree HybNodeId *new_id = NULL;
  g_autoptr (HybGraph) opened = NULL;
  Opening opening = { .model = variant->model, .other = other->model };

  if (!has_open (&opening))
    return;
  new_id = g_new (HybNodeId, MAX (hyb_graph_n_nodes (graph), 1));
  hyb_rewrite_init (&opening.rewrite, graph, map);
  for (guint pass = 0; pass < 2; pass++) /* variables first: constants read them */
    for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
      {
        const HybNode *node = hyb_graph_get_node (graph, id);

        if (hyb_node_is_variable (node) != (pass == 0))
          continue;
        if (!add_open (&opening, id))
          hyb_rewrite_copy (&opening.rewrite, id);
        new_id[id] = hyb_builder_get_producer (opening.rewrite.builder,
                                               g_array_index (map, HybValueId, node->first_output));
      }
  opened = hyb_rewrite_finish (&opening.rewrite, NULL);
  hyb_model_set_graph (variant->model, opened);
  renumber (variant->matches, new_id);
  renumber (variant->lowered_matches, new_id);
}
