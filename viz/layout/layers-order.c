/* layers-order.c — orders the nodes in each row, so that few links cross.
 *
 * Starts with a depth-first order from the sources, then sweeps down and up with the barycentre
 * heuristic and keeps the best order.  Small bodies also swap neighbours while that removes
 * crossings, sweep more often, and start from other orders, some of them shuffled.  Ties keep their
 * order and shuffles use a fixed seed, so that the result depends on the input only.
 * Start reading at reduce_all().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/layout/layers.h"

#include <math.h>
#include <string.h>

#define MAX_IDLE_SWEEPS 4 /* stop after this many sweeps without improvement */
#define SWEEPS          8
#define SWEEPS_SMALL    24
#define SMALL           3000 /* nodes, with virtual ones */
#define TINY            250
#define SHUFFLES        8 /* shuffled starts of tiny bodies */

typedef struct
{
  VizLayers *layers;
  double    *weight;  /* per node: barycentre */
  guint32   *slot;    /* per link: index among the distinct x at which links enter its lower node */
  guint32   *n_slots; /* per node: number of these x */
  guint32
      *slot_base; /* per node: its first slot among all slots of its row, in the present order */
  guint32 *tree;  /* Fenwick tree over the slots of a row */
  guint32 *lower; /* scratch: slots of the links that leave one point */
  guint32 *best;  /* rows of the best order so far */
} Order;

/* The x of a port as a fraction of a position, below 0.5 on either side. */
static double
port_shift (const VizLayers *layers, guint32 node, float at)
{
  double width = layers->left[node] + layers->right[node];

  return width > 0 ? at / (width + 1) * 0.9 : 0;
}

void
viz_layers_number_rows (VizLayers *layers)
{
  for (guint32 r = 0; r < layers->n_ranks; r++)
    for (guint32 i = layers->first_in_row[r]; i < layers->first_in_row[r + 1]; i++)
      layers->position[layers->rows[i]] = i - layers->first_in_row[r];
}

/* Moves ports with a given order to the start of their row, in that order. */
static void
fix_ports (VizLayers *layers, guint32 row)
{
  const VizBody *body = layers->body;
  guint32       *nodes = layers->rows + layers->first_in_row[row];
  guint32        n = layers->first_in_row[row + 1] - layers->first_in_row[row], n_fixed = 0;

  for (guint32 i = 0; i < n; i++)
    if (nodes[i] < body->n_nodes && body->nodes[nodes[i]].order >= 0)
      {
        guint32 node = nodes[i], at = n_fixed++;

        memmove (nodes + at + 1, nodes + at, (i - at) * sizeof *nodes);
        while (at > 0 && body->nodes[nodes[at - 1]].order > body->nodes[node].order)
          {
            nodes[at] = nodes[at - 1];
            at--;
          }
        nodes[at] = node;
      }
}

static gint32
hint_of (const VizLayers *layers, guint32 node)
{
  return viz_layers_is_virtual (layers, node) ? -1 : layers->body->nodes[node].hint;
}

/* Sorts the boxes with hints among the places that they occupy in their row. */
static void
fix_hints (VizLayers *layers, guint32 row)
{
  guint32 *nodes = layers->rows + layers->first_in_row[row];
  guint32  n = layers->first_in_row[row + 1] - layers->first_in_row[row];

  for (guint32 i = 1; i < n; i++)
    {
      guint32 at = i;

      if (hint_of (layers, nodes[i]) < 0)
        continue;
      for (guint32 k = i; k-- > 0;)
        {
          guint32 swap = nodes[k];

          if (hint_of (layers, swap) < 0)
            continue;
          if (hint_of (layers, swap) < hint_of (layers, nodes[at]))
            break;
          nodes[k] = nodes[at];
          nodes[at] = swap;
          at = k;
        }
    }
}

static gboolean
has_fixed_ports (const VizLayers *layers, guint32 row)
{
  return row == 0 || row + 1 == layers->n_ranks;
}

/* The searches that give a first order */
typedef enum
{
  DEPTH_FIRST_DOWN,
  BREADTH_FIRST_UP,
  BREADTH_FIRST_DOWN,
  N_STARTS,
} Start;

