/* fold-regions.c — groups equal blocks that begin where a value branches and end where the branches meet.
 *
 * Residual blocks, the modules of SqueezeNet and Inception, and the layers of a transformer are regions that one
 * value enters and one value leaves.  VizRegions of equal structure become one closed group each, also where a pooling
 * or a block of another kind lies between them.
 * Start reading at viz_regions_fold().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/fold/fold-blocks.h"
#include "viz/fold/regions.h"

#include "viz/diagram/short-names.h"

#include <string.h>

#define MIN_BOXES   3  /* of a region */
#define MAX_BOXES   64 /* of a region */
#define MAX_STRIPS  3  /* activations and norms that belong to the box before them */
#define MIN_REGIONS 2  /* that are equal */

static void
region_free (gpointer data)
{
  VizRegion *region = data;

  g_array_unref (region->boxes);
  g_array_unref (region->strips);
  g_free (region->text);
  g_free (region);
}

/* --- Finding regions --- */

/* Follows the arrows that leave a box.  Adds the boxes that it meets for the first time to open, which is kept in the
 * order of the flow.  FALSE if one is not in the sequence. */
static gboolean
follow (const VizRegions *regions, guint32 box, GArray *open)
{
  for (guint32 k = regions->first_out[box]; k < regions->first_out[box + 1]; k++)
    {
      guint32 head = regions->heads[k];
      guint   at = open->len;

      if (regions->place[head] <= regions->place[box])
        return FALSE;
      if (regions->received[head]++ > 0)
        continue;
      if (open->len == MAX_BOXES)
        {
          regions->received[head] = 0;
          return FALSE;
        }
      while (at > 0 && regions->place[g_array_index (open, guint32, at - 1)] < regions->place[head])
        at--;
      g_array_insert_val (open, at, head); /* the next one is the last */
    }
  return TRUE;
}

/* Collects the boxes between a fork and the box in which all of its branches meet, and this box. */
static gboolean
find_boxes (const VizRegions *regions, guint32 fork, GArray *open, GArray *boxes)
{
  guint32 n_ways = viz_regions_n_out (regions, fork); /* arrows that have not yet met */

  if (!follow (regions, fork, open))
    return FALSE;
  while (open->len > 0 && boxes->len < MAX_BOXES)
    {
      guint32 box = g_array_index (open, guint32, open->len - 1);

      /* Another value enters here. */
      if (regions->received[box] != viz_regions_n_in (regions, box))
        return FALSE;
      g_array_set_size (open, open->len - 1);
      g_array_append_val (boxes, box);
      if (regions->received[box] == n_ways)
        return boxes->len > 1;
      if (viz_regions_n_out (regions, box) == 0 || !follow (regions, box, open))
        return FALSE;
      n_ways += viz_regions_n_out (regions, box) - regions->received[box];
    }
  return FALSE;
}

/* A text that is equal for regions of equal structure.  (transfer full) */
static char *
describe (const VizRegions *regions, const VizRegion *region)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < region->boxes->len; i++)
    regions->index[g_array_index (region->boxes, guint32, i)] = i + 1;
  for (guint i = 0; i < region->boxes->len; i++)
    {
      guint32 box = g_array_index (region->boxes, guint32, i);

      g_string_append (text, viz_regions_title (regions, box));
      for (guint32 k = regions->first_in[box]; k < regions->first_in[box + 1]; k++)
        g_string_append_printf (text, " %u", regions->index[regions->tails[k]]);
      g_string_append_c (text, '\n');
    }
  for (guint i = 0; i < region->boxes->len; i++)
    regions->index[g_array_index (region->boxes, guint32, i)] = 0;
  return g_string_free (text, FALSE);
}

