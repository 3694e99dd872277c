/* layout-grid.c — the layout "grid": time × layer, steps from left to right, layers downwards.
 *
 * For bodies whose boxes all have a column (step) and a row (layer).  A state goes straight to the
 * cell beside it.  Other edges run in tracks in the gaps between rows and columns: down, along, up or
 * down, along, down; so they touch no box.  Edges that carry the same tensor share a track (a bus);
 * tracks that do not overlap share a lane (grid-axis.h).
 * Start reading at grid_place(), at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/diagram/error.h"
#include "viz/layout/grid-axis.h"
#include "viz/layout/layout.h"

#include <math.h>
#include <string.h>

/* Lengths in points */
#define COLUMN_GAP 40
#define ROW_GAP    26
#define APART      11 /* between two edges at one side of a cell */
#define BORDER     9  /* between an edge and the corner of a cell */
/* Higher cells are aligned at the top of their row, lower ones at its middle. */
#define TALL 120

typedef struct
{
  VizBody *body;
  VizAxis  columns, rows;
  guint32 *column_of, *row_of;       /* per node: indices; for a port the nearest column */
  double  *wanted_column;            /* per port: mean column of the cells it is connected to */
  guint8  *straight;                 /* per edge: runs straight to the next cell, without tracks */
  double  *tail_x, *head_x;          /* per edge: x of its ends from the node's left border */
  double   head_height, foot_height; /* of the ports above and below the grid */
} Grid;

static gboolean
is_cell (const Grid *grid, guint32 node)
{
  return grid->body->nodes[node].kind == VIZ_NODE_BOX;
}

static int
compare_ints (gconstpointer a, gconstpointer b)
{
  gint32 left = *(const gint32 *) a, right = *(const gint32 *) b;

  return left < right ? -1 : left > right;
}

/* Numbers the distinct values of a member of VizBodyNode (field: its offset) over all boxes in
 * ascending order.  Returns the number of each node's value, and how many values there are. */
static guint32 *
number_values (const VizBody *body, gsize field, guint32 *n_out)
{
  GArray  *values = g_array_new (FALSE, FALSE, sizeof (gint32));
  guint32 *index = g_new0 (guint32, MAX (body->n_nodes, 1));
  guint32  n = 0;

  for (guint32 i = 0; i < body->n_nodes; i++)
    if (body->nodes[i].kind == VIZ_NODE_BOX)
      g_array_append_vals (values, (const char *) &body->nodes[i] + field, 1);
  g_array_sort (values, compare_ints);
  for (guint32 i = 0; i < values->len; i++)
    if (i == 0 || g_array_index (values, gint32, i) != g_array_index (values, gint32, n - 1))
      g_array_index (values, gint32, n++) = g_array_index (values, gint32, i);
  for (guint32 i = 0; i < body->n_nodes; i++)
    if (body->nodes[i].kind == VIZ_NODE_BOX)
      {
        gint32  value = *(const gint32 *) (const void *) ((const char *) &body->nodes[i] + field);
        guint32 low = 0, high = n;

        while (low + 1 < high)
          {
            guint32 middle = (low + high) / 2;

            if (g_array_index (values, gint32, middle) <= value)
              low = middle;
            else
              high = middle;
          }
        index[i] = low;
      }
  g_array_unref (values);
  *n_out = n;
  return index;
}

/* Edges with equal keys share tracks: those of one tensor, and those to one port. */
static guint32
track_key (const Grid *grid, guint32 edge)
{
  const VizBodyEdge *ends = &grid->body->edges[edge];

  return is_cell (grid, ends->head) ? ends->tensor : 0x80000000u | ends->head;
}

/* The gaps that an edge runs through: down into the gap below the tail, along it, up or down the gap
 * beside a column, along the gap above the head, down.  If the gaps below and above are the same one,
 * the column gap is not needed. */
typedef struct
{
  guint32 below, above; /* row gaps */
  guint32 from, to;     /* positions of the ends, in half steps (grid-axis.h) */
  guint32 beside;       /* column gap */
} EdgePlan;

