/* layers-rank.c — assigns each node to a row (its rank).
 *
 * Reverses the back edges of a depth-first search, which breaks all cycles; a first rank is the
 * longest path from a source.  Then edges are shortened: optimally in small bodies (network simplex),
 * in large ones by moving nodes with at least as many consumers as inputs down to their nearest
 * consumer.  Start reading at viz_layers_rank().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/layout/layers.h"

#include "viz/layout/layers-simplex.h"

#include <string.h>

/* Limits of the network simplex: each pivot walks over the whole body. */
#define SIMPLEX_NODES  1000
#define SIMPLEX_EDGES  4000
#define SIMPLEX_PIVOTS 2000

/* The edges that leave node i downwards: edge[first[i]] to edge[first[i + 1] - 1] */
typedef struct
{
  guint32 *first;
  guint32 *edge;
} Leaving;

/* Whether an edge orders the rows of its ends. */
static gboolean
constrains (const VizBodyEdge *edge)
{
  return (edge->flags & VIZ_EDGE_FEEDBACK) == 0 && edge->tail != edge->head;
}

static Leaving
leaving_edges (const VizLayers *layers)
{
  const VizBody *body = layers->body;
  Leaving        leaving = { g_new0 (guint32, body->n_nodes + 1),
                             g_new (guint32, MAX (body->n_edges, 1)) };
  guint32       *next = g_new (guint32, body->n_nodes + 1);

  for (guint32 e = 0; e < body->n_edges; e++)
    if (constrains (&body->edges[e]))
      leaving.first[viz_layers_end (layers, e, TRUE) + 1]++;
  for (guint32 i = 0; i < body->n_nodes; i++)
    leaving.first[i + 1] += leaving.first[i];
  memcpy (next, leaving.first, (body->n_nodes + 1) * sizeof *next);
  for (guint32 e = 0; e < body->n_edges; e++)
    if (constrains (&body->edges[e]))
      leaving.edge[next[viz_layers_end (layers, e, TRUE)]++] = e;
  g_free (next);
  return leaving;
}

static void
leaving_free (Leaving *leaving)
{
  g_free (leaving->first);
  g_free (leaving->edge);
}

/* Depth-first search from start, which marks back edges as reversed.  Uses an explicit stack, because
 * chains may be 100,000 nodes long.  state: 0 new, 1 on the path, 2 finished. */
static void
search (VizLayers *layers, const Leaving *leaving, guint32 start, guint8 *state, GArray *stack)
{
  g_array_set_size (stack, 0);
  g_array_append_val (stack, start);
  g_array_append_val (stack, leaving->first[start]);
  state[start] = 1;
  while (stack->len > 0)
    {
      /* An entry is two numbers: a node, and the position of its next edge. */
      guint32  node = g_array_index (stack, guint32, stack->len - 2);
      guint32 *at = &g_array_index (stack, guint32, stack->len - 1);

      if (*at == leaving->first[node + 1])
        {
          state[node] = 2;
          g_array_set_size (stack, stack->len - 2);
          continue;
        }

      guint32 edge = leaving->edge[(*at)++];
      guint32 head = layers->body->edges[edge].head;

      /* An edge to a node on the path closes a cycle; reversing all such edges breaks all cycles. */
      if (state[head] == 1)
        layers->reversed[edge] = TRUE;
      else if (state[head] == 0)
        {
          state[head] = 1;
          g_array_append_val (stack, head);
          g_array_append_val (stack, leaving->first[head]);
        }
    }
}

static void
break_cycles (VizLayers *layers)
{
  Leaving leaving = leaving_edges (layers);
  guint8 *state = g_new0 (guint8, MAX (layers->body->n_nodes, 1));
  GArray *stack = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 i = 0; i < layers->body->n_nodes; i++)
    if (state[i] == 0)
      search (layers, &leaving, i, state, stack);
  g_array_unref (stack);
  g_free (state);
  leaving_free (&leaving);
}

/* Kahn's algorithm; ties are broken by insertion order.  (transfer full) */
static guint32 *
topological_order (const VizLayers *layers, const Leaving *leaving)
{
  guint32  n = layers->body->n_nodes, n_done = 0, n_ready = 0;
  guint32 *order = g_new (guint32, MAX (n, 1));
  guint32 *waiting = g_new0 (guint32, MAX (n, 1));

  for (guint32 e = 0; e < layers->body->n_edges; e++)
    if (constrains (&layers->body->edges[e]))
      waiting[viz_layers_end (layers, e, FALSE)]++;
  for (guint32 i = 0; i < n; i++)
    if (waiting[i] == 0)
      order[n_ready++] = i;
  for (; n_done < n_ready; n_done++)
    for (guint32 k = leaving->first[order[n_done]]; k < leaving->first[order[n_done] + 1]; k++)
      {
        guint32 head = viz_layers_end (layers, leaving->edge[k], FALSE);

        if (--waiting[head] == 0)
          order[n_ready++] = head;
      }
  g_assert (n_ready == n);
  g_free (waiting);
  return order;
}

static void
longest_paths (VizLayers *layers, const Leaving *leaving, const guint32 *order)
{
  const VizBody *body = layers->body;
  guint32        base = 0;

  for (guint32 i = 0; i < body->n_nodes; i++)
    if (body->nodes[i].kind == VIZ_NODE_IN || body->nodes[i].kind == VIZ_NODE_TITLE)
      base = 1;
  for (guint32 i = 0; i < body->n_nodes; i++)
    layers->rank[i] = body->nodes[i].kind == VIZ_NODE_BOX ? base : 0;
  for (guint32 i = 0; i < body->n_nodes; i++)
    for (guint32 k = leaving->first[order[i]]; k < leaving->first[order[i] + 1]; k++)
      {
        guint32 head = viz_layers_end (layers, leaving->edge[k], FALSE);

        if (body->nodes[head].kind != VIZ_NODE_IN)
          layers->rank[head] = MAX (layers->rank[head], layers->rank[order[i]] + 1);
      }
}

