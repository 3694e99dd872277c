/* pair-nodes.c — pairs nodes from anchors on: layers, inputs and outputs, then neighbours with the same operator.
 *
 * Start at hyb_pairs_find().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/roles/pair-nodes.h"

#include "engine/variants/node-kind.h"

#include <string.h>

typedef struct
{
  HybPairs *pairs;
  HybModel *models[2];
  HybGraph *graphs[2];
  GQueue    queue; /* nodes of the first graph + 1 whose neighbours are still to be paired */
} Pairing;

void
hyb_pairs_clear (HybPairs *pairs)
{
  g_clear_pointer (&pairs->other[0], g_free);
  g_clear_pointer (&pairs->other[1], g_free);
}

static gboolean
is_free (const Pairing *pairing, guint side, HybNodeId id)
{
  return pairing->pairs->other[side][id] == HYB_NO_ID;
}

/* Whether both do the same kind of work; attributes may differ, since layouts do. */
static gboolean
is_alike (const Pairing *pairing, HybNodeId a, HybNodeId b)
{
  const HybNode *x = hyb_graph_get_node (pairing->graphs[0], a);
  const HybNode *y = hyb_graph_get_node (pairing->graphs[1], b);

  if (x->op != y->op || x->n_bodies != y->n_bodies || x->n_inputs != y->n_inputs)
    return FALSE;
  return !hyb_node_is_variable (x) || !hyb_model_get_parameter (pairing->models[0], x->name) ==
                                          !hyb_model_get_parameter (pairing->models[1], y->name);
}

static void
pair (Pairing *pairing, HybNodeId a, HybNodeId b)
{
  if (!is_free (pairing, 0, a) || !is_free (pairing, 1, b) || !is_alike (pairing, a, b))
    return;
  pairing->pairs->other[0][a] = b;
  pairing->pairs->other[1][b] = a;
  g_queue_push_tail (&pairing->queue, GUINT_TO_POINTER (a + 1));
}

/* --- Anchors --- */

static gboolean
is_layer (const HybNode *node)
{
  return hyb_node_kind (node) == HYB_KIND_RNN || node->n_bodies > 0;
}

/* Whether two layers have the same cell and size. */
static gboolean
is_same_layer (const HybNode *a, const HybNode *b)
{
  static const char *const keys[] = { "state_size", "num_layers", "bidirectional", "mode" };

  if (a->op != b->op)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (hyb_node_int (a, keys[i], 0) != hyb_node_int (b, keys[i], 0))
      return FALSE;
  return TRUE;
}

static void
pair_layers (Pairing *pairing)
{
  HybGraph *a = pairing->graphs[0], *b = pairing->graphs[1];

  for (HybNodeId x = 0; x < hyb_graph_n_nodes (a); x++)
    for (HybNodeId y = 0; is_layer (hyb_graph_get_node (a, x)) && is_free (pairing, 0, x) &&
                          y < hyb_graph_n_nodes (b);
         y++)
      if (is_free (pairing, 1, y) &&
          is_same_layer (hyb_graph_get_node (a, x), hyb_graph_get_node (b, y)))
        pair (pairing, x, y);
}

static void
pair_inputs (Pairing *pairing)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (pairing->graphs[0], &n);

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (pairing->graphs[0], variables[i])->name;
      HybNodeId   other = hyb_graph_find_variable (pairing->graphs[1], name);

      if (other != HYB_NO_ID && !hyb_model_get_parameter (pairing->models[0], name))
        pair (pairing, variables[i], other);
    }
}

static void
pair_heads (Pairing *pairing)
{
  guint             n, m;
  const HybValueId *a = hyb_graph_get_heads (pairing->graphs[0], &n);
  const HybValueId *b = hyb_graph_get_heads (pairing->graphs[1], &m);

  for (guint i = 0; i < MIN (n, m); i++)
    if (hyb_graph_get_output_index (pairing->graphs[0], a[i]) ==
        hyb_graph_get_output_index (pairing->graphs[1], b[i]))
      pair (pairing, hyb_graph_get_producer (pairing->graphs[0], a[i]),
            hyb_graph_get_producer (pairing->graphs[1], b[i]));
}

/* --- Neighbours --- */

static void
pair_makers (Pairing *pairing, HybNodeId a, HybNodeId b)
{
  const HybValueId *x = hyb_graph_get_inputs (pairing->graphs[0], a);
  const HybValueId *y = hyb_graph_get_inputs (pairing->graphs[1], b);

  for (guint i = 0; i < hyb_graph_get_node (pairing->graphs[0], a)->n_inputs; i++)
    if (hyb_graph_get_output_index (pairing->graphs[0], x[i]) ==
        hyb_graph_get_output_index (pairing->graphs[1], y[i]))
      pair (pairing, hyb_graph_get_producer (pairing->graphs[0], x[i]),
            hyb_graph_get_producer (pairing->graphs[1], y[i]));
}

/* The only free reader of a value with this operator; HYB_NO_ID if there are none, or several. */
static HybNodeId
find_reader (const Pairing *pairing, guint side, HybValueId value, const HybOp *op)
{
  guint            n;
  const HybNodeId *users = hyb_graph_get_users (pairing->graphs[side], value, &n);
  HybNodeId        found = HYB_NO_ID;

  for (guint i = 0; i < n; i++)
    if (hyb_graph_get_node (pairing->graphs[side], users[i])->op == op &&
        is_free (pairing, side, users[i]) && users[i] != found)
      {
        if (found != HYB_NO_ID)
          return HYB_NO_ID;
        found = users[i];
      }
  return found;
}

static void
pair_readers (Pairing *pairing, HybNodeId a, HybNodeId b)
{
  const HybNode *x = hyb_graph_get_node (pairing->graphs[0], a);
  const HybNode *y = hyb_graph_get_node (pairing->graphs[1], b);

  for (guint o = 0; o < MIN (x->n_outputs, y->n_outputs); o++)
    {
      guint            n;
      const HybNodeId *users = hyb_graph_get_users (pairing->graphs[0], x->first_output + o, &n);

      for (guint i = 0; i < n; i++)
        {
          const HybOp *op = hyb_graph_get_node (pairing->graphs[0], users[i])->op;
          HybNodeId    one = find_reader (pairing, 0, x->first_output + o, op);
          HybNodeId    other = find_reader (pairing, 1, y->first_output + o, op);

          if (one == users[i] && other != HYB_NO_ID)
            pair (pairing, one, other);
        }
    }
}

static HybNodeId *
new_map (HybGraph *graph)
{
  guint      n = hyb_graph_n_nodes (graph);
  HybNodeId *map = g_new (HybNodeId, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    map[i] = HYB_NO_ID;
  return map;
}

void
hyb_pairs_find (HybPairs *pairs, HybModel *a, HybModel *b)
{
  Pairing  pairing = { .pairs = pairs,
                       .models = { a, b },
                       .graphs = { hyb_model_get_graph (a), hyb_model_get_graph (b) },
                       .queue = G_QUEUE_INIT };
  gpointer next;

  for (guint i = 0; i < 2; i++)
    pairs->other[i] = new_map (pairing.graphs[i]);
  pair_layers (&pairing);
  pair_inputs (&pairing);
  pair_heads (&pairing);
  while ((next = g_queue_pop_head (&pairing.queue)))
    {
      HybNodeId id = GPOINTER_TO_UINT (next) - 1;

      pair_makers (&pairing, id, pairs->other[0][id]);
      pair_readers (&pairing, id, pairs->other[0][id]);
    }
}