static EdgePlan
plan_edge (const Grid *grid, guint32 edge)
{
  const VizBodyEdge *ends = &grid->body->edges[edge];
  EdgePlan           plan;

  plan.below = is_cell (grid, ends->tail) ? grid->row_of[ends->tail] + 1 : 0;
  plan.above = is_cell (grid, ends->head) ? grid->row_of[ends->head] : grid->rows.n;
  plan.from = 2 * grid->column_of[ends->tail] + 1;
  plan.to = 2 * grid->column_of[ends->head] + 1;
  /* Left of the head's column when coming from the left, right of it otherwise. */
  plan.beside =
      grid->column_of[ends->head] +
      (grid->column_of[ends->tail] >= grid->column_of[ends->head] && ends->tail != ends->head ? 1
                                                                                              : 0);
  if (!is_cell (grid, ends->head))
    plan.beside = grid->column_of[ends->tail] + 1;
  return plan;
}

/* Sets the column of each port to the mean column of the cells it is connected to. */
static void
place_ports_in_columns (Grid *grid)
{
  const VizBody *body = grid->body;
  double        *sum = g_new0 (double, MAX (body->n_nodes, 1));
  guint32       *n = g_new0 (guint32, MAX (body->n_nodes, 1));

  for (guint32 e = 0; e < body->n_edges; e++)
    {
      const VizBodyEdge *edge = &body->edges[e];

      if (!is_cell (grid, edge->tail) && is_cell (grid, edge->head))
        {
          sum[edge->tail] += grid->column_of[edge->head];
          n[edge->tail]++;
        }
      if (!is_cell (grid, edge->head) && is_cell (grid, edge->tail))
        {
          sum[edge->head] += grid->column_of[edge->tail];
          n[edge->head]++;
        }
    }
  for (guint32 i = 0; i < body->n_nodes; i++)
    if (!is_cell (grid, i) && n[i] > 0)
      {
        grid->wanted_column[i] = sum[i] / n[i];
        grid->column_of[i] = (guint32) grid->wanted_column[i];
      }
  g_free (n);
  g_free (sum);
}

/* A state to the neighbouring cell, drawn from side to side. */
static gboolean
is_straight_aside (const Grid *grid, const VizBodyEdge *edge)
{
  guint32 a = grid->column_of[edge->tail], b = grid->column_of[edge->head];

  return (edge->flags & VIZ_EDGE_SIDEWAYS) && edge->tail_at < 0 && edge->head_at < 0 &&
         (a + 1 == b || b + 1 == a);
}

/* An edge to the cell right below. */
static gboolean
is_straight_down (const Grid *grid, const VizBodyEdge *edge)
{
  return is_cell (grid, edge->tail) && is_cell (grid, edge->head) &&
         grid->column_of[edge->tail] == grid->column_of[edge->head] &&
         grid->row_of[edge->tail] + 1 == grid->row_of[edge->head];
}

static void
plan_tracks (Grid *grid)
{
  const VizBody *body = grid->body;

  for (guint32 e = 0; e < body->n_edges; e++)
    {
      const VizBodyEdge *edge = &body->edges[e];
      guint32            key = track_key (grid, e);
      EdgePlan           plan = plan_edge (grid, e);

      if (edge->flags & VIZ_EDGE_FEEDBACK)
        continue;
      grid->straight[e] = is_straight_aside (grid, edge) || is_straight_down (grid, edge);
      if (grid->straight[e])
        continue;
      /* Positions count half steps: 2 i is gap i, 2 i + 1 the middle of row or column i. */
      if (plan.below == plan.above)
        {
          viz_axis_request (&grid->rows, plan.below, key, plan.from, plan.to);
          continue;
        }
      viz_axis_request (&grid->rows, plan.below, key, plan.from, 2 * plan.beside);
      viz_axis_request (&grid->columns, plan.beside, key, 2 * plan.below, 2 * plan.above);
      viz_axis_request (&grid->rows, plan.above, key, 2 * plan.beside, plan.to);
    }
  viz_axis_assign (&grid->rows);
  viz_axis_assign (&grid->columns);
}

