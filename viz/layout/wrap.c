/* wrap.c — cuts a tall answer into columns.
 *
 * Breaks are the gaps between rows.  For n columns the break nearest to each nth part of the height is
 * taken, among those that few tensors cross.  wrap-route.c moves the edges.
 * Start reading at viz_body_wrap().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/layout/wrap-private.h"

#include <math.h>

/* Lengths in points */
#define OUT_GAP   24.0 /* above the ports of the out side */
#define MIN_BREAK 6.0  /* gaps between rows that are smaller are not breaks */

#define MAX_LANES 12 /* tensors that may cross a break */
/* A break may be this share of a column's height away from the ideal place. */
#define MAX_OFF 0.45
/* A tensor that crosses a break counts like this distance from the ideal place. */
#define COST_OF_LANE 30.0

/* A gap between two rows. */
typedef struct
{
  double low, high; /* lower end of the row above, upper end of the row below */
  gint32 n_crossing;
} Break;

static int
compare_tops (gconstpointer a, gconstpointer b)
{
  const Break *left = a, *right = b;

  if (left->low != right->low)
    return left->low < right->low ? -1 : 1;
  return left->high < right->high ? -1 : left->high > right->high;
}

/* The index of the first break below y. */
static guint
break_below (const GArray *breaks, double y)
{
  guint low = 0, high = breaks->len;

  while (low < high)
    {
      guint        middle = (low + high) / 2;
      const Break *at = &g_array_index (breaks, Break, middle);

      if ((at->low + at->high) / 2 <= y)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Counts the tensors that cross each break.  All edges of a tensor leave one node, so that the longest
 * of them says which breaks are crossed. */
static void
count_crossings (const VizBody *body, GArray *breaks)
{
  g_autofree gint32 *change = g_new0 (gint32, breaks->len + 2);
  guint32            n_tensors = 1;
  g_autofree double *top = NULL, *bottom = NULL;

  for (guint32 e = 0; e < body->n_edges; e++)
    n_tensors = MAX (n_tensors, body->edges[e].tensor + 1);
  top = g_new (double, n_tensors);
  bottom = g_new (double, n_tensors);
  /* A tensor crosses each break between top and bottom: +1 where that range of breaks begins and −1
   * where it ends, summed below. */
  for (guint32 t = 0; t < n_tensors; t++)
    top[t] = INFINITY, bottom[t] = -INFINITY;
  for (guint32 e = 0; e < body->n_edges; e++)
    if (viz_wrap_is_drawn (body, e))
      {
        guint32 t = body->edges[e].tensor;
        double  from, to;

        viz_wrap_span (body, e, &from, &to);
        top[t] = MIN (top[t], from);
        bottom[t] = MAX (bottom[t], to);
      }
  for (guint32 t = 0; t < n_tensors; t++)
    if (top[t] < bottom[t])
      {
        change[break_below (breaks, top[t])]++;
        change[break_below (breaks, bottom[t])]--;
      }
  for (guint i = 0, n = 0; i < breaks->len; i++)
    {
      n += (guint) change[i];
      g_array_index (breaks, Break, i).n_crossing = (gint32) n;
    }
}

/* The gaps between rows, from the top.  (transfer full) */
static GArray *
find_breaks (const VizBody *body)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (Break));
  GArray *breaks = g_array_new (FALSE, FALSE, sizeof (Break));
  double  bottom = 0;

  for (guint32 i = 0; i < body->n_nodes; i++)
    {
      Break row = { body->at[i].y, body->at[i].y + body->nodes[i].height, 0 };

      g_array_append_val (rows, row);
    }
  g_array_sort (rows, compare_tops);
  for (guint i = 0; i < rows->len; i++)
    {
      const Break *row = &g_array_index (rows, Break, i);
      Break        gap = { bottom, row->low, 0 };

      if (i > 0 && row->low > bottom + MIN_BREAK)
        g_array_append_val (breaks, gap);
      bottom = MAX (bottom, row->high);
    }
  g_array_unref (rows);
  count_crossings (body, breaks);
  return breaks;
}

/* --- Columns --- */

static void
start_column (VizWrap *wrap, double top)
{
  wrap->columns[wrap->n_columns++] =
      (VizWrapColumn){ .top = top, .left = INFINITY, .right = -INFINITY };
}

