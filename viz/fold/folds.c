/* folds.c — stores one byte per box (open or closed) and a table of step ranges.
 *
 * viz_folds_to_string() writes the format of workspace files; changing it breaks saved workspaces.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/fold/folds.h"

#include <stdio.h>

/* By default a chain of up to VIZ_SMALL_CHAIN steps is drawn whole, a longer one with FIRST_STEPS steps. */
#define FIRST_STEPS 3

typedef struct
{
  gint32 first, last;
} Range;

struct _VizFolds
{
  VizDiagram *diagram;
  guint8     *open;
  GHashTable *ranges; /* box to Range */
};

static VizFolds *
folds_alloc (VizDiagram *diagram)
{
  VizFolds *folds = g_new0 (VizFolds, 1);

  folds->diagram = viz_diagram_ref (diagram);
  folds->open = g_new0 (guint8, viz_diagram_n_boxes (diagram));
  folds->ranges = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  return folds;
}

VizFolds *
viz_folds_new (VizDiagram *diagram)
{
  VizFolds *folds = folds_alloc (diagram);

  for (guint32 i = 0; i < viz_diagram_n_boxes (diagram); i++)
    folds->open[i] = (viz_diagram_box (diagram, i)->flags & VIZ_BOX_OPEN) != 0;
  folds->open[VIZ_ROOT] = TRUE;
  return folds;
}

VizFolds *
viz_folds_copy (const VizFolds *folds)
{
  VizFolds      *copy = folds_alloc (folds->diagram);
  GHashTableIter iter;
  gpointer       box, range;

  for (guint32 i = 0; i < viz_diagram_n_boxes (folds->diagram); i++)
    copy->open[i] = folds->open[i];
  g_hash_table_iter_init (&iter, folds->ranges);
  while (g_hash_table_iter_next (&iter, &box, &range))
    g_hash_table_insert (copy->ranges, box, g_memdup2 (range, sizeof (Range)));
  return copy;
}

void
viz_folds_free (VizFolds *folds)
{
  if (!folds)
    return;
  viz_diagram_unref (folds->diagram);
  g_free (folds->open);
  g_hash_table_unref (folds->ranges);
  g_free (folds);
}

gboolean
viz_folds_is_open (const VizFolds *folds, guint32 box)
{
  return folds->open[box] && viz_diagram_box (folds->diagram, box)->n_children > 0;
}

void
viz_folds_set_open (VizFolds *folds, guint32 box, gboolean open)
{
  g_return_if_fail (box < viz_diagram_n_boxes (folds->diagram));
  if (box != VIZ_ROOT)
    folds->open[box] = open != FALSE;
}

void
viz_folds_reveal (VizFolds *folds, guint32 box)
{
  g_return_if_fail (box < viz_diagram_n_boxes (folds->diagram));
  while (box != VIZ_ROOT)
    {
      const VizBox *shown = viz_diagram_box (folds->diagram, box);
      gint32        first, last;

      folds->open[shown->parent] = TRUE;
      if (shown->step >= 0)
        {
          viz_folds_get_steps (folds, shown->parent, &first, &last);
          if (shown->step < first || shown->step > last)
            viz_folds_set_steps (folds, shown->parent, shown->step, shown->step);
        }
      box = shown->parent;
    }
}

void
viz_folds_open_depth (VizFolds *folds, guint depth)
{
  for (guint32 i = 1; i < viz_diagram_n_boxes (folds->diagram); i++)
    {
      guint   level = 1;
      guint32 at = viz_diagram_box (folds->diagram, i)->parent;

      for (; at != VIZ_ROOT && level <= depth; at = viz_diagram_box (folds->diagram, at)->parent)
        level++;
      folds->open[i] = level <= depth;
    }
}

/* Calls act for every group whose id, title or subtitle matches.  Returns the number of matches. */
static guint
for_each_matching (VizFolds *folds, const char *glob, void (*act) (VizFolds *folds, guint32 box))
{
  g_autoptr (GPatternSpec) pattern = g_pattern_spec_new (glob);
  guint n_matched = 0;

  for (guint32 i = 1; i < viz_diagram_n_boxes (folds->diagram); i++)
    {
      const VizBox *box = viz_diagram_box (folds->diagram, i);

      if (box->n_children == 0)
        continue;
      if (!g_pattern_spec_match_string (pattern, box->id) &&
          !(box->title && g_pattern_spec_match_string (pattern, box->title)) &&
          !(box->subtitle && g_pattern_spec_match_string (pattern, box->subtitle)))
        continue;
      n_matched++;
      act (folds, i);
    }
  return n_matched;
}

