/* picture.c — the arrays of a picture, and a grid of cells for looking up items near a point.
 *
 * Each cell lists the items, and the wires, that may touch it.  Wires are entered curve by curve: the
 * bounding box of a long diagonal wire would fill the grid.
 * Start reading at viz_picture_new() and collect().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/scene/picture.h"

#include <math.h>
#include <string.h>

#define MIN_CELL   300 /* least side of a cell, in points */
#define MARGIN     14  /* arrow heads and borders are drawn this far outside */
#define TAG_MARGIN 96  /* the tag of an overlay is drawn this far beside its box */

/* The numbers listed in cell c: entry[first[c]] to entry[first[c + 1] - 1] */
typedef struct
{
  guint32 *first; /* n_cells + 1 */
  guint32 *entry;
} Cells;

struct _VizPicture
{
  gatomicrefcount n_refs;
  VizPictureParts parts;
  char           *font;
  double          cell; /* side of a cell */
  guint32         n_columns, n_rows;
  Cells           item_cells, wire_cells;
  guint32 *first_wire, *wires_at; /* wires at item i: wires_at[first_wire[i]] and following */
};

static const VizItem *
items (const VizPicture *picture)
{
  return (gconstpointer) picture->parts.items->data;
}

static const VizWire *
wires (const VizPicture *picture)
{
  return (gconstpointer) picture->parts.wires->data;
}

static const VizPoint *
points (const VizPicture *picture)
{
  return (gconstpointer) picture->parts.points->data;
}

/* --- The grid --- */

typedef struct
{
  guint32 left, top, right, bottom; /* inclusive */
} CellRange;

static guint32
cell_at (double coordinate, double cell, guint32 n)
{
  double at = floor (coordinate / cell);

  return !(at > 0) ? 0 : at >= n ? n - 1 : (guint32) at;
}

/* The cells that something in a rectangle may be drawn in. */
static CellRange
cells_of (const VizPicture *picture, double x0, double y0, double x1, double y1)
{
  return (CellRange){
    cell_at (x0 - TAG_MARGIN, picture->cell, picture->n_columns),
    cell_at (y0 - MARGIN, picture->cell, picture->n_rows),
    cell_at (x1 + TAG_MARGIN, picture->cell, picture->n_columns),
    cell_at (y1 + MARGIN, picture->cell, picture->n_rows),
  };
}

/* The cells of one curve. */
static CellRange
curve_cells (const VizPicture *picture, const VizPoint *p)
{
  double x0 = p[0].x, x1 = x0, y0 = p[0].y, y1 = y0;

  for (guint i = 1; i < 4; i++)
    {
      x0 = MIN (x0, p[i].x);
      x1 = MAX (x1, p[i].x);
      y0 = MIN (y0, p[i].y);
      y1 = MAX (y1, p[i].y);
    }
  return cells_of (picture, x0, y0, x1, y1);
}

/* Enters a value into all cells of a range.  Called twice: with next NULL it only counts; then next
 * holds, per cell, the next free entry. */
static void
enter (Cells *cells, guint32 *next, guint32 n_columns, const CellRange *range, guint32 value)
{
  for (guint32 row = range->top; row <= range->bottom; row++)
    for (guint32 column = range->left; column <= range->right; column++)
      {
        guint32 cell = row * n_columns + column;

        if (!next)
          cells->first[cell + 1]++;
        else
          cells->entry[next[cell]++] = value;
      }
}

static void
enter_items (VizPicture *picture, Cells *cells, guint32 *next)
{
  for (guint32 i = 0; i < picture->parts.items->len; i++)
    {
      const VizItem *item = &items (picture)[i];
      CellRange      range =
          cells_of (picture, item->x, item->y, item->x + item->width, item->y + item->height);

      enter (cells, next, picture->n_columns, &range, i);
    }
}