/* The region that begins behind a fork, or NULL.  (transfer full) */
static VizRegion *
find_region (const VizRegions *regions, guint32 fork)
{
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) boxes = g_array_new (FALSE, FALSE, sizeof (guint32));
  gboolean   is_found = find_boxes (regions, fork, open, boxes);
  VizRegion *region;
  guint32    last;

  for (guint i = 0; i < open->len; i++)
    regions->received[g_array_index (open, guint32, i)] = 0;
  for (guint i = 0; i < boxes->len; i++)
    regions->received[g_array_index (boxes, guint32, i)] = 0;
  if (!is_found)
    return NULL;
  region = g_new0 (VizRegion, 1);
  region->fork = fork;
  last = region->join = g_array_index (boxes, guint32, boxes->len - 1);
  region->strips = g_array_new (FALSE, FALSE, sizeof (guint32));
  while (region->strips->len < MAX_STRIPS && viz_regions_n_out (regions, last) == 1 &&
         viz_regions_is_strip (regions, regions->heads[regions->first_out[last]]))
    {
      last = regions->heads[regions->first_out[last]];
      g_array_append_val (region->strips, last);
    }
  region->boxes = g_steal_pointer (&boxes);
  region->text = describe (regions, region);
  return region;
}

/* Larger regions first, equal ones in the order of the flow. */
static int
compare_regions (gconstpointer a, gconstpointer b, gpointer data)
{
  const VizRegions *regions = data;
  const VizRegion  *left = *(VizRegion *const *) a, *right = *(VizRegion *const *) b;

  if (left->boxes->len != right->boxes->len)
    return left->boxes->len > right->boxes->len ? -1 : 1;
  return regions->place[left->fork] < regions->place[right->fork] ? -1 : 1;
}

/* All regions of a sequence, larger ones first.  (transfer full) */
static GPtrArray *
find_regions (VizRegions *regions, const GArray *sequence)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (region_free);

  for (guint i = 0; i < sequence->len; i++)
    {
      guint32    box = g_array_index (sequence, guint32, i);
      VizRegion *region = regions->place[box] > 0 && viz_regions_n_out (regions, box) > 1
                              ? find_region (regions, box)
                              : NULL;

      if (region && region->boxes->len >= MIN_BOXES)
        g_ptr_array_add (all, region);
      else if (region)
        region_free (region);
    }
  g_ptr_array_sort_with_data (all, compare_regions, regions);
  return all;
}

/* --- Choosing --- */

/* Chooses regions that have equals and do not overlap, larger ones first.  Returns how many boxes they hold. */
static guint32
choose (VizRegions *regions, const GPtrArray *all, GPtrArray *chosen)
{
  g_autoptr (GHashTable) n_equal = g_hash_table_new (g_str_hash, g_str_equal);
  guint32 n_boxes = 0;

  for (guint i = 0; i < all->len; i++)
    {
      char *text = ((VizRegion *) all->pdata[i])->text;
      guint n = GPOINTER_TO_UINT (g_hash_table_lookup (n_equal, text));

      g_hash_table_insert (n_equal, text, GUINT_TO_POINTER (n + 1));
    }
  for (guint i = 0; i < all->len; i++)
    {
      VizRegion *region = all->pdata[i];

      if (GPOINTER_TO_UINT (g_hash_table_lookup (n_equal, region->text)) < MIN_REGIONS ||
          !viz_regions_is_free (regions, region->boxes))
        continue;
      viz_regions_take (regions, region->boxes);
      g_ptr_array_add (chosen, region);
      n_boxes += region->boxes->len;
    }
  return n_boxes;
}

/* The titles of some boxes.  (transfer full) */
static char *
titles_of (const VizRegions *regions, const GArray *boxes)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; boxes && i < boxes->len; i++)
    g_string_append_printf (text, "%s\n",
                            viz_regions_title (regions, g_array_index (boxes, guint32, i)));
  return g_string_free (text, FALSE);
}

/* The layer whose value branches, with its activations: as the first convolution of a module of SqueezeNet.  NULL if
 * that is not a layer, or belongs to another region.  (transfer full) */
