/* layers-simplex.c — the network simplex of Gansner, Koutsofios, North and Vo (1993).
 *
 * A spanning tree of tight edges (length 1) determines all ranks.  In each pivot, a tree edge with a
 * negative cut value is replaced by another edge, which lets it grow.  The cut value is the weight
 * that leaves a subtree minus the weight that enters it; since inner edges cancel, it is the sum of
 * (weight out − weight in) over the nodes of the subtree.  So a pivot costs one walk over the tree
 * and one over the edges.  Start reading at viz_simplex_rank().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/layout/layers-simplex.h"

#include <string.h>

#define NO_EDGE G_MAXUINT32

typedef struct
{
  guint32               n_nodes, n_edges;
  const VizSimplexEdge *edges;
  gint32               *ranks;
  guint32 *first, *incident; /* edges at node i: incident[first[i]] to first[i + 1] - 1 */
  guint32 *up;               /* per node: tree edge to its parent; NO_EDGE: root */
  guint8  *in_tree;          /* per edge */
  guint32 *order;            /* nodes in preorder of the tree */
  guint32 *place, *last;     /* per node: its subtree is order[place] to order[last] */
  gint64  *net;              /* per node: weight out − weight in of its subtree */
  guint8  *seen;             /* per node */
} Simplex;

static gint32
slack (const Simplex *simplex, guint32 edge)
{
  const VizSimplexEdge *ends = &simplex->edges[edge];

  return simplex->ranks[ends->head] - simplex->ranks[ends->tail] - 1;
}

static guint32
other_end (const Simplex *simplex, guint32 edge, guint32 node)
{
  const VizSimplexEdge *ends = &simplex->edges[edge];

  return ends->tail == node ? ends->head : ends->tail;
}

static void
index_edges (Simplex *simplex)
{
  guint32 *first = g_new0 (guint32, simplex->n_nodes + 2);

  for (guint32 e = 0; e < simplex->n_edges; e++)
    {
      first[simplex->edges[e].tail + 2]++;
      first[simplex->edges[e].head + 2]++;
    }
  for (guint32 i = 0; i < simplex->n_nodes; i++)
    first[i + 2] += first[i + 1];
  simplex->incident = g_new (guint32, 2 * simplex->n_edges + 1);
  for (guint32 e = 0; e < simplex->n_edges; e++)
    {
      simplex->incident[first[simplex->edges[e].tail + 1]++] = e;
      simplex->incident[first[simplex->edges[e].head + 1]++] = e;
    }
  simplex->first = first;
}

/* Appends to order the nodes that tight edges reach from order[from] to order[n_reached - 1] and from
 * the appended nodes.  Returns the new length of order. */
static guint32
grow (Simplex *simplex, guint32 from, guint32 n_reached)
{
  for (guint32 i = from; i < n_reached; i++)
    {
      guint32 node = simplex->order[i];

      for (guint32 k = simplex->first[node]; k < simplex->first[node + 1]; k++)
        {
          guint32 edge = simplex->incident[k], other = other_end (simplex, edge, node);

          if (simplex->seen[other] || slack (simplex, edge) != 0)
            continue;
          simplex->seen[other] = TRUE;
          simplex->in_tree[edge] = TRUE;
          simplex->order[n_reached++] = other;
        }
    }
  return n_reached;
}

/* The edge with the least slack between the tree, order[start] to order[n_reached - 1], and the other
 * nodes; NO_EDGE if the component is complete. */
static guint32
nearest_edge (const Simplex *simplex, guint32 start, guint32 n_reached)
{
  guint32 best = NO_EDGE;

  for (guint32 i = start; i < n_reached; i++)
    for (guint32 k = simplex->first[simplex->order[i]]; k < simplex->first[simplex->order[i] + 1];
         k++)
      {
        guint32 edge = simplex->incident[k];

        if (!simplex->seen[other_end (simplex, edge, simplex->order[i])] &&
            (best == NO_EDGE || slack (simplex, edge) < slack (simplex, best)))
          best = edge;
      }
  return best;
}

/* Makes a tree of tight edges in each connected component, by moving the part reached so far until
 * its nearest edge is tight. */
static void
make_tree (Simplex *simplex)
{
  guint32 n_reached = 0;

  for (guint32 root = 0; root < simplex->n_nodes; root++)
    {
      guint32 start = n_reached, grown = n_reached, edge;

      if (simplex->seen[root])
        continue;
      simplex->seen[root] = TRUE;
      simplex->order[n_reached++] = root;
      for (;;)
        {
          gint32 by;

          n_reached = grow (simplex, grown, n_reached);
          edge = nearest_edge (simplex, start, n_reached);
          if (edge == NO_EDGE)
            break;
          /* Moving the part by the slack of its nearest edge makes that edge tight, and no other
           * edge too short. */
          by = slack (simplex, edge);
          if (!simplex->seen[simplex->edges[edge].head])
            for (guint32 i = start; i < n_reached; i++)
              simplex->ranks[simplex->order[i]] += by;
          else
            for (guint32 i = start; i < n_reached; i++)
              simplex->ranks[simplex->order[i]] -= by;
          /* Every tree edge lies inside of the part that moved, so it stays tight.  The part has
           * moved relative to all other nodes, so growth starts again from its first node. */
          grown = start;
        }
    }
}

