/* match-bodies.c — which nodes of an unrolled graph correspond to which node inside a loop's body.
 *
 * A body is a copy of one step, so that the nodes of a step and of the body do the same with the same
 * weights.  Nodes are paired where operator, attributes, weights and the neighbours that are paired
 * already occur once on both sides; each round adds neighbours for the next.  Start reading with
 * pair_step().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/match-bodies.h"

#include "engine/base/compare-names.h"
#include "engine/op/op.h"

#include <string.h>

/* The nodes of one step, or of the body. */
typedef struct
{
  HybGraph   *graph;
  GArray     *nodes;   /* of HybNodeId */
  GHashTable *pairs;   /* node → number of its pair + 1 */
  GHashTable *weights; /* variable → name of the weight that it reads, borrowed */
} Part;

static void
part_init (Part *part, HybGraph *graph)
{
  part->graph = graph;
  part->nodes = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  part->pairs = g_hash_table_new (NULL, NULL);
  part->weights = g_hash_table_new (NULL, NULL);
}

static void
part_clear (Part *part)
{
  g_array_unref (part->nodes);
  g_hash_table_unref (part->pairs);
  g_hash_table_unref (part->weights);
}

static guint
pair_of (const Part *part, HybNodeId id)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (part->pairs, GUINT_TO_POINTER (id)));
}

/* --- The work of a node --- */

/* Appends the pairs that read the node, in an order that does not depend on the graph's. */
static void
append_users (const Part *part, HybNodeId id, GString *text)
{
  const HybNode *node = hyb_graph_get_node (part->graph, id);
  g_autoptr (GPtrArray) users = g_ptr_array_new_with_free_func (g_free);

  for (guint o = 0; o < node->n_outputs; o++)
    {
      guint            n;
      const HybNodeId *user = hyb_graph_get_users (part->graph, node->first_output + o, &n);

      for (guint i = 0; i < n; i++)
        {
          const HybValueId *inputs = hyb_graph_get_inputs (part->graph, user[i]);
          guint             pair = pair_of (part, user[i]);

          for (guint k = 0; pair && k < hyb_graph_get_node (part->graph, user[i])->n_inputs; k++)
            if (inputs[k] == node->first_output + o)
              g_ptr_array_add (users, g_strdup_printf ("|to %u.%u of %u", pair, k, o));
        }
    }
  g_ptr_array_sort (users, hyb_compare_names);
  for (guint i = 0; i < users->len; i++)
    if (i == 0 || strcmp (users->pdata[i], users->pdata[i - 1]) != 0)
      g_string_append (text, users->pdata[i]);
}

