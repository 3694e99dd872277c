/* layers-route.c — where edges meet their boxes, and the curves between.
 *
 * An edge runs straight down through a row at the x of its virtual node, and curves only in the gaps
 * between rows; so it cannot cross a box.  At a box, different tensors leave side by side, in the
 * order of their next points.  Start reading at viz_layers_route().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/layout/layers.h"

#include <math.h>

/* Lengths in points */
#define BORDER 9  /* least distance of an edge from a corner */
#define APART  12 /* distance of two edges at a box */
#define STUB   15 /* length of a stub */
#define TALL   90 /* boxes above this height are aligned at the top of their row */

/* An end of an edge (or of a bus) that is not fixed to a port. */
typedef struct
{
  guint32 edge;
  double  x;    /* where it meets the box: first the preferred place, then the final one */
  double  next; /* x of the next point of the edge, away from the box */
} End;

typedef struct
{
  VizLayers *layers;
  double    *upper_x, *lower_x; /* per edge: x of its ends */

  /* Per tensor: edges of one tensor leave a node together, with the first of them */
  guint32 *leader;      /* the first edge */
  guint32 *leader_node; /* the node + 1 for which leader is set */
} Router;

static gboolean
is_routed (const VizLayers *layers, guint32 edge)
{
  return (layers->body->edges[edge].flags & VIZ_EDGE_FEEDBACK) == 0;
}

static float
end_at (const VizLayers *layers, guint32 edge, gboolean upper)
{
  const VizBodyEdge *ends = &layers->body->edges[edge];

  return upper != (gboolean) layers->reversed[edge] ? ends->tail_at : ends->head_at;
}

static double
clamp_to (const VizLayers *layers, guint32 node, double x)
{
  double half = layers->body->nodes[node].width / 2;
  double room = half > BORDER ? half - BORDER : 0;

  return CLAMP (x, layers->x[node] - room, layers->x[node] + room);
}

/* The preferred x of the upper end of an edge: straight above its next point, as far as the box
 * allows. */
static double
wanted_upper_x (const Router *router, guint32 edge)
{
  const VizLayers *layers = router->layers;
  guint32 node = viz_layers_end (layers, edge, TRUE), other = viz_layers_end (layers, edge, FALSE);

  if (layers->stub[edge])
    return layers->x[node];
  if (layers->n_bends[edge] > 0)
    return clamp_to (layers, node, layers->x[layers->first_bend[edge]]);
  if (end_at (layers, edge, FALSE) >= 0)
    return clamp_to (layers, node, router->lower_x[edge]);
  return clamp_to (layers, node, clamp_to (layers, other, layers->x[node]));
}

/* The preferred x of the lower end of an edge: straight below its last point. */
static double
wanted_lower_x (const Router *router, guint32 edge)
{
  const VizLayers *layers = router->layers;
  guint32          node = viz_layers_end (layers, edge, FALSE);

  if (layers->stub[edge])
    return layers->x[node];
  if (layers->n_bends[edge] > 0)
    return clamp_to (layers, node, layers->x[layers->first_bend[edge] + layers->n_bends[edge] - 1]);
  return clamp_to (layers, node, router->upper_x[edge]);
}

/* The x of the next point of an edge, away from one of its ends. */
static double
next_x (const Router *router, guint32 edge, gboolean upper)
{
  const VizLayers *layers = router->layers;
  guint32          last = layers->first_bend[edge] + layers->n_bends[edge] - 1;
  gboolean         is_fixed = end_at (layers, edge, !upper) >= 0;

  if (!layers->stub[edge] && layers->n_bends[edge] > 0)
    return layers->x[upper ? layers->first_bend[edge] : last];
  if (is_fixed || !upper)
    return (upper ? router->lower_x : router->upper_x)[edge];
  return layers->x[viz_layers_end (layers, edge, FALSE)];
}

static int
compare_ends (gconstpointer a, gconstpointer b)
{
  const End *left = a, *right = b;

  if (left->x != right->x)
    return left->x < right->x ? -1 : 1;
  if (left->next != right->next)
    return left->next < right->next ? -1 : 1;
  return left->edge < right->edge ? -1 : 1;
}

