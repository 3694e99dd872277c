/* scene-labels.c — finds a place for every text on a wire.
 *
 * Each text has a few candidate places, the best first.  It takes the first one that no box, port or
 * other text covers and no wire crosses; failing that, the first one that only wires cross; failing
 * that, it is left out.  Obstacles are found through hash grids with square cells.
 * Start reading at viz_scene_place_labels().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/scene/scene-labels.h"

#include "viz/diagram/box-text.h"

#include <math.h>

#define CELL        128.0 /* side of a grid cell, in points */
#define N_PLACES    6     /* candidates per text */
#define CHORDS      6     /* straight pieces per curve */
#define MAX_WIRES   8000  /* with more wires, texts are allowed to lie on wires */
#define FROM_WIRE   5     /* points between a text and its wire */
#define BELOW_START 11    /* points from the start of a wire to the base line */
#define ABOVE_END   4

/* A rectangle that texts must not cover. */
typedef struct
{
  VizRect rect;
  gint32  next; /* in its bucket; -1: the last */
} Obstacle;

typedef struct
{
  const VizScene *scene;
  GArray         *wires;               /* VizWire */
  const GArray   *points;              /* VizPoint */
  GArray         *obstacles;           /* Obstacle */
  GArray         *chords;              /* Chord; empty if there are too many wires */
  const char    **at_head;             /* per item: the last text at the head of a wire to it */
  gint32         *first, *first_chord; /* per bucket: index into obstacles and chords; -1: empty */
  guint           n_buckets;
} Labels;

static guint
bucket_of (const Labels *labels, gint64 column, gint64 row)
{
  return (guint) (((guint64) column * 73856093u) ^ ((guint64) row * 19349663u)) % labels->n_buckets;
}

static void
add_obstacle (Labels *labels, const VizRect *rect)
{
  gint64 right = (gint64) floor ((rect->x + rect->width) / CELL);
  gint64 bottom = (gint64) floor ((rect->y + rect->height) / CELL);

  for (gint64 row = (gint64) floor (rect->y / CELL); row <= bottom; row++)
    for (gint64 column = (gint64) floor (rect->x / CELL); column <= right; column++)
      {
        guint    bucket = bucket_of (labels, column, row);
        Obstacle obstacle = { *rect, labels->first[bucket] };

        labels->first[bucket] = (gint32) labels->obstacles->len;
        g_array_append_val (labels->obstacles, obstacle);
      }
}

static gboolean
overlap (const VizRect *a, const VizRect *b)
{
  return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
         b->y < a->y + a->height;
}

static gboolean
is_free (const Labels *labels, const VizRect *rect)
{
  const VizSceneItem *root = viz_scene_item (labels->scene, 0);
  gint64              right = (gint64) floor ((rect->x + rect->width) / CELL);
  gint64              bottom = (gint64) floor ((rect->y + rect->height) / CELL);

  if (rect->x < 0 || rect->y < 0 || rect->x + rect->width > root->width ||
      rect->y + rect->height > root->height)
    return FALSE;
  for (gint64 row = (gint64) floor (rect->y / CELL); row <= bottom; row++)
    for (gint64 column = (gint64) floor (rect->x / CELL); column <= right; column++)
      for (gint32 i = labels->first[bucket_of (labels, column, row)]; i >= 0;
           i = g_array_index (labels->obstacles, Obstacle, i).next)
        if (overlap (rect, &g_array_index (labels->obstacles, Obstacle, i).rect))
          return FALSE;
  return TRUE;
}

/* The rectangle that the text of a wire covers if its base line starts at a point. */
static VizRect
text_rect (const VizWire *wire, const VizPoint *at)
{
  double size = viz_text_size (VIZ_TEXT_EDGE);

  return (VizRect){ at->x - 1, at->y - size * 0.8, wire->label_width + 2, size };
}

/* --- Wires, as short straight pieces --- */

typedef struct
{
  VizPoint from, to;
  gint32   next; /* in its bucket; -1: the last */
} Chord;

static void
add_chord (Labels *labels, VizPoint from, VizPoint to)
{
  gint64 left = (gint64) floor (MIN (from.x, to.x) / CELL);
  gint64 right = (gint64) floor (MAX (from.x, to.x) / CELL);
  gint64 bottom = (gint64) floor (MAX (from.y, to.y) / CELL);

  for (gint64 row = (gint64) floor (MIN (from.y, to.y) / CELL); row <= bottom; row++)
    for (gint64 column = left; column <= right; column++)
      {
        guint bucket = bucket_of (labels, column, row);
        Chord chord = { from, to, labels->first_chord[bucket] };

        labels->first_chord[bucket] = (gint32) labels->chords->len;
        g_array_append_val (labels->chords, chord);
      }
}