/* Sets tail_x and head_x: different tensors side by side, around the middle of the cell. */
static void
spread_ends (Grid *grid)
{
  const VizBody *body = grid->body;
  guint32       *n_out = g_new0 (guint32, body->n_nodes + 1);
  guint32       *n_in = g_new0 (guint32, body->n_nodes + 1);
  guint32       *last = g_new0 (guint32, body->n_nodes + 1);
  guint32       *at_out = g_new0 (guint32, body->n_edges + 1);
  guint32       *at_in = g_new0 (guint32, body->n_edges + 1);

  for (guint32 e = 0; e < body->n_edges; e++)
    {
      const VizBodyEdge *edge = &body->edges[e];

      /* Consecutive edges of one tensor share their start. */
      if (last[edge->tail] != edge->tensor + 1)
        n_out[edge->tail]++;
      last[edge->tail] = edge->tensor + 1;
      at_out[e] = n_out[edge->tail] - 1;
      at_in[e] = n_in[edge->head]++;
    }
  for (guint32 e = 0; e < body->n_edges; e++)
    {
      const VizBodyEdge *edge = &body->edges[e];
      double             out_room = MAX (body->nodes[edge->tail].width - 2 * BORDER, 0);
      double             in_room = MAX (body->nodes[edge->head].width - 2 * BORDER, 0);
      double out_step = n_out[edge->tail] > 1 ? MIN (APART, out_room / (n_out[edge->tail] - 1)) : 0;
      double in_step = n_in[edge->head] > 1 ? MIN (APART, in_room / (n_in[edge->head] - 1)) : 0;

      grid->tail_x[e] = edge->tail_at >= 0
                            ? edge->tail_at
                            : body->nodes[edge->tail].width / 2 +
                                  (at_out[e] - (n_out[edge->tail] - 1) / 2.0) * out_step;
      grid->head_x[e] = edge->head_at >= 0
                            ? edge->head_at
                            : body->nodes[edge->head].width / 2 +
                                  (at_in[e] - (n_in[edge->head] - 1) / 2.0) * in_step;
    }
  g_free (at_in);
  g_free (at_out);
  g_free (last);
  g_free (n_in);
  g_free (n_out);
}

static double
column_middle (const Grid *grid, guint32 column)
{
  return grid->columns.place[column] + grid->columns.size[column] / 2;
}

/* Places the ports of one kind at height y, in the order of their preferred columns, without
 * overlaps and not left of min_x. */
static void
place_ports (Grid *grid, VizNodeKind kind, double y, double min_x)
{
  VizBody *body = grid->body;
  double   x = min_x, end = grid->columns.place[grid->columns.n];
  g_autoptr (GArray) placed = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 wanted = 0; wanted < grid->columns.n; wanted++)
    for (guint32 i = 0; i < body->n_nodes; i++)
      {
        double middle;

        if (body->nodes[i].kind != (guint32) kind || grid->column_of[i] != wanted)
          continue;
        middle = column_middle (grid, wanted);
        if (grid->wanted_column[i] > wanted)
          middle += (column_middle (grid, wanted + 1) - middle) * (grid->wanted_column[i] - wanted);
        body->at[i].x = MAX (x, middle - body->nodes[i].width / 2);
        body->at[i].y = y;
        x = body->at[i].x + body->nodes[i].width + 10;
        g_array_append_val (placed, i);
      }
  /* When a picture is updated, the group must not grow for its ports: push them back inside. */
  for (guint k = body->previous ? placed->len : 0; k-- > 0;)
    {
      guint32 i = g_array_index (placed, guint32, k);

      body->at[i].x = MIN (body->at[i].x, end - body->nodes[i].width);
      end = body->at[i].x - 2;
    }
}

/* Fixes the gaps of an axis to their sizes in the previous picture.  number_of: column or row per
 * node; start: where the axis starts. */
static void
fix_gaps (const Grid *grid, VizAxis *axis, const guint32 *number_of, double start)
{
  const VizBody     *body = grid->body;
  gboolean           is_column = axis == &grid->columns;
  double             at = start;
  g_autofree double *place = g_new (double, axis->n + 1), *size = g_new0 (double, axis->n + 1);

  for (guint32 i = 0; i < axis->n; i++)
    place[i] = INFINITY;
  for (guint32 i = 0; i < body->n_nodes; i++)
    if (is_cell (grid, i))
      {
        const VizRect *was = &body->previous->nodes[i];
        guint32        k = number_of[i];

        place[k] = MIN (place[k], is_column ? was->x : was->y);
        size[k] = MAX (size[k], is_column ? was->width : was->height);
      }
  axis->fixed_room = g_new0 (double, axis->n + 2);
  for (guint32 i = 0; i < axis->n; i++)
    {
      axis->fixed_room[i] = MAX (place[i] - at, 0);
      at = place[i] + size[i];
    }
  /* The last gap: the rest of the content, without the ports below. */
  axis->fixed_room[axis->n] =
      MAX ((is_column ? body->previous->width : body->previous->height - grid->foot_height) - at,
           0);
}

