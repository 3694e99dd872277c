/* rebuild-node.c — goes through an old graph and recognises the nodes that split, stack, reverse
 * and map sequences.
 *
 * Each kind of node has a function in the table follow_functions; all other nodes are copied.
 * Start reading at hyb_rebuild_node().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/rebuild-node.h"

#include "engine/analysis/depth-first.h"
#include "engine/variants/node-kind.h"
#include "engine/variants/rebuild-value.h"
#include "engine/variants/split-products.h"
#include "engine/variants/steps/kept-axis.h"

/* Gives the outputs of one kind of node their places in sequences.  FALSE if that is not possible;
 * the node is copied then. */
typedef gboolean (*FollowFunc) (HybRebuild       *rebuild,
                                HybNodeId         id,
                                const HybNode    *node,
                                const HybValueId *inputs);

static gboolean
is_time_axis (gint64 axis)
{
  return axis == 0 || axis == 1;
}

static gboolean
follow_split (HybRebuild *rebuild, HybNodeId id, const HybNode *node, const HybValueId *inputs)
{
  gint64       axis = hyb_node_int (node, "axis", 1);
  gboolean     is_squeezed = hyb_node_bool (node, "squeeze_axis");
  HybSequence *sequence;

  if (!is_time_axis (axis))
    return FALSE;
  /* Gates are split with the same operator, and are not sequences. */
  if (!is_squeezed && !hyb_rebuild_find_place (rebuild, inputs[0], HYB_SEQUENCE_WHOLE))
    {
      const HybNodeId *users;
      guint            n_users;

      users = hyb_graph_get_users (rebuild->from, node->first_output, &n_users);
      if (n_users == 0 ||
          hyb_node_kind (hyb_graph_get_node (rebuild->from, users[0])) != HYB_KIND_SQUEEZE)
        return FALSE;
    }

  sequence = hyb_rebuild_sequence (rebuild, inputs[0], (guint) axis, node->n_outputs);
  for (guint i = 0; i < node->n_outputs; i++)
    hyb_rebuild_set_place (rebuild, node->first_output + i,
                           (HybSequencePlace){ is_squeezed ? HYB_SEQUENCE_STEP
                                                           : HYB_SEQUENCE_STEP_KEPT,
                                               is_squeezed ? 0 : (guint) axis, i, sequence });
  return TRUE;
}

/* Whether b is a without this axis. */
static gboolean
lacks_axis (const HybShape *a, const HybShape *b, int axis)
{
  if (a->rank != b->rank + 1)
    return FALSE;
  for (int i = 0; i < b->rank; i++)
    if (a->dim[i + (i >= axis)] != b->dim[i] || b->dim[i] < 0)
      return FALSE;
  return TRUE;
}

/* The only step of a sequence, whose axis a reshape or squeeze takes away. */
static gboolean
follow_only_step (HybRebuild *rebuild, HybNodeId id, const HybNode *node, const HybValueId *inputs)
{
  const HybSequencePlace *place = hyb_rebuild_find_place (rebuild, inputs[0], HYB_SEQUENCE_WHOLE);

  if (!place || place->sequence->n != 1 || !rebuild->types ||
      !lacks_axis (&rebuild->types[inputs[0]].shape, &rebuild->types[node->first_output].shape,
                   (int) place->axis))
    return FALSE;
  hyb_rebuild_set_place (rebuild, node->first_output,
                         (HybSequencePlace){ HYB_SEQUENCE_STEP, 0, 0, place->sequence });
  return TRUE;
}

static gboolean
follow_squeeze (HybRebuild *rebuild, HybNodeId id, const HybNode *node, const HybValueId *inputs)
{
  const HybSequencePlace *place =
      hyb_rebuild_find_place (rebuild, inputs[0], HYB_SEQUENCE_STEP_KEPT);
  const HybInts *axis = hyb_node_ints (node, "axis");

  if (!place || !axis || axis->n != 1 || axis->value[0] != place->axis)
    return FALSE;
  hyb_rebuild_set_place (rebuild, node->first_output,
                         (HybSequencePlace){ HYB_SEQUENCE_STEP, 0, place->step, place->sequence });
  return TRUE;
}

static gboolean
follow_expand (HybRebuild *rebuild, HybNodeId id, const HybNode *node, const HybValueId *inputs)
{
  const HybSequencePlace *place = hyb_rebuild_find_place (rebuild, inputs[0], HYB_SEQUENCE_STEP);
  gint64                  axis = hyb_node_int (node, "axis", 0);

  if (!place || !is_time_axis (axis))
    return FALSE;
  hyb_rebuild_set_place (rebuild, node->first_output,
                         (HybSequencePlace){ HYB_SEQUENCE_STEP_KEPT, (guint) axis, place->step,
                                             place->sequence });
  return TRUE;
}