static void
add_wire (Labels *labels, const VizWire *wire)
{
  for (guint32 k = 0; k + 3 < wire->n_points; k += 3)
    {
      const VizPoint *p = &g_array_index (labels->points, VizPoint, wire->first_point + k);
      guint           n = p[0].x == p[3].x || p[0].y == p[3].y ? 1 : CHORDS;

      for (guint c = 0; c < n; c++)
        add_chord (labels, viz_curve_point (p, (double) c / n),
                   viz_curve_point (p, (double) (c + 1) / n));
    }
}

/* Whether a chord crosses the inside of a rectangle.  Intersects the parameter ranges, 0 to 1, in
 * which it is between the vertical sides and between the horizontal sides. */
static gboolean
crosses (const Chord *chord, const VizRect *rect)
{
  double dx = chord->to.x - chord->from.x, dy = chord->to.y - chord->from.y;
  double low = 0, high = 1;
  double d[2] = { dx, dy };
  double first[2] = { rect->x - chord->from.x, rect->y - chord->from.y };
  double last[2] = { first[0] + rect->width, first[1] + rect->height };

  for (guint axis = 0; axis < 2; axis++)
    {
      if (d[axis] == 0 && (first[axis] >= 0 || last[axis] <= 0))
        return FALSE;
      if (d[axis] == 0)
        continue;
      low = MAX (low, MIN (first[axis] / d[axis], last[axis] / d[axis]));
      high = MIN (high, MAX (first[axis] / d[axis], last[axis] / d[axis]));
    }
  return low < high;
}

static gboolean
is_clear_of_wires (const Labels *labels, const VizRect *rect)
{
  gint64 right = (gint64) floor ((rect->x + rect->width) / CELL);
  gint64 bottom = (gint64) floor ((rect->y + rect->height) / CELL);

  for (gint64 row = (gint64) floor (rect->y / CELL); row <= bottom; row++)
    for (gint64 column = (gint64) floor (rect->x / CELL); column <= right; column++)
      for (gint32 i = labels->first_chord[bucket_of (labels, column, row)]; i >= 0;
           i = g_array_index (labels->chords, Chord, i).next)
        if (crosses (&g_array_index (labels->chords, Chord, i), rect))
          return FALSE;
  return TRUE;
}

/* Puts the text of a wire at the best of its places, or removes it. */
static void
choose_place (Labels *labels, VizWire *wire, const VizPoint *places, guint n_places)
{
  guint   best = n_places;
  VizRect rect;

  for (guint i = 0; i < n_places; i++)
    {
      rect = text_rect (wire, &places[i]);
      if (!is_free (labels, &rect))
        continue;
      best = MIN (best, i);
      if (!is_clear_of_wires (labels, &rect))
        continue;
      best = i;
      break;
    }
  wire->has_label = best < n_places;
  if (!wire->has_label)
    return;
  rect = text_rect (wire, &places[best]);
  wire->label_x = places[best].x;
  wire->label_y = places[best].y;
  add_obstacle (labels, &rect);
}

/* Places the text of an arrow.  At the tail it stands beside all wires that leave the item, so that
 * none of them crosses it. */
static void
place_label (Labels *labels, guint number, const double *leftmost, const double *rightmost)
{
  VizWire            *wire = &g_array_index (labels->wires, VizWire, number);
  const VizSceneWire *cut = &g_array_index (labels->scene->wires, VizSceneWire, number);
  const VizPoint     *start = &g_array_index (labels->points, VizPoint, wire->first_point);
  const VizPoint     *end = &start[wire->n_points - 1];
  const char         *text = viz_diagram_arrow (labels->scene->diagram, wire->arrow)->label;
  double              width;
  VizPoint            places[N_PLACES];
  guint               first = cut->label == VIZ_LABEL_AT_HEAD ? 3 : 0;

  wire->label_width = (float) viz_measure_width (labels->scene->measure, VIZ_TEXT_EDGE, text);
  width = wire->label_width;
  places[first] = (VizPoint){ rightmost[wire->tail] + FROM_WIRE, start->y + BELOW_START };
  places[first + 1] =
      (VizPoint){ leftmost[wire->tail] - FROM_WIRE - width, start->y + BELOW_START };
  places[first + 2] = (VizPoint){ start->x + FROM_WIRE, start->y + 2 * BELOW_START };
  first = 3 - first;
  places[first] = (VizPoint){ end->x + FROM_WIRE, end->y - ABOVE_END };
  places[first + 1] = (VizPoint){ end->x - FROM_WIRE - width, end->y - ABOVE_END };
  places[first + 2] = (VizPoint){ end->x + FROM_WIRE, end->y - ABOVE_END - BELOW_START };
  /* No text on a wire to the neighbouring cell, which is too short, nor a second time at the same
   * head. */
  if ((wire->n_points > 1 && end->y == start->y) ||
      (cut->label == VIZ_LABEL_AT_HEAD && g_strcmp0 (labels->at_head[wire->head], text) == 0))
    wire->has_label = FALSE;
  else /* The text of a control wire must not stand at its tail, where all branches leave. */
    choose_place (labels, wire, places, wire->kind == VIZ_ARROW_CONTROL ? N_PLACES / 2 : N_PLACES);
  if (cut->label == VIZ_LABEL_AT_HEAD)
    labels->at_head[wire->head] = text;
}