static void
open_group (VizFolds *folds, guint32 box)
{
  folds->open[box] = TRUE;
  viz_folds_reveal (folds, box);
}

static void
close_group (VizFolds *folds, guint32 box)
{
  folds->open[box] = FALSE;
}

guint
viz_folds_open_matching (VizFolds *folds, const char *glob)
{
  return for_each_matching (folds, glob, open_group);
}

guint
viz_folds_close_matching (VizFolds *folds, const char *glob)
{
  return for_each_matching (folds, glob, close_group);
}

/* The numbers of the first and the last step of a chain: 0 and 0 if it has none. */
static Range
find_steps (const VizFolds *folds, guint32 box)
{
  const VizBox *steps = viz_diagram_box (folds->diagram, box);
  Range         range = { G_MAXINT32, 0 };

  for (guint32 i = 0; i < steps->n_children; i++)
    {
      const VizBox *cell =
          viz_diagram_box (folds->diagram, viz_diagram_child (folds->diagram, box, i));

      range.last = MAX (range.last, cell->step);
      if (cell->step >= 0 && (cell->flags & VIZ_BOX_HEADER) == 0)
        range.first = MIN (range.first, cell->step);
    }
  range.first = MIN (range.first, range.last);
  return range;
}

void
viz_folds_set_steps (VizFolds *folds, guint32 box, gint32 first, gint32 last)
{
  Range range = { MAX (first, 0), MAX (last, MAX (first, 0)) };

  g_return_if_fail (box < viz_diagram_n_boxes (folds->diagram));
  g_hash_table_insert (folds->ranges, GUINT_TO_POINTER (box), g_memdup2 (&range, sizeof range));
}

void
viz_folds_get_steps (const VizFolds *folds, guint32 box, gint32 *first, gint32 *last)
{
  const Range *range = g_hash_table_lookup (folds->ranges, GUINT_TO_POINTER (box));
  Range        steps;

  if (range)
    {
      *first = range->first;
      *last = range->last;
      return;
    }
  steps = find_steps (folds, box);
  *first = 0;
  *last = steps.last - steps.first < VIZ_SMALL_CHAIN ? steps.last : steps.first + FIRST_STEPS - 1;
}

/* Lines: "open ID" and "closed ID" for groups that differ from the diagram's flag, "steps 3 7 ID". */
char *
viz_folds_to_string (const VizFolds *folds)
{
  GString *text = g_string_new (NULL);

  for (guint32 i = 1; i < viz_diagram_n_boxes (folds->diagram); i++)
    {
      const VizBox *box = viz_diagram_box (folds->diagram, i);
      const Range  *range;

      if (box->n_children == 0)
        continue;
      if (folds->open[i] != ((box->flags & VIZ_BOX_OPEN) != 0))
        g_string_append_printf (text, "%s %s\n", folds->open[i] ? "open" : "closed", box->id);
      range = g_hash_table_lookup (folds->ranges, GUINT_TO_POINTER (i));
      if (range)
        g_string_append_printf (text, "steps %d %d %s\n", range->first, range->last, box->id);
    }
  return g_string_free (text, FALSE);
}

void
viz_folds_from_string (VizFolds *folds, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    {
      int     first, last, at = 0;
      guint32 box;

      if (g_str_has_prefix (lines[i], "open "))
        viz_folds_set_open (folds, viz_diagram_find_id (folds->diagram, lines[i] + 5), TRUE);
      else if (g_str_has_prefix (lines[i], "closed "))
        viz_folds_set_open (folds, viz_diagram_find_id (folds->diagram, lines[i] + 7), FALSE);
      else if (sscanf (lines[i], "steps %9d %9d %n", &first, &last, &at) == 2 && at > 0)
        {
          box = viz_diagram_find_id (folds->diagram, lines[i] + at);
          if (box != VIZ_ROOT)
            viz_folds_set_steps (folds, box, first, last);
        }
    }
}
