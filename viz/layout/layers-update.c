/* layers-update.c — reuses the previous layout of a group, with room for boxes that grew.
 *
 * Rows and their order stay.  Where a box grew, the plane is stretched: nodes right of it move by the
 * growth, nodes above or below it by the share of the growth that lies left of them, rows below move
 * down.  So nothing moves by more than the change of size, boxes never overlap, and when the box
 * shrinks again all return to their places.  Edges keep their x in each row (their lane); new edges
 * get a lane beside that of their bundle.
 * Start reading at viz_layers_reuse_ranks() and viz_layers_update().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/layout/layers.h"

#include <math.h>

#define CLOSE 0.01

/* A box whose width changed: its previous left border and width, and the change. */
typedef struct
{
  double left, width, change;
} Growth;

typedef struct
{
  VizLayers             *layers;
  const VizBodyPrevious *previous;
  GArray                *grown;        /* Growth */
  double                *old_x;        /* per node: previous x of its middle; NAN: unknown */
  double                *tie;          /* per node: orders nodes with equal old_x */
  double                *top, *bottom; /* per row: previous extent */
  double                 width;        /* of the new content */
} Update;

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

/* Sets the ranks of boxes, from first on: boxes whose previous heights overlap share a row.  Returns
 * the last rank. */
static guint32
find_rows (VizLayers *layers, guint32 first)
{
  const VizBody *body = layers->body;
  g_autoptr (GArray) boxes = g_array_new (FALSE, FALSE, sizeof (ByY));
  double  bottom = -INFINITY;
  guint32 row = first;

  for (guint32 i = 0; i < body->n_nodes; i++)
    {
      ByY box = { body->previous->nodes[i].y, i };

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
      bottom = MAX (bottom, body->previous->nodes[node].y + body->previous->nodes[node].height);
    }
  return row;
}

gboolean
viz_layers_reuse_ranks (VizLayers *layers)
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
      /* An edge inside a row: the previous layout had no rows. */
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

/* --- Rows --- */

/* Places the rows as before, moved down by the growth of the rows above. */
static void
place_rows (Update *update)
{
  VizLayers         *layers = update->layers;
  const VizBody     *body = layers->body;
  g_autofree double *grown = g_new0 (double, layers->n_ranks + 1);
  double             moved = 0;

  layers->row_y = g_new0 (double, layers->n_ranks + 1);
  layers->row_height = g_new0 (double, layers->n_ranks + 1);
  layers->y = g_new0 (double, body->n_nodes + 1);
  for (guint32 r = 0; r < layers->n_ranks; r++)
    update->top[r] = INFINITY;
  for (guint32 i = 0; i < body->n_nodes; i++)
    {
      guint32        r = layers->row[i];
      const VizRect *was = &update->previous->nodes[i];
      double         height = body->nodes[i].height;
      gboolean       is_box = body->nodes[i].kind == VIZ_NODE_BOX;
      double         y = is_box                                ? was->y
                         : body->nodes[i].kind == VIZ_NODE_OUT ? update->previous->height - height
                                                               : 0;

      layers->y[i] = y;
      update->top[r] = MIN (update->top[r], y);
      update->bottom[r] = MAX (update->bottom[r], y + (is_box ? was->height : height));
      grown[r] = MAX (grown[r], y + height);
    }
  for (guint32 r = 0; r < layers->n_ranks; r++)
    {
      layers->row_y[r] = update->top[r] + moved;
      layers->row_height[r] = grown[r] - update->top[r];
      grown[r] = moved + (grown[r] - update->bottom[r]);
      moved = grown[r];
    }
  for (guint32 i = 0; i < body->n_nodes; i++)
    layers->y[i] += layers->row_y[layers->row[i]] - update->top[layers->row[i]];
  layers->min_height = update->previous->height + moved;
}

/* --- Previous places --- */

/* The x of an edge's previous route at a height; NAN if the route was not there, or outside the
 * group, as a part of a wire that crosses several groups may be. */
