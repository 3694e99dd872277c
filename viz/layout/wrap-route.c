/* wrap-route.c — routes the edges of a wrapped body: within a column, and from column to column.
 *
 * Every tensor that enters a column from an earlier one has a lane below its column, in the gutter and
 * above the column; the lanes are ordered so that tensors that keep their order do not cross.
 * Start reading at viz_wrap_routes().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/layout/wrap-private.h"

#define LANE 7.0 /* points between two lanes, if there is room */

/* A tensor that enters a column from an earlier one. */
typedef struct
{
  guint32 tensor, edge; /* the first of its edges that does */
  guint32 from;         /* the column that it leaves */
  double  x;            /* where it leaves that column */
} Entry;

typedef struct
{
  const VizWrap *wrap;
  GArray        *entries[VIZ_MAX_COLUMNS]; /* per column: Entry, ordered by lane */
} Router;

/* Gives every tensor that enters a column a place among its entries. */
static void
add_entry (Router *router, guint32 edge, guint32 from, guint32 to, double x)
{
  GArray *entries = router->entries[to];
  Entry   entry = { router->wrap->body->edges[edge].tensor, edge, from, x };

  for (guint i = 0; i < entries->len; i++)
    if (g_array_index (entries, Entry, i).tensor == entry.tensor)
      return;
  g_array_append_val (entries, entry);
}

/* From the neighbouring column first; then from the right. */
static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const Entry *left = a, *right = b;

  if (left->from != right->from)
    return left->from > right->from ? -1 : 1;
  if (left->x != right->x)
    return left->x > right->x ? -1 : 1;
  return left->edge < right->edge ? -1 : left->edge > right->edge;
}

/* The points of an edge from its upper to its lower end.  (transfer full) */
static GArray *
copy_down (const VizBody *body, guint32 edge, gboolean *is_upward)
{
  guint32 first = body->first_point[edge], end = body->first_point[edge + 1];
  GArray *copy = g_array_sized_new (FALSE, FALSE, sizeof (VizPoint), end - first);

  *is_upward = g_array_index (body->points, VizPoint, first).y >
               g_array_index (body->points, VizPoint, end - 1).y;
  for (guint32 i = first; i < end; i++)
    g_array_append_val (copy, g_array_index (body->points, VizPoint,
                                             *is_upward ? end - 1 - (i - first) : i));
  return copy;
}

/* The number of points of the part of a route in its first column (from its start), or the first point
 * of the part in its last column. */
static guint
part_in_column (const VizWrap *wrap, const GArray *points, guint32 column, gboolean is_first)
{
  guint n = points->len;

  if (is_first)
    for (guint i = 3; i < n; i += 3)
      if (viz_wrap_column_of (wrap, g_array_index (points, VizPoint, i).y) != column)
        return i - 2;
  if (!is_first)
    for (guint i = n - 1; i >= 3; i -= 3)
      if (viz_wrap_column_of (wrap, g_array_index (points, VizPoint, i - 3).y) != column)
        return i;
  return is_first ? n : 0;
}

static void
collect_entries (Router *router)
{
  const VizWrap *wrap = router->wrap;
  const VizBody *body = wrap->body;

  for (guint32 c = 0; c < wrap->n_columns; c++)
    router->entries[c] = g_array_new (FALSE, FALSE, sizeof (Entry));
  for (guint32 e = 0; e < body->n_edges; e++)
    {
      double  top, bottom;
      guint32 from, to;

      if (!viz_wrap_is_drawn (body, e))
        continue;
      viz_wrap_span (body, e, &top, &bottom);
      from = viz_wrap_column_of (wrap, top);
      to = viz_wrap_column_of (wrap, bottom);
      if (from != to)
        {
          gboolean is_upward;
          g_autoptr (GArray) points = copy_down (body, e, &is_upward);
          guint n = part_in_column (wrap, points, from, TRUE);

          add_entry (router, e, from, to, g_array_index (points, VizPoint, n - 1).x);
        }
    }
  for (guint32 c = 0; c < wrap->n_columns; c++)
    {
      g_array_sort (router->entries[c], compare_entries);
    }
}

/* The way from one column into another. */
typedef struct
{
  guint32  from, to; /* columns */
  VizPoint end;      /* in the second */
} Passage;

