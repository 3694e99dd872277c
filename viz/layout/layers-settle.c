/* layers-settle.c — shortens edges after Brandes and Köpf, without bending any.
 *
 * Their answer is straight but wide.  Here every straight chain of nodes is moved
 * as a whole to the weighted median of what it is joined to, as far as its
 * neighbours in the rows allow; a few times, from both sides.  In small bodies one that is
 * stopped takes along what stands in its way, if that is better for all of them together.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/layout/layers.h"

#include <math.h>
#include <string.h>

#define PASSES     12
#define MOST_NODES 20000
#define STRAIGHT   0.01
#define PUSHING    3000 /* nodes */
#define MOST_PUSH  8    /* chains that move together */

typedef struct
{
  VizLayers *layers;
  guint32   *next;  /* node below in the same chain, or VIZ_NO_NODE */
  guint32   *chain; /* per node: the first of its chain */
  guint32   *tops;  /* first nodes of the chains, by row, then from the left */
  guint32    moving[MOST_PUSH], n_moving, most; /* first nodes of what moves together */
  guint32    n_chains;
  GArray    *wishes; /* Wish, scratch */
} Settle;

typedef struct
{
  double by, weight;
} Wish;

static double
upper_x (const VizLayers *layers, const VizLink *link)
{
  return layers->x[link->upper] + link->upper_at;
}

static double
lower_x (const VizLayers *layers, const VizLink *link)
{
  return layers->x[link->lower] + link->lower_at;
}

/* Each node joins the first node straight below that no other has taken. */
static void
find_chains (Settle *settle)
{
  const VizLayers *layers = settle->layers;
  guint8          *taken = g_new0 (guint8, layers->n_nodes + 1);

  for (guint32 i = 0; i < layers->n_nodes; i++)
    {
      guint32 node = layers->rows[i];

      settle->next[node] = VIZ_NO_NODE;
      if (!taken[node])
        {
          settle->tops[settle->n_chains++] = node;
          settle->chain[node] = node;
        }
      for (guint32 k = layers->first_down[node]; k < layers->first_down[node + 1]; k++)
        {
          const VizLink *link = &layers->links[layers->down[k]];

          if (taken[link->lower] ||
              fabs (upper_x (layers, link) - lower_x (layers, link)) > STRAIGHT)
            continue;
          taken[link->lower] = TRUE;
          settle->chain[link->lower] = settle->chain[node];
          settle->next[node] = link->lower;
          break;
        }
    }
  g_free (taken);
}

/* Long edges should be short first: they are seen most. */
static double
weight_of (const VizLayers *layers, const VizLink *link)
{
  guint n_virtual =
      viz_layers_is_virtual (layers, link->upper) + viz_layers_is_virtual (layers, link->lower);

  return n_virtual == 2 ? 4 : n_virtual == 1 ? 2 : 1;
}

static gboolean
is_moving (const Settle *settle, guint32 node)
{
  for (guint32 i = 0; i < settle->n_moving; i++)
    if (settle->moving[i] == settle->chain[node])
      return TRUE;
  return FALSE;
}

/* What moves along wishes nothing. */
static void
add_wishes (Settle *settle, guint32 node)
{
  const VizLayers *layers = settle->layers;

  for (guint32 k = layers->first_down[node]; k < layers->first_down[node + 1]; k++)
    {
      const VizLink *link = &layers->links[layers->down[k]];
      Wish wish = { lower_x (layers, link) - upper_x (layers, link), weight_of (layers, link) };

      if (!is_moving (settle, link->lower))
        g_array_append_val (settle->wishes, wish);
    }
  for (guint32 k = layers->first_up[node]; k < layers->first_up[node + 1]; k++)
    {
      const VizLink *link = &layers->links[layers->up[k]];
      Wish wish = { upper_x (layers, link) - lower_x (layers, link), weight_of (layers, link) };

      if (!is_moving (settle, link->upper))
        g_array_append_val (settle->wishes, wish);
    }
}

static int
compare_wishes (gconstpointer a, gconstpointer b)
{
  const Wish *left = a, *right = b;

  return left->by < right->by ? -1 : left->by > right->by;
}

/* The movement that makes the weighted sum of distances least. */
static double
median (GArray *wishes, gboolean is_alone)
{
  double total = 0, sum = 0;

  g_array_sort (wishes, compare_wishes);
  for (guint i = 0; i < wishes->len; i++)
    total += g_array_index (wishes, Wish, i).weight;
  for (guint i = 0; i < wishes->len; i++)
    {
      const Wish *wish = &g_array_index (wishes, Wish, i);

      sum += wish->weight;
      /* Between two middle ones any place is as good: the middle looks best, but is no reason to
       * push others. */
      if (sum * 2 == total && i + 1 < wishes->len)
        {
          double low = wish->by, high = g_array_index (wishes, Wish, i + 1).by;

          return is_alone ? (low + high) / 2 : CLAMP (0, low, high);
        }
      if (sum * 2 > total)
        return wish->by;
    }
  return 0;
}