/* Moves ends, sorted by x, apart from each other and between low and high, moving them little. */
static void
spread (End *ends, guint n, double low, double high)
{
  double apart = n > 1 ? MIN (APART, (high - low) / (n - 1)) : 0, excess;

  for (guint i = 1; i < n; i++)
    ends[i].x = MAX (ends[i].x, ends[i - 1].x + apart);
  /* If all ends now touch, they were pushed right: centre them again. */
  excess = n > 1 ? (ends[n - 1].x - ends[0].x - (n - 1) * apart) : 0;
  if (n > 1 && excess < 1e-6)
    for (guint i = 0; i < n; i++)
      ends[i].x -= (n - 1) * apart / 2;
  if (n > 0 && ends[n - 1].x > high)
    {
      ends[n - 1].x = high;
      for (guint i = n - 1; i-- > 0;)
        ends[i].x = MIN (ends[i].x, ends[i + 1].x - apart);
    }
  if (n > 0 && ends[0].x < low)
    {
      ends[0].x = low;
      for (guint i = 1; i < n; i++)
        ends[i].x = MAX (ends[i].x, ends[i - 1].x + apart);
    }
}

/* Places the ends of n edges on one side of a node. */
static void
place_ends (Router *router, guint32 node, const guint32 *list, guint32 n, gboolean upper)
{
  const VizLayers *layers = router->layers;
  double          *x = upper ? router->upper_x : router->lower_x;
  GArray          *ends = g_array_new (FALSE, FALSE, sizeof (End));
  double           half = layers->body->nodes[node].width / 2;
  double           room = half > BORDER ? half - BORDER : 0;

  for (guint32 i = 0; i < n; i++)
    {
      guint32 edge = list[i], tensor = layers->body->edges[edge].tensor;
      End     end = { edge, 0, 0 };

      if (end_at (layers, edge, upper) >= 0)
        continue;
      /* Only at their start do edges of one tensor share a place: they may enter a box twice. */
      if (upper && !layers->reversed[edge])
        {
          if (router->leader_node[tensor] == node + 1)
            continue;
          router->leader_node[tensor] = node + 1;
          router->leader[tensor] = edge;
        }
      end.x = upper ? wanted_upper_x (router, edge) : wanted_lower_x (router, edge);
      end.next = next_x (router, edge, upper);
      g_array_append_val (ends, end);
    }
  g_array_sort (ends, compare_ends);
  spread ((gpointer) ends->data, ends->len, layers->x[node] - room, layers->x[node] + room);
  for (guint i = 0; i < ends->len; i++)
    x[g_array_index (ends, End, i).edge] = g_array_index (ends, End, i).x;
  for (guint32 i = 0; upper && i < n; i++)
    if (end_at (layers, list[i], TRUE) < 0 && !layers->reversed[list[i]])
      x[list[i]] = x[router->leader[layers->body->edges[list[i]].tensor]];
  g_array_unref (ends);
}

/* Places the upper (or lower) ends of all edges. */
static void
place_side (Router *router, gboolean upper)
{
  const VizLayers *layers = router->layers;
  guint32          n_nodes = layers->body->n_nodes, n_edges = layers->body->n_edges;
  guint32         *first = g_new0 (guint32, n_nodes + 2);
  guint32         *list = g_new (guint32, n_edges + 1);

  for (guint32 e = 0; e < n_edges; e++)
    if (is_routed (layers, e))
      first[viz_layers_end (layers, e, upper) + 2]++;
  for (guint32 i = 0; i < n_nodes; i++)
    first[i + 2] += first[i + 1];
  for (guint32 e = 0; e < n_edges; e++)
    if (is_routed (layers, e))
      list[first[viz_layers_end (layers, e, upper) + 1]++] = e;
  for (guint32 i = 0; i < n_nodes; i++)
    place_ends (router, i, list + first[i], first[i + 1] - first[i], upper);
  g_free (list);
  g_free (first);
}