/* The output of node is the whole of a sequence. */
static void
place_whole (HybRebuild *rebuild, const HybNode *node, HybSequence *sequence, guint axis)
{
  if (sequence->whole[axis] == HYB_NO_ID && !sequence->name)
    hyb_sequence_set_name (sequence, node->name);
  hyb_rebuild_set_place (rebuild, node->first_output,
                         (HybSequencePlace){ HYB_SEQUENCE_WHOLE, axis, 0, sequence });
}

static gboolean
follow_stack (HybRebuild *rebuild, HybNodeId id, const HybNode *node, const HybValueId *inputs)
{
  gint64 axis = hyb_node_int (node, "axis", 0);

  if (!is_time_axis (axis))
    return FALSE;
  place_whole (rebuild, node, hyb_rebuild_gather (rebuild, node->n_inputs, inputs), (guint) axis);
  return TRUE;
}

/* A concatenation of steps that each have a time axis is a stack of the steps. */
static gboolean
join_kept (HybRebuild *rebuild, HybNodeId id, const HybValueId *inputs, guint axis)
{
  const HybNode         *node = hyb_graph_get_node (rebuild->from, id);
  g_autofree HybValueId *steps = g_new (HybValueId, MAX (node->n_inputs, 1));
  HybSequence           *bare = axis == 0 ? hyb_kept_axis_join (rebuild, id) : NULL;

  if (bare)
    {
      place_whole (rebuild, node, bare, 0);
      return TRUE;
    }
  for (guint i = 0; i < node->n_inputs; i++)
    {
      HybNodeId      maker = hyb_graph_get_producer (rebuild->from, inputs[i]);
      const HybNode *expand = hyb_graph_get_node (rebuild->from, maker);

      if (hyb_node_kind (expand) != HYB_KIND_EXPAND || hyb_node_int (expand, "axis", 0) != axis)
        return FALSE;
      steps[i] = hyb_graph_get_inputs (rebuild->from, maker)[0];
    }
  place_whole (rebuild, node, hyb_rebuild_gather (rebuild, node->n_inputs, steps), axis);
  return TRUE;
}

/* The sequences of which all inputs are the same step, which *step gets; NULL if some input is not
 * such a step.  A sequence that runs the other way is reversed. */
static HybSequence **
find_parts (HybRebuild *rebuild, const HybNode *node, const HybValueId *inputs, guint *step)
{
  g_autofree HybSequence **parts = g_new (HybSequence *, MAX (node->n_inputs, 1));

  for (guint i = 0; i < node->n_inputs; i++)
    {
      const HybSequencePlace *place =
          hyb_rebuild_find_place (rebuild, inputs[i], HYB_SEQUENCE_STEP);

      if (!place)
        return NULL;
      if (i == 0)
        *step = place->step;
      parts[i] = place->sequence;
      if (place->step == *step)
        continue;
      if (place->sequence->n - 1 - place->step != *step)
        return NULL;
      parts[i] = hyb_sequence_reversed (rebuild, place->sequence);
    }
  for (guint i = 0; i < node->n_inputs; i++)
    if (parts[i]->n != parts[0]->n)
      return NULL;
  return g_steal_pointer (&parts);
}

/* The step in the middle is the same in both directions: the earlier steps decide which one is meant. */
static void
turn_middle (HybRebuild *rebuild, HybNodeId id, guint n_parts, HybSequence **parts, guint step)
{
  g_autofree HybSequence **turned = g_memdup2 (parts, n_parts * sizeof *parts);

  if (2 * step + 1 != parts[0]->n || hyb_sequence_find_mapped (rebuild, id, n_parts, parts))
    return;
  for (guint i = 1; i < n_parts; i++)
    turned[i] = hyb_sequence_reversed (rebuild, parts[i]);
  if (hyb_sequence_find_mapped (rebuild, id, n_parts, turned))
    memcpy (parts, turned, n_parts * sizeof *parts);
}