/* The neighbour on one side, if it does not move along; how far there is room. */
static guint32
neighbour (const Settle *settle, guint32 node, gboolean to_right, double *room)
{
  const VizLayers *layers = settle->layers;
  guint32          row = layers->row[node], at = layers->first_in_row[row] + layers->position[node];
  guint32          other, left, right;

  if (to_right ? at + 1 == layers->first_in_row[row + 1] : at == layers->first_in_row[row])
    return VIZ_NO_NODE;
  other = layers->rows[to_right ? at + 1 : at - 1];
  if (is_moving (settle, other))
    return VIZ_NO_NODE;
  left = to_right ? node : other;
  right = to_right ? other : node;
  *room = layers->x[right] - layers->left[right] - layers->x[left] - layers->right[left] -
          viz_layers_gap (layers, left, right);
  return other;
}

/* How far all that moves may go to one side, and what stops it. */
static double
room_of (const Settle *settle, gboolean to_right, guint32 *blocker)
{
  double least = INFINITY, room;

  *blocker = VIZ_NO_NODE;
  for (guint32 i = 0; i < settle->n_moving; i++)
    for (guint32 node = settle->moving[i]; node != VIZ_NO_NODE; node = settle->next[node])
      {
        guint32 other = neighbour (settle, node, to_right, &room);

        if (other != VIZ_NO_NODE && room < least)
          {
            least = room;
            *blocker = other;
          }
      }
  return least;
}

static double
wish_of_all (Settle *settle)
{
  g_array_set_size (settle->wishes, 0);
  for (guint32 i = 0; i < settle->n_moving; i++)
    for (guint32 node = settle->moving[i]; node != VIZ_NO_NODE; node = settle->next[node])
      add_wishes (settle, node);
  return settle->wishes->len > 0 ? median (settle->wishes, settle->most == 1) : 0;
}

static gboolean
move_chain (Settle *settle, guint32 top)
{
  VizLayers *layers = settle->layers;
  guint32    blocker;
  gboolean   to_right;
  double     by;

  settle->n_moving = 1;
  settle->moving[0] = top;
  by = wish_of_all (settle);
  to_right = by > 0;
  while (fabs (by) >= STRAIGHT && (by > 0) == to_right)
    {
      double room = room_of (settle, to_right, &blocker);

      if (room >= STRAIGHT)
        {
          by = to_right ? MIN (by, room) : MAX (by, -room);
          for (guint32 i = 0; i < settle->n_moving; i++)
            for (guint32 node = settle->moving[i]; node != VIZ_NO_NODE; node = settle->next[node])
              layers->x[node] += by;
          return TRUE;
        }
      if (settle->n_moving == settle->most || room < -STRAIGHT)
        return FALSE;
      settle->moving[settle->n_moving++] = settle->chain[blocker];
      by = wish_of_all (settle);
    }
  return FALSE;
}

/* A few times from both sides, until nothing moves. */
static void
settle_all (Settle *settle, guint32 most)
{
  gboolean moved = TRUE;

  settle->most = most;
  for (guint pass = 0; pass < PASSES && moved; pass++)
    {
      if (g_cancellable_is_cancelled (settle->layers->cancellable))
        break;
      /* What has become straight moves together from now on. */
      settle->n_chains = 0;
      find_chains (settle);
      moved = FALSE;
      for (guint32 i = 0; i < settle->n_chains; i++)
        moved |= move_chain (settle, settle->tops[pass % 2 == 0 ? i : settle->n_chains - 1 - i]);
    }
}

void
viz_layers_settle (VizLayers *layers)
{
  Settle settle = { .layers = layers };

  if (layers->n_nodes > MOST_NODES)
    return;
  settle.next = g_new (guint32, layers->n_nodes + 1);
  settle.chain = g_new (guint32, layers->n_nodes + 1);
  settle.tops = g_new (guint32, layers->n_nodes + 1);
  settle.wishes = g_array_new (FALSE, FALSE, sizeof (Wish));
  settle_all (&settle, 1);
  if (layers->n_nodes <= PUSHING)
    settle_all (&settle, MOST_PUSH);
  g_array_unref (settle.wishes);
  g_free (settle.tops);
  g_free (settle.chain);
  g_free (settle.next);
}