/* A search that fills the rows in the order in which it reaches the nodes. */
typedef struct
{
  VizLayers *layers;
  Start      start;
  guint8    *seen;   /* per node */
  guint32   *filled; /* per row: nodes placed so far */
  GArray    *list;   /* guint32: nodes to visit; a stack or a queue */
} Search;

static void
visit_from (Search *search, guint32 from)
{
  VizLayers     *layers = search->layers;
  gboolean       is_deep = search->start == DEPTH_FIRST_DOWN;
  gboolean       up = search->start == BREADTH_FIRST_UP;
  const guint32 *first = up ? layers->first_up : layers->first_down;
  const guint32 *links = up ? layers->up : layers->down;
  GArray        *list = search->list;
  guint          taken = 0;

  g_array_set_size (list, 0);
  g_array_append_val (list, from);
  while (taken < list->len)
    {
      guint32 node = g_array_index (list, guint32, is_deep ? list->len - 1 : taken);
      guint32 n = first[node + 1] - first[node], row = layers->row[node];

      if (is_deep)
        g_array_set_size (list, list->len - 1);
      else
        taken++;
      /* Nodes are marked when they are taken, so the list may hold one several times. */
      if (search->seen[node])
        continue;
      search->seen[node] = TRUE;
      layers->rows[layers->first_in_row[row] + search->filled[row]++] = node;
      for (guint32 i = 0; i < n; i++)
        {
          /* A stack returns its newest entry first: pushed in reverse, the first link is followed
           * first. */
          const VizLink *link = &layers->links[links[first[node] + (is_deep ? n - 1 - i : i)]];
          guint32        other = up ? link->upper : link->lower;

          if (!search->seen[other])
            g_array_append_val (list, other);
        }
    }
}

static void
first_order (VizLayers *layers, Start start)
{
  const guint32 *before = start == BREADTH_FIRST_UP ? layers->first_down : layers->first_up;
  Search         search = {
            .layers = layers,
            .start = start,
            .seen = g_new0 (guint8, MAX (layers->n_nodes, 1)),
            .filled = g_new0 (guint32, layers->n_ranks + 1),
            .list = g_array_new (FALSE, FALSE, sizeof (guint32)),
  };

  /* Sources first, ports before boxes: ports keep the order that they have outside the group. */
  for (guint32 i = 0; i < layers->body->n_nodes; i++)
    if (layers->body->nodes[i].kind != VIZ_NODE_BOX && before[i] == before[i + 1])
      visit_from (&search, i);
  for (guint32 i = 0; i < layers->n_nodes; i++)
    if (!search.seen[i] && before[i] == before[i + 1])
      visit_from (&search, i);
  for (guint32 i = 0; i < layers->n_nodes; i++)
    if (!search.seen[i])
      visit_from (&search, i);
  for (guint32 r = 0; r < layers->n_ranks; r++)
    {
      if (has_fixed_ports (layers, r))
        fix_ports (layers, r);
      if (layers->has_hints)
        fix_hints (layers, r);
    }
  viz_layers_number_rows (layers);
  g_array_unref (search.list);
  g_free (search.filled);
  g_free (search.seen);
}

void
viz_layers_make_rows (VizLayers *layers)
{
  layers->first_in_row = g_new0 (guint32, layers->n_ranks + 2);
  layers->rows = g_new (guint32, MAX (layers->n_nodes, 1));
  layers->position = g_new0 (guint32, MAX (layers->n_nodes, 1));
  for (guint32 i = 0; i < layers->n_nodes; i++)
    layers->first_in_row[layers->row[i] + 1]++;
  for (guint32 r = 0; r < layers->n_ranks; r++)
    layers->first_in_row[r + 1] += layers->first_in_row[r];
}

/* --- Counting crossings (Barth, Jünger, Mutzel) --- */

/* Sets slot and n_slots. */
static void
prepare_slots (Order *order)
{
  const VizLayers *layers = order->layers;

  for (guint32 node = 0; node < layers->n_nodes; node++)
    {
      guint32 slot = 0;

      for (guint32 i = layers->first_up[node]; i < layers->first_up[node + 1]; i++)
        {
          if (i > layers->first_up[node] &&
              layers->links[layers->up[i]].lower_at != layers->links[layers->up[i - 1]].lower_at)
            slot++;
          order->slot[layers->up[i]] = slot;
        }
      order->n_slots[node] = slot + 1;
    }
}

