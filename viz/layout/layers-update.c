/* layers-update.c — the picture before with room made, instead of a new layout.
 *
 * Rows and their order are those of before.  Where a box grew, the plane is stretched:
 * what stood right of it moves by what it grew, what stood above or below its middle
 * by half of that; rows below move down.  So nothing moves by more than the change of
 * size, boxes never meet, and when it shrinks again all go back to where they were.
 * Wires keep their lanes; new ones squeeze in beside the lane of their bundle.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/layout/layers.h"

#include <math.h>

#define CLOSE 0.01

typedef struct
{
  double left, width, more;
} Growth;

typedef struct
{
  VizLayers           *layers;
  const VizBodyBefore *before;
  GArray              *grown;        /* Growth */
  double              *old;          /* per node: its middle before */
  double              *tie;          /* per node: where it leads, for those that had one lane */
  double              *top, *bottom; /* per row, before */
  double               width;
} Keep;

typedef struct
{
  double  y;
  guint32 node;
} ByY;

static int
compare_y (gconstpointer a, gconstpointer b)
{
  const ByY *left = a, *right = b;

  if (left->y != right->y)
    return left->y < right->y ? -1 : 1;
  return left->node < right->node ? -1 : 1;
}

/* Boxes of one row overlap in height; rows do not. */
static guint32
find_rows (VizLayers *layers, guint32 first)
{
  const VizBody *body = layers->body;
  g_autoptr (GArray) boxes = g_array_new (FALSE, FALSE, sizeof (ByY));
  double  bottom = -INFINITY;
  guint32 row = first;

  for (guint32 i = 0; i < body->n_nodes; i++)
    {
      ByY box = { body->before->nodes[i].y, i };

      if (body->nodes[i].kind == VIZ_NODE_BOX)
        g_array_append_val (boxes, box);
    }
  g_array_sort (boxes, compare_y);
  for (guint i = 0; i < boxes->len; i++)
    {
      guint32 node = g_array_index (boxes, ByY, i).node;

      if (i > 0 && g_array_index (boxes, ByY, i).y > bottom - CLOSE)
        row++;
      layers->rank[node] = row;
      bottom = MAX (bottom, body->before->nodes[node].y + body->before->nodes[node].height);
    }
  return row;
}

gboolean
viz_layers_keep_rank (VizLayers *layers)
{
  const VizBody *body = layers->body;
  gboolean       has_top = FALSE, has_bottom = FALSE, can_keep = TRUE;
  guint32        last;

  for (guint32 i = 0; i < body->n_nodes; i++)
    {
      has_top |= body->nodes[i].kind == VIZ_NODE_IN || body->nodes[i].kind == VIZ_NODE_TITLE;
      has_bottom |= body->nodes[i].kind == VIZ_NODE_OUT;
    }
  layers->rank = g_new0 (guint32, MAX (body->n_nodes, 1));
  layers->reversed = g_new0 (guint8, MAX (body->n_edges, 1));
  last = find_rows (layers, has_top ? 1 : 0);
  for (guint32 i = 0; i < body->n_nodes; i++)
    if (body->nodes[i].kind == VIZ_NODE_OUT)
      layers->rank[i] = last + 1;
  layers->n_ranks = body->n_nodes == 0 ? 0 : last + 1 + (has_bottom ? 1 : 0);
  for (guint32 e = 0; e < body->n_edges; e++)
    {
      const VizBodyEdge *edge = &body->edges[e];

      layers->reversed[e] = layers->rank[edge->tail] > layers->rank[edge->head];
      /* Another layout made it, without rows. */
      can_keep &= layers->rank[edge->tail] != layers->rank[edge->head] ||
                  edge->tail == edge->head || edge->flags & VIZ_EDGE_FEEDBACK;
    }
  if (!can_keep)
    {
      g_clear_pointer (&layers->rank, g_free);
      g_clear_pointer (&layers->reversed, g_free);
    }
  return can_keep;
}

/* Down */

