/* facts.c — stores facts about a graph (types, constants) in arrays beside it.
 *
 * The only logic is hyb_facts_follow(), which carries facts over to a rewritten graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/analysis/facts.h"

HybFacts *
hyb_facts_new (gboolean training)
{
  HybFacts *facts = g_new0 (HybFacts, 1);

  facts->training = training;
  return facts;
}

void
hyb_facts_free (HybFacts *facts)
{
  if (facts->constants)
    for (guint i = 0; i < facts->n_values; i++)
      g_clear_pointer (&facts->constants[i], hyb_tensor_unref);

  g_free (facts->constants);
  g_free (facts->fixed_by);
  g_free (facts->types);
  hyb_sources_free (facts->sources);
  g_free (facts);
}

/* Makes arrays for another graph and moves the facts of each old value to the value that replaces
 * it.  If several old values become one, the first that is known counts. */
void
hyb_facts_follow (HybFacts *facts, HybGraph *graph, const GArray *map)
{
  guint                  n = hyb_graph_n_values (graph);
  g_autofree HybType    *types = g_new (HybType, MAX (n, 1));
  g_autofree guint32    *fixed_by = g_new (guint32, MAX (n, 1));
  g_autofree HybTensor **constants = g_new0 (HybTensor *, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    {
      types[i] = HYB_TYPE_UNKNOWN;
      fixed_by[i] = HYB_NO_ID;
    }

  for (guint i = 0; i < facts->n_values; i++)
    {
      HybValueId to = g_array_index (map, HybValueId, i);

      if (to == HYB_NO_ID)
        {
          g_clear_pointer (&facts->constants[i], hyb_tensor_unref);
          continue;
        }

      if (types[to].shape.rank == HYB_UNKNOWN)
        types[to].shape = facts->types[i].shape;
      if (types[to].dtype == HYB_DTYPE_UNKNOWN)
        types[to].dtype = facts->types[i].dtype;
      if (!constants[to])
        constants[to] = g_steal_pointer (&facts->constants[i]);
      else
        g_clear_pointer (&facts->constants[i], hyb_tensor_unref);
    }

  g_free (facts->types);
  g_free (facts->fixed_by);
  g_free (facts->constants);
  facts->types = g_steal_pointer (&types);
  facts->fixed_by = g_steal_pointer (&fixed_by);
  facts->constants = g_steal_pointer (&constants);
  facts->n_values = n;
}

void
hyb_facts_resize (HybFacts *facts, HybGraph *graph)
{
  g_return_if_fail (!facts->types);

  facts->n_values = hyb_graph_n_values (graph);
  facts->types = g_new (HybType, MAX (facts->n_values, 1));
  facts->fixed_by = g_new (guint32, MAX (facts->n_values, 1));
  facts->constants = g_new0 (HybTensor *, MAX (facts->n_values, 1));
  for (guint i = 0; i < facts->n_values; i++)
    {
      facts->types[i] = HYB_TYPE_UNKNOWN;
      facts->fixed_by[i] = HYB_NO_ID;
    }
}