/* The crossings between a row and the next; any number above limit if there are more than limit. */
static guint64
count_row (const Order *order, guint32 row, guint64 limit)
{
  const VizLayers *layers = order->layers;
  guint32          n_lower = 0, n_links = 0;
  guint64          crossings = 0;

  /* 1. Number the slots of the lower row from left to right, and empty the tree, which counts the
   * links of step 2 by slot. */
  for (guint32 i = layers->first_in_row[row + 1]; i < layers->first_in_row[row + 2]; i++)
    {
      order->slot_base[layers->rows[i]] = n_lower;
      n_lower += order->n_slots[layers->rows[i]];
    }
  memset (order->tree, 0, (n_lower + 1) * sizeof *order->tree);
  /* 2. Take the links by their upper ends from left to right.  A link crosses those earlier ones
   * that end to the right of its slot (Barth, Jünger and Mutzel, 2002). */
  for (guint32 i = layers->first_in_row[row]; i < layers->first_in_row[row + 1]; i++)
    {
      guint32 node = layers->rows[i];

      for (guint32 k = layers->first_down[node]; k < layers->first_down[node + 1];)
        {
          float   at = layers->links[layers->down[k]].upper_at;
          guint32 n_group = 0;

          for (; k < layers->first_down[node + 1] && layers->links[layers->down[k]].upper_at == at;
               k++)
            {
              guint32 link = layers->down[k];
              guint32 lower = order->slot_base[layers->links[link].lower] + order->slot[link];
              guint32 n_before = 0;

              /* Links that end at this slot or to the left of it do not cross. */
              for (guint32 t = lower + 1; t > 0; t &= t - 1)
                n_before += order->tree[t];
              crossings += n_links - n_before;
              order->lower[n_group++] = lower;
            }
          if (crossings > limit)
            return crossings;
          /* Links that leave the same point do not cross one another, so they enter the tree
           * together, after all of them are counted. */
          for (guint32 g = 0; g < n_group; g++)
            for (guint32 t = order->lower[g] + 1; t <= n_lower; t += t & -t)
              order->tree[t]++;
          n_links += n_group;
        }
    }
  return crossings;
}

static guint64
count_all (const Order *order, guint64 limit)
{
  guint64 crossings = 0;

  for (guint32 r = 0; r + 1 < order->layers->n_ranks && crossings <= limit; r++)
    crossings += count_row (order, r, limit - crossings);
  return crossings;
}

/* --- Reducing crossings --- */

static int
compare_weights (gconstpointer a, gconstpointer b, gpointer data)
{
  const Order *order = data;
  guint32      left = *(const guint32 *) a, right = *(const guint32 *) b;
  double       difference = order->weight[left] - order->weight[right];

  if (difference != 0)
    return difference < 0 ? -1 : 1;
  return order->layers->position[left] < order->layers->position[right] ? -1 : 1;
}

/* The mean position of the neighbours above or below a node; -1 if it has none. */
static double
barycentre (const VizLayers *layers, guint32 node, gboolean from_above)
{
  const guint32 *first = from_above ? layers->first_up : layers->first_down;
  const guint32 *list = from_above ? layers->up : layers->down;
  double         sum = 0;

  if (first[node] == first[node + 1])
    return -1;
  for (guint32 i = first[node]; i < first[node + 1]; i++)
    {
      const VizLink *link = &layers->links[list[i]];
      guint32        other = from_above ? link->upper : link->lower;

      sum += layers->position[other] +
             port_shift (layers, other, from_above ? link->upper_at : link->lower_at) -
             port_shift (layers, node, from_above ? link->lower_at : link->upper_at);
    }
  return sum / (first[node + 1] - first[node]);
}

