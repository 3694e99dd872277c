/* layers-shorten.c — shortens edges after the algorithm of Brandes and Köpf, without bending any.
 *
 * Their result is straight but wide.  Here each straight chain of nodes moves as a whole to the
 * weighted median of its neighbours above and below, as far as its neighbours in the rows allow; up
 * to 12 passes, alternately from both sides.  In small bodies a chain that is blocked pushes the
 * blocking chains along, if that shortens the edges of all of them together.
 * Start reading at move_chain().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/layout/layers.h"

#include <math.h>
#include <string.h>

#define PASSES       12
#define MAX_NODES    20000 /* larger bodies are left as they are */
#define STRAIGHT     0.01  /* points */
#define MAX_PUSHING  3000  /* nodes; in larger bodies chains do not push others */
#define MAX_TOGETHER 8     /* chains that move together */

typedef struct
{
  VizLayers *layers;
  guint32   *next;  /* per node: the node below in its chain, or VIZ_NO_NODE */
  guint32   *chain; /* per node: the first node of its chain */
  guint32   *tops;  /* the first nodes of the chains, by row, then from the left */
  guint32    n_chains;
  guint32    moving[MAX_TOGETHER]; /* first nodes of the chains that move together */
  guint32    n_moving, max_moving;
  GArray    *pulls; /* Pull, scratch */
} Shortening;

/* A link would be straight if its chain moved right by this distance. */
typedef struct
{
  double by, weight;
} Pull;

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

/* Builds the chains: each node continues to the first node straight below that is in no chain yet. */
static void
find_chains (Shortening *self)
{
  const VizLayers *layers = self->layers;
  guint8          *taken = g_new0 (guint8, layers->n_nodes + 1);

  for (guint32 i = 0; i < layers->n_nodes; i++)
    {
      guint32 node = layers->rows[i];

      /* rows lists nodes from top to bottom, so that a node that no chain has taken by now is the top of one. */
      self->next[node] = VIZ_NO_NODE;
      if (!taken[node])
        {
          self->tops[self->n_chains++] = node;
          self->chain[node] = node;
        }
      for (guint32 k = layers->first_down[node]; k < layers->first_down[node + 1]; k++)
        {
          const VizLink *link = &layers->links[layers->down[k]];

          if (taken[link->lower] ||
              fabs (upper_x (layers, link) - lower_x (layers, link)) > STRAIGHT)
            continue;
          taken[link->lower] = TRUE;
          self->chain[link->lower] = self->chain[node];
          self->next[node] = link->lower;
          break;
        }
    }
  g_free (taken);
}

/* Links of long edges weigh more, because long slanting lines are most visible. */
static double
weight_of (const VizLayers *layers, const VizLink *link)
{
  guint n_virtual =
      viz_layers_is_virtual (layers, link->upper) + viz_layers_is_virtual (layers, link->lower);

  return n_virtual == 2 ? 4 : n_virtual == 1 ? 2 : 1;
}

static gboolean
is_moving (const Shortening *self, guint32 node)
{
  for (guint32 i = 0; i < self->n_moving; i++)
    if (self->moving[i] == self->chain[node])
      return TRUE;
  return FALSE;
}

/* Collects the pulls of the links of a node, except those to chains that move along. */
static void
add_pulls (Shortening *self, guint32 node)
{
  const VizLayers *layers = self->layers;

  for (guint32 k = layers->first_down[node]; k < layers->first_down[node + 1]; k++)
    {
      const VizLink *link = &layers->links[layers->down[k]];
      Pull pull = { lower_x (layers, link) - upper_x (layers, link), weight_of (layers, link) };

      if (!is_moving (self, link->lower))
        g_array_append_val (self->pulls, pull);
    }
  for (guint32 k = layers->first_up[node]; k < layers->first_up[node + 1]; k++)
    {
      const VizLink *link = &layers->links[layers->up[k]];
      Pull pull = { upper_x (layers, link) - lower_x (layers, link), weight_of (layers, link) };

      if (!is_moving (self, link->upper))
        g_array_append_val (self->pulls, pull);
    }
}

static int
compare_pulls (gconstpointer a, gconstpointer b)
{
  const Pull *left = a, *right = b;

  return left->by < right->by ? -1 : left->by > right->by;
}

/* The movement with the least weighted sum of distances: the weighted median.  is_alone: only one
 * chain moves at a time. */
static double
median (GArray *pulls, gboolean is_alone)
{
  double total = 0, sum = 0;

  g_array_sort (pulls, compare_pulls);
  for (guint i = 0; i < pulls->len; i++)
    total += g_array_index (pulls, Pull, i).weight;
  for (guint i = 0; i < pulls->len; i++)
    {
      const Pull *pull = &g_array_index (pulls, Pull, i);

      sum += pull->weight;
      /* All values between the two middle ones are equally good.  Their middle looks best, but is no
       * reason to push other chains: those move as little as possible. */
      if (sum * 2 == total && i + 1 < pulls->len)
        {
          double low = pull->by, high = g_array_index (pulls, Pull, i + 1).by;

          return is_alone ? (low + high) / 2 : CLAMP (0, low, high);
        }
      if (sum * 2 > total)
        return pull->by;
    }
  return 0;
}

