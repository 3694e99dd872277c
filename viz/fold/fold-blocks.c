/* fold-blocks.c — finds blocks without a shortcut beside equal ones that have it.
 *
 * In MobileNetV2 a block has a shortcut only where its input and its output have the same size.  The others have the
 * same operators in a row, and would be the only ones that are drawn one by one.  Such a row is a block if it leads to
 * a chosen region, or follows one, directly or through other blocks.
 * Start reading at viz_regions_add_plain().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/fold/fold-blocks.h"

#include <string.h>

#define MIN_LAYERS 3 /* of a block: fewer in a row are found in stems and heads by chance */

static gboolean
is_layer (const VizRegions *regions, guint32 box)
{
  VizCategory category = viz_diagram_builder_box (regions->builder, box)->category;

  return category == VIZ_CATEGORY_CONVOLUTION || category == VIZ_CATEGORY_LINEAR;
}

/* The path of a region beside its shortcut: boxes in a row, and the activations behind the join.  NULL if its branches
 * are others, or it has few layers.  (transfer full) (nullable) */
static GArray *
find_row (const VizRegions *regions, const VizRegion *region)
{
  g_autoptr (GArray) row = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 before = region->fork;
  guint   n_layers = 0;

  if (viz_regions_n_in (regions, region->join) != 2 ||
      viz_regions_n_out (regions, region->fork) != 2)
    return NULL;
  for (guint i = region->n_front; i < region->boxes->len; i++)
    {
      guint32 box = g_array_index (region->boxes, guint32, i);

      if (box != region->join)
        {
          if (viz_regions_n_in (regions, box) != 1 ||
              regions->tails[regions->first_in[box]] != before)
            return NULL;
          n_layers += is_layer (regions, box);
          g_array_append_val (row, box);
        }
      before = box;
    }
  return n_layers >= MIN_LAYERS ? g_steal_pointer (&row) : NULL;
}

/* The boxes from first on that have the operators of a row and lead only to each other, or NULL.  A box behind them
 * that belongs to the last one would be cut off: then they are no block either.  (transfer full) (nullable) */
static GArray *
match (const VizRegions *regions, const GArray *row, guint32 first)
{
  g_autoptr (GArray) boxes = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 box = first;

  for (guint i = 0; i < row->len; i++)
    {
      if (i > 0 && viz_regions_n_out (regions, box) != 1)
        return NULL;
      box = i > 0 ? regions->heads[regions->first_out[box]] : first;
      if (regions->place[box] == 0 || regions->is_taken[box] ||
          viz_regions_n_in (regions, box) != 1 ||
          strcmp (viz_regions_title (regions, box),
                  viz_regions_title (regions, g_array_index (row, guint32, i))) != 0)
        return NULL;
      g_array_append_val (boxes, box);
    }
  return viz_regions_n_out (regions, box) == 1 &&
                 viz_regions_is_strip (regions, regions->heads[regions->first_out[box]])
             ? NULL
             : g_steal_pointer (&boxes);
}

/* The box n arrows before a box, where only one way leads back; or VIZ_ROOT. */
static guint32
go_back (const VizRegions *regions, guint32 box, guint n)
{
  for (; n > 0; n--)
    {
      if (viz_regions_n_in (regions, box) != 1)
        return VIZ_ROOT;
      box = regions->tails[regions->first_in[box]];
    }
  return box;
}

/* Adds a block.  boxes: (transfer full). */
static void
add_block (VizRegions *regions, GArray *boxes, GPtrArray *plain)
{
  VizRegion *block = g_new0 (VizRegion, 1);

  block->boxes = boxes;
  block->strips = g_array_new (FALSE, FALSE, sizeof (guint32));
  block->fork = go_back (regions, g_array_index (boxes, guint32, 0), 1);
  for (guint i = 0; i < boxes->len; i++)
    if (is_layer (regions, g_array_index (boxes, guint32, i)))
      block->join = g_array_index (boxes, guint32, i);
  viz_regions_take (regions, boxes);
  g_ptr_array_add (plain, block);
}

/* Adds the blocks that lead to a region, the last one first. */
static void
find_before (VizRegions *regions, const VizRegion *region, const GArray *row, GPtrArray *plain)
{
  guint32 end = go_back (regions, g_array_index (region->boxes, guint32, 0), 1);

  for (;;)
    {
      guint32 first = end != VIZ_ROOT ? go_back (regions, end, row->len - 1) : VIZ_ROOT;
      GArray *boxes = first != VIZ_ROOT ? match (regions, row, first) : NULL;

      if (!boxes)
        return;
      end = go_back (regions, first, 1);
      add_block (regions, boxes, plain);
    }
}

/* Adds the blocks that follow a region. */
static void
find_behind (VizRegions *regions, const VizRegion *region, const GArray *row, GPtrArray *plain)
{
  guint32 end = g_array_index (region->boxes, guint32, region->boxes->len - 1);

  while (viz_regions_n_out (regions, end) == 1)
    {
      GArray *boxes = match (regions, row, regions->heads[regions->first_out[end]]);

      if (!boxes)
        return;
      end = g_array_index (boxes, guint32, boxes->len - 1);
      add_block (regions, boxes, plain);
    }
}

void
viz_regions_add_plain (VizRegions *regions, const GPtrArray *chosen, GPtrArray *plain)
{
  for (guint i = 0; i < chosen->len; i++)
    {
      const VizRegion *region = chosen->pdata[i];
      g_autoptr (GArray) row = find_row (regions, region);

      if (!row)
        continue;
      find_before (regions, region, row, plain);
      find_behind (regions, region, row, plain);
    }
}