static void
sort_row (Order *order, guint32 row, gboolean from_above)
{
  VizLayers *layers = order->layers;
  guint32    n = layers->first_in_row[row + 1] - layers->first_in_row[row];
  guint32   *nodes = layers->rows + layers->first_in_row[row];
  double     last = -1;

  if (n < 2)
    return;
  for (guint32 i = 0; i < n; i++)
    {
      double weight = barycentre (layers, nodes[i], from_above);

      /* A node without neighbours follows the node at its left. */
      order->weight[nodes[i]] = last = weight < 0 ? last : weight;
    }
  g_qsort_with_data (nodes, (int) n, sizeof *nodes, compare_weights, order);
  if (has_fixed_ports (layers, row))
    fix_ports (layers, row);
  if (layers->has_hints)
    fix_hints (layers, row);
  for (guint32 i = 0; i < n; i++)
    layers->position[nodes[i]] = i;
}

static void
sweep (Order *order, gboolean down)
{
  guint32 n_ranks = order->layers->n_ranks;

  for (guint32 i = 1; i < n_ranks; i++)
    sort_row (order, down ? i : n_ranks - 1 - i, down);
}

/* Crossings between the links of two neighbours */
typedef struct
{
  guint32 now;     /* in their present order */
  guint32 swapped; /* with the two exchanged */
} PairCrossings;

/* Adds the crossings of the links above (or below) two neighbours in a row. */
static void
count_pair (const VizLayers *layers,
            guint32          left,
            guint32          right,
            gboolean         above,
            PairCrossings   *crossings)
{
  const guint32 *first = above ? layers->first_up : layers->first_down;
  const guint32 *list = above ? layers->up : layers->down;

  for (guint32 i = first[left]; i < first[left + 1]; i++)
    {
      const VizLink *a = &layers->links[list[i]];
      guint32        end_a = above ? a->upper : a->lower, place_a = layers->position[end_a];
      float          at_a = above ? a->upper_at : a->lower_at;

      for (guint32 k = first[right]; k < first[right + 1]; k++)
        {
          const VizLink *b = &layers->links[list[k]];
          guint32        end_b = above ? b->upper : b->lower, place_b = layers->position[end_b];
          float          at_b = above ? b->upper_at : b->lower_at;

          crossings->now += place_a > place_b || (end_a == end_b && at_a > at_b);
          crossings->swapped += place_a < place_b || (end_a == end_b && at_a < at_b);
        }
    }
}

static gboolean
may_swap (const VizLayers *layers, guint32 left, guint32 right)
{
  const VizBodyNode *nodes = layers->body->nodes;

  if (hint_of (layers, left) >= 0 && hint_of (layers, right) >= 0)
    return FALSE;
  return (viz_layers_is_virtual (layers, left) || nodes[left].order < 0) &&
         (viz_layers_is_virtual (layers, right) || nodes[right].order < 0);
}

/* Swaps neighbours while that removes crossings.  ties: in the first pass also swap neighbours where
 * the number stays the same, to leave local minima. */
static void
transpose (Order *order, gboolean ties)
{
  VizLayers *layers = order->layers;
  gboolean   better = TRUE;

  for (guint pass = 0; better && pass < 6; pass++)
    {
      better = FALSE;
      for (guint32 r = 0; r < layers->n_ranks; r++)
        for (guint32 i = layers->first_in_row[r]; i + 1 < layers->first_in_row[r + 1]; i++)
          {
            guint32       left = layers->rows[i], right = layers->rows[i + 1];
            PairCrossings pair = { 0, 0 };

            if (!may_swap (layers, left, right))
              continue;
            count_pair (layers, left, right, TRUE, &pair);
            count_pair (layers, left, right, FALSE, &pair);
            if (pair.now == 0)
              continue;
            /* A tie swapped twice restores the order, so ties are limited to the first pass. */
            if (pair.swapped > pair.now || (pair.swapped == pair.now && !(ties && pass == 0)))
              continue;
            layers->rows[i] = right;
            layers->rows[i + 1] = left;
            layers->position[left]++;
            layers->position[right]--;
            better |= pair.swapped < pair.now;
          }
    }
}

/* Sweeps from the present order.  Stores an order with fewer than *best crossings in order->best, and
 * updates *best. */
