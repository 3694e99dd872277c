/* group.c — finds out which chains are directions of one layer, and which layers are a stack.
 *
 * Chains are taken in the order of their first steps, so a lower layer is grouped before the layer
 * that reads it.  Start reading at hyb_groups_find().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/group.h"

#include "engine/variants/node-kind.h"

#include <string.h>

#define MAX_DEPTH 16

typedef struct
{
  HybCells   *cells;
  GPtrArray  *groups;
  guint32    *group_of_chain; /* HYB_NO_ID: not grouped yet */
  GHashTable *heads;          /* values */
} Grouper;

typedef struct
{
  guint chain, step;
} ChainStep;

static void
free_group (gpointer data)
{
  HybGroup *group = data;

  g_array_unref (group->chains);
  g_free (group);
}

HybChain *
hyb_group_chain (const HybCells *cells, const HybGroup *group, guint row)
{
  return cells->chains->pdata[g_array_index (group->chains, guint, row)];
}

static HybValueId
x_of (const HybCells *cells, const HybChain *chain, guint step)
{
  return hyb_chain_step (cells, chain, step)->x;
}

/* --- Direction --- */

/* Below zero if a belongs to an earlier time than b: an earlier output of the same split, an
 * earlier step of the same chain, or else an earlier node. */
static int
compare_time (const HybCells *cells, HybValueId a, HybValueId b, guint depth)
{
  HybNodeId      a_id = hyb_graph_get_producer (cells->graph, a);
  HybNodeId      b_id = hyb_graph_get_producer (cells->graph, b);
  const HybNode *a_node = hyb_graph_get_node (cells->graph, a_id);
  const HybNode *b_node = hyb_graph_get_node (cells->graph, b_id);
  guint          chain = cells->chain_of_node[a_id];

  if (a_id == b_id)
    return (int) hyb_graph_get_output_index (cells->graph, a) -
           (int) hyb_graph_get_output_index (cells->graph, b);
  if (depth == MAX_DEPTH || a_node->op != b_node->op || a_node->n_inputs == 0)
    return (int) a_id - (int) b_id;
  if (chain != HYB_NO_ID && chain == cells->chain_of_node[b_id])
    {
      int steps = (int) cells->step_of_node[a_id] - (int) cells->step_of_node[b_id];

      return hyb_chain_is_forward (cells, cells->chains->pdata[chain]) ? steps : -steps;
    }
  return compare_time (cells, hyb_graph_get_inputs (cells->graph, a_id)[0],
                       hyb_graph_get_inputs (cells->graph, b_id)[0], depth + 1);
}

gboolean
hyb_chain_is_forward (const HybCells *cells, const HybChain *chain)
{
  HybValueId first, last;

  if (chain->n_steps < 2)
    return TRUE;
  first = x_of (cells, chain, 0);
  last = x_of (cells, chain, chain->n_steps - 1);
  return first == HYB_NO_ID || last == HYB_NO_ID || compare_time (cells, first, last, 0) <= 0;
}

/* --- Directions of one layer --- */

/* Whether two chains can be directions of one layer. */
static gboolean
is_alike (const HybChain *a, const HybChain *b)
{
  return a->kind != HYB_CELL_NONE && a->kind == b->kind && a->hidden == b->hidden &&
         a->projection == b->projection && a->n_steps == b->n_steps;
}

/* Whether b reads the inputs of a in reverse order. */
static gboolean
reads_in_reverse (const HybCells *cells, const HybChain *a, const HybChain *b)
{
  for (guint t = 0; t < a->n_steps; t++)
    if (x_of (cells, a, t) != x_of (cells, b, b->n_steps - 1 - t))
      return FALSE;
  return TRUE;
}

/* TRUE if some node concatenates the states of a and b, with a first. */
static gboolean
stands_before (const HybCells *cells, const HybChain *a, const HybChain *b)
{
  HybValueId       h = hyb_chain_step (cells, a, 0)->h;
  HybValueId       other = hyb_chain_step (cells, b, b->n_steps - 1)->h;
  guint            n;
  const HybNodeId *users = hyb_graph_get_users (cells->graph, h, &n);

  for (guint i = 0; i < n; i++)
    {
      const HybValueId *inputs = hyb_graph_get_inputs (cells->graph, users[i]);
      const HybNode    *node = hyb_graph_get_node (cells->graph, users[i]);

      if (hyb_node_kind (node) == HYB_KIND_CONCAT && node->n_inputs == 2 && inputs[0] == h &&
          inputs[1] == other)
        return TRUE;
    }
  return FALSE;
}