/* Operator, attributes, weights, and the neighbours that are paired.  (transfer full) */
static char *
key_of (const Part *part, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (part->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (part->graph, id);
  GString          *text = g_string_new (node->type);

  for (guint i = 0; node->attributes && node->attributes[i]; i += 2)
    if (!g_str_has_prefix (node->attributes[i], "__"))
      g_string_append_printf (text, "|%s=%s", node->attributes[i], node->attributes[i + 1]);
  for (guint i = 0; i < node->n_inputs; i++)
    {
      HybNodeId   maker = hyb_graph_get_producer (part->graph, inputs[i]);
      guint       pair = pair_of (part, maker);
      const char *weight = g_hash_table_lookup (part->weights, GUINT_TO_POINTER (maker));

      if (pair)
        g_string_append_printf (text, "|from %u.%u", pair,
                                hyb_graph_get_output_index (part->graph, inputs[i]));
      else
        g_string_append_printf (text, "|%s", weight ? weight : "");
    }
  append_users (part, id, text);
  return g_string_free (text, FALSE);
}

/* --- Pairing --- */

/* The nodes with the same key on both sides. */
typedef struct
{
  GArray *nodes[2]; /* of HybNodeId: of the step, of the body */
} Candidates;

static void
candidates_free (gpointer data)
{
  Candidates *candidates = data;

  g_array_unref (candidates->nodes[0]);
  g_array_unref (candidates->nodes[1]);
  g_free (candidates);
}

static void
add_candidates (GHashTable *table, const Part *part, guint side)
{
  for (guint i = 0; i < part->nodes->len; i++)
    {
      HybNodeId   id = g_array_index (part->nodes, HybNodeId, i);
      char       *key;
      Candidates *candidates;

      if (pair_of (part, id))
        continue;
      key = key_of (part, id);
      candidates = g_hash_table_lookup (table, key);
      if (candidates)
        g_free (key);
      else
        {
          candidates = g_new (Candidates, 1);
          candidates->nodes[0] = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
          candidates->nodes[1] = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
          g_hash_table_insert (table, key, candidates);
        }
      g_array_append_val (candidates->nodes[side], id);
    }
}

static void
pair (Part *parts, const Candidates *candidates, guint index)
{
  guint number = g_hash_table_size (parts[0].pairs) + 1;

  for (guint side = 0; side < 2; side++)
    g_hash_table_insert (parts[side].pairs,
                         GUINT_TO_POINTER (
                             g_array_index (candidates->nodes[side], HybNodeId, index)),
                         GUINT_TO_POINTER (number));
}

/* Pairs the nodes whose key occurs once on both sides.  If there are none, pairs
 * in order the first group that has equal sizes on both sides.  FALSE: nothing was paired. */
static gboolean
pair_round (Part *parts)
{
  g_autoptr (GHashTable) table =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, candidates_free);
  const Candidates *equal = NULL;
  guint             before = g_hash_table_size (parts[0].pairs);
  GHashTableIter    iter;
  gpointer          value;

  add_candidates (table, &parts[0], 0);
  add_candidates (table, &parts[1], 1);
  g_hash_table_iter_init (&iter, table);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const Candidates *candidates = value;
      guint             n = candidates->nodes[0]->len;

      /* Unequal numbers: which nodes correspond is not certain, and later rounds may separate them
       * by their neighbours. */
      if (n == 0 || n != candidates->nodes[1]->len)
        continue;
      if (n == 1)
        pair (parts, candidates, 0);
      /* The group that begins first, so that the result does not depend on the order of the hash
       * table. */
      else if (!equal || g_array_index (candidates->nodes[0], HybNodeId, 0) <
                             g_array_index (equal->nodes[0], HybNodeId, 0))
        equal = candidates;
    }
  if (g_hash_table_size (parts[0].pairs) == before && equal)
    for (guint i = 0; i < equal->nodes[0]->len; i++)
      pair (parts, equal, i);
  return g_hash_table_size (parts[0].pairs) > before;
}

/* parts: a step and the body, without pairs. */
static void
pair_step (Part *parts)
{
  while (pair_round (parts))
    ;
}

/* --- Loops --- */

/* The names of weights that the body's variables read, and of the same weights in a. */
static void
name_weights (HybGraph *b, HybNodeId loop, guint index, Part *body, GHashTable *names)
{
  const HybNode    *node = hyb_graph_get_node (b, loop);
  const HybValueId *inputs = hyb_graph_get_inputs (b, loop);
  guint             n;
  const HybNodeId  *variables = hyb_graph_get_variables (body->graph, &n);

  for (guint v = 0; node->op->body_variable && v < n; v++)
    {
      guint          input = node->op->body_variable (node->params, node->n_inputs, index, v);
      const HybNode *outer;

      if (input >= node->n_inputs ||
          node->op->body_port (node->params, node->n_inputs, index, v) != HYB_PORT_CAPTURED)
        continue;
      outer = hyb_graph_get_node (b, hyb_graph_get_producer (b, inputs[input]));
      if (!hyb_node_is_variable (outer))
        continue;
      g_hash_table_insert (body->weights, GUINT_TO_POINTER (variables[v]), (gpointer) outer->name);
      g_hash_table_add (names, (gpointer) outer->name);
    }
}

