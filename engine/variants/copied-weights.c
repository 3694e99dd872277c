/* copied-weights.c — finds out who else reads the weights that are packed or unpacked.
 *
 * Start reading at hyb_report_packed_weights().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/copied-weights.h"

#include "engine/variants/node-kind.h"

/* The weights of one chain. */
static void
list_weights (const HybCellStep *step, GHashTable *weights)
{
  for (guint g = 0; g < step->n_gates; g++)
    {
      const HybTerm *terms[] = { &step->gate[g].input, &step->gate[g].hidden };

      for (guint k = 0; k < G_N_ELEMENTS (terms); k++)
        {
          g_hash_table_add (weights, GUINT_TO_POINTER (terms[k]->weight));
          if (terms[k]->bias != HYB_NO_ID)
            g_hash_table_add (weights, GUINT_TO_POINTER (terms[k]->bias));
        }
    }
  if (step->projection.rows > 0)
    g_hash_table_add (weights, GUINT_TO_POINTER (step->projection.weight));
}

static void
report (HybConversion *conversion, HybValueId weight, HybNodeId reader, const char *copy)
{
  HybGraph   *graph = conversion->graph;
  const char *name = hyb_graph_get_node (graph, hyb_graph_get_producer (graph, weight))->name;

  hyb_model_add_finding (conversion->to,
                         hyb_finding_new ("weight-copied", HYB_SEVERITY_WARNING,
                                          "“%s” is also read by “%s”, and %s is a copy of it: "
                                          "training the new model changes them separately. Keep "
                                          "the form that it has to train it.",
                                          name, hyb_graph_get_node (graph, reader)->name, copy));
}

void
hyb_report_packed_weights (HybConversion  *conversion,
                           const HybCells *cells,
                           const HybGroup *group,
                           const char     *packed)
{
  g_autoptr (GHashTable) reported = g_hash_table_new (NULL, NULL);

  for (guint c = 0; c < group->chains->len; c++)
    {
      guint chain = g_array_index (group->chains, guint, c);
      g_autoptr (GHashTable) weights = g_hash_table_new (NULL, NULL);
      g_autofree char *copy = g_strdup_printf ("a part of “%s”", packed);
      GHashTableIter   iter;
      gpointer         weight;

      list_weights (hyb_chain_step (cells, cells->chains->pdata[chain], 0), weights);
      g_hash_table_iter_init (&iter, weights);
      while (g_hash_table_iter_next (&iter, &weight, NULL))
        {
          guint            n;
          const HybNodeId *users =
              hyb_graph_get_users (cells->graph, GPOINTER_TO_UINT (weight), &n);

          for (guint i = 0; i < n; i++)
            if (cells->chain_of_node[users[i]] != chain && g_hash_table_add (reported, weight))
              report (conversion, GPOINTER_TO_UINT (weight), users[i], copy);
        }
    }
}

void
hyb_report_unpacked_weights (HybConversion *conversion, HybValueId packed)
{
  guint            n;
  const HybNodeId *users = hyb_graph_get_users (conversion->graph, packed, &n);

  for (guint i = 0; i < n; i++)
    if (hyb_node_kind (hyb_graph_get_node (conversion->graph, users[i])) != HYB_KIND_RNN)
      {
        report (conversion, packed, users[i], "each weight of the new cells");
        return;
      }
}