static GArray *
find_front (const VizRegions *regions, const VizRegion *region)
{
  g_autoptr (GArray) front = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32     box = region->fork;
  VizCategory category;

  while (front->len < MAX_STRIPS && viz_regions_is_strip (regions, box) &&
         viz_regions_n_out (regions, regions->tails[regions->first_in[box]]) == 1)
    {
      g_array_prepend_val (front, box);
      box = regions->tails[regions->first_in[box]];
    }
  g_array_prepend_val (front, box);
  category = viz_diagram_builder_box (regions->builder, box)->category;
  return (category == VIZ_CATEGORY_CONVOLUTION || category == VIZ_CATEGORY_LINEAR) &&
                 regions->place[box] > 0 && viz_regions_n_in (regions, box) == 1 &&
                 viz_regions_is_free (regions, front)
             ? g_steal_pointer (&front)
             : NULL;
}

/* The neighbour of a region: the layer before it, or the activations behind it.  (transfer full)
 * (nullable) */
static GArray *
find_beside (const VizRegions *regions, const VizRegion *region, gboolean is_front)
{
  if (is_front)
    return find_front (regions, region);
  return viz_regions_is_free (regions, region->strips) ? g_array_ref (region->strips) : NULL;
}

/* Adds the layers before the chosen regions to them, or the activations behind them, where all equal regions have
 * the same. */
static void
extend (VizRegions *regions, const GPtrArray *chosen, gboolean is_front)
{
  g_autoptr (GHashTable) texts = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);

  for (guint i = 0; i < chosen->len; i++)
    {
      VizRegion *region = chosen->pdata[i];
      g_autoptr (GArray) beside = find_beside (regions, region, is_front);
      char       *text = titles_of (regions, beside);
      const char *others = g_hash_table_lookup (texts, region->text);

      if (others && strcmp (others, text) != 0)
        *text = '\0';
      g_hash_table_insert (texts, region->text, text);
    }
  for (guint i = 0; i < chosen->len; i++)
    {
      VizRegion  *region = chosen->pdata[i];
      const char *text = g_hash_table_lookup (texts, region->text);
      g_autoptr (GArray) beside = *text != '\0' ? find_beside (regions, region, is_front) : NULL;

      if (!beside)
        continue;
      viz_regions_take (regions, beside);
      if (is_front)
        {
          g_array_prepend_vals (region->boxes, beside->data, beside->len);
          region->n_front = beside->len;
        }
      else
        g_array_append_vals (region->boxes, beside->data, beside->len);
    }
}

/* "conv … Concat", or "3 × conv fused" if the region begins and ends with the same operator.  (transfer full) */
static char *
region_title (const VizRegions *regions, const VizRegion *region)
{
  const char      *first = viz_regions_title (regions, g_array_index (region->boxes, guint32, 0));
  const char      *last = viz_regions_title (regions, region->join);
  g_autofree char *begin = viz_short_operator (first), *end = viz_short_operator (last);
  guint            n = 0;

  if (strcmp (first, last) != 0)
    return g_strconcat (begin, " … ", end, NULL);
  for (guint i = 0; i < region->boxes->len; i++)
    n +=
        strcmp (viz_regions_title (regions, g_array_index (region->boxes, guint32, i)), first) == 0;
  return g_strdup_printf ("%u × %s", n, begin);
}

static void
add_group (const VizRegions *regions, const VizRegion *region)
{
  VizDiagramBuilder *builder = regions->builder;
  guint32            first = g_array_index (region->boxes, guint32, 0);
  const VizBox      *join = viz_diagram_builder_box (builder, region->join);
  g_autofree char   *id = g_strconcat ("region:", join->id, NULL);
  g_autofree char   *title = region_title (regions, region);
  VizBoxInfo         info = { .id = id,
                              .title = title,
                              .kind = VIZ_BOX_SCOPE,
                              .category = viz_diagram_builder_box (builder, first)->category,
                              .parent = join->parent,
                              .user = VIZ_NO_USER };

  viz_fold_add_group (builder, &info, region->boxes);
}

/* --- All --- */