static double
lane_at (const Update *update, guint32 edge, double y)
{
  guint32 first = update->previous->first_point[edge],
          end = update->previous->first_point[edge + 1];

  for (guint32 i = first; i + 3 < end; i += 3)
    {
      const VizPoint *a = &g_array_index (update->previous->points, VizPoint, i), *b = a + 3;
      double          share = fabs (b->y - a->y) < CLOSE ? 0 : (y - a->y) / (b->y - a->y);
      double          x = a->x + (b->x - a->x) * share;

      if (MIN (a->y, b->y) <= y && y <= MAX (a->y, b->y) && x >= 0 && x <= update->previous->width)
        return x;
    }
  return NAN;
}

/* Whether a node was in the previous picture. */
static gboolean
is_fixed (const Update *update, guint32 node)
{
  return !viz_layers_is_virtual (update->layers, node) &&
         (update->layers->body->nodes[node].kind == VIZ_NODE_TITLE ||
          update->previous->nodes[node].width >= 0);
}

/* The previous x of an end of an edge: on its route, otherwise the middle of its node. */
static double
previous_end (const Update *update, guint32 edge, guint32 node)
{
  double at = lane_at (update, edge,
                       (update->top[update->layers->row[node]] +
                        update->bottom[update->layers->row[node]]) /
                           2);

  return is_fixed (update, node) || isnan (at) ? update->old_x[node] : at;
}

static double
previous_port (const Update *update, guint32 node, float at)
{
  double half = update->layers->body->nodes[node].width / 2;

  return update->old_x[node] + (at < 0 ? 0 : at - half);
}

/* Sets old_x of nodes that were in the previous picture, and NAN for others. */
static void
recall_fixed (Update *update)
{
  const VizBody *body = update->layers->body;

  for (guint32 i = 0; i < update->layers->n_nodes; i++)
    update->old_x[i] = NAN;
  for (guint32 i = 0; i < body->n_nodes; i++)
    if (body->nodes[i].kind == VIZ_NODE_TITLE)
      update->old_x[i] = body->nodes[i].width / 2;
    else if (update->previous->nodes[i].width >= 0)
      update->old_x[i] = update->previous->nodes[i].x + update->previous->nodes[i].width / 2;
}

/* Sets old_x of crossings of the border, then of virtual nodes, from the routes of their edges. */
static void
recall_routes (Update *update)
{
  const VizLayers *layers = update->layers;
  const VizBody   *body = layers->body;

  for (guint32 e = 0; e < body->n_edges; e++)
    {
      guint32 ends[2] = { body->edges[e].tail, body->edges[e].head };

      for (guint k = 0; k < 2; k++)
        if (isnan (update->old_x[ends[k]]))
          {
            update->old_x[ends[k]] = previous_end (update, e, ends[k]);
            update->tie[ends[k]] = update->old_x[ends[1 - k]];
          }
    }
  for (guint32 i = 0; i < body->n_nodes; i++)
    if (isnan (update->old_x[i]))
      update->old_x[i] = update->previous->width / 2;
  for (guint32 e = 0; e < body->n_edges; e++)
    for (guint32 k = 0; k < layers->n_bends[e]; k++)
      {
        guint32 bend = layers->first_bend[e] + k, row = layers->row[bend];
        double  from = previous_port (update, body->edges[e].tail, body->edges[e].tail_at);
        double  to = previous_port (update, body->edges[e].head, body->edges[e].head_at);
        double  at = lane_at (update, e, (update->top[row] + update->bottom[row]) / 2);

        if (!isnan (update->old_x[bend]))
          continue;
        update->old_x[bend] = isnan (at) ? (from + to) / 2 : at;
        update->tie[bend] = from + to;
      }
}

/* --- New places --- */

static void
find_growth (Update *update)
{
  const VizBody *body = update->layers->body;

  update->width = update->previous->width;
  for (guint32 i = 0; i < body->n_nodes; i++)
    {
      const VizRect *was = &update->previous->nodes[i];
      Growth         growth = { was->x, was->width, body->nodes[i].width - was->width };

      if (body->nodes[i].kind != VIZ_NODE_BOX || fabs (growth.change) < CLOSE)
        continue;
      g_array_append_val (update->grown, growth);
      update->width += growth.change;
    }
}