static void
place_rows (Keep *keep)
{
  VizLayers         *layers = keep->layers;
  const VizBody     *body = layers->body;
  g_autofree double *grown = g_new0 (double, layers->n_ranks + 1);
  double             moved = 0;

  layers->row_y = g_new0 (double, layers->n_ranks + 1);
  layers->row_height = g_new0 (double, layers->n_ranks + 1);
  layers->y = g_new0 (double, body->n_nodes + 1);
  for (guint32 r = 0; r < layers->n_ranks; r++)
    keep->top[r] = INFINITY;
  for (guint32 i = 0; i < body->n_nodes; i++)
    {
      guint32        r = layers->row[i];
      const VizRect *was = &keep->before->nodes[i];
      double         height = body->nodes[i].height;
      gboolean       is_box = body->nodes[i].kind == VIZ_NODE_BOX;
      double         y = is_box                                ? was->y
                         : body->nodes[i].kind == VIZ_NODE_OUT ? keep->before->height - height
                                                               : 0;

      layers->y[i] = y;
      keep->top[r] = MIN (keep->top[r], y);
      keep->bottom[r] = MAX (keep->bottom[r], y + (is_box ? was->height : height));
      grown[r] = MAX (grown[r], y + height);
    }
  for (guint32 r = 0; r < layers->n_ranks; r++)
    {
      layers->row_y[r] = keep->top[r] + moved;
      layers->row_height[r] = grown[r] - keep->top[r];
      grown[r] = moved + (grown[r] - keep->bottom[r]);
      moved = grown[r];
    }
  for (guint32 i = 0; i < body->n_nodes; i++)
    layers->y[i] += layers->row_y[layers->row[i]] - keep->top[layers->row[i]];
  layers->least_height = keep->before->height + moved;
}

/* Where everything was */

/* Where the way of an edge was at a height; NAN: not there.  It may have come along outside. */
static double
lane_at (const Keep *keep, guint32 edge, double y)
{
  guint32 first = keep->before->first_point[edge], end = keep->before->first_point[edge + 1];

  for (guint32 i = first; i + 3 < end; i += 3)
    {
      const VizPoint *a = &g_array_index (keep->before->points, VizPoint, i), *b = a + 3;
      double          share = fabs (b->y - a->y) < CLOSE ? 0 : (y - a->y) / (b->y - a->y);
      double          x = a->x + (b->x - a->x) * share;

      if (MIN (a->y, b->y) <= y && y <= MAX (a->y, b->y) && x >= 0 && x <= keep->before->width)
        return x;
    }
  return NAN;
}

static gboolean
is_fixed (const Keep *keep, guint32 node)
{
  return !viz_layers_is_virtual (keep->layers, node) &&
         (keep->layers->body->nodes[node].kind == VIZ_NODE_TITLE ||
          keep->before->nodes[node].width >= 0);
}

/* Where an end of an edge was, or at least the box. */
static double
old_end (const Keep *keep, guint32 edge, guint32 node)
{
  double at =
      lane_at (keep,
               edge,
               (keep->top[keep->layers->row[node]] + keep->bottom[keep->layers->row[node]]) / 2);

  return is_fixed (keep, node) || isnan (at) ? keep->old[node] : at;
}

static double
end_before (const Keep *keep, guint32 node, float at)
{
  double half = keep->layers->body->nodes[node].width / 2;

  return keep->old[node] + (at < 0 ? 0 : at - half);
}

static void
recall_fixed (Keep *keep)
{
  const VizBody *body = keep->layers->body;

  for (guint32 i = 0; i < keep->layers->n_nodes; i++)
    keep->old[i] = NAN;
  for (guint32 i = 0; i < body->n_nodes; i++)
    if (body->nodes[i].kind == VIZ_NODE_TITLE)
      keep->old[i] = body->nodes[i].width / 2;
    else if (keep->before->nodes[i].width >= 0)
      keep->old[i] = keep->before->nodes[i].x + keep->before->nodes[i].width / 2;
}

/* Crossings of the border, then bends: on the way of their edge. */
static void
recall_ways (Keep *keep)
{
  const VizLayers *layers = keep->layers;
  const VizBody   *body = layers->body;

  for (guint32 e = 0; e < body->n_edges; e++)
    {
      guint32 ends[2] = { body->edges[e].tail, body->edges[e].head };

      for (guint k = 0; k < 2; k++)
        if (isnan (keep->old[ends[k]]))
          {
            keep->old[ends[k]] = old_end (keep, e, ends[k]);
            keep->tie[ends[k]] = keep->old[ends[1 - k]];
          }
    }
  for (guint32 i = 0; i < body->n_nodes; i++)
    if (isnan (keep->old[i]))
      keep->old[i] = keep->before->width / 2;
  for (guint32 e = 0; e < body->n_edges; e++)
    for (guint32 k = 0; k < layers->n_bends[e]; k++)
      {
        guint32 bend = layers->first_bend[e] + k, row = layers->row[bend];
        double  from = end_before (keep, body->edges[e].tail, body->edges[e].tail_at);
        double  to = end_before (keep, body->edges[e].head, body->edges[e].head_at);
        double  at = lane_at (keep, e, (keep->top[row] + keep->bottom[row]) / 2);

        if (!isnan (keep->old[bend]))
          continue;
        keep->old[bend] = isnan (at) ? (from + to) / 2 : at;
        keep->tie[bend] = from + to;
      }
}