/* Places the ends that are fixed to ports. */
static void
place_fixed (Router *router)
{
  const VizLayers *layers = router->layers;

  for (guint32 e = 0; e < layers->body->n_edges; e++)
    for (guint upper = 0; upper < 2; upper++)
      if (end_at (layers, e, upper) >= 0)
        {
          guint32 node = viz_layers_end (layers, e, upper);
          double  left = layers->x[node] - layers->body->nodes[node].width / 2;

          (upper ? router->upper_x : router->lower_x)[e] = left + end_at (layers, e, upper);
        }
}

static void
reverse_route (VizBody *answer, guint32 edge)
{
  VizPoint *points = &g_array_index (answer->points, VizPoint, 0);

  for (guint32 i = answer->first_point[edge], k = answer->points->len - 1; i < k; i++, k--)
    {
      VizPoint swap = points[i];

      points[i] = points[k];
      points[k] = swap;
    }
}

static void
write_route (const Router *router, VizBody *answer, guint32 edge)
{
  const VizLayers *layers = router->layers;
  guint32 upper = viz_layers_end (layers, edge, TRUE), lower = viz_layers_end (layers, edge, FALSE);
  double  top = answer->at[lower].y;
  double  bottom = answer->at[upper].y + layers->body->nodes[upper].height;

  /* A stub is only its last piece, above the node that reads the value. */
  if (layers->stub[edge])
    {
      guint32 head = layers->body->edges[edge].head;
      double  x = head == lower ? router->lower_x[edge] : router->upper_x[edge];

      viz_body_begin_route (answer, edge, x, answer->at[head].y - STUB);
      viz_body_line_to (answer, x, answer->at[head].y);
      answer->stub[edge] = TRUE;
      return;
    }
  viz_body_begin_route (answer, edge, router->upper_x[edge], bottom);
  viz_body_line_to (answer, router->upper_x[edge],
                    layers->row_y[layers->row[upper]] + layers->row_height[layers->row[upper]]);
  /* Curves lie in the gaps between rows; the height of a row is crossed straight, so that no curve
   * touches a box. */
  for (guint32 i = 0; i < layers->n_bends[edge]; i++)
    {
      guint32 bend = layers->first_bend[edge] + i, row = layers->row[bend];

      viz_body_curve_to (answer, layers->x[bend], layers->row_y[row]);
      viz_body_line_to (answer, layers->x[bend], layers->row_y[row] + layers->row_height[row]);
    }
  viz_body_curve_to (answer, router->lower_x[edge], layers->row_y[layers->row[lower]]);
  viz_body_line_to (answer, router->lower_x[edge], top);
  if (layers->reversed[edge])
    reverse_route (answer, edge);
}

static void
place_boxes (const VizLayers *layers, VizBody *answer)
{
  for (guint32 i = 0; i < answer->n_nodes; i++)
    {
      const VizBodyNode *node = &answer->nodes[i];
      guint32            row = layers->row[i];
      double             spare = floor ((layers->row_height[row] - node->height) / 2);

      answer->at[i].x = layers->x[i] - node->width / 2;
      /* Small boxes are centred in their row, but at most 30 points below its top, where their inputs
       * come from; open groups are aligned at the top. */
      answer->at[i].y = layers->y
                            ? layers->y[i]
                            : layers->row_y[row] + (node->height > TALL ? 0 : MIN (spare, 30));
    }
}

void
viz_layers_route (VizLayers *layers, VizBody *answer)
{
  Router router = {
    .layers = layers,
    .upper_x = g_new0 (double, answer->n_edges + 1),
    .lower_x = g_new0 (double, answer->n_edges + 1),
  };
  guint32 n_tensors = 1;

  for (guint32 e = 0; e < answer->n_edges; e++)
    n_tensors = MAX (n_tensors, answer->edges[e].tensor + 1);
  router.leader = g_new0 (guint32, n_tensors);
  router.leader_node = g_new0 (guint32, n_tensors);

  viz_body_begin (answer);
  place_boxes (layers, answer);
  place_fixed (&router);
  place_side (&router, TRUE);
  place_side (&router, FALSE);
  for (guint32 e = 0; e < answer->n_edges; e++)
    if (is_routed (layers, e))
      write_route (&router, answer, e);
  viz_body_end (answer);
  g_free (router.upper_x);
  g_free (router.lower_x);
  g_free (router.leader);
  g_free (router.leader_node);
}