/* The chain in the other direction over the same inputs, or HYB_NO_ID.  *comes_first: chain is the
 * forward one. */
static guint
find_partner (const Grouper *grouper, guint index, gboolean *comes_first)
{
  const HybCells *cells = grouper->cells;
  const HybChain *chain = cells->chains->pdata[index];
  gboolean        goes_forward = hyb_chain_is_forward (cells, chain);

  for (guint i = 0; i < cells->chains->len; i++)
    {
      const HybChain *other = cells->chains->pdata[i];

      if (i == index || grouper->group_of_chain[i] != HYB_NO_ID || !is_alike (chain, other) ||
          !reads_in_reverse (cells, chain, other))
        continue;
      *comes_first = chain->n_steps > 1 ? goes_forward : stands_before (cells, chain, other);
      if (chain->n_steps > 1 || *comes_first || stands_before (cells, other, chain))
        return i;
    }
  *comes_first = TRUE;
  return HYB_NO_ID;
}

/* --- Layers of a stack --- */

/* Where the input of a step comes from: states of one or two chains, perhaps through dropout. */
typedef struct
{
  guint     n;
  ChainStep from[2];
  double    dropout;
  HybNodeId between[2]; /* the nodes between states and input */
  guint     n_between;
} Source;

/* The chain and step whose state h this value is. */
static gboolean
find_state (const Grouper *grouper, HybValueId value, ChainStep *step)
{
  const HybCells *cells = grouper->cells;
  HybNodeId       id = hyb_graph_get_producer (cells->graph, value);
  guint           chain = cells->chain_of_node[id];

  if (chain == HYB_NO_ID)
    return FALSE;
  *step = (ChainStep){ chain, cells->step_of_node[id] };
  return hyb_chain_step (cells, cells->chains->pdata[chain], step->step)->h == value;
}

/* Whether the operator RNN can drop the same between its layers: single elements, in training only. */
static gboolean
is_dropout_of_rnn (const HybNode *node)
{
  const char *axes = hyb_node_get_attribute (node, "axes");

  return hyb_node_kind (node) == HYB_KIND_DROPOUT && hyb_node_int (node, "mode", 0) == 0 &&
         (!axes || !strpbrk (axes, "0123456789"));
}

static gboolean
find_source (const Grouper *grouper, HybValueId value, Source *source)
{
  HybGraph         *graph = grouper->cells->graph;
  HybNodeId         id;
  const HybNode    *node;
  const HybValueId *inputs;

  *source = (Source){ .n = 1 };
  if (value == HYB_NO_ID)
    return FALSE;
  id = hyb_graph_get_producer (graph, value);
  node = hyb_graph_get_node (graph, id);
  inputs = hyb_graph_get_inputs (graph, id);
  /* From the input back: first the dropout between two layers, then the concatenation of two
   * directions, then the state of a cell. */
  if (is_dropout_of_rnn (node))
    {
      source->dropout = hyb_node_double (node, "p", 0.5);
      source->between[source->n_between++] = id;
      value = inputs[0];
      id = hyb_graph_get_producer (graph, value);
      node = hyb_graph_get_node (graph, id);
      inputs = hyb_graph_get_inputs (graph, id);
    }
  if (hyb_node_kind (node) != HYB_KIND_CONCAT)
    return find_state (grouper, value, &source->from[0]);

  /* The columns must be forward, then backward: concatenated along axis 1 of (batch, units). */
  source->n = 2;
  source->between[source->n_between++] = id;
  return node->n_inputs == 2 && hyb_node_concat_axis (node) == 1 &&
         find_state (grouper, inputs[0], &source->from[0]) &&
         find_state (grouper, inputs[1], &source->from[1]);
}

/* The group whose top layer makes exactly the inputs of a chain, in the order of a chain in this
 * direction (0 forward, 1 backward); NULL if there is none. */
