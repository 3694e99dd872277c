/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* layers-settle.c — shortens edges after Brandes and Köpf, without bending any.
 *
 * Their answer is straight but wide.  Here every straight chain of nodes is moved
 * as a whole to the weighted median of what it is joined to, as far as its
 * neighbours in the rows allow; a few times, from both sides.
 */
#include "viz/layers.h"

#include <math.h>
#include <string.h>

#define PASSES     12
#define MOST_NODES 20000
#define STRAIGHT   0.01

typedef struct
{
  VizLayers *layers;
  guint32   *next; /* node below in the same chain, or VIZ_NO_NODE */
  guint32   *tops; /* first nodes of the chains, by row, then from the left */
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
        settle->tops[settle->n_chains++] = node;
      for (guint32 k = layers->first_down[node]; k < layers->first_down[node + 1]; k++)
        {
          const VizLink *link = &layers->links[layers->down[k]];

          if (taken[link->lower] ||
              fabs (upper_x (layers, link) - lower_x (layers, link)) > STRAIGHT)
            continue;
          taken[link->lower] = TRUE;
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

static void
add_wishes (Settle *settle, guint32 node, guint32 above)
{
  const VizLayers *layers = settle->layers;

  for (guint32 k = layers->first_down[node]; k < layers->first_down[node + 1]; k++)
    {
      const VizLink *link = &layers->links[layers->down[k]];
      Wish wish = { lower_x (layers, link) - upper_x (layers, link), weight_of (layers, link) };

      if (link->lower != settle->next[node])
        g_array_append_val (settle->wishes, wish);
    }
  for (guint32 k = layers->first_up[node]; k < layers->first_up[node + 1]; k++)
    {
      const VizLink *link = &layers->links[layers->up[k]];
      Wish wish = { upper_x (layers, link) - lower_x (layers, link), weight_of (layers, link) };

      if (link->upper != above)
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
median (GArray *wishes)
{
  double total = 0, sum = 0;

  g_array_sort (wishes, compare_wishes);
  for (guint i = 0; i < wishes->len; i++)
    total += g_array_index (wishes, Wish, i).weight;
  for (guint i = 0; i < wishes->len; i++)
    {
      const Wish *wish = &g_array_index (wishes, Wish, i);

      sum += wish->weight;
      /* Between two middle ones any place is as good: the middle looks best. */
      if (sum * 2 == total && i + 1 < wishes->len)
        return (wish->by + g_array_index (wishes, Wish, i + 1).by) / 2;
      if (sum * 2 > total)
        return wish->by;
    }
  return 0;
}

/* How far a node may go to either side. */
static void
narrow (const VizLayers *layers, guint32 node, double *left, double *right)
{
  guint32 row = layers->row[node];
  guint32 at = layers->first_in_row[row] + layers->position[node];

  if (at > layers->first_in_row[row])
    {
      guint32 other = layers->rows[at - 1];

      *left = MAX (*left,
                   layers->x[other] + layers->right[other] + layers->left[node] +
                       viz_layers_gap (layers, other, node) - layers->x[node]);
    }
  if (at + 1 < layers->first_in_row[row + 1])
    {
      guint32 other = layers->rows[at + 1];

      *right = MIN (*right,
                    layers->x[other] - layers->left[other] - layers->right[node] -
                        viz_layers_gap (layers, node, other) - layers->x[node]);
    }
}

static gboolean
move_chain (Settle *settle, guint32 top)
{
  VizLayers *layers = settle->layers;
  double     left = -INFINITY, right = INFINITY, by;
  guint32    above = VIZ_NO_NODE;

  g_array_set_size (settle->wishes, 0);
  for (guint32 node = top; node != VIZ_NO_NODE; node = settle->next[node])
    {
      narrow (layers, node, &left, &right);
      add_wishes (settle, node, above);
      above = node;
    }
  if (settle->wishes->len == 0 || left > right)
    return FALSE;
  by = CLAMP (median (settle->wishes), left, right);
  if (fabs (by) < STRAIGHT)
    return FALSE;
  for (guint32 node = top; node != VIZ_NO_NODE; node = settle->next[node])
    layers->x[node] += by;
  return TRUE;
}

void
viz_layers_settle (VizLayers *layers)
{
  Settle   settle = { .layers = layers };
  gboolean moved = TRUE;

  if (layers->n_nodes > MOST_NODES)
    return;
  settle.next = g_new (guint32, layers->n_nodes + 1);
  settle.tops = g_new (guint32, layers->n_nodes + 1);
  settle.wishes = g_array_new (FALSE, FALSE, sizeof (Wish));
  for (guint pass = 0; pass < PASSES && moved; pass++)
    {
      if (g_cancellable_is_cancelled (layers->cancellable))
        break;
      /* What has become straight moves together from now on. */
      settle.n_chains = 0;
      find_chains (&settle);
      moved = FALSE;
      for (guint32 i = 0; i < settle.n_chains; i++)
        moved |= move_chain (&settle, settle.tops[pass % 2 == 0 ? i : settle.n_chains - 1 - i]);
    }
  g_array_unref (settle.wishes);
  g_free (settle.tops);
  g_free (settle.next);
}
