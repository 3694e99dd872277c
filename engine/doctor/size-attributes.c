/* size-attributes.c — tries the sizes of a node's arrays in its attributes.
 *
 * Start at hyb_size_suggest().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/size-attributes.h"

#include "engine/analysis/infer-types.h"
#include "engine/doctor/change.h"
#include "engine/doctor/edit-nodes.h"

#include <string.h>

#define MAX_TRIALS 24
#define MAX_NODES  5000 /* of a graph that is inferred so often */

/* A size in the place of an attribute. */
typedef struct
{
  HybGraph   *graph;
  HybNodeId   node;
  const char *key;
  char        value[24];
} Trial;

/* For HybNodeEditFunc; data: a Trial. */
static void
set_size (HybNodeEdit *edit, gpointer data)
{
  const Trial *trial = data;

  if (edit->graph == trial->graph && edit->id == trial->node)
    hyb_node_edit_set (edit, trial->key, trial->value);
}

static gboolean
agrees (Trial *trial, const HybType *facts)
{
  g_autoptr (GPtrArray) changes = hyb_changes_new ();
  g_autoptr (HybGraph) edited = hyb_edit_nodes (trial->graph, set_size, trial, changes);
  g_autofree HybType *types =
      g_memdup2 (facts, MAX (hyb_graph_n_values (trial->graph), 1) * sizeof (HybType));

  return edited != trial->graph &&
         hyb_graph_n_values (edited) == hyb_graph_n_values (trial->graph) &&
         hyb_infer_types (edited, types, NULL, FALSE, NULL);
}

/* The different sizes of the arrays that the node reads, of gint64.  (transfer full) */
static GArray *
list_sizes (HybGraph *graph, const HybType *facts, HybNodeId id)
{
  GArray           *sizes = g_array_new (FALSE, FALSE, sizeof (gint64));
  const HybNode    *node = hyb_graph_get_node (graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (graph, id);

  for (guint i = 0; i < node->n_inputs; i++)
    for (int axis = 0; axis < facts[inputs[i]].shape.rank; axis++)
      {
        gint64   size = facts[inputs[i]].shape.dim[axis];
        gboolean is_new = size > 0;

        for (guint k = 0; k < sizes->len; k++)
          is_new &= g_array_index (sizes, gint64, k) != size;
        if (is_new)
          g_array_append_val (sizes, size);
      }
  return sizes;
}

char *
hyb_size_suggest (HybGraph *graph, const HybType *facts, HybNodeId id)
{
  const HybNode *node = id < hyb_graph_n_nodes (graph) ? hyb_graph_get_node (graph, id) : NULL;
  g_autoptr (GArray) sizes = node ? list_sizes (graph, facts, id) : NULL;
  g_autofree char *found = NULL;
  guint            n_trials = 0, n_found = 0;

  if (!node || hyb_graph_n_nodes (graph) > MAX_NODES)
    return NULL;
  for (const HybParam *param = node->op->params; param && param->name; param++)
    for (guint i = 0; param->kind == HYB_PARAM_INT && i < sizes->len && n_trials < MAX_TRIALS; i++)
      {
        const char *now = hyb_node_get_attribute (node, param->name);
        Trial       trial = { .graph = graph, .node = id, .key = param->name };

        g_snprintf (trial.value, sizeof trial.value, "%" G_GINT64_FORMAT,
                    g_array_index (sizes, gint64, i));
        if (!now || strcmp (now, trial.value) == 0)
          continue;
        n_trials++;
        if (!agrees (&trial, facts))
          continue;
        n_found++;
        g_free (found);
        found = g_strconcat (param->name, "=", trial.value, NULL);
      }
  return n_found == 1 ? g_steal_pointer (&found) : NULL;
}
