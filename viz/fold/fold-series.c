/* fold-series.c — inputs and outputs of the single steps of a chain.
 *
 * "data/0", "data/1" … or "t0_label", "t1_label" … feed one step each.  They go into the cells of their
 * steps, and one box outside stands for all: "data × 129".  So do many inputs or outputs of other cells of one
 * chain, such as the twelve first states of three layers in both directions.
 * Start reading at viz_fold_series().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/fold/fold-private.h"

#include <string.h>

/* Fewer boxes are easy to read one by one. */
#define MIN_SERIES 4
#define MIN_OTHERS 7 /* inputs or outputs of a chain that are not series */
#define MIN_COMMON 2 /* letters of a name that all have in common */

/* Inputs or outputs whose names differ only in numbers, each of another cell of one chain. */
typedef struct
{
  guint32  steps;     /* the VIZ_BOX_STEPS */
  GArray  *boxes;     /* guint32 */
  gboolean is_broken; /* two of them belong to one cell */
} Series;

static void
series_free (gpointer data)
{
  Series *series = data;

  g_array_unref (series->boxes);
  g_free (series);
}

/* The innermost cell of a chain around a box, or VIZ_ROOT. */
static guint32
cell_around (const VizDiagramBuilder *builder, guint32 box)
{
  for (; box != VIZ_ROOT; box = viz_diagram_builder_box (builder, box)->parent)
    {
      const VizBox *shown = viz_diagram_builder_box (builder, box);

      if (shown->step >= 0 &&
          viz_diagram_builder_box (builder, shown->parent)->kind == VIZ_BOX_STEPS)
        return box;
    }
  return VIZ_ROOT;
}

/* Per box: the cell that alone reads this input, or makes this output; VIZ_ROOT for other boxes.  (transfer
 * full) */
static guint32 *
find_cells (const VizDiagramBuilder *builder, guint32 n_given)
{
  guint32           *cells = g_new0 (guint32, n_given);
  g_autofree guint8 *is_shared = g_new0 (guint8, n_given);

  for (guint32 i = 0; i < viz_diagram_builder_n_arrows (builder); i++)
    {
      const VizArrow *arrow = viz_diagram_builder_arrow (builder, i);
      gboolean is_input = viz_diagram_builder_box (builder, arrow->tail)->kind == VIZ_BOX_INPUT;
      guint32  box = is_input ? arrow->tail : arrow->head, cell;

      if (!is_input && viz_diagram_builder_box (builder, box)->kind != VIZ_BOX_OUTPUT)
        continue;
      cell = cell_around (builder, is_input ? arrow->head : arrow->tail);
      is_shared[box] |= cell == VIZ_ROOT || (cells[box] != VIZ_ROOT && cells[box] != cell);
      cells[box] = cell;
    }
  for (guint32 i = 0; i < n_given; i++)
    if (is_shared[i])
      cells[i] = VIZ_ROOT;
  return cells;
}

/* A name with "#" for each of its numbers.  (transfer full) */
static char *
without_numbers (const char *name)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; name[i] != '\0'; i++)
    if (!g_ascii_isdigit (name[i]))
      g_string_append_c (text, name[i]);
    else if (i == 0 || !g_ascii_isdigit (name[i - 1]))
      g_string_append_c (text, '#');
  return g_string_free (text, FALSE);
}

/* Between the words of a name; digits are not words either. */
#define SEPARATORS "_/.:-[]#0123456789"

/* The end of the last word of a name, but for the "_output" of MXNet. */
static const char *
end_of_words (const char *name)
{
  static const char suffix[] = "_output";
  const char       *end = name + strlen (name);

  while (end > name && strchr (SEPARATORS, end[-1]))
    end--;
  if (end - name > (gssize) strlen (suffix) &&
      strncmp (end - strlen (suffix), suffix, strlen (suffix)) == 0)
    end -= strlen (suffix);
  while (end > name && strchr (SEPARATORS, end[-1]))
    end--;
  return end;
}

/* Whether the names of all boxes of a series contain a text. */
static gboolean
all_contain (const VizDiagramBuilder *builder, const Series *series, const char *text)
{
  for (guint i = 0; i < series->boxes->len; i++)
    {
      guint32     box = g_array_index (series->boxes, guint32, i);
      const char *name = viz_diagram_builder_box (builder, box)->title;

      if (!g_strstr_len (name, end_of_words (name) - name, text))
        return FALSE;
    }
  return TRUE;
}

/* The common part of a series' names behind the number in which they differ, or else before it: "label" of
 * "t0_label" and "t1_label", "data" of "data/0" and "data/1".  NULL if that is nothing.  (transfer full) */
static char *
common_name (const VizDiagramBuilder *builder, const Series *series)
{
  guint32     first = g_array_index (series->boxes, guint32, 0);
  const char *at = viz_diagram_builder_box (builder, first)->title, *end = end_of_words (at);

  while (end > at)
    {
      const char      *from = end;
      g_autofree char *part = NULL;

      while (from > at && !g_ascii_isdigit (from[-1]))
        from--;
      while (from < end && strchr (SEPARATORS, *from))
        from++;
      /* "lstm_t" of "lstm_t0" is "lstm". */
      if (end - from > MIN_COMMON && end[-2] == '_')
        end -= 2;
      part = g_strndup (from, (gsize) (end - from));
      if (end - from >= MIN_COMMON && all_contain (builder, series, part))
        return g_steal_pointer (&part);
      for (end = from; end > at && strchr (SEPARATORS, end[-1]);)
        end--;
    }
  return NULL;
}

