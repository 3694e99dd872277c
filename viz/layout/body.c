/* body.c — the arrays of one layout problem: hashing, copying answers, writing routes.
 *
 * See body.h for the order in which a layout calls these functions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/layout/body.h"

#include <math.h>
#include <string.h>

VizBody *
viz_body_new (guint32 n_nodes, guint32 n_edges)
{
  VizBody *body = g_new0 (VizBody, 1);

  body->n_nodes = n_nodes;
  body->n_edges = n_edges;
  body->nodes = g_new0 (VizBodyNode, MAX (n_nodes, 1));
  body->edges = g_new0 (VizBodyEdge, MAX (n_edges, 1));
  return body;
}

void
viz_body_add_previous (VizBody *body, double width, double height)
{
  VizBodyPrevious *previous = g_new0 (VizBodyPrevious, 1);

  previous->width = width;
  previous->height = height;
  previous->nodes = g_new0 (VizRect, MAX (body->n_nodes, 1));
  previous->first_point = g_new0 (guint32, body->n_edges + 1);
  previous->points = g_array_new (FALSE, FALSE, sizeof (VizPoint));
  for (guint32 i = 0; i < body->n_nodes; i++)
    previous->nodes[i].width = -1;
  body->previous = previous;
}

static void
previous_free (VizBodyPrevious *previous)
{
  if (!previous)
    return;
  g_free (previous->nodes);
  g_free (previous->first_point);
  g_array_unref (previous->points);
  g_free (previous);
}

void
viz_body_free (VizBody *body)
{
  if (!body)
    return;
  previous_free (body->previous);
  g_free (body->nodes);
  g_free (body->edges);
  g_free (body->at);
  g_free (body->first_point);
  g_free (body->stub);
  g_clear_pointer (&body->points, g_array_unref);
  g_clear_pointer (&body->columns, g_array_unref);
  g_free (body);
}

/* FNV-1a over words of four bytes; the structs have no padding. */
static guint32
hash_words (guint32 hash, gconstpointer data, gsize n_bytes)
{
  const guint8 *bytes = data;

  for (gsize i = 0; i + 4 <= n_bytes; i += 4)
    {
      guint32 word;

      memcpy (&word, bytes + i, 4);
      hash = (hash ^ word) * 16777619u;
      hash ^= hash >> 15;
    }
  return hash;
}

guint
viz_body_hash (gconstpointer data)
{
  const VizBody *body = data;
  guint32        hash = 2166136261u ^ body->n_nodes;

  hash = hash_words (hash, body->nodes, body->n_nodes * sizeof *body->nodes);
  return hash_words (hash, body->edges, body->n_edges * sizeof *body->edges);
}

gboolean
viz_body_equal (gconstpointer a, gconstpointer b)
{
  const VizBody *left = a, *right = b;

  return left->n_nodes == right->n_nodes && left->n_edges == right->n_edges &&
         memcmp (left->nodes, right->nodes, left->n_nodes * sizeof *left->nodes) == 0 &&
         memcmp (left->edges, right->edges, left->n_edges * sizeof *left->edges) == 0;
}

void
viz_body_copy_answer (VizBody *body, const VizBody *from)
{
  viz_body_begin (body);
  memcpy (body->at, from->at, body->n_nodes * sizeof *body->at);
  memcpy (body->first_point, from->first_point, (body->n_edges + 1) * sizeof *body->first_point);
  memcpy (body->stub, from->stub, body->n_edges);
  if (from->points->len > 0)
    g_array_append_vals (body->points, from->points->data, from->points->len);
  body->width = from->width;
  body->height = from->height;
}

void
viz_body_begin (VizBody *body)
{
  g_free (body->at);
  g_free (body->first_point);
  g_free (body->stub);
  g_clear_pointer (&body->points, g_array_unref);
  g_clear_pointer (&body->columns, g_array_unref);
  body->at = g_new0 (VizPoint, MAX (body->n_nodes, 1));
  body->first_point = g_new0 (guint32, body->n_edges + 1);
  body->stub = g_new0 (guint8, MAX (body->n_edges, 1));
  body->points = g_array_new (FALSE, FALSE, sizeof (VizPoint));
  body->width = body->height = 0;
}

void
viz_body_begin_route (VizBody *body, guint32 edge, double x, double y)
{
  VizPoint start = { x, y };

  body->current = edge;
  body->first_point[edge] = body->points->len;
  g_array_append_val (body->points, start);
  body->first_point[edge + 1] = body->points->len;
}