/* A node that reads one step of each sequence is a step of the node mapped over them. */
static gboolean
follow_map (HybRebuild *rebuild, HybNodeId id, const HybNode *node, const HybValueId *inputs)
{
  guint                    step = 0;
  g_autofree HybSequence **parts = find_parts (rebuild, node, inputs, &step);

  if (!parts)
    return FALSE;
  turn_middle (rebuild, id, node->n_inputs, parts, step);
  hyb_rebuild_set_place (rebuild, node->first_output,
                         (HybSequencePlace){
                             HYB_SEQUENCE_STEP, 0, step,
                             hyb_sequence_mapped (rebuild, id, node->n_inputs, parts) });
  return TRUE;
}

/* A node that reads whole sequences along the same axis is the node mapped over them. */
static gboolean
join_features (HybRebuild *rebuild, HybNodeId id, const HybNode *node, const HybValueId *inputs)
{
  g_autofree HybSequence **parts = g_new (HybSequence *, MAX (node->n_inputs, 1));
  guint                    axis = 0;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      const HybSequencePlace *place =
          hyb_rebuild_find_place (rebuild, inputs[i], HYB_SEQUENCE_WHOLE);

      if (!place || (i > 0 && (place->axis != axis || place->sequence->n != parts[0]->n)))
        return FALSE;
      axis = place->axis;
      parts[i] = place->sequence;
    }
  place_whole (rebuild, node, hyb_sequence_mapped (rebuild, id, node->n_inputs, parts), axis);
  return TRUE;
}

static gboolean
follow_concat (HybRebuild *rebuild, HybNodeId id, const HybNode *node, const HybValueId *inputs)
{
  gint64 axis = hyb_node_concat_axis (node);

  if (is_time_axis (axis) && join_kept (rebuild, id, inputs, (guint) axis))
    return TRUE;
  if (axis == 2)
    return join_features (rebuild, id, node, inputs);
  return axis == 1 && follow_map (rebuild, id, node, inputs);
}

static gboolean
follow_swap (HybRebuild *rebuild, HybNodeId id, const HybNode *node, const HybValueId *inputs)
{
  const HybSequencePlace *place = hyb_rebuild_find_place (rebuild, inputs[0], HYB_SEQUENCE_WHOLE);
  HybSequence            *sequence;

  if (place)
    {
      place_whole (rebuild, node, place->sequence, 1 - place->axis);
      return TRUE;
    }
  /* Either axis may be time.  Assume the one that comes first after the swap. */
  sequence = hyb_sequence_of_whole (rebuild, 0, hyb_rebuild_value (rebuild, inputs[0]), 1);
  hyb_rebuild_set_place (rebuild, inputs[0],
                         (HybSequencePlace){ HYB_SEQUENCE_WHOLE, 1, 0, sequence });
  place_whole (rebuild, node, sequence, 0);
  return TRUE;
}

static gboolean
follow_reverse (HybRebuild *rebuild, HybNodeId id, const HybNode *node, const HybValueId *inputs)
{
  const HybSequencePlace *place = hyb_rebuild_find_place (rebuild, inputs[0], HYB_SEQUENCE_WHOLE);
  const HybInts          *axis = hyb_node_ints (node, "axis");

  if (!place || !axis || axis->n != 1 || axis->value[0] != place->axis)
    return FALSE;
  place_whole (rebuild, node, hyb_sequence_reversed (rebuild, place->sequence), place->axis);
  return TRUE;
}

static gboolean
follow_copy (HybRebuild *rebuild, HybNodeId id, const HybNode *node, const HybValueId *inputs)
{
  const HybSequencePlace *places = rebuild->place + (gsize) inputs[0] * HYB_MAX_PLACES;

  rebuild->value[node->first_output] = rebuild->value[inputs[0]];
  for (guint i = 0; i < HYB_MAX_PLACES; i++)
    if (places[i].kind != HYB_SEQUENCE_NONE)
      hyb_rebuild_set_place (rebuild, node->first_output, places[i]);
  return TRUE;
}

/* A slice to the shape of another array that has the same shape already changes nothing. */
static gboolean
follow_slice_like (HybRebuild *rebuild, HybNodeId id, const HybNode *node, const HybValueId *inputs)
{
  return rebuild->types && hyb_shape_is_known (&rebuild->types[inputs[0]].shape) &&
         hyb_shape_equal (&rebuild->types[inputs[0]].shape, &rebuild->types[inputs[1]].shape) &&
         follow_copy (rebuild, id, node, inputs);
}

/* The last step, which is cut out of a sequence that was computed step by step.  The range must
 * count from the end, so that it is the last step for any number of steps. */
