/* cancel-transposes.c — the pass that removes transposes around pointwise operators.
 *
 * Where everything that is transposed back was transposed the other way before, with nothing but pointwise operators of single
 * elements in between, these compute in the order that the elements have, and both transposes go.  Two transposes that do not
 * cancel each other become one.  Converters between layouts write them.  Start at match_region().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/pass.h"
#include "engine/analysis/rewrite.h"
#include "engine/graph/reach.h"

#define MAX_REGION 32 /* nodes between transposes */

/* The nodes that a last transpose depends on, back to the first ones. */
typedef struct
{
  HybNodeId nodes[MAX_REGION]; /* pointwise ones and the first transposes */
  guint     n;
  gboolean  has_order;
  int       order[HYB_MAX_RANK]; /* of all first transposes */
  int       rank;
} Region;

typedef struct
{
  HybGraph *graph;
  HybFacts *facts;
  guint8   *is_head;  /* by value */
  guint8   *is_inner; /* by node: part of a region */
  guint8   *is_first; /* by node: a transpose that begins a region */
  char          **
      joined; /* by node: axes of the transpose that replaces this last one; "" if none is left; NULL: not one */
  const HybOp *transpose;
} Cancelling;

static const HybType *
type_of (const Cancelling *self, HybValueId value)
{
  return &self->facts->types[value];
}

/* The axes of a transpose, which has a known type. */
static gboolean
read_order (const Cancelling *self, HybNodeId id, int *order, int *rank)
{
  const HybNode *node = hyb_graph_get_node (self->graph, id);
  const char    *text = hyb_node_get_attribute (node, "axes");
  HybInts        axes = { 0 };
  gboolean       is_done = TRUE;

  if (node->op != self->transpose || !hyb_type_is_known (type_of (self, node->first_output)) ||
      (text && !hyb_params_parse_ints (text, &axes)))
    return FALSE;
  *rank = type_of (self, node->first_output)->shape.rank;
  if (axes.n > 0 && (int) axes.n != *rank)
    is_done = FALSE;
  for (int i = 0; is_done && i < *rank; i++)
    {
      gint64 axis = axes.n <= 0         ? *rank - 1 - i
                    : axes.value[i] < 0 ? axes.value[i] + *rank
                                        : axes.value[i];

      order[i] = (int) axis;
      is_done = axis >= 0 && axis < *rank;
    }
  g_free (axes.value);
  return is_done;
}

static gboolean
is_in (const Region *region, HybNodeId id)
{
  for (guint i = 0; i < region->n; i++)
    if (region->nodes[i] == id)
      return TRUE;
  return FALSE;
}

/* TRUE if a node that was transposed first agrees with the others. */
static gboolean
add_first (const Cancelling *self, Region *region, HybNodeId id)
{
  int order[HYB_MAX_RANK], rank;

  if (!read_order (self, id, order, &rank) || rank != region->rank)
    return FALSE;
  for (int i = 0; i < rank; i++)
    {
      if (region->has_order && region->order[i] != order[i])
        return FALSE;
      region->order[i] = order[i];
    }
  region->has_order = TRUE;
  return TRUE;
}

/* TRUE if elements of the result depend on the values of the operands alone, and not on their place. */
static gboolean
is_pointwise (const HybNode *node)
{
  return (node->op->flags & HYB_OP_POINTWISE) && node->n_outputs == 1 &&
         !(node->op->flags & (HYB_OP_RANDOM | HYB_OP_TRAINING_DEPENDENT));
}