/* Gives the ports of the out side a row of their own below all others, and sets n_ranks. */
static void
sink_out_ports (VizLayers *layers)
{
  const VizBody *body = layers->body;
  guint32        last = 0;
  gboolean       any = FALSE;

  for (guint32 i = 0; i < body->n_nodes; i++)
    if (body->nodes[i].kind != VIZ_NODE_OUT)
      last = MAX (last, layers->rank[i]);
    else
      any = TRUE;
  for (guint32 i = 0; any && i < body->n_nodes; i++)
    if (body->nodes[i].kind == VIZ_NODE_OUT)
      layers->rank[i] = last + 1;
  layers->n_ranks = body->n_nodes == 0 ? 0 : last + 1 + (any ? 1 : 0);
}

/* Moves nodes with at least as many consumers as inputs down to their nearest consumer, which does
 * not increase the total edge length. */
static void
tighten (VizLayers *layers, const Leaving *leaving, const guint32 *order)
{
  const VizBody *body = layers->body;
  guint32       *n_in = g_new0 (guint32, MAX (body->n_nodes, 1));

  for (guint32 e = 0; e < body->n_edges; e++)
    if (constrains (&body->edges[e]))
      n_in[viz_layers_end (layers, e, FALSE)]++;
  for (guint pass = 0; pass < 2; pass++)
    for (guint32 i = body->n_nodes; i-- > 0;)
      {
        guint32 node = order[i], lowest = G_MAXUINT32;
        guint32 n_out = leaving->first[node + 1] - leaving->first[node];

        if (body->nodes[node].kind != VIZ_NODE_BOX || n_out == 0 || n_out < n_in[node])
          continue;
        for (guint32 k = leaving->first[node]; k < leaving->first[node + 1]; k++)
          lowest = MIN (lowest, layers->rank[viz_layers_end (layers, leaving->edge[k], FALSE)]);
        if (lowest > layers->rank[node] + 1)
          layers->rank[node] = lowest - 1;
      }
  g_free (n_in);
}

/* Ranks with the least total edge length, for small bodies.  All ports of one side count as one node
 * above (top) or below (bottom) all boxes. */
static void
rank_by_simplex (VizLayers *layers)
{
  const VizBody      *body = layers->body;
  guint32             n = body->n_nodes, top = n, bottom = n + 1;
  g_autofree gint32  *ranks = g_new0 (gint32, n + 2);
  g_autofree guint32 *stand_in = g_new (guint32, MAX (n, 1));
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (VizSimplexEdge));
  VizSimplexEdge edge;
  gboolean       has_top = FALSE, has_bottom = FALSE;

  /* 1. Start from the present ranks, and represent each side by one node. */
  for (guint32 i = 0; i < n; i++)
    {
      gboolean is_box = body->nodes[i].kind == VIZ_NODE_BOX;
      gboolean is_out = body->nodes[i].kind == VIZ_NODE_OUT;

      has_top |= !is_box && !is_out;
      has_bottom |= is_out;
      stand_in[i] = is_box ? i : is_out ? bottom : top;
      if (is_box)
        ranks[i] = (gint32) layers->rank[i];
    }
  ranks[bottom] = (gint32) layers->n_ranks;
  for (guint32 i = 0; i < n; i++)
    {
      /* 2. Edges of weight 0 keep the boxes between both sides, and cost no length. */
      if (stand_in[i] != i)
        continue;
      edge = (VizSimplexEdge){ top, i, 0 };
      if (has_top)
        g_array_append_val (edges, edge);
      edge = (VizSimplexEdge){ i, bottom, 0 };
      if (has_bottom)
        g_array_append_val (edges, edge);
    }
  for (guint32 e = 0; e < body->n_edges; e++)
    {
      /* 3. The edges of the graph, except edges that contradict step 2 or join the two sides. */
      edge = (VizSimplexEdge){ stand_in[viz_layers_end (layers, e, TRUE)],
                               stand_in[viz_layers_end (layers, e, FALSE)], 1 };
      if (constrains (&body->edges[e]) && edge.tail != edge.head && edge.tail != bottom &&
          edge.head != top && !(edge.tail == top && edge.head == bottom))
        g_array_append_val (edges, edge);
    }
  viz_simplex_rank (n + 2, (gconstpointer) edges->data, edges->len, SIMPLEX_PIVOTS, ranks);
  for (guint32 i = 0; i < n; i++)
    if (stand_in[i] == i)
      layers->rank[i] = (guint32) ranks[i];
}

gboolean
viz_layers_rank (VizLayers *layers)
{
  const VizBody      *body = layers->body;
  Leaving             leaving;
  g_autofree guint32 *order = NULL;

  layers->rank = g_new0 (guint32, MAX (body->n_nodes, 1));
  layers->reversed = g_new0 (guint8, MAX (body->n_edges, 1));
  break_cycles (layers);
  leaving = leaving_edges (layers);
  order = topological_order (layers, &leaving);
  longest_paths (layers, &leaving, order);
  sink_out_ports (layers);
  if (body->n_nodes <= SIMPLEX_NODES && body->n_edges <= SIMPLEX_EDGES)
    {
      rank_by_simplex (layers);
      sink_out_ports (layers);
    }
  /* After the simplex this only moves nodes at no cost, down to their consumers. */
  tighten (layers, &leaving, order);
  leaving_free (&leaving);
  return !g_cancellable_is_cancelled (layers->cancellable);
}