/* The neighbour of a node on one side and the room up to it; VIZ_NO_NODE if there is none or it moves
 * along. */
static guint32
neighbour (const Shortening *self, guint32 node, gboolean to_right, double *room)
{
  const VizLayers *layers = self->layers;
  guint32          row = layers->row[node], at = layers->first_in_row[row] + layers->position[node];
  guint32          other, left, right;

  if (to_right ? at + 1 == layers->first_in_row[row + 1] : at == layers->first_in_row[row])
    return VIZ_NO_NODE;
  other = layers->rows[to_right ? at + 1 : at - 1];
  if (is_moving (self, other))
    return VIZ_NO_NODE;
  left = to_right ? node : other;
  right = to_right ? other : node;
  *room = layers->x[right] - layers->left[right] - layers->x[left] - layers->right[left] -
          viz_layers_gap (layers, left, right);
  return other;
}

/* How far the moving chains can go to one side, and the node that blocks them. */
static double
room_of (const Shortening *self, gboolean to_right, guint32 *blocker)
{
  double least = INFINITY, room;

  *blocker = VIZ_NO_NODE;
  for (guint32 i = 0; i < self->n_moving; i++)
    for (guint32 node = self->moving[i]; node != VIZ_NO_NODE; node = self->next[node])
      {
        guint32 other = neighbour (self, node, to_right, &room);

        if (other != VIZ_NO_NODE && room < least)
          {
            least = room;
            *blocker = other;
          }
      }
  return least;
}

static double
wanted_movement (Shortening *self)
{
  g_array_set_size (self->pulls, 0);
  for (guint32 i = 0; i < self->n_moving; i++)
    for (guint32 node = self->moving[i]; node != VIZ_NO_NODE; node = self->next[node])
      add_pulls (self, node);
  return self->pulls->len > 0 ? median (self->pulls, self->max_moving == 1) : 0;
}

/* Moves the chain that starts at top, and chains that it pushes.  Returns whether anything moved. */
static gboolean
move_chain (Shortening *self, guint32 top)
{
  VizLayers *layers = self->layers;
  guint32    blocker;
  gboolean   to_right;
  double     by;

  self->n_moving = 1;
  self->moving[0] = top;
  by = wanted_movement (self);
  to_right = by > 0;
  while (fabs (by) >= STRAIGHT && (by > 0) == to_right)
    {
      double room = room_of (self, to_right, &blocker);

      if (room >= STRAIGHT)
        {
          by = to_right ? MIN (by, room) : MAX (by, -room);
          for (guint32 i = 0; i < self->n_moving; i++)
            for (guint32 node = self->moving[i]; node != VIZ_NO_NODE; node = self->next[node])
              layers->x[node] += by;
          return TRUE;
        }
      /* Without room, push the blocking chain, too; the median of all their links then decides
       * whether the group still moves this way. */
      if (self->n_moving == self->max_moving || room < -STRAIGHT)
        return FALSE;
      self->moving[self->n_moving++] = self->chain[blocker];
      by = wanted_movement (self);
    }
  return FALSE;
}

/* Moves all chains, from left and right in turn, until nothing moves or PASSES are done. */
static void
move_all (Shortening *self, guint32 max_moving)
{
  gboolean moved = TRUE;

  self->max_moving = max_moving;
  for (guint pass = 0; pass < PASSES && moved; pass++)
    {
      if (g_cancellable_is_cancelled (self->layers->cancellable))
        break;
      /* Nodes that have become straight form a chain from now on. */
      self->n_chains = 0;
      find_chains (self);
      moved = FALSE;
      for (guint32 i = 0; i < self->n_chains; i++)
        moved |= move_chain (self, self->tops[pass % 2 == 0 ? i : self->n_chains - 1 - i]);
    }
}

void
viz_layers_shorten (VizLayers *layers)
{
  Shortening self = { .layers = layers };

  if (layers->n_nodes > MAX_NODES)
    return;
  self.next = g_new (guint32, layers->n_nodes + 1);
  self.chain = g_new (guint32, layers->n_nodes + 1);
  self.tops = g_new (guint32, layers->n_nodes + 1);
  self.pulls = g_array_new (FALSE, FALSE, sizeof (Pull));
  move_all (&self, 1);
  if (layers->n_nodes <= MAX_PUSHING)
    move_all (&self, MAX_TOGETHER);
  g_array_unref (self.pulls);
  g_free (self.tops);
  g_free (self.chain);
  g_free (self.next);
}