/* Places the text at the start of a stub, which names the wire's tail. */
static void
place_origin (Labels *labels, VizWire *wire)
{
  const VizPoint  *start = &g_array_index (labels->points, VizPoint, wire->first_point);
  g_autofree char *origin = viz_arrow_stub_text (labels->scene->diagram, wire->arrow);
  VizPoint         places[2];

  wire->label_width = (float) viz_measure_width (labels->scene->measure, VIZ_TEXT_EDGE, origin);
  places[0] = (VizPoint){ start->x + 6, start->y + 3 };
  places[1] = (VizPoint){ start->x - 6 - wire->label_width, start->y + 3 };
  choose_place (labels, wire, places, 2);
}

static void
add_obstacles (Labels *labels, const GArray *plugs)
{
  for (guint32 i = 1; i < labels->scene->items->len; i++)
    {
      const VizSceneItem *item = viz_scene_item (labels->scene, i);
      VizRect             rect = { item->x, item->y, item->width, item->height };

      if (item->state != VIZ_ITEM_OPEN)
        add_obstacle (labels, &rect);
    }
  for (guint i = 0; i < plugs->len; i++)
    {
      const VizPlug *plug = &g_array_index (plugs, VizPlug, i);
      VizRect        rect = { plug->x, plug->y, plug->width, plug->height };

      add_obstacle (labels, &rect);
    }
}

void
viz_scene_place_labels (const VizScene *scene,
                        GArray         *wires,
                        const GArray   *points,
                        const GArray   *plugs,
                        const guint32  *n_stubs)
{
  g_autofree double *leftmost = g_new (double, scene->items->len);
  g_autofree double *rightmost = g_new (double, scene->items->len);
  Labels             labels = { .scene = scene, .wires = wires, .points = points };

  for (guint32 i = 0; i < scene->items->len; i++)
    {
      leftmost[i] = INFINITY;
      rightmost[i] = 0;
    }
  labels.at_head = g_new0 (const char *, scene->items->len);
  labels.obstacles = g_array_new (FALSE, FALSE, sizeof (Obstacle));
  /* A box covers a few cells, a text one or two. */
  labels.n_buckets = MAX (scene->items->len, 256) * 8;
  labels.first = g_new (gint32, labels.n_buckets);
  labels.first_chord = g_new (gint32, labels.n_buckets);
  labels.chords = g_array_new (FALSE, FALSE, sizeof (Chord));
  for (guint i = 0; i < labels.n_buckets; i++)
    labels.first[i] = labels.first_chord[i] = -1;
  add_obstacles (&labels, plugs);
  for (guint i = 0; i < wires->len; i++)
    {
      const VizWire *wire = &g_array_index (wires, VizWire, i);
      double         x;

      if (wires->len <= MAX_WIRES)
        add_wire (&labels, wire);
      if (wire->n_points == 0 || wire->is_stub)
        continue;
      x = g_array_index (points, VizPoint, wire->first_point).x;
      leftmost[wire->tail] = MIN (leftmost[wire->tail], x);
      rightmost[wire->tail] = MAX (rightmost[wire->tail], x);
    }
  /* Texts of control wires ("true", "false") matter more than shapes, and choose first. */
  for (guint control = 2; control-- > 0;)
    for (guint i = 0; i < wires->len; i++)
      {
        VizWire *wire = &g_array_index (wires, VizWire, i);

        if ((wire->kind == VIZ_ARROW_CONTROL) != control)
          continue;
        if (wire->is_stub && wire->n_points > 0 && n_stubs[wire->head] == 1)
          place_origin (&labels, wire);
        else if (wire->has_label)
          place_label (&labels, i, leftmost, rightmost);
      }
  g_array_unref (labels.obstacles);
  g_array_unref (labels.chords);
  g_free (labels.first);
  g_free (labels.first_chord);
  g_free (labels.at_head);
}