static void
enter_wires (VizPicture *picture, Cells *cells, guint32 *next)
{
  for (guint32 i = 0; i < picture->parts.wires->len; i++)
    {
      const VizWire *wire = &wires (picture)[i];

      for (guint32 k = 0; k + 3 < wire->n_points; k += 3)
        {
          CellRange range = curve_cells (picture, points (picture) + wire->first_point + k);

          enter (cells, next, picture->n_columns, &range, i);
        }
      if (wire->has_label)
        {
          CellRange range = cells_of (picture, wire->label_x, wire->label_y,
                                      wire->label_x + wire->label_width, wire->label_y);

          enter (cells, next, picture->n_columns, &range, i);
        }
    }
}

static void
build_cells (VizPicture *picture,
             Cells      *cells,
             void (*enter_all) (VizPicture *, Cells *, guint32 *))
{
  guint32  n_cells = picture->n_columns * picture->n_rows;
  guint32 *next;

  cells->first = g_new0 (guint32, n_cells + 1);
  enter_all (picture, cells, NULL);
  for (guint32 i = 0; i < n_cells; i++)
    cells->first[i + 1] += cells->first[i];
  cells->entry = g_new (guint32, cells->first[n_cells] + 1);
  next = g_memdup2 (cells->first, n_cells * sizeof *next);
  enter_all (picture, cells, next);
  g_free (next);
}

/* Chooses the size of the cells, so that there are at most about twice as many cells as items and
 * wires, even in a long and thin picture. */
static void
choose_cells (VizPicture *picture)
{
  double width = picture->parts.width, height = picture->parts.height;
  double n = 2.0 * (picture->parts.items->len + picture->parts.wires->len) + 16;

  picture->cell = MAX (MIN_CELL, sqrt (width * height / n));
  picture->cell = MAX (picture->cell, MAX (width, height) / n);
  picture->n_columns = (guint32) (width / picture->cell) + 1;
  picture->n_rows = (guint32) (height / picture->cell) + 1;
}

static void
index_wires (VizPicture *picture)
{
  guint32  n_items = picture->parts.items->len, n_wires = picture->parts.wires->len;
  guint32 *first = g_new0 (guint32, n_items + 2);

  for (guint32 i = 0; i < n_wires; i++)
    {
      first[wires (picture)[i].tail + 2]++;
      if (wires (picture)[i].head != wires (picture)[i].tail)
        first[wires (picture)[i].head + 2]++;
    }
  for (guint32 i = 0; i < n_items; i++)
    first[i + 2] += first[i + 1];
  picture->wires_at = g_new (guint32, first[n_items + 1] + 1);
  for (guint32 i = 0; i < n_wires; i++)
    {
      picture->wires_at[first[wires (picture)[i].tail + 1]++] = i;
      if (wires (picture)[i].head != wires (picture)[i].tail)
        picture->wires_at[first[wires (picture)[i].head + 1]++] = i;
    }
  picture->first_wire = first;
}

VizPicture *
viz_picture_new (const VizPictureParts *parts)
{
  VizPicture *picture = g_new0 (VizPicture, 1);

  g_atomic_ref_count_init (&picture->n_refs);
  picture->parts = *parts;
  viz_diagram_ref (parts->diagram);
  picture->font = g_strdup (parts->font);
  choose_cells (picture);
  build_cells (picture, &picture->item_cells, enter_items);
  build_cells (picture, &picture->wire_cells, enter_wires);
  index_wires (picture);
  return picture;
}

VizPicture *
viz_picture_ref (VizPicture *picture)
{
  g_atomic_ref_count_inc (&picture->n_refs);
  return picture;
}

void
viz_picture_unref (VizPicture *picture)
{
  if (!g_atomic_ref_count_dec (&picture->n_refs))
    return;
  viz_diagram_unref (picture->parts.diagram);
  g_array_unref (picture->parts.items);
  g_array_unref (picture->parts.wires);
  g_array_unref (picture->parts.points);
  g_array_unref (picture->parts.plugs);
  g_array_unref (picture->parts.columns);
  g_free (picture->parts.item_of);
  g_free (picture->item_cells.first);
  g_free (picture->item_cells.entry);
  g_free (picture->wire_cells.first);
  g_free (picture->wire_cells.entry);
  g_free (picture->first_wire);
  g_free (picture->wires_at);
  g_free (picture->font);
  g_free (picture);
}