static void
add_curve (VizBody *body, const VizPoint curve[3])
{
  g_array_append_vals (body->points, curve, 3);
  body->first_point[body->current + 1] = body->points->len;
}

void
viz_points_line_to (GArray *points, double x, double y)
{
  VizPoint from = g_array_index (points, VizPoint, points->len - 1);
  VizPoint curve[3] = {
    { from.x + (x - from.x) / 3, from.y + (y - from.y) / 3 },
    { from.x + (x - from.x) * 2 / 3, from.y + (y - from.y) * 2 / 3 },
    { x, y },
  };

  if (fabs (from.x - x) > 1e-6 || fabs (from.y - y) > 1e-6)
    g_array_append_vals (points, curve, 3);
}

void
viz_points_turn (GArray *points, VizPoint corner, VizPoint next)
{
  VizPoint from = g_array_index (points, VizPoint, points->len - 1);
  double   in = hypot (corner.x - from.x, corner.y - from.y);
  double   out = hypot (next.x - corner.x, next.y - corner.y);
  double   radius = MIN (6, MIN (in, out) / 2);
  VizPoint curve[3];

  if (in < 1e-6 || out < 1e-6)
    return;
  viz_points_line_to (points, corner.x - (corner.x - from.x) / in * radius,
                      corner.y - (corner.y - from.y) / in * radius);
  from = g_array_index (points, VizPoint, points->len - 1);
  curve[2].x = corner.x + (next.x - corner.x) / out * radius;
  curve[2].y = corner.y + (next.y - corner.y) / out * radius;
  /* Control points at 0.55 of the radius approximate a quarter of a circle. */
  curve[0].x = from.x + (corner.x - from.x) * 0.55;
  curve[0].y = from.y + (corner.y - from.y) * 0.55;
  curve[1].x = curve[2].x + (corner.x - curve[2].x) * 0.55;
  curve[1].y = curve[2].y + (corner.y - curve[2].y) * 0.55;
  g_array_append_vals (points, curve, 3);
}

void
viz_body_line_to (VizBody *body, double x, double y)
{
  viz_points_line_to (body->points, x, y);
  body->first_point[body->current + 1] = body->points->len;
}

void
viz_body_turn (VizBody *body, VizPoint corner, VizPoint next)
{
  viz_points_turn (body->points, corner, next);
  body->first_point[body->current + 1] = body->points->len;
}

void
viz_body_curve_to (VizBody *body, double x, double y)
{
  VizPoint from = g_array_index (body->points, VizPoint, body->points->len - 1);
  double   middle = (from.y + y) / 2;
  VizPoint curve[3] = { { from.x, middle }, { x, middle }, { x, y } };

  if (from.x == x)
    viz_body_line_to (body, x, y);
  else
    add_curve (body, curve);
}

static void
extend (double range[2], double low, double high)
{
  range[0] = MIN (range[0], low);
  range[1] = MAX (range[1], high);
}

void
viz_body_end (VizBody *body)
{
  double x[2] = { INFINITY, -INFINITY }, y[2] = { INFINITY, -INFINITY };

  for (guint32 i = 1; i <= body->n_edges; i++)
    body->first_point[i] = MAX (body->first_point[i], body->first_point[i - 1]);
  for (guint32 i = 0; i < body->n_nodes; i++)
    {
      extend (x, body->at[i].x, body->at[i].x + body->nodes[i].width);
      extend (y, body->at[i].y, body->at[i].y + body->nodes[i].height);
      if (body->nodes[i].label > 0)
        extend (x, body->at[i].x, body->at[i].x + body->nodes[i].width / 2 + body->nodes[i].label);
    }
  for (guint i = 0; i < body->points->len; i++)
    {
      const VizPoint *point = &g_array_index (body->points, VizPoint, i);

      extend (x, point->x, point->x);
      extend (y, point->y, point->y);
    }
  if (body->n_nodes == 0)
    return;
  /* With a previous state, the nodes keep their distance from the upper left corner. */
  if (body->previous)
    {
      x[0] = MIN (x[0], 0);
      y[0] = MIN (y[0], 0);
    }
  for (guint32 i = 0; i < body->n_nodes; i++)
    {
      body->at[i].x -= x[0];
      body->at[i].y -= y[0];
    }
  for (guint i = 0; i < body->points->len; i++)
    {
      VizPoint *point = &g_array_index (body->points, VizPoint, i);

      point->x -= x[0];
      point->y -= y[0];
    }
  body->width = x[1] - x[0];
  body->height = y[1] - y[0];
}