static void
reduce (Order *order, guint64 *best)
{
  VizLayers *layers = order->layers;
  gsize      n_bytes = layers->n_nodes * sizeof *layers->rows;
  gboolean   is_small = layers->n_nodes <= SMALL;
  guint      n_sweeps = is_small ? SWEEPS_SMALL : SWEEPS, n_idle = 0;
  guint64    least = G_MAXUINT64;

  for (guint i = 0; i <= n_sweeps && *best > 0 && n_idle < MAX_IDLE_SWEEPS; i++)
    {
      guint64 now;

      if (g_cancellable_is_cancelled (layers->cancellable))
        return;
      /* Round 0 starts from the present order.  Odd rounds sort each row by the row above, even
       * ones by the row below; small bodies swap ties in two rounds of four. */
      if (i > 0)
        sweep (order, i % 2 == 1);
      if (is_small)
        transpose (order, i % 4 > 1);
      /* A count above the larger of the two limits changes neither, so it may stop early. */
      now = count_all (order, MAX (*best, least));
      n_idle++;
      if (now < least)
        {
          least = now;
          n_idle = 0;
        }
      if (now < *best)
        {
          *best = now;
          memcpy (order->best, layers->rows, n_bytes);
        }
    }
}

/* Shuffles all rows; number is the seed (Knuth's MMIX generator). */
static void
shuffle (VizLayers *layers, guint number)
{
  guint64 state = number + 1;

  for (guint32 r = 0; r < layers->n_ranks; r++)
    {
      guint32 *nodes = layers->rows + layers->first_in_row[r];
      guint32  n = layers->first_in_row[r + 1] - layers->first_in_row[r];

      for (guint32 i = n; i > 1; i--)
        {
          guint32 at, swap = nodes[i - 1];

          state = state * 6364136223846793005u + 1442695040888963407u;
          at = (guint32) (state >> 33) % i;
          nodes[i - 1] = nodes[at];
          nodes[at] = swap;
        }
      if (has_fixed_ports (layers, r))
        fix_ports (layers, r);
      if (layers->has_hints)
        fix_hints (layers, r);
    }
  viz_layers_number_rows (layers);
}

static void
reduce_all (Order *order)
{
  VizLayers *layers = order->layers;
  guint64    best = G_MAXUINT64;

  for (Start start = 0; start < (layers->n_nodes <= SMALL ? N_STARTS : 1) && best > 0; start++)
    {
      first_order (layers, start);
      reduce (order, &best);
    }
  for (guint i = 0; i < SHUFFLES && best > 0 && layers->n_nodes <= TINY; i++)
    {
      shuffle (layers, i);
      reduce (order, &best);
    }
  if (best < G_MAXUINT64)
    memcpy (layers->rows, order->best, layers->n_nodes * sizeof *layers->rows);
  viz_layers_number_rows (layers);
}

static Order
order_new (VizLayers *layers)
{
  gsize   n = layers->n_nodes + 1;
  guint32 widest = 0;
  Order   order = {
      .layers = layers,
      .weight = g_new0 (double, n),
      .slot = g_new0 (guint32, layers->n_links + 1),
      .n_slots = g_new0 (guint32, n),
      .slot_base = g_new0 (guint32, n),
      .tree = g_new0 (guint32, (gsize) layers->n_links + n + 1),
      .best = g_new (guint32, n),
  };

  for (guint32 i = 0; i < layers->n_nodes; i++)
    widest = MAX (widest, layers->first_down[i + 1] - layers->first_down[i]);
  order.lower = g_new (guint32, widest + 1);
  prepare_slots (&order);
  return order;
}

static void
order_clear (Order *order)
{
  g_free (order->weight);
  g_free (order->slot);
  g_free (order->n_slots);
  g_free (order->slot_base);
  g_free (order->tree);
  g_free (order->lower);
  g_free (order->best);
}

gboolean
viz_layers_order (VizLayers *layers)
{
  Order order;

  viz_layers_make_rows (layers);
  for (guint32 i = 0; i < layers->body->n_nodes; i++)
    layers->has_hints |= layers->body->nodes[i].hint >= 0;
  order = order_new (layers);
  reduce_all (&order);
  order_clear (&order);
  return !g_cancellable_is_cancelled (layers->cancellable);
}