/* --- Reading --- */

VizDiagram *
viz_picture_diagram (const VizPicture *picture)
{
  return picture->parts.diagram;
}

const char *
viz_picture_font (const VizPicture *picture)
{
  return picture->font;
}

const char *
viz_picture_layout (const VizPicture *picture)
{
  return picture->parts.layout;
}

VizDetail
viz_picture_detail (const VizPicture *picture)
{
  return picture->parts.detail;
}

gboolean
viz_picture_is_sideways (const VizPicture *picture)
{
  return picture->parts.sideways;
}

VizDetail
viz_picture_item_detail (const VizPicture *picture, guint32 item)
{
  return viz_picture_item (picture, item)->host != VIZ_NO_ITEM ? VIZ_DETAIL_TITLE
                                                               : picture->parts.detail;
}

double
viz_picture_width (const VizPicture *picture)
{
  return picture->parts.width;
}

double
viz_picture_height (const VizPicture *picture)
{
  return picture->parts.height;
}

guint32
viz_picture_n_items (const VizPicture *picture)
{
  return picture->parts.items->len;
}

const VizItem *
viz_picture_item (const VizPicture *picture, guint32 item)
{
  g_return_val_if_fail (item < picture->parts.items->len, NULL);
  return &items (picture)[item];
}

guint32
viz_picture_n_wires (const VizPicture *picture)
{
  return picture->parts.wires->len;
}

const VizWire *
viz_picture_wire (const VizPicture *picture, guint32 wire)
{
  g_return_val_if_fail (wire < picture->parts.wires->len, NULL);
  return &wires (picture)[wire];
}

const VizPoint *
viz_picture_points (const VizPicture *picture, guint32 wire)
{
  g_return_val_if_fail (wire < picture->parts.wires->len, NULL);
  return points (picture) + wires (picture)[wire].first_point;
}

const VizPictureColumn *
viz_picture_columns (const VizPicture *picture, guint32 item, guint32 *n_columns)
{
  const VizPictureColumn *first = NULL;

  *n_columns = 0;
  for (guint32 i = 0; i < picture->parts.columns->len; i++)
    {
      const VizPictureColumn *column = &g_array_index (picture->parts.columns, VizPictureColumn, i);

      if (column->item != item)
        continue;
      first = first ? first : column;
      ++*n_columns;
    }
  return first;
}

guint32
viz_picture_n_plugs (const VizPicture *picture)
{
  return picture->parts.plugs->len;
}

const VizPlug *
viz_picture_plug (const VizPicture *picture, guint32 plug)
{
  g_return_val_if_fail (plug < picture->parts.plugs->len, NULL);
  return &g_array_index (picture->parts.plugs, VizPlug, plug);
}

guint32
viz_picture_find_box (const VizPicture *picture, guint32 box)
{
  g_return_val_if_fail (box < viz_diagram_n_boxes (picture->parts.diagram), VIZ_NO_ITEM);
  return picture->parts.item_of[box];
}

const guint32 *
viz_picture_wires_at (const VizPicture *picture, guint32 item, guint32 *n_wires)
{
  g_return_val_if_fail (item < picture->parts.items->len, NULL);
  *n_wires = picture->first_wire[item + 1] - picture->first_wire[item];
  return picture->wires_at + picture->first_wire[item];
}

const VizPictureStats *
viz_picture_stats (const VizPicture *picture)
{
  return &picture->parts.stats;
}

static int
compare_numbers (gconstpointer a, gconstpointer b)
{
  guint32 left = *(const guint32 *) a, right = *(const guint32 *) b;

  return left < right ? -1 : left > right;
}