static void
place_cells (Grid *grid)
{
  VizBody *body = grid->body;
  double   title = 0;

  for (guint32 i = 0; i < body->n_nodes; i++)
    {
      const VizBodyNode *node = &body->nodes[i];

      if (node->kind == VIZ_NODE_TITLE)
        title = node->width;
      if (node->kind == VIZ_NODE_TITLE || node->kind == VIZ_NODE_IN)
        grid->head_height = MAX (grid->head_height, node->height);
      if (node->kind == VIZ_NODE_OUT)
        grid->foot_height = MAX (grid->foot_height, node->height);
      if (node->kind != VIZ_NODE_BOX)
        continue;
      grid->columns.size[grid->column_of[i]] =
          MAX (grid->columns.size[grid->column_of[i]], node->width);
      grid->rows.size[grid->row_of[i]] = MAX (grid->rows.size[grid->row_of[i]], node->height);
    }
  if (body->previous)
    {
      fix_gaps (grid, &grid->columns, grid->column_of, 0);
      fix_gaps (grid, &grid->rows, grid->row_of, grid->head_height);
    }
  viz_axis_place (&grid->columns, 0, COLUMN_GAP, 3 * VIZ_LANE, FALSE);
  viz_axis_place (&grid->rows, grid->head_height, ROW_GAP, 0, TRUE);
  for (guint32 i = 0; i < body->n_nodes; i++)
    if (body->nodes[i].kind == VIZ_NODE_BOX)
      {
        guint32 column = grid->column_of[i], row = grid->row_of[i];
        double  spare;

        body->at[i].x =
            grid->columns.place[column] + (grid->columns.size[column] - body->nodes[i].width) / 2;
        spare = grid->rows.size[row] - body->nodes[i].height;
        body->at[i].y =
            grid->rows.place[row] + (body->nodes[i].height > TALL ? 0 : floor (spare / 2));
      }
  place_ports (grid, VIZ_NODE_IN, grid->head_height - 16, title + 10);
  place_ports (grid, VIZ_NODE_OUT, grid->rows.place[grid->rows.n], 0);
}

/* Draws a state from side to side, at a height where both cells are; the nth of n states that
 * leave one cell. */
static void
route_aside (const Grid *grid, guint32 e, guint32 nth, guint32 n)
{
  VizBody           *body = grid->body;
  const VizBodyEdge *edge = &body->edges[e];
  double             lower = MIN (body->at[edge->tail].y + body->nodes[edge->tail].height,
                                  body->at[edge->head].y + body->nodes[edge->head].height);
  double             upper = MAX (body->at[edge->tail].y, body->at[edge->head].y);
  double             room = MAX (lower - upper - 2 * BORDER, 0);
  double             step = n > 1 ? MIN (APART, room / (n - 1)) : 0;
  double             y = (lower + upper) / 2 + (nth - (n - 1) / 2.0) * step;
  gboolean           is_left = body->at[edge->tail].x < body->at[edge->head].x;
  guint32            left = is_left ? edge->tail : edge->head;
  guint32            right = is_left ? edge->head : edge->tail;
  double             x[2] = { body->at[left].x + body->nodes[left].width, body->at[right].x };

  viz_body_begin_route (body, e, x[is_left ? 0 : 1], y);
  viz_body_line_to (body, x[is_left ? 1 : 0], y);
}

/* Draws an edge along its tracks. */
static void
route_through (const Grid *grid, guint32 e)
{
  VizBody           *body = grid->body;
  const VizBodyEdge *edge = &body->edges[e];
  EdgePlan           plan = plan_edge (grid, e);
  guint32            key = track_key (grid, e);
  double             x0 = body->at[edge->tail].x + grid->tail_x[e];
  double             y0 = body->at[edge->tail].y + body->nodes[edge->tail].height;
  VizPoint           end = { body->at[edge->head].x + grid->head_x[e], body->at[edge->head].y };
  double             below = viz_axis_lane (&grid->rows, plan.below, key);
  double             above = viz_axis_lane (&grid->rows, plan.above, key);

  viz_body_begin_route (body, e, x0, y0);
  if (plan.below == plan.above)
    {
      viz_body_turn (body, (VizPoint){ x0, below }, (VizPoint){ end.x, below });
      viz_body_turn (body, (VizPoint){ end.x, below }, end);
    }
  else
    {
      double beside = viz_axis_lane (&grid->columns, plan.beside, key);

      viz_body_turn (body, (VizPoint){ x0, below }, (VizPoint){ beside, below });
      viz_body_turn (body, (VizPoint){ beside, below }, (VizPoint){ beside, above });
      viz_body_turn (body, (VizPoint){ beside, above }, (VizPoint){ end.x, above });
      viz_body_turn (body, (VizPoint){ end.x, above }, end);
    }
  viz_body_line_to (body, end.x, end.y);
}