static HybGroup *
find_lower (const Grouper *grouper, const HybChain *chain, guint direction, double *dropout)
{
  HybGroup *lower = NULL;
  guint     n = chain->n_steps;

  for (guint s = 0; s < n; s++)
    {
      /* Step s of a backward chain reads position n − 1 − s of the sequence. */
      Source source;
      guint  t = direction == 1 ? n - 1 - s : s;

      if (!find_source (grouper, x_of (grouper->cells, chain, s), &source))
        return NULL;
      if (s == 0)
        {
          guint index = grouper->group_of_chain[source.from[0].chain];

          if (index == HYB_NO_ID)
            return NULL;
          lower = grouper->groups->pdata[index];
          *dropout = source.dropout;
        }
      if (source.dropout != *dropout || source.n != lower->n_directions || lower->n_steps != n)
        return NULL;
      /* The lower backward chain has reached position t in its step n − 1 − t. */
      for (guint d = 0; d < source.n; d++)
        if (source.from[d].chain !=
                g_array_index (lower->chains, guint,
                               (lower->n_layers - 1) * lower->n_directions + d) ||
            source.from[d].step != (d == 1 ? n - 1 - t : t))
          return NULL;
    }
  return lower;
}

/* Whether a node belongs to one of n chains. */
static gboolean
is_inside (const Grouper *grouper, HybNodeId id, const guint *chains, guint n)
{
  for (guint i = 0; i < n; i++)
    if (grouper->cells->chain_of_node[id] == chains[i])
      return TRUE;
  return FALSE;
}

/* Whether a value is read only by these chains and by nodes in between. */
static gboolean
stays_inside (const Grouper *grouper,
              HybValueId     value,
              const guint   *chains,
              guint          n_chains,
              GHashTable    *between)
{
  guint            n;
  const HybNodeId *users = hyb_graph_get_users (grouper->cells->graph, value, &n);

  if (g_hash_table_contains (grouper->heads, GUINT_TO_POINTER (value)))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!is_inside (grouper, users[i], chains, n_chains) &&
        !g_hash_table_contains (between, GUINT_TO_POINTER (users[i])))
      return FALSE;
  return TRUE;
}

/* Whether only the upper layer reads the outputs of the lower one, except for final states. */
static gboolean
is_exclusive (const Grouper *grouper, const HybGroup *lower, const guint *upper, guint n_upper)
{
  const HybCells *cells = grouper->cells;
  guint           chains[4], n_chains = 0;
  g_autoptr (GHashTable) between = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  gpointer       id;

  /* 1. Readers that count as inside: the chains of both layers, and the dropout and concatenation
   * between them. */
  for (guint u = 0; u < n_upper; u++)
    chains[n_chains++] = upper[u];
  for (guint d = 0; d < lower->n_directions; d++)
    chains[n_chains++] =
        g_array_index (lower->chains, guint, (lower->n_layers - 1) * lower->n_directions + d);
  for (guint u = 0; u < n_upper; u++)
    for (guint s = 0; s < lower->n_steps; s++)
      {
        Source source;

        if (find_source (grouper, x_of (cells, cells->chains->pdata[upper[u]], s), &source))
          for (guint b = 0; b < source.n_between; b++)
            g_hash_table_add (between, GUINT_TO_POINTER (source.between[b]));
      }

  /* 2. States of all steps but the last: the fused operator returns the last one, so others may
   * read that. */
  for (guint i = n_upper; i < n_chains; i++)
    for (guint s = 0; s + 1 < lower->n_steps; s++)
      if (!stays_inside (grouper, hyb_chain_step (cells, cells->chains->pdata[chains[i]], s)->h,
                         chains, n_chains, between))
        return FALSE;
  /* 3. Nodes between the layers vanish, so only the upper layer may read them. */
  g_hash_table_iter_init (&iter, between);
  while (g_hash_table_iter_next (&iter, &id, NULL))
    if (!stays_inside (grouper,
                       hyb_graph_get_node (cells->graph, GPOINTER_TO_UINT (id))->first_output,
                       chains, n_upper, between))
      return FALSE;
  return TRUE;
}

