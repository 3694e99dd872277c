/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* layers-keep.c — after a box grew, the others stay where they were or make room.
 *
 * Every box that stood among the same siblings before gets a window: from its old
 * place to as far right as all growth together.  Within the windows each row comes
 * as near to the new layout as it can; a row that cannot goes further.
 */
#include "viz/layers.h"

#include <math.h>

typedef struct
{
  VizLayers *layers;
  double     growth;
  double    *least, *most; /* of the middle, per node */
} Keep;

/* Left border to middle, as in the old picture. */
static double
old_middle (const VizBodyNode *node)
{
  return node->old_x + node->width / 2;
}

static gboolean
has_window (const Keep *keep, guint32 node)
{
  return !viz_layers_is_virtual (keep->layers, node) && keep->layers->body->nodes[node].old_x >= 0;
}

static double
growth_of (const Keep *keep, guint32 node)
{
  const VizBodyNode *box = &keep->layers->body->nodes[node];

  return box->old_x >= 0 ? box->width - box->old_width : 0;
}

static double
distance (const VizLayers *layers, guint32 left, guint32 right)
{
  return layers->right[left] + layers->left[right] + viz_layers_gap (layers, left, right);
}

/* FALSE: no way to keep all windows of a row. */
static gboolean
narrow_row (const Keep *keep, guint32 row, double more)
{
  const VizLayers *layers = keep->layers;
  guint32          first = layers->first_in_row[row], end = layers->first_in_row[row + 1];

  for (guint32 i = first; i < end; i++)
    {
      guint32 node = layers->rows[i];
      double  old = has_window (keep, node) ? old_middle (&layers->body->nodes[node]) : 0;

      /* Nothing may begin left of the old picture, or all would move to the right. */
      keep->least[node] = has_window (keep, node) ? old : layers->left[node];
      /* What grew makes room to its right: itself it stays, or what is inside would move twice. */
      keep->most[node] =
          has_window (keep, node) ? old + keep->growth - growth_of (keep, node) + more : INFINITY;
      if (i > first)
        keep->least[node] =
            MAX (keep->least[node],
                 keep->least[layers->rows[i - 1]] + distance (layers, layers->rows[i - 1], node));
    }
  for (guint32 i = end; i-- > first;)
    {
      guint32 node = layers->rows[i];

      if (i + 1 < end)
        keep->most[node] =
            MIN (keep->most[node],
                 keep->most[layers->rows[i + 1]] - distance (layers, node, layers->rows[i + 1]));
      if (keep->least[node] > keep->most[node] + 0.01)
        return FALSE;
    }
  return TRUE;
}

static void
place_row (const Keep *keep, guint32 row)
{
  VizLayers *layers = keep->layers;

  for (guint32 i = layers->first_in_row[row]; i < layers->first_in_row[row + 1]; i++)
    {
      guint32 node = layers->rows[i];
      double  least = keep->least[node];

      if (i > layers->first_in_row[row])
        least = MAX (least,
                     layers->x[layers->rows[i - 1]] + distance (layers, layers->rows[i - 1], node));
      layers->x[node] = MAX (MIN (layers->x[node], keep->most[node]), least);
    }
}

/* The new layout starts anywhere: moved to where most of its boxes were. */
static void
move_back (Keep *keep)
{
  VizLayers *layers = keep->layers;
  double     sum = 0;
  guint32    n = 0;

  for (guint32 i = 0; i < layers->body->n_nodes; i++)
    if (has_window (keep, i))
      {
        sum += old_middle (&layers->body->nodes[i]) - layers->x[i];
        n++;
      }
  for (guint32 i = 0; n > 0 && i < layers->n_nodes; i++)
    layers->x[i] += sum / n + keep->growth / 2;
}

void
viz_layers_keep (VizLayers *layers)
{
  Keep keep = { .layers = layers };

  for (guint32 i = 0; i < layers->body->n_nodes; i++)
    if (layers->body->nodes[i].old_x >= 0)
      {
        double wider = layers->body->nodes[i].width - layers->body->nodes[i].old_width;

        /* Closed again: the room it took is given back. */
        if (wider < 0)
          {
            layers->keeps_origin = FALSE;
            return;
          }
        keep.growth += wider;
        layers->keeps_origin = TRUE;
      }
  if (!layers->keeps_origin)
    return;
  keep.least = g_new (double, layers->n_nodes + 1);
  keep.most = g_new (double, layers->n_nodes + 1);
  move_back (&keep);
  for (guint32 r = 0; r < layers->n_ranks; r++)
    if (narrow_row (&keep, r, 0) || narrow_row (&keep, r, INFINITY))
      place_row (&keep, r);
  g_free (keep.most);
  g_free (keep.least);
}