/* Ends the last column below its last box, with room for the ports of the out side, which then move to
 * the lower border of the group. */
static void
end_last_column (VizWrap *wrap)
{
  const VizBody *body = wrap->body;
  VizWrapColumn *last = &wrap->columns[wrap->n_columns - 1];
  double         room = 0;

  last->bottom = last->top;
  for (guint32 i = 0; i < body->n_nodes; i++)
    if (body->nodes[i].kind == VIZ_NODE_OUT)
      room = MAX (room, OUT_GAP + body->nodes[i].height);
    else
      last->bottom = MAX (last->bottom, body->at[i].y + body->nodes[i].height);
  last->bottom += room;
}

/* Sets top and bottom of the columns.  FALSE if fewer than two are possible. */
static gboolean
choose_columns (VizWrap *wrap, const GArray *breaks, guint32 n_columns)
{
  double height = wrap->body->height, each = height / n_columns;
  guint  first = 0;

  wrap->n_columns = 0;
  start_column (wrap, 0);
  for (guint32 c = 1; c < n_columns; c++)
    {
      const Break *best = NULL;
      double       ideal = each * c, least = INFINITY;

      /* Of the breaks near the ideal place, the one with the least distance plus cost of crossing
       * tensors.  first keeps the breaks in ascending order. */
      for (guint i = MAX (first, break_below (breaks, ideal - each * MAX_OFF)); i < breaks->len;
           i++)
        {
          const Break *at = &g_array_index (breaks, Break, i);
          double       off = fabs ((at->low + at->high) / 2 - ideal);
          double       cost = off + COST_OF_LANE * MAX (at->n_crossing - 1, 0);

          if (at->low > ideal + each * MAX_OFF)
            break;
          if (at->n_crossing > MAX_LANES || off > each * MAX_OFF || cost >= least)
            continue;
          best = at;
          least = cost;
          first = i + 1;
        }
      /* Without a suitable break, two columns stay one. */
      if (!best)
        continue;
      wrap->columns[wrap->n_columns - 1].bottom = best->low;
      start_column (wrap, best->high);
    }
  end_last_column (wrap);
  return wrap->n_columns > 1;
}

static void
extend (VizWrapColumn *column, double left, double right)
{
  column->left = MIN (column->left, left);
  column->right = MAX (column->right, right);
}

/* Adds an edge to the columns in which it begins and ends; it passes below those between. */
static void
extend_by_edge (VizWrap *wrap, guint32 edge)
{
  const VizBody *body = wrap->body;
  double         top, bottom;
  guint32        from, to;

  viz_wrap_span (body, edge, &top, &bottom);
  from = viz_wrap_column_of (wrap, top);
  to = viz_wrap_column_of (wrap, bottom);
  for (guint32 i = body->first_point[edge]; i < body->first_point[edge + 1]; i += 3)
    {
      const VizPoint *point = &g_array_index (body->points, VizPoint, i);
      guint32         c = viz_wrap_column_of (wrap, point->y);

      if (c == from || c == to)
        extend (&wrap->columns[c], point->x, point->x);
    }
}

static void
find_extents (VizWrap *wrap)
{
  const VizBody *body = wrap->body;

  for (guint32 i = 0; i < body->n_nodes; i++)
    {
      VizWrapColumn *column =
          &wrap->columns[viz_wrap_column_of (wrap, body->at[i].y + body->nodes[i].height / 2)];
      double middle = body->at[i].x + body->nodes[i].width / 2;

      extend (column, body->at[i].x,
              MAX (body->at[i].x + body->nodes[i].width, middle + body->nodes[i].label));
    }
  /* Curves lie between their ends; the control points of one between two columns belong to neither. */
  for (guint32 e = 0; e < body->n_edges; e++)
    if (viz_wrap_is_drawn (body, e))
      extend_by_edge (wrap, e);
}

