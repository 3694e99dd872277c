/* merge-equal.c — the pass that merges nodes which compute the same from the same inputs.
 *
 * Unrolled cells reshape and transpose the same weights in every step; after this pass they do so
 * once.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/analysis/pass.h"
#include "engine/analysis/rewrite.h"
#include "engine/graph/reach.h"

#include <string.h>

/* A node with the values that replace its inputs, as a key of the hash table. */
typedef struct
{
  const HybNode *node;
  HybNodeId      id;
  guint          hash;
  HybValueId     inputs[];
} Candidate;

/* --- Attributes, as their tables describe them --- */

static guint
hash_bytes (guint hash, gconstpointer data, gsize size)
{
  const guint8 *bytes = data;

  for (gsize i = 0; i < size; i++)
    hash = (hash ^ bytes[i]) * 16777619u; /* FNV */
  return hash;
}

/* --- Nodes --- */

static guint
candidate_hash (gconstpointer key)
{
  return ((const Candidate *) key)->hash;
}

static gboolean
candidate_equal (gconstpointer a_key, gconstpointer b_key)
{
  const Candidate *a = a_key, *b = b_key;

  return a->node->op == b->node->op && a->node->n_inputs == b->node->n_inputs &&
         a->node->n_outputs == b->node->n_outputs &&
         (a->node->n_inputs == 0 ||
          memcmp (a->inputs, b->inputs, a->node->n_inputs * sizeof a->inputs[0]) == 0) &&
         hyb_params_equal (a->node->op->params, a->node->params, b->node->params);
}

static Candidate *
candidate_new (HybRewrite *rewrite, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (rewrite->from, id);
  gsize          inputs_size = node->n_inputs * sizeof (HybValueId);
  Candidate     *candidate = g_malloc (sizeof (Candidate) + inputs_size);

  candidate->node = node;
  candidate->id = id;
  if (node->n_inputs > 0)
    memcpy (candidate->inputs, hyb_rewrite_inputs (rewrite, id), inputs_size);
  candidate->hash = hash_bytes (g_direct_hash (node->op), candidate->inputs, inputs_size);
  candidate->hash = hyb_params_hash (candidate->hash, node->op->params, node->params);
  return candidate;
}

/* TRUE if equal nodes may be merged.  Not random ones, readers of states that change, loops and
 * unknown operators. */
static gboolean
may_merge (HybGraph *graph, HybNodeId id, const guint8 *written)
{
  const HybNode    *node = hyb_graph_get_node (graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (graph, id);

  if (hyb_node_is_variable (node) || node->n_bodies > 0 || node->op->mutates != 0 || written[id] ||
      (node->op->flags & (HYB_OP_RANDOM | HYB_OP_OPAQUE)))
    return FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    if (written[hyb_graph_get_producer (graph, inputs[i])])
      return FALSE;
  return TRUE;
}

/* Types of equal nodes may have been inferred from different readers, so one may be known where the
 * other is not; the merged node gets both. */
static gboolean
same_types (const HybFacts *facts, const HybNode *a, const HybNode *b)
{
  for (guint i = 0; i < a->n_outputs; i++)
    {
      const HybType *x = &facts->types[a->first_output + i];
      const HybType *y = &facts->types[b->first_output + i];

      if (x->dtype != y->dtype || !hyb_shape_equal (&x->shape, &y->shape))
        return FALSE;
    }
  return TRUE;
}

typedef struct
{
  const HybFacts *facts;
  GHashTable     *seen;    /* of Candidate */
  guint8         *written; /* by node */
} Merging;

static void
visit (HybRewrite *rewrite, HybNodeId id, gpointer data)
{
  const Merging        *self = data;
  const HybNode        *node = hyb_graph_get_node (rewrite->from, id);
  g_autofree Candidate *candidate = NULL;
  const Candidate      *same = NULL;

  if (may_merge (rewrite->from, id, self->written))
    {
      candidate = candidate_new (rewrite, id);
      same = g_hash_table_lookup (self->seen, candidate);
      if (!same)
        g_hash_table_add (self->seen, g_steal_pointer (&candidate));
    }
  if (!same || !same_types (self->facts, node, same->node))
    {
      hyb_rewrite_copy (rewrite, id);
      return;
    }
  for (guint i = 0; i < node->n_outputs; i++)
    hyb_rewrite_set_value (rewrite, node->first_output + i,
                           hyb_rewrite_value (rewrite, same->node->first_output + i));
}

static HybGraph *
merge_equal_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  g_autoptr (GHashTable) seen =
      g_hash_table_new_full (candidate_hash, candidate_equal, g_free, NULL);
  g_autofree guint8 *written = hyb_graph_find_written (graph, TRUE);

  return hyb_rewrite_graph (graph, visit, &(Merging){ facts, seen, written }, map, error);
}

extern const HybPass hyb_pass_merge_equal;

const HybPass hyb_pass_merge_equal = {
  .name = "merge-equal",
  .doc = "Merges nodes that compute the same from the same inputs.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .run = merge_equal_run,
};