static gboolean
cut_last (HybRebuild *rebuild, const HybNode *node, gint64 axis, gint64 begin, gint64 end)
{
  HybValueId data =
      hyb_graph_get_inputs (rebuild->from,
                            hyb_graph_get_producer (rebuild->from, node->first_output))[0];
  const HybSequencePlace *place = hyb_rebuild_find_place (rebuild, data, HYB_SEQUENCE_WHOLE);

  if (!place || axis != place->axis || begin != -1 || end != HYB_NONE ||
      !place->sequence->has_steps)
    return FALSE;
  hyb_rebuild_set_place (rebuild, node->first_output,
                         (HybSequencePlace){ HYB_SEQUENCE_STEP_KEPT, place->axis,
                                             place->sequence->n - 1, place->sequence });
  return TRUE;
}

static gboolean
follow_slice_axis (HybRebuild *rebuild, HybNodeId id, const HybNode *node, const HybValueId *inputs)
{
  return cut_last (rebuild, node, hyb_node_int (node, "axis", 0), hyb_node_int (node, "begin", 0),
                   hyb_node_int (node, "end", HYB_NONE));
}

/* A slice of the first axes, all but the last of which are kept as they are. */
static gboolean
follow_slice (HybRebuild *rebuild, HybNodeId id, const HybNode *node, const HybValueId *inputs)
{
  const HybInts *begin = hyb_node_ints (node, "begin"), *end = hyb_node_ints (node, "end");
  const HybInts *step = hyb_node_ints (node, "step");
  int            last;

  if (!begin || !end || begin->n < 1 || begin->n != end->n || (step && step->n > 0))
    return FALSE;
  last = begin->n - 1;
  for (int i = 0; i < last; i++)
    if ((begin->value[i] != 0 && begin->value[i] != HYB_NONE) || end->value[i] != HYB_NONE)
      return FALSE;
  return cut_last (rebuild, node, last, begin->value[last], end->value[last]);
}

/* Whether a value consists of the zeros that while-states.h computes. */
static gboolean
is_computed_zero (const HybGraph *graph, HybValueId value)
{
  HybNodeId      id = hyb_graph_get_producer (graph, value);
  const HybNode *node = hyb_graph_get_node (graph, id);

  return hyb_node_kind (node) == HYB_KIND_MUL_SCALAR && hyb_node_double (node, "scalar", 1) == 0 &&
         hyb_value_kind (graph, hyb_graph_get_inputs (graph, id)[0]) == HYB_KIND_SIGN;
}

/* The product of a column of such zeros and a row is a constant of unknown batch size. */
static gboolean
follow_dot (HybRebuild *rebuild, HybNodeId id, const HybNode *node, const HybValueId *inputs)
{
  HybNodeId      maker = hyb_graph_get_producer (rebuild->from, inputs[0]);
  const HybNode *row =
      hyb_graph_get_node (rebuild->from, hyb_graph_get_producer (rebuild->from, inputs[1]));
  const char       *size = hyb_node_get_attribute (row, "size");
  g_autofree char  *shape = size ? g_strdup_printf ("(0, %s)", size) : NULL;
  const char *const attributes[] = { "__layout__", "NC", "dtype", "float32", "shape", shape, NULL };

  if (!shape || hyb_value_kind (rebuild->from, inputs[0]) != HYB_KIND_EXPAND ||
      !is_computed_zero (rebuild->from, hyb_graph_get_inputs (rebuild->from, maker)[0]))
    return FALSE;
  rebuild->value[node->first_output] =
      hyb_rebuild_call (rebuild, &(HybRebuildCall){ .op = "_zeros",
                                                    .name = node->name,
                                                    .attributes = attributes });
  return TRUE;
}

/* The sum of a constant and such zeros is the constant. */
static gboolean
follow_add (HybRebuild *rebuild, HybNodeId id, const HybNode *node, const HybValueId *inputs)
{
  return node->n_inputs == 2 && hyb_value_kind (rebuild->from, inputs[0]) == HYB_KIND_CONSTANT &&
         is_computed_zero (rebuild->from, inputs[1]) && follow_copy (rebuild, id, node, inputs);
}

/* An elementwise node on whole sequences may be applied to each step instead. */
static gboolean
follow_whole (HybRebuild *rebuild, HybNodeId id, const HybNode *node, const HybValueId *inputs)
{
  if (!join_features (rebuild, id, node, inputs))
    return FALSE;
  hyb_rebuild_find_place (rebuild, node->first_output, HYB_SEQUENCE_WHOLE)
      ->sequence->is_mapped_whole = TRUE;
  return TRUE;
}