static void
add_chains (Grouper *grouper, guint group, const guint *chains, guint n)
{
  HybGroup *to = grouper->groups->pdata[group];

  for (guint i = 0; i < n; i++)
    {
      g_array_append_val (to->chains, chains[i]);
      grouper->group_of_chain[chains[i]] = group;
    }
}

/* Adds chains as a layer on top of the group that they read.  FALSE if that is not possible. */
static gboolean
join_lower (Grouper *grouper, const guint *chains, guint n)
{
  const HybChain *first = grouper->cells->chains->pdata[chains[0]];
  double          dropout = 0, other = 0;
  HybGroup       *lower = find_lower (grouper, first, 0, &dropout);

  if (!lower || first->kind == HYB_CELL_NONE || lower->kind != first->kind ||
      lower->hidden != first->hidden || lower->projection != first->projection ||
      lower->n_directions != n || (lower->n_layers > 1 && lower->dropout != dropout))
    return FALSE;
  if (n == 2 &&
      (find_lower (grouper, grouper->cells->chains->pdata[chains[1]], 1, &other) != lower ||
       other != dropout))
    return FALSE;
  if (!is_exclusive (grouper, lower, chains, n))
    return FALSE;

  lower->dropout = dropout;
  lower->n_layers++;
  for (guint g = 0; g < grouper->groups->len; g++)
    if (grouper->groups->pdata[g] == lower)
      add_chains (grouper, g, chains, n);
  return TRUE;
}

static void
add_group (Grouper *grouper, const guint *chains, guint n)
{
  const HybChain *first = grouper->cells->chains->pdata[chains[0]];
  HybGroup       *group = g_new0 (HybGroup, 1);

  group->kind = first->kind;
  group->hidden = first->hidden;
  group->projection = first->projection;
  group->n_steps = first->n_steps;
  group->n_layers = 1;
  group->n_directions = n;
  group->is_backward = n == 1 && !hyb_chain_is_forward (grouper->cells, first);
  group->chains = g_array_new (FALSE, FALSE, sizeof (guint));
  g_ptr_array_add (grouper->groups, group);
  add_chains (grouper, grouper->groups->len - 1, chains, n);
}

GPtrArray *
hyb_groups_find (HybCells *cells, HybGrouping grouping)
{
  Grouper           grouper = { .cells = cells };
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (cells->graph, &n_heads);

  grouper.groups = g_ptr_array_new_with_free_func (free_group);
  grouper.group_of_chain = g_new (guint32, MAX (cells->chains->len, 1));
  grouper.heads = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < cells->chains->len; i++)
    grouper.group_of_chain[i] = HYB_NO_ID;
  for (guint i = 0; i < n_heads; i++)
    g_hash_table_add (grouper.heads, GUINT_TO_POINTER (heads[i]));

  for (guint i = 0; i < cells->chains->len; i++)
    {
      gboolean comes_first = TRUE;
      guint    chains[2] = { i, HYB_NO_ID }, n;

      if (grouper.group_of_chain[i] != HYB_NO_ID)
        continue;
      if (grouping != HYB_GROUP_CHAINS)
        chains[1] = find_partner (&grouper, i, &comes_first);
      n = chains[1] == HYB_NO_ID ? 1 : 2;
      if (!comes_first)
        {
          chains[0] = chains[1];
          chains[1] = i;
        }
      if (grouping != HYB_GROUP_STACKS || !join_lower (&grouper, chains, n))
        add_group (&grouper, chains, n);
    }
  g_free (grouper.group_of_chain);
  g_hash_table_unref (grouper.heads);
  return grouper.groups;
}

void
hyb_describe_chains (HybCells *cells, GArray *recognised)
{
  g_autoptr (GPtrArray) groups = hyb_groups_find (cells, HYB_GROUP_STACKS);

  for (guint i = 0; i < groups->len; i++)
    {
      const HybGroup *group = groups->pdata[i];
      HybRecognised   entry = { .cell = hyb_cell_kind_name (group->kind),
                                .direction = group->n_directions == 2 ? "both"
                                             : group->is_backward     ? "backward"
                                                                      : "forward",
                                .layers = group->n_layers,
                                .steps = group->n_steps,
                                .hidden = group->hidden };

      g_array_append_val (recognised, entry);
    }
}