/* Adds the node that returns value, of this shape, and its dependencies.  FALSE if it cannot be computed in another order. */
static gboolean
add_value (const Cancelling *self, Region *region, HybValueId value, const HybShape *shape)
{
  HybNodeId         id = hyb_graph_get_producer (self->graph, value);
  const HybNode    *node = hyb_graph_get_node (self->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (self->graph, id);
  gboolean          is_first = node->op == self->transpose;

  if (is_in (region, id))
    return TRUE;
  if (region->n == MAX_REGION || self->is_inner[id] || self->joined[id] ||
      !hyb_type_is_known (type_of (self, value)) ||
      !hyb_shape_equal (&type_of (self, value)->shape, shape) || self->facts->constants[value] ||
      (is_first ? !add_first (self, region, id) : !is_pointwise (node)))
    return FALSE;
  region->nodes[region->n++] = id;
  for (guint i = 0; !is_first && i < node->n_inputs; i++)
    {
      const HybType *type = type_of (self, inputs[i]);

      if (hyb_type_is_known (type) && hyb_shape_size (&type->shape) == 1 &&
          type->shape.rank <= shape->rank && hyb_shape_size (shape) != 1)
        continue;
      if (!add_value (self, region, inputs[i], shape))
        return FALSE;
    }
  return TRUE;
}

/* TRUE if only nodes of the region and the last one read its values. */
static gboolean
is_closed (const Cancelling *self, const Region *region, HybNodeId last)
{
  for (guint i = 0; i < region->n; i++)
    {
      HybValueId       value = hyb_graph_get_node (self->graph, region->nodes[i])->first_output;
      guint            n;
      const HybNodeId *users = hyb_graph_get_users (self->graph, value, &n);

      if (self->is_head[value])
        return FALSE;
      for (guint u = 0; u < n; u++)
        if (users[u] != last && !is_in (region, users[u]))
          return FALSE;
    }
  return TRUE;
}

/* The axes of both transposes together as text; "" if they leave every axis where it was.  (transfer full) */
static char *
join_orders (const Region *region, const int *last)
{
  GString *text = g_string_new ("(");
  gboolean is_same = TRUE;

  for (int i = 0; i < region->rank; i++)
    {
      int axis = region->order[last[i]];

      is_same = is_same && axis == i;
      g_string_append_printf (text, "%s%d", i > 0 ? ", " : "", axis);
    }
  g_string_append (text, ")");
  if (is_same)
    g_string_truncate (text, 0);
  return g_string_free (text, FALSE);
}

/* Finds the region before a last transpose, and marks it. */
static gboolean
match_region (const Cancelling *self, HybNodeId id)
{
  HybValueId input = hyb_graph_get_inputs (self->graph, id)[0];
  Region     region = { 0 };
  int        last[HYB_MAX_RANK];

  if (!read_order (self, id, last, &region.rank) || !hyb_type_is_known (type_of (self, input)) ||
      !add_value (self, &region, input, &type_of (self, input)->shape) || !region.has_order ||
      !is_closed (self, &region, id))
    return FALSE;
  for (guint i = 0; i < region.n; i++)
    {
      self->is_inner[region.nodes[i]] = TRUE;
      self->is_first[region.nodes[i]] =
          hyb_graph_get_node (self->graph, region.nodes[i])->op == self->transpose;
    }
  self->joined[id] = join_orders (&region, last);
  return TRUE;
}

/* --- Rewriting --- */

/* Adds the one transpose that is left, if any is. */
static void
make_joined (const Cancelling *self, HybRewrite *rewrite, HybNodeId id)
{
  HybValueId value = hyb_rewrite_value (rewrite, hyb_graph_get_inputs (self->graph, id)[0]);

  if (*self->joined[id])
    hyb_rewrite_replace (rewrite, id,
                         &(HybNodeSpec){ .op = self->transpose,
                                         .attributes =
                                             (const char *[]){ "axes", self->joined[id], NULL },
                                         .n_inputs = 1,
                                         .inputs = &value });
  else
    hyb_rewrite_set_value (rewrite, hyb_graph_get_node (self->graph, id)->first_output, value);
}

/* Values inside of regions have other shapes now, so they replace no old value; their nodes still count as the old
 * nodes. */
static void
forget_inner (const Cancelling *self, HybGraph *after, GArray *map)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (self->graph); id++)
    {
      HybValueId  value = hyb_graph_get_node (self->graph, id)->first_output;
      HybValueId *replacement = &g_array_index (map, HybValueId, value);

      if (!self->is_inner[id])
        continue;
      if (self->facts->sources && !self->is_first[id])
        hyb_sources_note_replaced (self->facts->sources,
                                   hyb_graph_get_producer (after, *replacement), id);
      *replacement = HYB_NO_ID;
    }
}

static void
visit (HybRewrite *rewrite, HybNodeId id, gpointer data)
{
  const Cancelling *self = data;

  if (self->is_first[id])
    hyb_rewrite_set_value (rewrite, hyb_graph_get_node (self->graph, id)->first_output,
                           hyb_rewrite_value (rewrite, hyb_graph_get_inputs (self->graph, id)[0]));
  else if (self->joined[id])
    make_joined (self, rewrite, id);
  else
    hyb_rewrite_copy (rewrite, id);
}

static HybGraph *
cancel_transposes_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  guint              n_nodes = MAX (hyb_graph_n_nodes (graph), 1), n = 0;
  g_autofree guint8 *is_head = hyb_graph_find_heads (graph);
  g_autofree guint8 *is_inner = g_new0 (guint8, n_nodes);
  g_autofree guint8 *is_first = g_new0 (guint8, n_nodes);
  g_autofree char  **joined = g_new0 (char *, n_nodes);
  Cancelling         self = { .graph = graph,
                              .facts = facts,
                              .is_head = is_head,
                              .is_inner = is_inner,
                              .is_first = is_first,
                              .joined = joined,
                              .transpose = hyb_op_find ("transpose") };
  HybGraph          *result;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    if (hyb_graph_get_node (graph, id)->op == self.transpose)
      n += match_region (&self, id);
  result = n > 0 ? hyb_rewrite_graph (graph, visit, &self, map, error) : hyb_graph_ref (graph);
  if (result && n > 0)
    forget_inner (&self, result, map);
  for (guint i = 0; i < n_nodes; i++)
    g_free (joined[i]);
  return result;
}

extern const HybPass hyb_pass_cancel_transposes;

const HybPass hyb_pass_cancel_transposes = {
  .name = "cancel-transposes",
  .doc = "Removes transposes around pointwise operators, and joins adjacent ones.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .saves = HYB_SAVES_MOVEMENT,
  .run = cancel_transposes_run,
};
