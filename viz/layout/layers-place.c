/* layers-place.c — x by the algorithm of Brandes and Köpf (2001), y by rows.
 *
 * Four runs, one from each corner, chain nodes to their median neighbours into straight blocks and
 * push the blocks together; the x of a node is the mean of the two middle results.  A link that does
 * not end at the middle of its node shifts the node inside its block.  Blocks are compacted in
 * topological order, without recursion.  Start reading at viz_layers_place().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/layout/layers.h"

#include <math.h>
#include <string.h>

typedef struct
{
  VizLayers *layers;
  guint8    *conflict; /* per link: crosses a link between two virtual nodes, which has priority */
  gboolean   up;       /* chain to the nodes below instead of those above */
  gboolean   mirrored; /* from the right */

  guint32 *root;  /* per node: the first node of its block */
  guint32 *align; /* per node: the next node of its block, cyclically */
  double  *shift; /* per node: x from the root of its block */
  double  *place; /* per root: x */
  guint32 *queue; /* roots in topological order, from left to right */

  guint32 *waiting; /* per root: left neighbours of its block that are not in the queue yet */
} Run;

static void
mark_conflicts (const VizLayers *layers, guint8 *conflict)
{
  for (guint32 r = 0; r + 1 < layers->n_ranks; r++)
    {
      const guint32 *lower = layers->rows + layers->first_in_row[r + 1];
      guint32        n_lower = layers->first_in_row[r + 2] - layers->first_in_row[r + 1];
      guint32        n_upper = layers->first_in_row[r + 1] - layers->first_in_row[r];
      guint32        low = 0, scanned = 0;

      for (guint32 i = 0; i < n_lower; i++)
        {
          guint32  node = lower[i], high = n_upper;
          gboolean is_inner = FALSE;

          if (viz_layers_is_virtual (layers, node))
            {
              guint32 upper = layers->links[layers->up[layers->first_up[node]]].upper;

              is_inner = viz_layers_is_virtual (layers, upper);
              if (is_inner)
                high = layers->position[upper];
            }
          /* Links are checked when the next inner link, between two virtual nodes, or the end of
           * the row bounds the range [low, high] that they may start in without crossing one. */
          if (!is_inner && i + 1 < n_lower)
            continue;
          for (; scanned <= i; scanned++)
            for (guint32 k = layers->first_up[lower[scanned]];
                 k < layers->first_up[lower[scanned] + 1]; k++)
              {
                const VizLink *link = &layers->links[layers->up[k]];
                guint32        at = layers->position[link->upper];

                /* Two inner links that cross are no conflict: neither has priority. */
                if ((at < low || at > high) && !(viz_layers_is_virtual (layers, link->upper) &&
                                                 viz_layers_is_virtual (layers, link->lower)))
                  conflict[layers->up[k]] = TRUE;
              }
          low = high;
        }
    }
}

static guint32
place_in_row (const Run *run, guint32 node)
{
  const VizLayers *layers = run->layers;
  guint32          row = layers->row[node];

  return run->mirrored ? layers->first_in_row[row + 1] - layers->first_in_row[row] - 1 -
                             layers->position[node]
                       : layers->position[node];
}

typedef struct
{
  guint32 place, link;
} Neighbour;

static int
compare_neighbours (gconstpointer a, gconstpointer b)
{
  const Neighbour *left = a, *right = b;

  if (left->place != right->place)
    return left->place < right->place ? -1 : 1;
  return left->link < right->link ? -1 : 1;
}

/* Chains a node to one of its median neighbours, unless that crosses an earlier chain between the two
 * rows.  last: position of the last neighbour chained in the other row. */
static void
align_node (Run *run, guint32 node, GArray *neighbours, gint64 *last)
{
  const VizLayers *layers = run->layers;
  const guint32   *first = run->up ? layers->first_down : layers->first_up;
  const guint32   *list = run->up ? layers->down : layers->up;
  guint32          n = first[node + 1] - first[node];
  double           sign = run->mirrored ? -1 : 1;

  if (n == 0)
    return;
  g_array_set_size (neighbours, 0);
  for (guint32 i = first[node]; i < first[node + 1]; i++)
    {
      const VizLink *link = &layers->links[list[i]];
      Neighbour neighbour = { place_in_row (run, run->up ? link->lower : link->upper), list[i] };

      g_array_append_val (neighbours, neighbour);
    }
  g_array_sort (neighbours, compare_neighbours);
  /* The lower median, then the upper one if n is even and the lower was not free. */
  for (guint32 m = (n - 1) / 2; m <= n / 2; m++)
    {
      const Neighbour *median = &g_array_index (neighbours, Neighbour, m);
      const VizLink   *link = &layers->links[median->link];
      guint32          other = run->up ? link->lower : link->upper;

      if (run->align[node] != node || run->conflict[median->link] || median->place <= *last)
        continue;
      /* align links the nodes of a chain in a ring, from the last back to the root. */
      run->align[other] = node;
      run->root[node] = run->root[other];
      run->align[node] = run->root[node];
      run->shift[node] = run->shift[other] + sign * (run->up ? link->lower_at - link->upper_at
                                                             : link->upper_at - link->lower_at);
      *last = median->place;
    }
}