static gboolean
is_drawn (const VizDiagramBuilder *builder, const VizArrow *arrow)
{
  return (viz_diagram_builder_box (builder, arrow->tail)->flags & VIZ_BOX_FOLDED) == 0 &&
         (viz_diagram_builder_box (builder, arrow->head)->flags & VIZ_BOX_FOLDED) == 0 &&
         !viz_fold_is_inner (builder, arrow);
}

/* Fills first with sums of counts, and ends with the other end of each arrow, sorted by box. */
static void
index_arrows (VizRegions *regions, gboolean is_out, guint32 **first, guint32 **ends)
{
  const VizDiagramBuilder *builder = regions->builder;
  guint32                  n = viz_diagram_builder_n_boxes (builder);
  guint32                  n_arrows = viz_diagram_builder_n_arrows (builder);

  *first = g_new0 (guint32, n + 2);
  *ends = g_new (guint32, n_arrows + 1);
  for (guint turn = 0; turn < 2; turn++)
    {
      for (guint32 i = 0; i < n_arrows; i++)
        {
          const VizArrow *arrow = viz_diagram_builder_arrow (builder, i);
          guint32         box = is_out ? arrow->tail : arrow->head;

          if (!is_drawn (builder, arrow))
            continue;
          if (turn == 0)
            (*first)[box + 2]++;
          else
            (*ends)[(*first)[box + 1]++] = is_out ? arrow->head : arrow->tail;
        }
      for (guint32 i = 0; turn == 0 && i < n; i++)
        (*first)[i + 2] += (*first)[i + 1];
    }
}

VizRegions *
viz_regions_new (VizDiagramBuilder *builder)
{
  guint32     n = viz_diagram_builder_n_boxes (builder);
  VizRegions *regions = g_new0 (VizRegions, 1);

  regions->builder = builder;
  regions->place = g_new0 (guint32, n);
  regions->received = g_new0 (guint32, n);
  regions->index = g_new0 (guint32, n);
  regions->is_taken = g_new0 (guint8, n);
  index_arrows (regions, TRUE, &regions->first_out, &regions->heads);
  index_arrows (regions, FALSE, &regions->first_in, &regions->tails);
  return regions;
}

void
viz_regions_free (VizRegions *regions)
{
  g_free (regions->place);
  g_free (regions->received);
  g_free (regions->index);
  g_free (regions->is_taken);
  g_free (regions->first_out);
  g_free (regions->heads);
  g_free (regions->first_in);
  g_free (regions->tails);
  g_free (regions);
}

gboolean
viz_regions_fold (VizRegions *regions, const GArray *sequence, guint32 n_least)
{
  g_autoptr (GPtrArray) all = NULL, chosen = g_ptr_array_new ();
  g_autoptr (GPtrArray) plain = g_ptr_array_new_with_free_func (region_free);
  gboolean is_better;

  for (guint i = 0; i < sequence->len; i++)
    {
      guint32       box = g_array_index (sequence, guint32, i);
      const VizBox *shown = viz_diagram_builder_box (regions->builder, box);

      if ((shown->kind == VIZ_BOX_OPERATOR || shown->kind == VIZ_BOX_FRAME) &&
          (shown->flags & VIZ_BOX_PROBLEM) == 0)
        regions->place[box] = i + 1;
    }
  all = find_regions (regions, sequence);
  is_better = choose (regions, all, chosen) > n_least;
  if (is_better)
    {
      extend (regions, chosen, FALSE);
      extend (regions, chosen, TRUE);
      viz_regions_add_plain (regions, chosen, plain);
    }
  for (guint i = 0; is_better && i < chosen->len; i++)
    add_group (regions, chosen->pdata[i]);
  for (guint i = 0; i < plain->len; i++)
    add_group (regions, plain->pdata[i]);
  for (guint i = 0; i < sequence->len; i++)
    {
      regions->place[g_array_index (sequence, guint32, i)] = 0;
      regions->is_taken[g_array_index (sequence, guint32, i)] = FALSE;
    }
  return is_better;
}