/* Recomputes order, place, last, up and net from the tree.  stack: scratch for n_nodes numbers. */
static void
walk_tree (Simplex *simplex, guint32 *stack)
{
  guint32 n_order = 0;

  /* 1. Number the nodes in preorder, so that each subtree is a range of order. */
  memset (simplex->seen, 0, simplex->n_nodes);
  for (guint32 root = 0; root < simplex->n_nodes; root++)
    {
      guint32 n_stack = 0;

      if (simplex->seen[root])
        continue;
      simplex->up[root] = NO_EDGE;
      simplex->seen[root] = TRUE;
      stack[n_stack++] = root;
      while (n_stack > 0)
        {
          guint32 node = stack[--n_stack];

          simplex->place[node] = simplex->last[node] = n_order;
          simplex->order[n_order++] = node;
          for (guint32 k = simplex->first[node]; k < simplex->first[node + 1]; k++)
            {
              guint32 edge = simplex->incident[k], other = other_end (simplex, edge, node);

              if (!simplex->in_tree[edge] || simplex->seen[other])
                continue;
              simplex->seen[other] = TRUE;
              simplex->up[other] = edge;
              stack[n_stack++] = other;
            }
        }
    }
  /* 2. The net weight of each node alone; an edge inside of a subtree cancels in the sum. */
  memset (simplex->net, 0, simplex->n_nodes * sizeof *simplex->net);
  for (guint32 e = 0; e < simplex->n_edges; e++)
    {
      simplex->net[simplex->edges[e].tail] += simplex->edges[e].weight;
      simplex->net[simplex->edges[e].head] -= simplex->edges[e].weight;
    }
  /* 3. Children follow their parent in preorder, so the reverse order adds complete subtrees. */
  for (guint32 i = n_order; i-- > 0;)
    {
      guint32 node = simplex->order[i], parent;

      if (simplex->up[node] == NO_EDGE)
        continue;
      parent = other_end (simplex, simplex->up[node], node);
      simplex->net[parent] += simplex->net[node];
      simplex->last[parent] = MAX (simplex->last[parent], simplex->last[node]);
    }
}

static gboolean
is_below (const Simplex *simplex, guint32 node, guint32 top)
{
  return simplex->place[node] >= simplex->place[top] && simplex->place[node] <= simplex->last[top];
}

/* The node whose edge to its parent has the most negative cut value; NO_EDGE if there is none. */
static guint32
choose_leaving (const Simplex *simplex)
{
  guint32 best = NO_EDGE;
  gint64  best_cut = 0;

  for (guint32 node = 0; node < simplex->n_nodes; node++)
    {
      gint64 cut;

      if (simplex->up[node] == NO_EDGE)
        continue;
      cut =
          simplex->edges[simplex->up[node]].tail == node ? simplex->net[node] : -simplex->net[node];
      if (cut < best_cut)
        {
          best_cut = cut;
          best = node;
        }
    }
  return best;
}

/* Exchanges one tree edge.  FALSE if the tree is optimal. */
static gboolean
pivot (Simplex *simplex)
{
  guint32  top = choose_leaving (simplex), entering = NO_EDGE;
  gboolean top_is_tail;
  gint32   by;

  if (top == NO_EDGE)
    return FALSE;
  top_is_tail = simplex->edges[simplex->up[top]].tail == top;
  /* Moving the subtree shortens the edges that run against the leaving edge; the first of them to
   * become tight limits the movement. */
  for (guint32 e = 0; e < simplex->n_edges; e++)
    {
      gboolean tail_below = is_below (simplex, simplex->edges[e].tail, top);
      gboolean head_below = is_below (simplex, simplex->edges[e].head, top);

      if (tail_below != head_below && head_below == top_is_tail && !simplex->in_tree[e] &&
          (entering == NO_EDGE || slack (simplex, e) < slack (simplex, entering)))
        entering = e;
    }
  if (entering == NO_EDGE)
    return FALSE;
  by = slack (simplex, entering);
  for (guint32 i = simplex->place[top]; i <= simplex->last[top]; i++)
    simplex->ranks[simplex->order[i]] += top_is_tail ? -by : by;
  simplex->in_tree[simplex->up[top]] = FALSE;
  simplex->in_tree[entering] = TRUE;
  return TRUE;
}

/* Moves each connected component to start at rank 0. */
static void
normalise (const Simplex *simplex)
{
  for (guint32 i = 0; i < simplex->n_nodes;)
    {
      guint32 end = simplex->last[simplex->order[i]];
      gint32  least = G_MAXINT32;

      for (guint32 k = i; k <= end; k++)
        least = MIN (least, simplex->ranks[simplex->order[k]]);
      for (guint32 k = i; k <= end; k++)
        simplex->ranks[simplex->order[k]] -= least;
      i = end + 1;
    }
}

void
viz_simplex_rank (guint32               n_nodes,
                  const VizSimplexEdge *edges,
                  guint32               n_edges,
                  guint32               max_pivots,
                  gint32               *ranks)
{
  gsize    n = MAX (n_nodes, 1);
  guint32 *stack = g_new (guint32, n);
  Simplex  simplex = {
     .n_nodes = n_nodes,
     .n_edges = n_edges,
     .edges = edges,
     .ranks = ranks,
     .up = g_new (guint32, n),
     .in_tree = g_new0 (guint8, n_edges + 1),
     .order = g_new (guint32, n),
     .place = g_new (guint32, n),
     .last = g_new (guint32, n),
     .net = g_new (gint64, n),
     .seen = g_new0 (guint8, n),
  };

  index_edges (&simplex);
  make_tree (&simplex);
  walk_tree (&simplex, stack);
  for (guint32 i = 0; i < max_pivots && pivot (&simplex); i++)
    walk_tree (&simplex, stack);
  normalise (&simplex);
  g_free (simplex.first);
  g_free (simplex.incident);
  g_free (simplex.up);
  g_free (simplex.in_tree);
  g_free (simplex.order);
  g_free (simplex.place);
  g_free (simplex.last);
  g_free (simplex.net);
  g_free (simplex.seen);
  g_free (stack);
}