/* How far the growth of all boxes moves a point at x, without the box whose left border was at except
 * (NAN: none). */
static double
stretch (const Update *update, double x, double except)
{
  double by = 0;

  for (guint i = 0; i < update->grown->len; i++)
    {
      const Growth *growth = &g_array_index (update->grown, Growth, i);
      double        share = growth->width > 0 ? (x - growth->left) / growth->width : 1;

      if (growth->left != except)
        by += CLAMP (share, 0, 1) * growth->change;
    }
  return by;
}

static void
stretch_all (Update *update)
{
  VizLayers     *layers = update->layers;
  const VizBody *body = layers->body;

  for (guint32 i = 0; i < layers->n_nodes; i++)
    {
      double old = update->old_x[i], wider = 0;

      if (i < body->n_nodes && body->nodes[i].kind == VIZ_NODE_TITLE)
        layers->x[i] = old;
      else
        {
          if (i < body->n_nodes && body->nodes[i].kind == VIZ_NODE_BOX)
            wider = body->nodes[i].width - update->previous->nodes[i].width;
          layers->x[i] =
              fabs (wider) < CLOSE
                  ? old + stretch (update, old, NAN)
                  : old + wider / 2 + stretch (update, old, update->previous->nodes[i].x);
        }
    }
}

static int
compare_old (gconstpointer a, gconstpointer b, gpointer data)
{
  const Update *update = data;
  guint32       left = *(const guint32 *) a, right = *(const guint32 *) b;

  if (floor (update->old_x[left] / CLOSE) != floor (update->old_x[right] / CLOSE))
    return update->old_x[left] < update->old_x[right] ? -1 : 1;
  if (update->tie[left] != update->tie[right])
    return update->tie[left] < update->tie[right] ? -1 : 1;
  return left < right ? -1 : 1;
}

static void
fill_rows (Update *update)
{
  VizLayers          *layers = update->layers;
  g_autofree guint32 *filled = g_new0 (guint32, layers->n_ranks + 1);

  viz_layers_make_rows (layers);
  for (guint32 i = 0; i < layers->n_nodes; i++)
    layers->rows[layers->first_in_row[layers->row[i]] + filled[layers->row[i]]++] = i;
  for (guint32 r = 0; r < layers->n_ranks; r++)
    if (filled[r] > 1)
      g_qsort_with_data (layers->rows + layers->first_in_row[r], (int) filled[r],
                         sizeof *layers->rows, compare_old, update);
  viz_layers_number_rows (layers);
}

static double
half_width (const VizLayers *layers, guint32 node)
{
  return layers->body->nodes[node].width / 2;
}

/* Keeps boxes of a row apart.  They can only come too near after a box shrank; boxes to the right of
 * it then move back less. */
static void
part_boxes (Update *update, guint32 row)
{
  VizLayers *layers = update->layers;
  guint32    last = VIZ_NO_NODE;

  for (guint32 i = layers->first_in_row[row]; i < layers->first_in_row[row + 1]; i++)
    {
      guint32 node = layers->rows[i];

      if (!is_fixed (update, node))
        continue;
      if (last != VIZ_NO_NODE)
        {
          double apart =
              layers->right[last] + layers->left[node] + viz_layers_gap (layers, last, node);
          double was = update->old_x[node] - update->old_x[last];

          layers->x[node] = MAX (layers->x[node], layers->x[last] + MIN (apart, was));
        }
      update->width = MAX (update->width, layers->x[node] + half_width (layers, node));
      last = node;
    }
}

/* The nodes of a row between two boxes that stay. */
typedef struct
{
  const guint32 *nodes;
  guint32        n;
  double         start, end; /* x of the borders of the two boxes */
  double        *apart; /* n + 1: distances to update, from start to the first node, and so on */
} LaneGap;