/* The inputs of the step's nodes that are weights. */
static void
find_weights (Part *step, GHashTable *names)
{
  for (guint i = 0; i < step->nodes->len; i++)
    {
      HybNodeId         id = g_array_index (step->nodes, HybNodeId, i);
      const HybValueId *inputs = hyb_graph_get_inputs (step->graph, id);

      for (guint k = 0; k < hyb_graph_get_node (step->graph, id)->n_inputs; k++)
        {
          HybNodeId      maker = hyb_graph_get_producer (step->graph, inputs[k]);
          const HybNode *node = hyb_graph_get_node (step->graph, maker);

          if (hyb_node_is_variable (node) && g_hash_table_contains (names, node->name))
            g_hash_table_insert (step->weights, GUINT_TO_POINTER (maker), (gpointer) node->name);
        }
    }
}

/* The matches of one step of one loop: from to to, excluded. */
typedef struct
{
  const GArray *matches; /* of HybMatch, sorted by loop and step */
  guint         from, to;
} Range;

static const HybMatch *
nth (const Range *range, guint index)
{
  return &g_array_index (range->matches, HybMatch, index);
}

static void
match_step (HybGraph *a, HybGraph *b, const Range *range, guint index, GArray *found)
{
  HybNodeId loop = nth (range, range->from)->b;
  HybGraph *graph = hyb_graph_get_bodies (b, loop)[index];
  Part      parts[2];
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) by_pair = g_hash_table_new (NULL, NULL);

  part_init (&parts[0], a);
  part_init (&parts[1], graph);
  for (guint i = range->from; i < range->to; i++)
    if (!hyb_node_is_variable (hyb_graph_get_node (a, nth (range, i)->a)))
      g_array_append_val (parts[0].nodes, nth (range, i)->a);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    if (!hyb_node_is_variable (hyb_graph_get_node (graph, id)))
      g_array_append_val (parts[1].nodes, id);
  /* Nodes are distinguished by the weights that they read, so the weights get common names
   * first. */
  name_weights (b, loop, index, &parts[1], names);
  find_weights (&parts[0], names);
  pair_step (parts);
  for (guint i = 0; i < parts[1].nodes->len; i++)
    {
      HybNodeId id = g_array_index (parts[1].nodes, HybNodeId, i);

      if (pair_of (&parts[1], id))
        g_hash_table_insert (by_pair, GUINT_TO_POINTER (pair_of (&parts[1], id)),
                             GUINT_TO_POINTER (id));
    }
  for (guint i = 0; i < parts[0].nodes->len; i++)
    {
      HybNodeId id = g_array_index (parts[0].nodes, HybNodeId, i);
      guint     number = pair_of (&parts[0], id);

      if (number)
        g_array_append_val (found,
                            ((HybBodyMatch){
                                id, loop, index,
                                GPOINTER_TO_UINT (
                                    g_hash_table_lookup (by_pair, GUINT_TO_POINTER (number))),
                                nth (range, range->from)->step }));
    }
  part_clear (&parts[0]);
  part_clear (&parts[1]);
}

static int
compare_steps (gconstpointer x, gconstpointer y)
{
  const HybMatch *a = x, *b = y;

  if (a->b != b->b)
    return a->b < b->b ? -1 : 1;
  if (a->step != b->step)
    return a->step < b->step ? -1 : 1;
  return a->a != b->a ? (a->a < b->a ? -1 : 1) : 0;
}

GArray *
hyb_match_bodies (HybGraph *a, HybGraph *b, const GArray *matches)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (HybBodyMatch));
  g_autoptr (GArray) sorted = g_array_copy ((GArray *) matches);
  Range range = { .matches = sorted };

  g_array_sort (sorted, compare_steps);
  for (; range.from < sorted->len; range.from = range.to)
    {
      const HybMatch *first = nth (&range, range.from);
      guint           n_bodies = hyb_graph_get_node (b, first->b)->n_bodies;

      range.to = range.from + 1;
      while (range.to < sorted->len && nth (&range, range.to)->b == first->b &&
             nth (&range, range.to)->step == first->step)
        range.to++;
      for (guint i = 0; first->step >= 0 && i < n_bodies; i++)
        match_step (a, b, &range, i, found);
    }
  return found;
}
