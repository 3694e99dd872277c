/* kept-axis.c — computes states without an axis of time of size 1.
 *
 * A value that is computed without the axis is the only step of a sequence, with the axis kept.  Start reading at
 * hyb_kept_axis_follow().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/steps/kept-axis.h"

#include "engine/variants/node-kind.h"
#include "engine/variants/rebuild-value.h"

#define MAX_DEPTH 8

static const HybShape *
shape_of (const HybRebuild *rebuild, HybValueId value)
{
  return &rebuild->types[value].shape;
}

static gboolean
has_kept_axis (const HybRebuild *rebuild, HybValueId value)
{
  return shape_of (rebuild, value)->rank == 3 && shape_of (rebuild, value)->dim[0] == 1;
}

/* Whether a value is computed without the axis. */
static const HybSequencePlace *
find_bare (HybRebuild *rebuild, HybValueId value)
{
  const HybSequencePlace *place = hyb_rebuild_find_place (rebuild, value, HYB_SEQUENCE_STEP_KEPT);

  return place && place->axis == 0 && place->sequence->n == 1 ? place : NULL;
}

/* Whether a node computes the same without the first axis of its first input. */
static gboolean
ignores_axis (const HybRebuild *rebuild, const HybNode *node, const HybValueId *inputs)
{
  HybNodeKind kind = hyb_node_kind (node);
  gboolean    is_product = (kind == HYB_KIND_LINEAR && !hyb_node_bool (node, "flatten")) ||
                        (kind == HYB_KIND_DOT && shape_of (rebuild, inputs[1])->rank == 2);

  if (!has_kept_axis (rebuild, node->first_output) ||
      (!is_product && !hyb_node_is_elementwise (node)))
    return FALSE;
  for (guint i = 0; i < node->n_inputs && !is_product; i++)
    if (shape_of (rebuild, inputs[i])->rank > 2 && !has_kept_axis (rebuild, inputs[i]))
      return FALSE;
  return TRUE;
}

static HybValueId copy_bare (HybRebuild *rebuild, HybNodeId id, guint depth);

/* The new value of a value [1, batch, units] as [batch, units]. */
static HybValueId
make_bare (HybRebuild *rebuild, HybValueId value, guint depth)
{
  const HybSequencePlace *place = find_bare (rebuild, value);
  HybNodeId               id = hyb_graph_get_producer (rebuild->from, value);
  const HybNode          *node = hyb_graph_get_node (rebuild->from, id);
  const HybValueId       *inputs = hyb_graph_get_inputs (rebuild->from, id);

  if (place)
    return hyb_sequence_step (rebuild, place->sequence, 0);
  if (hyb_node_kind (node) == HYB_KIND_EXPAND && hyb_node_int (node, "axis", 0) == 0)
    return hyb_rebuild_value (rebuild, inputs[0]);
  if (depth < MAX_DEPTH && ignores_axis (rebuild, node, inputs))
    return copy_bare (rebuild, id, depth + 1);
  return hyb_rebuild_unary (rebuild, "squeeze", "squeeze", hyb_rebuild_value (rebuild, value),
                            "axis", "(0,)", NULL);
}

static HybValueId
copy_bare (HybRebuild *rebuild, HybNodeId id, guint depth)
{
  const HybNode         *node = hyb_graph_get_node (rebuild->from, id);
  const HybValueId      *inputs = hyb_graph_get_inputs (rebuild->from, id);
  g_autofree HybValueId *values = g_new (HybValueId, MAX (node->n_inputs, 1));

  for (guint i = 0; i < node->n_inputs; i++)
    values[i] = has_kept_axis (rebuild, inputs[i]) ? make_bare (rebuild, inputs[i], depth)
                                                   : hyb_rebuild_value (rebuild, inputs[i]);
  return hyb_rebuild_copy (rebuild, rebuild->from, id, hyb_rebuild_name (rebuild, "%s", node->name),
                           values);
}

/* Whether a node adds a step without the axis to a value with it. */
static gboolean
adds_step (HybRebuild *rebuild, const HybNode *node, const HybValueId *inputs)
{
  guint n_steps = 0, n_kept = 0;

  for (guint i = 0; hyb_node_kind (node) == HYB_KIND_ADD && i < node->n_inputs; i++)
    {
      n_steps += shape_of (rebuild, inputs[i])->rank == 2 &&
                 hyb_rebuild_find_place (rebuild, inputs[i], HYB_SEQUENCE_STEP);
      n_kept += has_kept_axis (rebuild, inputs[i]);
    }
  return n_steps == 1 && n_kept == 1;
}

gboolean
hyb_kept_axis_follow (HybRebuild *rebuild, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (rebuild->from, id);
  const HybValueId *inputs = hyb_graph_get_inputs (rebuild->from, id);
  gboolean          reads_bare = FALSE;
  HybValueId        value;

  if (node->n_outputs != 1 || !rebuild->types || !ignores_axis (rebuild, node, inputs))
    return FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    reads_bare = reads_bare || find_bare (rebuild, inputs[i]);
  if (!reads_bare && !adds_step (rebuild, node, inputs))
    return FALSE;
  value = copy_bare (rebuild, id, 0);
  hyb_rebuild_set_place (rebuild, node->first_output,
                         (HybSequencePlace){ HYB_SEQUENCE_STEP_KEPT, 0, 0,
                                             hyb_sequence_of_steps (rebuild, 1, &value) });
  return TRUE;
}

HybSequence *
hyb_kept_axis_join (HybRebuild *rebuild, HybNodeId id)
{
  const HybNode         *node = hyb_graph_get_node (rebuild->from, id);
  const HybValueId      *inputs = hyb_graph_get_inputs (rebuild->from, id);
  g_autofree HybValueId *steps = g_new (HybValueId, MAX (node->n_inputs, 1));

  for (guint i = 0; i < node->n_inputs; i++)
    if (!find_bare (rebuild, inputs[i]))
      return NULL;
  for (guint i = 0; i < node->n_inputs; i++)
    steps[i] = make_bare (rebuild, inputs[i], 0);
  return hyb_sequence_of_steps (rebuild, node->n_inputs, steps);
}