static void
align (Run *run)
{
  const VizLayers *layers = run->layers;
  GArray          *neighbours = g_array_new (FALSE, FALSE, sizeof (Neighbour));

  for (guint32 i = 0; i < layers->n_nodes; i++)
    {
      run->root[i] = run->align[i] = i;
      run->shift[i] = 0;
    }
  for (guint32 i = 1; i < layers->n_ranks; i++)
    {
      guint32 r = run->up ? layers->n_ranks - 1 - i : i;
      guint32 n = layers->first_in_row[r + 1] - layers->first_in_row[r];
      gint64  last = -1;

      for (guint32 k = 0; k < n; k++)
        align_node (run, layers->rows[layers->first_in_row[r] + (run->mirrored ? n - 1 - k : k)],
                    neighbours, &last);
    }
  g_array_unref (neighbours);
}

static double
separation (const Run *run, guint32 left, guint32 right)
{
  const VizLayers *layers = run->layers;
  double           gap = viz_layers_gap (layers, left, right);

  return run->mirrored ? layers->left[left] + layers->right[right] + gap
                       : layers->right[left] + layers->left[right] + gap;
}

/* The neighbour to the right, in the direction of this run. */
static guint32
next_in_row (const Run *run, guint32 node)
{
  const VizLayers *layers = run->layers;
  guint32          row = layers->row[node];
  guint32          at = layers->first_in_row[row] + layers->position[node];

  if (run->mirrored)
    return layers->position[node] == 0 ? VIZ_NO_NODE : layers->rows[at - 1];
  return at + 1 == layers->first_in_row[row + 1] ? VIZ_NO_NODE : layers->rows[at + 1];
}

/* The least distance of the roots of two blocks whose nodes left and right are neighbours. */
static double
distance (const Run *run, guint32 left, guint32 right)
{
  return run->shift[left] + separation (run, left, right) - run->shift[right];
}

/* Fills queue with the roots in topological order and returns their number. */
static guint32
sort_blocks (Run *run)
{
  const VizLayers *layers = run->layers;
  guint32          n = layers->n_nodes, n_queued = 0;

  memset (run->waiting, 0, n * sizeof *run->waiting);
  /* 1. A block waits once for each left neighbour of one of its nodes. */
  for (guint32 i = 0; i < n; i++)
    {
      guint32 next = next_in_row (run, i);

      if (next != VIZ_NO_NODE)
        run->waiting[run->root[next]]++;
    }
  for (guint32 i = 0; i < n; i++)
    if (run->root[i] == i && run->waiting[i] == 0)
      run->queue[n_queued++] = i;
  /* 2. Blocks without a left neighbour first; each releases its right neighbours. */
  for (guint32 done = 0; done < n_queued; done++)
    {
      guint32 node = run->queue[done];

      do
        {
          guint32 next = next_in_row (run, node);

          if (next != VIZ_NO_NODE && --run->waiting[run->root[next]] == 0)
            run->queue[n_queued++] = run->root[next];
          node = run->align[node];
        }
      while (node != run->queue[done]);
    }
  return n_queued;
}

/* Moves each block as far left as possible, then blocks with a right neighbour up to that. */
static void
compact (Run *run)
{
  guint32 n_blocks = sort_blocks (run);

  for (guint32 i = 0; i < run->layers->n_nodes; i++)
    run->place[i] = 0;
  /* 1. Topological order makes every place final before it pushes the blocks to its right: a
   * longest path. */
  for (guint32 i = 0; i < n_blocks; i++)
    {
      guint32 root = run->queue[i], node = root;

      do
        {
          guint32 next = next_in_row (run, node);

          if (next != VIZ_NO_NODE)
            run->place[run->root[next]] =
                MAX (run->place[run->root[next]], run->place[root] + distance (run, node, next));
          node = run->align[node];
        }
      while (node != root);
    }
  /* 2. In reverse order, the right neighbours have moved before; a block without one stays. */
  for (guint32 i = n_blocks; i-- > 0;)
    {
      guint32 root = run->queue[i], node = root;
      double  room = INFINITY;

      do
        {
          guint32 next = next_in_row (run, node);

          if (next != VIZ_NO_NODE)
            room = MIN (room, run->place[run->root[next]] - distance (run, node, next));
          node = run->align[node];
        }
      while (node != root);
      if (room < INFINITY)
        run->place[root] = MAX (run->place[root], room);
    }
}

static void
read_places (const Run *run, double *x)
{
  for (guint32 i = 0; i < run->layers->n_nodes; i++)
    x[i] = (run->place[run->root[i]] + run->shift[i]) * (run->mirrored ? -1 : 1);
}

