/* layers-order.c — the order in each row, with few crossings.
 *
 * First order depth-first from the sources; then barycentre sweeps down and up,
 * keeping the best.  Small bodies also get neighbours swapped while that helps,
 * more sweeps, and other first orders, shuffled ones among them.  Equal values keep their order and
 * every shuffle is the same one, so the result depends on the input only.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/layout/layers.h"

#include <math.h>
#include <string.h>

#define PATIENCE     4 /* sweeps without gain */
#define SWEEPS       8
#define SWEEPS_SMALL 24
#define SMALL        3000 /* nodes and virtual nodes */
#define TINY         250
#define SHUFFLES     8

typedef struct
{
  VizLayers *layers;
  double    *weight;
  guint32   *slot;      /* per link: its place among the distinct points of the lower node */
  guint32   *n_slots;   /* per node */
  guint32   *slot_base; /* per node, in its row as ordered now */
  guint32   *tree;      /* Fenwick */
  guint32   *lower;     /* scratch: one group of links */
  guint32   *best;
} Order;

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

/* Ports with a given order take the first places of their row, in that order. */
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

/* Boxes with hints share out the places that they have in their row, in the order of the hints. */
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

/* Where the first order comes from: which way the search goes, and how. */
typedef enum
{
  DEPTH_FIRST_DOWN,
  BREADTH_FIRST_UP,
  BREADTH_FIRST_DOWN,
  N_STARTS,
} Start;

static void
visit (VizLayers *layers, guint32 from, Start start, guint8 *seen, guint32 *filled, GArray *list)
{
  gboolean       is_deep = start == DEPTH_FIRST_DOWN, up = start == BREADTH_FIRST_UP;
  const guint32 *first = up ? layers->first_up : layers->first_down;
  const guint32 *links = up ? layers->up : layers->down;
  guint          taken = 0;

  g_array_set_size (list, 0);
  g_array_append_val (list, from);
  while (taken < list->len)
    {
      guint32 node = g_array_index (list, guint32, is_deep ? list->len - 1 : taken);
      guint32 n = first[node + 1] - first[node];

      if (is_deep)
        g_array_set_size (list, list->len - 1);
      else
        taken++;
      if (seen[node])
        continue;
      seen[node] = TRUE;
      layers->rows[layers->first_in_row[layers->row[node]] + filled[layers->row[node]]++] = node;
      for (guint32 i = 0; i < n; i++)
        {
          const VizLink *link = &layers->links[links[first[node] + (is_deep ? n - 1 - i : i)]];
          guint32        other = up ? link->upper : link->lower;

          if (!seen[other])
            g_array_append_val (list, other);
        }
    }
}

static void
first_order (VizLayers *layers, Start start)
{
  const guint32 *before = start == BREADTH_FIRST_UP ? layers->first_down : layers->first_up;
  guint8        *seen = g_new0 (guint8, MAX (layers->n_nodes, 1));
  guint32       *filled = g_new0 (guint32, layers->n_ranks + 1);
  GArray        *list = g_array_new (FALSE, FALSE, sizeof (guint32));

  /* Ports first, as they come: what enters a group keeps the order it has outside. */
  for (guint32 i = 0; i < layers->body->n_nodes; i++)
    if (layers->body->nodes[i].kind != VIZ_NODE_BOX && before[i] == before[i + 1])
      visit (layers, i, start, seen, filled, list);
  for (guint32 i = 0; i < layers->n_nodes; i++)
    if (!seen[i] && before[i] == before[i + 1])
      visit (layers, i, start, seen, filled, list);
  for (guint32 i = 0; i < layers->n_nodes; i++)
    if (!seen[i])
      visit (layers, i, start, seen, filled, list);
  for (guint32 r = 0; r < layers->n_ranks; r++)
    {
      if (has_fixed_ports (layers, r))
        fix_ports (layers, r);
      if (layers->has_hints)
        fix_hints (layers, r);
    }
  viz_layers_number_rows (layers);
  g_array_unref (list);
  g_free (filled);
  g_free (seen);
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

/* Counting */

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

static guint64
count_row (const Order *order, guint32 row, guint64 limit)
{
  const VizLayers *layers = order->layers;
  guint32          n_lower = 0, n_links = 0;
  guint64          crossings = 0;

  for (guint32 i = layers->first_in_row[row + 1]; i < layers->first_in_row[row + 2]; i++)
    {
      order->slot_base[layers->rows[i]] = n_lower;
      n_lower += order->n_slots[layers->rows[i]];
    }
  memset (order->tree, 0, (n_lower + 1) * sizeof *order->tree);
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

              for (guint32 t = lower + 1; t > 0; t &= t - 1)
                n_before += order->tree[t];
              crossings += n_links - n_before;
              order->lower[n_group++] = lower;
            }
          if (crossings > limit)
            return crossings;
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

/* Sweeping */

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

/* Mean of the neighbours' places; nodes without any stay where they are. */
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

      /* One without neighbours follows its left neighbour. */
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

/* Crossings between the links of two neighbours on one side, as they stand and changed over. */
static void
pair_crossings (const VizLayers *layers,
                guint32          left,
                guint32          right,
                gboolean         above,
                guint32         *now,
                guint32         *swapped)
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

          *now += place_a > place_b || (end_a == end_b && at_a > at_b);
          *swapped += place_a < place_b || (end_a == end_b && at_a < at_b);
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

/* Swaps neighbours while that removes crossings; with ties, also where it makes no difference:
 * that leads out of dead ends. */
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
            guint32 left = layers->rows[i], right = layers->rows[i + 1];
            guint32 now = 0, swapped = 0;

            if (!may_swap (layers, left, right))
              continue;
            pair_crossings (layers, left, right, TRUE, &now, &swapped);
            pair_crossings (layers, left, right, FALSE, &now, &swapped);
            if (now == 0)
              continue;
            if (swapped > now || (swapped == now && !(ties && pass == 0)))
              continue;
            layers->rows[i] = right;
            layers->rows[i + 1] = left;
            layers->position[left]++;
            layers->position[right]--;
            better |= swapped < now;
          }
    }
}

/* Sweeps from the order there is; keeps the best in order->best. */
static void
reduce (Order *order, guint64 *best)
{
  VizLayers *layers = order->layers;
  gsize      n_bytes = layers->n_nodes * sizeof *layers->rows;
  gboolean   is_small = layers->n_nodes <= SMALL;
  guint      n_sweeps = is_small ? SWEEPS_SMALL : SWEEPS, n_idle = 0;
  guint64    least = G_MAXUINT64;

  for (guint i = 0; i <= n_sweeps && *best > 0 && n_idle < PATIENCE; i++)
    {
      guint64 now;

      if (g_cancellable_is_cancelled (layers->cancellable))
        return;
      if (i > 0)
        sweep (order, i % 2 == 1);
      if (is_small)
        transpose (order, i % 4 > 1);
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

/* The same for the same number; good enough to start elsewhere (Knuth's MMIX generator). */
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