static void
route_down (const Grid *grid, guint32 e)
{
  VizBody           *body = grid->body;
  const VizBodyEdge *edge = &body->edges[e];
  guint32            row = grid->row_of[edge->tail];
  double             x0 = body->at[edge->tail].x + grid->tail_x[e];
  double             x1 = body->at[edge->head].x + grid->head_x[e];

  /* A straight line if both ends may be moved. */
  if (edge->tail_at < 0 && edge->head_at < 0)
    x0 = x1 = body->at[edge->head].x + body->nodes[edge->head].width / 2;
  viz_body_begin_route (body, e, x0, body->at[edge->tail].y + body->nodes[edge->tail].height);
  viz_body_line_to (body, x0, grid->rows.place[row] + grid->rows.size[row]);
  viz_body_curve_to (body, x1, grid->rows.place[row + 1]);
  viz_body_line_to (body, x1, body->at[edge->head].y);
}

static void
route_all (const Grid *grid)
{
  VizBody            *body = grid->body;
  g_autofree guint32 *n_aside = g_new0 (guint32, body->n_nodes + 1);
  g_autofree guint32 *nth = g_new0 (guint32, body->n_nodes + 1);

  for (guint32 e = 0; e < body->n_edges; e++)
    if (grid->straight[e] && is_straight_aside (grid, &body->edges[e]))
      n_aside[body->edges[e].tail]++;
  for (guint32 e = 0; e < body->n_edges; e++)
    {
      const VizBodyEdge *edge = &body->edges[e];

      if (edge->flags & VIZ_EDGE_FEEDBACK)
        continue;
      if (!grid->straight[e])
        route_through (grid, e);
      else if (is_straight_aside (grid, edge))
        route_aside (grid, e, nth[edge->tail]++, n_aside[edge->tail]);
      else
        route_down (grid, e);
    }
}

static gboolean
grid_can_place (const VizBody *body)
{
  guint32 n_cells = 0;

  for (guint32 i = 0; i < body->n_nodes; i++)
    if (body->nodes[i].kind == VIZ_NODE_BOX)
      {
        if (body->nodes[i].row < 0)
          return FALSE;
        n_cells++;
      }
  return n_cells > 0;
}

static gboolean
grid_place (VizBody           *body,
            const char *helper G_GNUC_UNUSED,
            GCancellable      *cancellable,
            GError           **error)
{
  Grid    grid = { .body = body };
  guint32 n_columns, n_rows;

  if (!grid_can_place (body))
    {
      g_set_error (error, VIZ_ERROR, VIZ_ERROR_LAYOUT, "some boxes have no step and layer");
      return FALSE;
    }
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  viz_body_begin (body);
  grid.column_of = number_values (body, G_STRUCT_OFFSET (VizBodyNode, column), &n_columns);
  grid.row_of = number_values (body, G_STRUCT_OFFSET (VizBodyNode, row), &n_rows);
  grid.wanted_column = g_new0 (double, body->n_nodes + 1);
  grid.straight = g_new0 (guint8, body->n_edges + 1);
  grid.tail_x = g_new0 (double, body->n_edges + 1);
  grid.head_x = g_new0 (double, body->n_edges + 1);
  viz_axis_init (&grid.columns, n_columns);
  viz_axis_init (&grid.rows, n_rows);
  /* Tracks widen gaps, so they are counted before anything has a place, and edges are drawn when all have one. */
  place_ports_in_columns (&grid);
  plan_tracks (&grid);
  spread_ends (&grid);
  place_cells (&grid);
  route_all (&grid);
  viz_body_end (body);
  /* In an update columns and rows stay where they were, also those that now hold nothing. */
  if (body->previous)
    {
      body->width = MAX (body->width, grid.columns.place[n_columns]);
      body->height = MAX (body->height, grid.rows.place[n_rows] + grid.foot_height);
    }
  viz_axis_clear (&grid.columns);
  viz_axis_clear (&grid.rows);
  g_free (grid.column_of);
  g_free (grid.row_of);
  g_free (grid.wanted_column);
  g_free (grid.straight);
  g_free (grid.tail_x);
  g_free (grid.head_x);
  return TRUE;
}

const VizLayout viz_layout_grid = {
  .name = "grid",
  .label = "Time × layer",
  .can_place = grid_can_place,
  .place = grid_place,
};