/* Places the nodes of a gap as near to their lanes as the room allows; if there is too little room,
 * all distances shrink.  Nodes are pushed apart once from the left and once from the right; the mean
 * of both spreads nodes with equal lanes to both sides. */
static void
fit_lanes (double *x, LaneGap *gap)
{
  const guint32     *nodes = gap->nodes;
  guint32            n = gap->n;
  double            *apart = gap->apart, need = 0, room = MAX (gap->end - gap->start, 0);
  g_autofree double *min = g_new (double, n + 1), *max = g_new (double, n + 1);
  g_autofree double *right = g_new (double, n + 1);

  for (guint32 i = 0; i <= n; i++)
    need += apart[i];
  for (guint32 i = 0; need > room && i <= n; i++)
    apart[i] *= room / need;
  for (guint32 i = 0; i < n; i++)
    min[i] = (i > 0 ? min[i - 1] : gap->start) + apart[i];
  for (guint32 i = n; i-- > 0;)
    {
      max[i] = (i + 1 < n ? max[i + 1] : gap->end) - apart[i + 1];
      right[i] = MAX (MIN (x[nodes[i]], i + 1 < n ? right[i + 1] - apart[i + 1] : max[i]), min[i]);
    }
  for (guint32 i = 0; i < n; i++)
    {
      double left = MAX (x[nodes[i]], i > 0 ? min[i - 1] + apart[i] : min[i]);

      min[i] = MIN (left, max[i]);
      x[nodes[i]] = (min[i] + right[i]) / 2;
    }
}

/* Places the nodes rows[first] to rows[end - 1], which lie between two boxes that stay. */
static void
place_lanes (const Update *update, guint32 first, guint32 end, guint32 row)
{
  const VizLayers   *layers = update->layers;
  const guint32     *nodes = layers->rows;
  gboolean           has_left = first > layers->first_in_row[row];
  gboolean           has_right = end < layers->first_in_row[row + 1];
  g_autofree double *apart = g_new (double, end - first + 1);
  LaneGap            gap = { nodes + first, end - first, 0, update->width, apart };

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

      gap.start = layers->x[other] + half_width (layers, other);
      apart[0] += layers->right[other] - half_width (layers, other) +
                  viz_layers_gap (layers, other, nodes[first]);
    }
  if (has_right)
    {
      guint32 other = nodes[end];

      gap.end = layers->x[other] - half_width (layers, other);
      apart[end - first] += viz_layers_gap (layers, nodes[end - 1], other);
    }
  fit_lanes (layers->x, &gap);
}

static void
place_row (const Update *update, guint32 row)
{
  const VizLayers *layers = update->layers;
  guint32          first = layers->first_in_row[row];

  for (guint32 i = first; i < layers->first_in_row[row + 1]; i++)
    if (is_fixed (update, layers->rows[i]))
      {
        place_lanes (update, first, i, row);
        first = i + 1;
      }
  place_lanes (update, first, layers->first_in_row[row + 1], row);
}

void
viz_layers_update (VizLayers *layers)
{
  gsize  n = layers->n_nodes + 1;
  Update update = {
    .layers = layers,
    .previous = layers->body->previous,
    .grown = g_array_new (FALSE, FALSE, sizeof (Growth)),
    .old_x = g_new0 (double, n),
    .tie = g_new0 (double, n),
    .top = g_new0 (double, layers->n_ranks + 1),
    .bottom = g_new0 (double, layers->n_ranks + 1),
  };

  layers->x = g_new0 (double, n);
  place_rows (&update);
  recall_fixed (&update);
  recall_routes (&update);
  find_growth (&update);
  stretch_all (&update);
  fill_rows (&update);
  for (guint32 r = 0; r < layers->n_ranks; r++)
    part_boxes (&update, r);
  for (guint32 r = 0; r < layers->n_ranks; r++)
    place_row (&update, r);
  layers->min_width = update.width;
  g_array_unref (update.grown);
  g_free (update.old_x);
  g_free (update.tie);
  g_free (update.top);
  g_free (update.bottom);
}