/* Across */

static void
find_growth (Keep *keep)
{
  const VizBody *body = keep->layers->body;

  keep->width = keep->before->width;
  for (guint32 i = 0; i < body->n_nodes; i++)
    {
      const VizRect *was = &keep->before->nodes[i];
      Growth         growth = { was->x, was->width, body->nodes[i].width - was->width };

      if (body->nodes[i].kind != VIZ_NODE_BOX || fabs (growth.more) < CLOSE)
        continue;
      g_array_append_val (keep->grown, growth);
      keep->width += growth.more;
    }
}

/* How far something at x is moved by all that grew. */
static double
stretch (const Keep *keep, double x, double except)
{
  double by = 0;

  for (guint i = 0; i < keep->grown->len; i++)
    {
      const Growth *growth = &g_array_index (keep->grown, Growth, i);
      double        share = growth->width > 0 ? (x - growth->left) / growth->width : 1;

      if (growth->left != except)
        by += CLAMP (share, 0, 1) * growth->more;
    }
  return by;
}

static void
stretch_all (Keep *keep)
{
  VizLayers     *layers = keep->layers;
  const VizBody *body = layers->body;

  for (guint32 i = 0; i < layers->n_nodes; i++)
    {
      double old = keep->old[i], wider = 0;

      if (i < body->n_nodes && body->nodes[i].kind == VIZ_NODE_TITLE)
        layers->x[i] = old;
      else
        {
          if (i < body->n_nodes && body->nodes[i].kind == VIZ_NODE_BOX)
            wider = body->nodes[i].width - keep->before->nodes[i].width;
          layers->x[i] = fabs (wider) < CLOSE
                             ? old + stretch (keep, old, NAN)
                             : old + wider / 2 + stretch (keep, old, keep->before->nodes[i].x);
        }
    }
}

static int
compare_old (gconstpointer a, gconstpointer b, gpointer data)
{
  const Keep *keep = data;
  guint32     left = *(const guint32 *) a, right = *(const guint32 *) b;

  if (floor (keep->old[left] / CLOSE) != floor (keep->old[right] / CLOSE))
    return keep->old[left] < keep->old[right] ? -1 : 1;
  if (keep->tie[left] != keep->tie[right])
    return keep->tie[left] < keep->tie[right] ? -1 : 1;
  return left < right ? -1 : 1;
}

static void
fill_rows (Keep *keep)
{
  VizLayers          *layers = keep->layers;
  g_autofree guint32 *filled = g_new0 (guint32, layers->n_ranks + 1);

  viz_layers_make_rows (layers);
  for (guint32 i = 0; i < layers->n_nodes; i++)
    layers->rows[layers->first_in_row[layers->row[i]] + filled[layers->row[i]]++] = i;
  for (guint32 r = 0; r < layers->n_ranks; r++)
    if (filled[r] > 1)
      g_qsort_with_data (layers->rows + layers->first_in_row[r],
                         (int) filled[r],
                         sizeof *layers->rows,
                         compare_old,
                         keep);
  viz_layers_number_rows (layers);
}

static double
half_width (const VizLayers *layers, guint32 node)
{
  return layers->body->nodes[node].width / 2;
}

/* Only after something shrank can boxes come too near: those to the right then move less. */
static void
part_boxes (Keep *keep, guint32 row)
{
  VizLayers *layers = keep->layers;
  guint32    last = VIZ_NO_NODE;

  for (guint32 i = layers->first_in_row[row]; i < layers->first_in_row[row + 1]; i++)
    {
      guint32 node = layers->rows[i];

      if (!is_fixed (keep, node))
        continue;
      if (last != VIZ_NO_NODE)
        {
          double apart =
              layers->right[last] + layers->left[node] + viz_layers_gap (layers, last, node);
          double was = keep->old[node] - keep->old[last];

          layers->x[node] = MAX (layers->x[node], layers->x[last] + MIN (apart, was));
        }
      keep->width = MAX (keep->width, layers->x[node] + half_width (layers, node));
      last = node;
    }
}