/* Whether a series is worth a box: nearly every step has one. */
static gboolean
is_whole (const Series *series, const guint32 *n_steps)
{
  return !series->is_broken && series->boxes->len >= MIN_SERIES &&
         series->boxes->len * 10 >= n_steps[series->steps] * 8;
}

/* "data × 129", or "12 inputs" where the names have nothing in common.  (transfer full) */
static char *
series_title (const VizDiagramBuilder *builder, const Series *series)
{
  guint32          first = g_array_index (series->boxes, guint32, 0);
  gboolean         is_input = viz_diagram_builder_box (builder, first)->kind == VIZ_BOX_INPUT;
  g_autofree char *part = common_name (builder, series);

  return part ? g_strdup_printf ("%s × %u", part, series->boxes->len)
              : g_strdup_printf ("%u %s", series->boxes->len, is_input ? "inputs" : "outputs");
}

/* Moves the boxes of a series into their cells, and adds the box that represents them. */
static void
fold_series (VizDiagramBuilder *builder, const Series *series, const guint32 *cells, const char *id)
{
  const VizBox *box = viz_diagram_builder_box (builder, g_array_index (series->boxes, guint32, 0));
  gboolean      is_input = box->kind == VIZ_BOX_INPUT;
  g_autofree char *title = series_title (builder, series);
  guint32          whole = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = id,
                                                                                .title = title,
                                                                                .shape = box->shape,
                                                                                .kind = box->kind,
                                                                                .category = box->category,
                                                                                .parent = box->parent,
                                                                                .user = VIZ_NO_USER });

  for (guint i = 0; i < series->boxes->len; i++)
    {
      guint32 one = g_array_index (series->boxes, guint32, i);

      viz_diagram_builder_set_parent (builder, one, cells[one]);
      viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = is_input ? whole : one,
                                                               .head = is_input ? one : whole });
    }
}

/* The boxes that belong to one cell each and are not yet in it, by chain, group and kind, and if by_name also by
 * name without numbers; in the order of their first boxes.  (transfer full) */
static GPtrArray *
find_series (const VizDiagramBuilder *builder,
             guint32                  n_given,
             const guint32           *cells,
             gboolean                 by_name)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (series_free);
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint32 i = 1; i < n_given; i++)
    {
      const VizBox    *box = viz_diagram_builder_box (builder, i);
      guint32          steps = viz_diagram_builder_box (builder, cells[i])->parent;
      g_autofree char *pattern = NULL, *key = NULL;
      Series          *series;

      if (cells[i] == VIZ_ROOT || !box->title || box->parent == cells[i])
        continue;
      pattern = by_name ? without_numbers (box->title) : NULL;
      key = g_strdup_printf ("%u %u %u %s", steps, box->parent, box->kind, pattern ? pattern : "");
      series = g_hash_table_lookup (known, key);
      if (!series)
        {
          series = g_new0 (Series, 1);
          series->steps = steps;
          series->boxes = g_array_new (FALSE, FALSE, sizeof (guint32));
          g_ptr_array_add (all, series);
          g_hash_table_insert (known, g_steal_pointer (&key), series);
        }
      g_array_append_val (series->boxes, i);
    }
  return all;
}

/* Folds the nodes that belong to one step of a chain. */
static void
fold_by_name (VizDiagramBuilder *builder, guint32 n_given, const guint32 *cells)
{
  guint32             n = viz_diagram_builder_n_boxes (builder);
  g_autofree guint32 *n_steps = g_new0 (guint32, n); /* of a VIZ_BOX_STEPS */
  g_autofree guint32 *seen =
      g_new0 (guint32, n); /* of a cell: the last series with a box in it, from 1 */
  g_autoptr (GPtrArray) all = find_series (builder, n_given, cells, TRUE);

  for (guint32 i = n_given; i < n; i++)
    {
      const VizBox *box = viz_diagram_builder_box (builder, i);

      if (box->step >= 0 && box->layer == 0)
        n_steps[box->parent]++;
    }
  for (guint s = 0; s < all->len; s++)
    {
      Series          *series = all->pdata[s];
      guint32          first = g_array_index (series->boxes, guint32, 0);
      g_autofree char *pattern = without_numbers (viz_diagram_builder_box (builder, first)->title);
      g_autofree char *id = g_strdup_printf ("series:%s", pattern);

      for (guint i = 0; i < series->boxes->len; i++)
        {
          guint32 cell = cells[g_array_index (series->boxes, guint32, i)];

          series->is_broken |= seen[cell] == s + 1;
          seen[cell] = s + 1;
        }
      if (is_whole (series, n_steps))
        fold_series (builder, series, cells, id);
    }
}

void
viz_fold_series (VizDiagramBuilder *builder, guint32 n_given)
{
  g_autofree guint32 *cells = NULL;
  g_autoptr (GPtrArray) others = NULL;

  if (viz_diagram_builder_n_boxes (builder) == n_given)
    return;
  cells = find_cells (builder, n_given);
  fold_by_name (builder, n_given, cells);
  others = find_series (builder, n_given, cells, FALSE);
  for (guint s = 0; s < others->len; s++)
    {
      const Series    *series = others->pdata[s];
      guint32          first = g_array_index (series->boxes, guint32, 0);
      g_autofree char *id =
          g_strdup_printf ("others:%s", viz_diagram_builder_box (builder, first)->id);

      if (series->boxes->len >= MIN_OTHERS)
        fold_series (builder, series, cells, id);
    }
}
