/* memory-curve.c — sums the lifetimes of planned values.
 *
 * Views, and results computed in place, share memory with an input: they extend its lifetime and
 * add nothing.  Start reading at prof_memory_curve().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/memory-curve.h"

#include "engine/exec/plan-private.h"

/* A range of the block and the nodes from its first write to its last use. */
typedef struct
{
  gsize   begin, end;  /* bytes */
  guint32 first, last; /* nodes */
} LiveRange;

/* By value: the last node that reads it; the last node of all for heads. */
static guint32 *
find_last_uses (HybGraph *graph)
{
  guint             n_heads, n_nodes = hyb_graph_n_nodes (graph);
  const HybValueId *heads = hyb_graph_get_heads (graph, &n_heads);
  guint32          *last = g_new0 (guint32, MAX (hyb_graph_n_values (graph), 1));

  for (HybNodeId id = 0; id < n_nodes; id++)
    {
      const HybNode    *node = hyb_graph_get_node (graph, id);
      const HybValueId *inputs = hyb_graph_get_inputs (graph, id);

      for (guint i = 0; i < node->n_outputs; i++)
        last[node->first_output + i] = id;
      for (guint i = 0; i < node->n_inputs; i++)
        last[inputs[i]] = id;
    }
  for (guint i = 0; i < n_heads; i++)
    last[heads[i]] = n_nodes - 1;
  return last;
}

/* The range of an input of node id that overlaps with this one; HYB_NO_ID if there is none. */
static guint32
find_shared (const HybPlan   *plan,
             HybNodeId        id,
             const LiveRange *range,
             const guint32   *range_of,
             GArray          *ranges)
{
  const HybValueId *inputs = hyb_graph_get_inputs (plan->graph, id);

  for (guint i = 0; i < hyb_graph_get_node (plan->graph, id)->n_inputs; i++)
    if (range_of[inputs[i]] != HYB_NO_ID)
      {
        const LiveRange *other = &g_array_index (ranges, LiveRange, range_of[inputs[i]]);

        if (range->begin < other->end && other->begin < range->end)
          return range_of[inputs[i]];
      }
  return HYB_NO_ID;
}

/* The ranges of all values in the block.  Values that share memory with their inputs extend the
 * range of the input. */
static GArray *
find_ranges (const HybPlan *plan)
{
  GArray             *ranges = g_array_new (FALSE, FALSE, sizeof (LiveRange));
  guint               n_values = hyb_graph_n_values (plan->graph);
  g_autofree guint32 *last = find_last_uses (plan->graph);
  g_autofree guint32 *range_of = g_new (guint32, MAX (n_values, 1));

  for (HybValueId value = 0; value < n_values; value++)
    {
      HybNodeId producer = hyb_graph_get_producer (plan->graph, value);
      gsize     begin = plan->places[value].offset;
      LiveRange range = { begin, begin, producer, last[value] };
      guint32   shared;

      range_of[value] = HYB_NO_ID;
      if (plan->places[value].kind != HYB_PLACE_BLOCK ||
          !hyb_type_is_known (hyb_plan_type (plan, value)))
        continue;
      range.end += hyb_type_bytes (hyb_plan_type (plan, value));
      shared = find_shared (plan, producer, &range, range_of, ranges);
      if (shared == HYB_NO_ID)
        {
          range_of[value] = ranges->len;
          g_array_append_val (ranges, range);
        }
      else
        {
          LiveRange *other = &g_array_index (ranges, LiveRange, shared);

          range_of[value] = shared;
          other->begin = MIN (other->begin, range.begin);
          other->end = MAX (other->end, range.end);
          other->last = MAX (other->last, range.last);
        }
    }
  return ranges;
}

GArray *
prof_memory_curve (const HybPlan *plan)
{
  GArray *curve = g_array_new (FALSE, FALSE, sizeof (ProfLive));
  g_autoptr (GArray) ranges = NULL;
  g_autofree gint64 *change = NULL;
  g_autofree gsize  *taken = NULL;
  gint64             live = 0;
  HybNodeId          at = 0;

  if (!plan || plan->is_dynamic)
    return curve;

  ranges = find_ranges (plan);
  change = g_new0 (gint64, (gsize) hyb_graph_n_nodes (plan->graph) + 2);
  taken = g_new0 (gsize, MAX (hyb_graph_n_nodes (plan->graph), 1));
  for (guint i = 0; i < ranges->len; i++)
    {
      const LiveRange *range = &g_array_index (ranges, LiveRange, i);

      taken[range->first] += range->end - range->begin;
      change[range->first] += (gint64) (range->end - range->begin);
      change[range->last + 1] -= (gint64) (range->end - range->begin);
    }
  for (guint i = 0; i < plan->n_steps; i++)
    {
      ProfLive point = { .node = plan->steps[i].node };

      for (; at <= plan->steps[i].node; at++)
        live += change[at];
      point.live = (gsize) live + plan->steps[i].workspace_bytes;
      point.taken = taken[point.node] + plan->steps[i].workspace_bytes;
      g_array_append_val (curve, point);
    }
  return curve;
}