/* Sets found to the numbers in the cells of a rectangle, ascending and without duplicates. */
static void
collect (const VizPicture *picture, const Cells *cells, const VizRect *rect, GArray *found)
{
  CellRange range =
      cells_of (picture, rect->x, rect->y, rect->x + rect->width, rect->y + rect->height);
  guint    n_distinct = 0;
  guint32 *numbers;

  g_array_set_size (found, 0);
  for (guint32 row = range.top; row <= range.bottom; row++)
    {
      /* The entries of neighbouring cells in a row are contiguous. */
      guint32 first = cells->first[row * picture->n_columns + range.left];
      guint32 last = cells->first[row * picture->n_columns + range.right + 1];

      g_array_append_vals (found, cells->entry + first, last - first);
    }
  g_array_sort (found, compare_numbers);
  numbers = (gpointer) found->data;
  for (guint i = 0; i < found->len; i++)
    if (i == 0 || numbers[i] != numbers[i - 1])
      numbers[n_distinct++] = numbers[i];
  g_array_set_size (found, n_distinct);
}

void
viz_picture_query (const VizPicture *picture,
                   const VizRect    *rect,
                   GArray           *found_items,
                   GArray           *found_wires)
{
  if (found_items)
    collect (picture, &picture->item_cells, rect, found_items);
  if (found_wires)
    collect (picture, &picture->wire_cells, rect, found_wires);
}

/* --- Hits --- */

static double
distance_to_segment (double x, double y, VizPoint a, VizPoint b)
{
  double dx = b.x - a.x, dy = b.y - a.y;
  double length = dx * dx + dy * dy;
  double t = length > 0 ? CLAMP (((x - a.x) * dx + (y - a.y) * dy) / length, 0, 1) : 0;

  return hypot (x - a.x - t * dx, y - a.y - t * dy);
}

/* The distance to the nearest of eight chords of each curve, which is accurate enough for pointing. */
static double
distance_to_wire (const VizPicture *picture, guint32 wire, double x, double y)
{
  const VizPoint *p = viz_picture_points (picture, wire);
  double          best = INFINITY;

  for (guint32 k = 0; k + 3 < wires (picture)[wire].n_points; k += 3)
    {
      VizPoint from = p[k];

      for (guint i = 1; i <= 8; i++)
        {
          VizPoint to = viz_curve_point (p + k, i / 8.0);

          best = MIN (best, distance_to_segment (x, y, from, to));
          from = to;
        }
    }
  return best;
}

static gboolean
contains (const VizRect *rect, double x, double y)
{
  return x >= rect->x && x <= rect->x + rect->width && y >= rect->y && y <= rect->y + rect->height;
}

VizHit
viz_picture_hit (const VizPicture *picture, double x, double y, double tolerance)
{
  VizRect rect = { x - tolerance, y - tolerance, 2 * tolerance, 2 * tolerance };
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint32));
  VizHit group = { VIZ_HIT_NOTHING, 0 };
  VizHit line = { VIZ_HIT_NOTHING, 0 };
  double nearest = tolerance;

  for (guint32 i = 0; i < picture->parts.plugs->len; i++)
    {
      const VizPlug *plug = viz_picture_plug (picture, i);
      VizRect        area = { plug->x, plug->y, plug->width, plug->height };

      if (contains (&area, x, y))
        return (VizHit){ VIZ_HIT_PLUG, i };
    }
  collect (picture, &picture->item_cells, &rect, found);
  for (guint i = found->len; i-- > 0;)
    {
      guint32        index = g_array_index (found, guint32, i);
      const VizItem *item = &items (picture)[index];
      VizRect        area = { item->x, item->y, item->width, item->height };

      if (!contains (&area, x, y))
        continue;
      if (item->state != VIZ_ITEM_OPEN)
        return (VizHit){ VIZ_HIT_ITEM, index };
      if (group.kind == VIZ_HIT_NOTHING || item->depth > items (picture)[group.index].depth)
        group = (VizHit){ VIZ_HIT_ITEM, index };
    }
  collect (picture, &picture->wire_cells, &rect, found);
  for (guint i = 0; i < found->len; i++)
    {
      guint32 index = g_array_index (found, guint32, i);
      double  distance = distance_to_wire (picture, index, x, y);

      if (distance <= nearest)
        {
          nearest = distance;
          line = (VizHit){ VIZ_HIT_WIRE, index };
        }
    }
  return line.kind != VIZ_HIT_NOTHING ? line : group;
}
