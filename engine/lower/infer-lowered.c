/* infer-lowered.c — types of graphs of other formats, on request.
 *
 * Lowering needs sizes, but files leave dimensions open.  So open dimensions get sizes in three
 * turns, and the graph is lowered with each.  A dimension that is the same in all turns is that
 * number; one that follows an open dimension is written in its name (“batch”, “2·time”); all others
 * are unknown.  If the graph does not accept the sizes, others are tried: large ones, because a
 * window must fit into them; small ones, because there may be a limit; and 1, because an export may
 * have frozen a dimension that it declares open.  inferred.c does it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/lower/infer-lowered.h"

#include "engine/base/error.h"
#include "engine/lower/inferred.h"

#include <string.h>

/* The first fault that is a contradiction. A node that this program cannot compute does not count. */
static gboolean
report_fault (const HybLowered *lowered, GError **error)
{
  for (guint i = 0; i < lowered->faults->len; i++)
    {
      const GError *fault = g_array_index (lowered->faults, HybLoweringFault, i).error;

      if (g_error_matches (fault, HYB_OP_ERROR, HYB_OP_ERROR_UNSUPPORTED))
        continue;
      g_propagate_error (error, g_error_copy (fault));
      return FALSE;
    }
  return TRUE;
}

/* Copies the types of all values but the variables. */
static void
copy_types (HybGraph *graph, const HybInferred *inferred, HybType *types, guint32 *fixed_by)
{
  for (HybValueId value = 0; value < hyb_graph_n_values (graph); value++)
    {
      HybNodeId producer = hyb_graph_get_producer (graph, value);
      gboolean  is_variable = hyb_node_is_variable (hyb_graph_get_node (graph, producer));

      types[value] = inferred->types[value];
      if (fixed_by)
        fixed_by[value] = is_variable ? HYB_NO_ID : producer;
    }
}

gboolean
hyb_lowered_infer_types (HybGraph *graph,
                         HybType  *types,
                         guint32  *fixed_by,
                         gboolean  training,
                         GError  **error)
{
  g_autoptr (HybInferred) inferred = hyb_inferred_get (graph, types, training);

  copy_types (graph, inferred, types, fixed_by);
  return report_fault (inferred->lowered, error);
}

void
hyb_lowered_infer (HybGraph *graph, HybType *types, HybLoweredFacts *facts)
{
  static const char *const words[N_SIZES] = { [SIZES_SMALL] = "small sizes",
                                              [SIZES_ONE_BATCH] = "a size of 1 for the first axis",
                                              [SIZES_ONE] = "sizes of 1" };
  g_autoptr (HybInferred) inferred = hyb_inferred_get (graph, types, FALSE);

  copy_types (graph, inferred, types, NULL);
  facts->faults = g_array_ref (inferred->lowered->faults);
  facts->accepted = words[inferred->sizes];
  facts->frozen = facts->accepted ? g_array_ref (inferred->refusals) : NULL;
  facts->is_limit = inferred->sizes == SIZES_SMALL;
}

void
hyb_lowered_facts_clear (HybLoweredFacts *facts)
{
  g_clear_pointer (&facts->faults, g_array_unref);
  g_clear_pointer (&facts->frozen, g_array_unref);
}

HybLowered *
hyb_lowered_new (HybGraph *graph, const HybType *types)
{
  g_autoptr (HybInferred) inferred = hyb_inferred_get (graph, types, FALSE);

  return hyb_lowered_ref (inferred->lowered);
}

/* A constant with more elements is one that is worth seeing. */
#define SMALL_CONSTANT 64

static gboolean
has_contents (const HybLowered *lowered, HybValueId value)
{
  HybValueId stands_for = g_array_index (lowered->map, HybValueId, value);

  return stands_for != HYB_NO_ID && lowered->contents[stands_for];
}

/* Whether a node makes something of small constants alone, such as an array of zeros with a shape that the file gives. */
static gboolean
reads_small_constants (const HybLowered *lowered, HybGraph *graph, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (graph, id);

  for (guint i = 0; i < node->n_inputs; i++)
    {
      const HybType *type = &lowered->value_types[inputs[i]];

      if (!has_contents (lowered, inputs[i]) ||
          hyb_type_bytes (type) > SMALL_CONSTANT * hyb_dtype_size (type->dtype))
        return FALSE;
    }
  return node->n_inputs > 0;
}

guint8 *
hyb_lowered_find_known (const HybLowered *lowered, HybGraph *graph)
{
  guint8 *known = g_new0 (guint8, MAX (hyb_graph_n_nodes (graph), 1));

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      known[id] = !hyb_node_is_variable (node) && node->n_bodies == 0 && node->n_outputs > 0;
      for (guint i = 0; known[id] && i < node->n_outputs; i++)
        known[id] = has_contents (lowered, node->first_output + i);
      if (!hyb_node_is_variable (node) && node->n_bodies == 0)
        known[id] |= reads_small_constants (lowered, graph, id);
    }
  return known;
}