static gboolean
follow_last (HybRebuild *rebuild, HybNodeId id, const HybNode *node, const HybValueId *inputs)
{
  const HybSequencePlace *place = hyb_rebuild_find_place (rebuild, inputs[0], HYB_SEQUENCE_WHOLE);

  if (!place || node->n_inputs != 1 || place->sequence->n == 0 ||
      hyb_node_int (node, "axis", 0) != place->axis)
    return FALSE;
  hyb_rebuild_set_place (rebuild, node->first_output,
                         (HybSequencePlace){ HYB_SEQUENCE_STEP, 0, place->sequence->n - 1,
                                             place->sequence });
  return TRUE;
}

static const struct
{
  HybNodeKind word;
  FollowFunc  follow;
} follow_functions[] = {
  { HYB_KIND_SPLIT, follow_split },
  { HYB_KIND_SQUEEZE, follow_squeeze },
  { HYB_KIND_SQUEEZE, follow_only_step },
  { HYB_KIND_RESHAPE, follow_only_step },
  { HYB_KIND_EXPAND, follow_expand },
  { HYB_KIND_STACK, follow_stack },
  { HYB_KIND_CONCAT, follow_concat },
  { HYB_KIND_SWAP, follow_swap },
  { HYB_KIND_REVERSE, follow_reverse },
  { HYB_KIND_LAST, follow_last },
  { HYB_KIND_COPY, follow_copy },
  { HYB_KIND_SLICE_LIKE, follow_slice_like },
  { HYB_KIND_SLICE_AXIS, follow_slice_axis },
  { HYB_KIND_SLICE, follow_slice },
  { HYB_KIND_DOT, follow_dot },
  { HYB_KIND_ADD, follow_add },
};

static gboolean
follow_sequences (HybRebuild *rebuild, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (rebuild->from, id);
  const HybValueId *inputs = hyb_graph_get_inputs (rebuild->from, id);
  HybNodeKind       word = hyb_node_kind (node);

  if (rebuild->split_products && rebuild->split_products[id].layout != HYB_LAYOUT_NONE &&
      hyb_split_products_follow (rebuild, id))
    return TRUE;
  if (rebuild->split_products && hyb_kept_axis_follow (rebuild, id))
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (follow_functions); i++)
    if (follow_functions[i].word == word && follow_functions[i].follow (rebuild, id, node, inputs))
      return TRUE;
  return hyb_node_is_elementwise (node) &&
         (follow_map (rebuild, id, node, inputs) || follow_whole (rebuild, id, node, inputs));
}

gboolean
hyb_rebuild_find_split_products (HybRebuild *rebuild, const HybType *types)
{
  rebuild->types = types;
  rebuild->split_products = hyb_split_products_find (rebuild->from, types);
  return rebuild->split_products != NULL;
}

void
hyb_rebuild_node (HybRebuild *rebuild, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (rebuild->from, id);

  if (node->n_outputs > 0 && rebuild->value[node->first_output] != HYB_NO_ID)
    return; /* set by the group or loop that makes it */
  rebuild->current = id;
  if (!follow_sequences (rebuild, id))
    hyb_rebuild_copy_node (rebuild, id);
}

/* Renumbers the new nodes of matches, and removes matches with nodes that were dropped. */
static void
renumber (GArray *matches, const HybNodeId *new_node)
{
  guint n = 0;

  for (guint i = 0; i < matches->len; i++)
    {
      HybMatch match = g_array_index (matches, HybMatch, i);

      match.b = new_node[match.b];
      if (match.b != HYB_NO_ID)
        g_array_index (matches, HybMatch, n++) = match;
    }
  g_array_set_size (matches, n);
}

HybGraph *
hyb_rebuild_finish (HybRebuild *rebuild, GError **error)
{
  guint             n;
  const HybValueId *heads = hyb_graph_get_heads (rebuild->from, &n);
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybGraph) ordered = NULL;
  g_autofree HybNodeId *new_node = NULL;

  rebuild->current = HYB_NO_ID;
  for (guint i = 0; i < n && !rebuild->error; i++)
    hyb_builder_add_head (rebuild->builder, hyb_rebuild_value (rebuild, heads[i]));
  if (rebuild->error)
    {
      g_propagate_error (error, g_steal_pointer (&rebuild->error));
      return NULL;
    }
  graph = hyb_builder_freeze (g_steal_pointer (&rebuild->builder));
  ordered = hyb_graph_depth_first (graph, &new_node);
  renumber (rebuild->matches, new_node);
  return g_steal_pointer (&ordered);
}