/* n nodes of a row between two that stay, from where those end: as near to their lanes as the
 * room allows; too many share what there is.  From the left, from the right, and the mean of both:
 * those that share a lane spread to both sides. */
static void
fit_lanes (const Keep    *keep,
           const guint32 *nodes,
           guint32        n,
           double         start,
           double         end,
           double        *apart)
{
  double            *x = keep->layers->x, need = 0, room = MAX (end - start, 0);
  g_autofree double *least = g_new (double, n + 1), *most = g_new (double, n + 1);
  g_autofree double *right = g_new (double, n + 1);

  for (guint32 i = 0; i <= n; i++)
    need += apart[i];
  for (guint32 i = 0; need > room && i <= n; i++)
    apart[i] *= room / need;
  for (guint32 i = 0; i < n; i++)
    least[i] = (i > 0 ? least[i - 1] : start) + apart[i];
  for (guint32 i = n; i-- > 0;)
    {
      most[i] = (i + 1 < n ? most[i + 1] : end) - apart[i + 1];
      right[i] =
          MAX (MIN (x[nodes[i]], i + 1 < n ? right[i + 1] - apart[i + 1] : most[i]), least[i]);
    }
  for (guint32 i = 0; i < n; i++)
    {
      double left = MAX (x[nodes[i]], i > 0 ? least[i - 1] + apart[i] : least[i]);

      least[i] = MIN (left, most[i]);
      x[nodes[i]] = (least[i] + right[i]) / 2;
    }
}

/* The lanes between two neighbours that stay; first and end: places in the rows. */
static void
place_lanes (const Keep *keep, guint32 first, guint32 end, guint32 row)
{
  const VizLayers   *layers = keep->layers;
  const guint32     *nodes = layers->rows;
  gboolean           has_left = first > layers->first_in_row[row];
  gboolean           has_right = end < layers->first_in_row[row + 1];
  g_autofree double *apart = g_new (double, end - first + 1);
  double             start = 0, stop = keep->width;

  if (first == end)
    return;
  apart[0] = layers->left[nodes[first]];
  apart[end - first] = layers->right[nodes[end - 1]];
  for (guint32 i = first + 1; i < end; i++)
    apart[i - first] = layers->right[nodes[i - 1]] + layers->left[nodes[i]] +
                       viz_layers_gap (layers, nodes[i - 1], nodes[i]);
  if (has_left)
    {
      guint32 other = nodes[first - 1];

      start = layers->x[other] + half_width (layers, other);
      apart[0] += layers->right[other] - half_width (layers, other) +
                  viz_layers_gap (layers, other, nodes[first]);
    }
  if (has_right)
    {
      guint32 other = nodes[end];

      stop = layers->x[other] - half_width (layers, other);
      apart[end - first] += viz_layers_gap (layers, nodes[end - 1], other);
    }
  fit_lanes (keep, nodes + first, end - first, start, stop, apart);
}

static void
place_row (const Keep *keep, guint32 row)
{
  const VizLayers *layers = keep->layers;
  guint32          first = layers->first_in_row[row];

  for (guint32 i = first; i < layers->first_in_row[row + 1]; i++)
    if (is_fixed (keep, layers->rows[i]))
      {
        place_lanes (keep, first, i, row);
        first = i + 1;
      }
  place_lanes (keep, first, layers->first_in_row[row + 1], row);
}

void
viz_layers_keep (VizLayers *layers)
{
  gsize n = layers->n_nodes + 1;
  Keep  keep = {
     .layers = layers,
     .before = layers->body->before,
     .grown = g_array_new (FALSE, FALSE, sizeof (Growth)),
     .old = g_new0 (double, n),
     .tie = g_new0 (double, n),
     .top = g_new0 (double, layers->n_ranks + 1),
     .bottom = g_new0 (double, layers->n_ranks + 1),
  };

  layers->x = g_new0 (double, n);
  place_rows (&keep);
  recall_fixed (&keep);
  recall_ways (&keep);
  find_growth (&keep);
  stretch_all (&keep);
  fill_rows (&keep);
  for (guint32 r = 0; r < layers->n_ranks; r++)
    part_boxes (&keep, r);
  for (guint32 r = 0; r < layers->n_ranks; r++)
    place_row (&keep, r);
  layers->least_width = keep.width;
  g_array_unref (keep.grown);
  g_free (keep.old);
  g_free (keep.tie);
  g_free (keep.top);
  g_free (keep.bottom);
}