/* Appends the way from the end of a route's first part to the start of its last part. */
static void
join (const Router *router, GArray *points, guint32 edge, const Passage *passage)
{
  const VizWrap *wrap = router->wrap;
  guint32        from = passage->from, c = passage->to, tensor = wrap->body->edges[edge].tensor;
  VizPoint       to = passage->end;
  const GArray  *entries = router->entries[c];
  const VizWrapColumn *left = &wrap->columns[c - 1], *tail = &wrap->columns[from],
                      *head = &wrap->columns[c];
  guint    n = entries->len, lane = 0;
  VizPoint at = g_array_index (points, VizPoint, points->len - 1);
  double   below, beside, above, step;

  while (lane + 1 < n && g_array_index (entries, Entry, lane).tensor != tensor)
    lane++;
  step = MIN (LANE, (VIZ_WRAP_CHANNEL - 14) / MAX (n, 1));
  below = from + 1 == c ? tail->bottom + tail->dy + 12 + lane * step
                        : wrap->floor + MIN (LANE, VIZ_WRAP_FLOOR / n) * lane;
  step = MIN (LANE, (VIZ_WRAP_GUTTER - 28) / MAX (n, 1));
  beside = left->right + left->dx + 16 + lane * step;
  /* Columns that were moved by an update keep the gutter's right half free. */
  beside = MIN (beside, MAX (head->left + head->dx - 10, left->right + left->dx));
  step = MIN (LANE, (VIZ_WRAP_CHANNEL - 16) / MAX (n, 1));
  above = head->top + head->dy - 12 - (n - 1 - lane) * step;
  viz_points_turn (points, (VizPoint){ at.x, below }, (VizPoint){ beside, below });
  viz_points_turn (points, (VizPoint){ beside, below }, (VizPoint){ beside, above });
  viz_points_turn (points, (VizPoint){ beside, above }, (VizPoint){ to.x, above });
  viz_points_turn (points, (VizPoint){ to.x, above }, to);
  viz_points_line_to (points, to.x, to.y);
}

/* Ends the route of an edge to a port of the out side at the lower border of the group. */
static void
reach_border (const VizWrap *wrap, guint32 edge, GArray *route)
{
  guint32   head = wrap->body->edges[edge].head;
  VizPoint *last = &g_array_index (route, VizPoint, route->len - 1);
  double    y = wrap->height - wrap->body->nodes[head].height;

  if (wrap->body->nodes[head].kind != VIZ_NODE_OUT || route->len < 4)
    return;
  /* Its last curve is vertical at both ends. */
  last[-2].y = last[-1].y = (last[-3].y + y) / 2;
  last->y = y;
}

/* Appends the new route of an edge to points. */
static void
wrap_route (const Router *router, guint32 edge, GArray *points)
{
  const VizWrap *wrap = router->wrap;
  gboolean       is_upward;
  g_autoptr (GArray) old = copy_down (wrap->body, edge, &is_upward);
  g_autoptr (GArray) route = g_array_new (FALSE, FALSE, sizeof (VizPoint));
  guint32 from = viz_wrap_column_of (wrap, g_array_index (old, VizPoint, 0).y);
  guint32 to = viz_wrap_column_of (wrap, g_array_index (old, VizPoint, old->len - 1).y);
  guint   n = from == to ? old->len : part_in_column (wrap, old, from, TRUE);
  guint   next = from == to ? old->len : part_in_column (wrap, old, to, FALSE);

  for (guint i = 0; i < n; i++)
    {
      VizPoint point = viz_wrap_moved (wrap, g_array_index (old, VizPoint, i), from);

      g_array_append_val (route, point);
    }
  if (from != to)
    join (router, route, edge,
          &(Passage){ from, to, viz_wrap_moved (wrap, g_array_index (old, VizPoint, next), to) });
  for (guint i = next + 1; i < old->len; i++)
    {
      VizPoint point = viz_wrap_moved (wrap, g_array_index (old, VizPoint, i), to);

      g_array_append_val (route, point);
    }
  reach_border (wrap, edge, route);
  for (guint i = 0; i < route->len; i++)
    g_array_append_val (points,
                        g_array_index (route, VizPoint, is_upward ? route->len - 1 - i : i));
}

void
viz_wrap_routes (const VizWrap *wrap)
{
  VizBody *body = wrap->body;
  Router   router = { .wrap = wrap };
  GArray  *points = g_array_new (FALSE, FALSE, sizeof (VizPoint));
  guint32 *first = g_new0 (guint32, body->n_edges + 1);

  collect_entries (&router);
  for (guint32 e = 0; e < body->n_edges; e++)
    {
      first[e] = points->len;
      if (viz_wrap_is_drawn (body, e))
        wrap_route (&router, e, points);
    }
  first[body->n_edges] = points->len;
  g_free (body->first_point);
  g_array_unref (body->points);
  body->first_point = first;
  body->points = points;
  for (guint32 c = 0; c < wrap->n_columns; c++)
    g_array_unref (router.entries[c]);
}