/* Sets how far the columns move, and the height.  is_spread: they are still one below the other. */
static void
move_columns (VizWrap *wrap, gboolean is_spread)
{
  double right = 0, bottom = 0;

  for (guint32 c = 0; c < wrap->n_columns; c++)
    {
      VizWrapColumn *column = &wrap->columns[c];

      column->dx = !is_spread ? 0 : c == 0 ? -column->left : right + VIZ_WRAP_GUTTER - column->left;
      column->dy = c == 0 ? 0 : VIZ_WRAP_CHANNEL - column->top;
      right = column->right + column->dx;
      bottom = MAX (bottom,
                    column->bottom + column->dy + (c + 1 < wrap->n_columns ? VIZ_WRAP_CHANNEL : 0));
    }
  wrap->floor = bottom;
  /* Always the same room, or the picture would grow when a wire is split up. */
  wrap->height = bottom + VIZ_WRAP_FLOOR;
}

static void
move_nodes (VizWrap *wrap)
{
  VizBody *body = wrap->body;

  for (guint32 i = 0; i < body->n_nodes; i++)
    {
      guint32 c = viz_wrap_column_of (wrap, body->at[i].y + body->nodes[i].height / 2);

      body->at[i] = viz_wrap_moved (wrap, body->at[i], c);
      if (body->nodes[i].kind == VIZ_NODE_OUT)
        body->at[i].y = wrap->height - body->nodes[i].height;
    }
}

static void
apply (VizWrap *wrap, gboolean is_spread)
{
  VizBody *body = wrap->body;
  double   right = is_spread ? 0 : body->width;

  find_extents (wrap);
  move_columns (wrap, is_spread);
  viz_wrap_routes (wrap);
  move_nodes (wrap);
  g_clear_pointer (&body->columns, g_array_unref);
  body->columns = g_array_new (FALSE, FALSE, sizeof (VizColumn));
  for (guint32 c = 0; c < wrap->n_columns; c++)
    {
      const VizWrapColumn *column = &wrap->columns[c];
      VizColumn            placed = { column->left + column->dx, column->right + column->dx };

      g_array_append_val (body->columns, placed);
      right = MAX (right, placed.right);
    }
  body->width = right;
  body->height = wrap->height;
}

VizPoint
viz_body_wrapped_size (const VizBody *body, guint32 n_columns)
{
  g_autoptr (GArray) breaks = find_breaks (body);
  VizWrap              wrap = { .body = (VizBody *) body };
  const VizWrapColumn *last;

  if (!choose_columns (&wrap, breaks, MIN (n_columns, VIZ_MAX_COLUMNS)))
    return (VizPoint){ 0, 0 };
  find_extents (&wrap);
  move_columns (&wrap, TRUE);
  last = &wrap.columns[wrap.n_columns - 1];
  return (VizPoint){ last->right + last->dx, wrap.height };
}

void
viz_body_wrap (VizBody *body, guint32 n_columns)
{
  g_autoptr (GArray) breaks = find_breaks (body);
  VizWrap wrap = { .body = body };

  if (choose_columns (&wrap, breaks, MIN (n_columns, VIZ_MAX_COLUMNS)))
    apply (&wrap, TRUE);
}

gboolean
viz_body_wrap_again (VizBody *body)
{
  const VizBodyPrevious *previous = body->previous;
  VizWrap wrap = { .body = body, .n_columns = MIN (previous->n_columns, VIZ_MAX_COLUMNS) };

  for (guint32 c = 0; c < wrap.n_columns; c++)
    wrap.columns[c] = (VizWrapColumn){
      .top = INFINITY, .bottom = -INFINITY, .left = INFINITY, .right = -INFINITY
    };
  for (guint32 i = 0; i < body->n_nodes; i++)
    {
      double  y = body->nodes[i].kind == VIZ_NODE_BOX   ? previous->nodes[i].y
                  : body->nodes[i].kind == VIZ_NODE_OUT ? previous->height - 1
                                                        : 0;
      guint32 c = (guint32) CLAMP (y / previous->step, 0, wrap.n_columns - 1);

      wrap.columns[c].top = MIN (wrap.columns[c].top, body->at[i].y);
      wrap.columns[c].bottom = MAX (wrap.columns[c].bottom, body->at[i].y + body->nodes[i].height);
    }
  for (guint32 c = 0; c < wrap.n_columns; c++)
    if (wrap.columns[c].top == INFINITY)
      return FALSE;
  end_last_column (&wrap);
  find_extents (&wrap);
  for (guint32 c = 0; c + 1 < wrap.n_columns; c++)
    if (wrap.columns[c].right > wrap.columns[c + 1].left)
      return FALSE;
  apply (&wrap, FALSE);
  return TRUE;
}