static void
find_extent (const VizLayers *layers, const double *x, double extent[2])
{
  extent[0] = INFINITY;
  extent[1] = -INFINITY;
  for (guint32 i = 0; i < layers->n_nodes; i++)
    {
      extent[0] = MIN (extent[0], x[i] - layers->left[i]);
      extent[1] = MAX (extent[1], x[i] + layers->right[i]);
    }
}

/* Aligns runs from the left with the left border of the narrowest result, and mirrored runs with its
 * right border; then takes the mean of the two middle values. */
static void
combine (VizLayers *layers, double *x[4])
{
  double  extent[4][2];
  guint32 narrowest = 0;

  for (guint32 i = 0; i < 4; i++)
    {
      find_extent (layers, x[i], extent[i]);
      if (extent[i][1] - extent[i][0] < extent[narrowest][1] - extent[narrowest][0])
        narrowest = i;
    }
  for (guint32 n = 0; n < layers->n_nodes; n++)
    {
      double v[4];

      for (guint32 i = 0; i < 4; i++)
        {
          guint32 side = i % 2; /* odd runs are mirrored */
          double  place = x[i][n] + extent[narrowest][side] - extent[i][side];
          guint32 k = i;

          for (; k > 0 && v[k - 1] > place; k--)
            v[k] = v[k - 1];
          v[k] = place;
        }
      layers->x[n] = (v[1] + v[2]) / 2;
    }
}

/* The gap below a row grows by one point for each link above this number, up to a maximum. */
#define MIN_LINKS 4u
#define MAX_EXTRA 24u

/* The gap below a row in points; smaller above a last row without visible ports. */
static double
gap_below (const VizLayers *layers, guint32 row)
{
  return row + 1 < layers->n_ranks && layers->row_height[row + 1] <= 0 ? 14 : 24;
}

static void
place_rows (VizLayers *layers)
{
  const VizBody *body = layers->body;
  guint32       *n_links = g_new0 (guint32, layers->n_ranks + 1);
  guint8        *labelled = g_new0 (guint8, layers->n_ranks + 1);
  double         y = 0;

  layers->row_y = g_new0 (double, layers->n_ranks + 1);
  layers->row_height = g_new0 (double, layers->n_ranks + 1);
  for (guint32 i = 0; i < body->n_nodes; i++)
    {
      guint32 r = layers->row[i];

      layers->row_height[r] = MAX (layers->row_height[r], body->nodes[i].height);
      labelled[r] |= body->nodes[i].label > 0;
    }
  for (guint32 i = 0; i < layers->n_links; i++)
    n_links[layers->row[layers->links[i].upper]]++;
  for (guint32 e = 0; e < body->n_edges; e++)
    if (body->edges[e].flags & VIZ_EDGE_LABELLED && layers->row[body->edges[e].head] > 0)
      labelled[layers->row[body->edges[e].head] - 1] = TRUE;
  for (guint32 r = 0; r < layers->n_ranks; r++)
    {
      layers->row_y[r] = y;
      /* Rows with many links between them are further apart, because flat curves are hard to follow.
       * The width of the rows must not count, or opening a box would move boxes in other rows. */
      y += layers->row_height[r] + gap_below (layers, r) +
           MIN (MAX (n_links[r], MIN_LINKS) - MIN_LINKS, MAX_EXTRA) + (labelled[r] ? 10 : 0);
    }
  g_free (labelled);
  g_free (n_links);
}

gboolean
viz_layers_place (VizLayers *layers)
{
  gsize   n = layers->n_nodes + 1;
  double *x[4];
  Run     run = {
        .layers = layers,
        .conflict = g_new0 (guint8, layers->n_links + 1),
        .root = g_new (guint32, n),
        .align = g_new (guint32, n),
        .shift = g_new (double, n),
        .place = g_new (double, n),
        .waiting = g_new (guint32, n),
        .queue = g_new (guint32, n),
  };

  layers->x = g_new0 (double, n);
  mark_conflicts (layers, run.conflict);
  for (guint i = 0; i < 4; i++)
    {
      /* Chains aligned with the row above or below, packed to the left or (mirrored) to the right:
       * Brandes and Köpf (2001).  combine() balances the bias of the four. */
      run.up = i >= 2;
      run.mirrored = i % 2 == 1;
      align (&run);
      compact (&run);
      x[i] = g_new (double, n);
      read_places (&run, x[i]);
    }
  combine (layers, x);
  viz_layers_shorten (layers);
  place_rows (layers);
  for (guint i = 0; i < 4; i++)
    g_free (x[i]);
  g_free (run.conflict);
  g_free (run.root);
  g_free (run.align);
  g_free (run.shift);
  g_free (run.place);
  g_free (run.waiting);
  g_free (run.queue);
  return !g_cancellable_is_cancelled (layers->cancellable);
}
