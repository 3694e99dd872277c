/* paint-overview.c — the whole picture from far away.
 *
 * Boxes are collected by colour and each colour is filled at once, because a fill per box would
 * cost most of the time.  Above 2,000 wires only one in four is drawn.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/paint/painter.h"

#include <math.h>
#include <string.h>

/* Rectangles of one colour. */
typedef struct
{
  VizColour colour;
  GArray   *rects;
} Batch;

static void
batch_free (gpointer data)
{
  Batch *batch = data;

  g_array_unref (batch->rects);
  g_free (batch);
}

static void
add_to_batch (GPtrArray *batches, const VizColour *colour, const VizRect *rect)
{
  Batch *batch;

  for (guint i = 0; i < batches->len; i++)
    {
      batch = g_ptr_array_index (batches, i);
      if (memcmp (&batch->colour, colour, sizeof *colour) == 0)
        {
          g_array_append_val (batch->rects, *rect);
          return;
        }
    }
  batch = g_new (Batch, 1);
  batch->colour = *colour;
  batch->rects = g_array_new (FALSE, FALSE, sizeof (VizRect));
  g_array_append_val (batch->rects, *rect);
  g_ptr_array_add (batches, batch);
}

/* The colour of an item.  Levels of the overlay are rounded to 33 shades, to limit the batches. */
static VizColour
overview_colour (const VizPainter *painter, const VizItem *item)
{
  const VizBox *box = viz_diagram_box (painter->diagram, item->box);
  double        level = viz_painter_heat (painter, item);
  VizColour     colour;

  if (!isnan (level))
    {
      level = round (level * 32) / 32;
      return viz_overlay_scale (painter->overlay) == VIZ_SCALE_DIFFERENCE
                 ? viz_theme_difference (painter->theme, level)
                 : viz_theme_heat (painter->theme, level);
    }
  colour = painter->theme->category[box->category];
  return viz_colour_mix (&colour, &painter->theme->box, painter->overlay ? 0.8 : 0.35);
}

void
viz_painter_overview (const VizPainter *painter, const GArray *items, const GArray *wires)
{
  g_autoptr (GPtrArray) batches = g_ptr_array_new_with_free_func (batch_free);

  for (guint i = 0; i < items->len; i++)
    {
      guint32 number = g_array_index (items, guint32, i);

      if (viz_picture_item (painter->picture, number)->state == VIZ_ITEM_OPEN)
        viz_painter_group (painter, number);
    }
  for (guint i = 0; i < wires->len; i++)
    {
      guint32 number = g_array_index (wires, guint32, i);

      if (number % 4 == 0 || wires->len < 2000)
        viz_painter_wire (painter, number);
    }
  for (guint i = 0; i < items->len; i++)
    {
      const VizItem *item = viz_picture_item (painter->picture, g_array_index (items, guint32, i));
      VizRect        rect = { item->x, item->y, item->width, item->height };
      VizColour      colour;

      if (item->state == VIZ_ITEM_OPEN)
        continue;
      colour = overview_colour (painter, item);
      add_to_batch (batches, &colour, &rect);
    }
  for (guint i = 0; i < batches->len; i++)
    {
      const Batch *batch = g_ptr_array_index (batches, i);

      painter->pen->rects (painter->pen, (gconstpointer) batch->rects->data, batch->rects->len,
                           &batch->colour);
    }
}
