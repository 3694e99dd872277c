/* overlay.c — sums values over groups, and maps values to levels of the colour ramp.
 *
 * Start reading at viz_overlay_finish().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/fold/overlay.h"

#include <math.h>
#include <stdlib.h>

struct _VizOverlay
{
  gatomicrefcount n_refs;
  VizDiagram     *diagram;
  char           *title, *note;
  VizScale        scale;
  char *(*format) (double);
  double       *value;
  const char  **text;
  guint8       *badge; /* VizBadge, by box */
  const char  **badge_text;
  char         *badges_note, *badges_details;
  GStringChunk *texts;
  double        low, high; /* bounds of the values of visible boxes */
  double       *sorted;    /* the values of visible boxes, ascending; NULL before finish */
  guint32       n_sorted;
};

VizOverlay *
viz_overlay_new (VizDiagram *diagram, const char *title, VizScale scale)
{
  VizOverlay *overlay = g_new0 (VizOverlay, 1);
  guint32     n = viz_diagram_n_boxes (diagram);

  g_atomic_ref_count_init (&overlay->n_refs);
  overlay->diagram = viz_diagram_ref (diagram);
  overlay->title = g_strdup (title);
  overlay->scale = scale;
  overlay->value = g_new (double, n);
  overlay->text = g_new0 (const char *, n);
  overlay->badge = g_new0 (guint8, n);
  overlay->badge_text = g_new0 (const char *, n);
  overlay->texts = g_string_chunk_new (1024);
  for (guint32 i = 0; i < n; i++)
    overlay->value[i] = NAN;
  return overlay;
}

VizOverlay *
viz_overlay_ref (VizOverlay *overlay)
{
  g_atomic_ref_count_inc (&overlay->n_refs);
  return overlay;
}

void
viz_overlay_unref (VizOverlay *overlay)
{
  if (!g_atomic_ref_count_dec (&overlay->n_refs))
    return;
  viz_diagram_unref (overlay->diagram);
  g_free (overlay->title);
  g_free (overlay->note);
  g_free (overlay->value);
  g_free (overlay->text);
  g_free (overlay->badge);
  g_free (overlay->badge_text);
  g_free (overlay->badges_note);
  g_free (overlay->badges_details);
  g_string_chunk_free (overlay->texts);
  g_free (overlay->sorted);
  g_free (overlay);
}

void
viz_overlay_set (VizOverlay *overlay, guint32 box, double value, const char *text)
{
  g_return_if_fail (!overlay->sorted && box < viz_diagram_n_boxes (overlay->diagram));
  overlay->value[box] = isfinite (value) ? value : NAN;
  overlay->text[box] = text ? g_string_chunk_insert_const (overlay->texts, text) : NULL;
}

void
viz_overlay_set_format (VizOverlay *overlay, char *(*format) (double value))
{
  overlay->format = format;
}

void
viz_overlay_set_note (VizOverlay *overlay, const char *note)
{
  g_free (overlay->note);
  overlay->note = g_strdup (note);
}

void
viz_overlay_set_badge (VizOverlay *overlay, guint32 box, VizBadge badge, const char *text)
{
  g_return_if_fail (!overlay->sorted && box < viz_diagram_n_boxes (overlay->diagram));
  overlay->badge[box] = (guint8) badge;
  overlay->badge_text[box] = g_string_chunk_insert_const (overlay->texts, text);
}

void
viz_overlay_set_badges_note (VizOverlay *overlay, const char *note, const char *details)
{
  g_free (overlay->badges_note);
  g_free (overlay->badges_details);
  overlay->badges_note = g_strdup (note);
  overlay->badges_details = g_strdup (details);
}

static int
compare_doubles (const void *a, const void *b)
{
  double left = *(const double *) a, right = *(const double *) b;

  return left < right ? -1 : left > right;
}

/* Gives groups the sum of their boxes.  A group whose value was set, such as a loop that was timed as
 * a whole, keeps it and hides its boxes from the groups around it. */
static void
sum_groups (VizOverlay *overlay)
{
  guint32 n = viz_diagram_n_boxes (overlay->diagram);
  guint8 *given = g_new0 (guint8, n);
  double *sum = g_new0 (double, n);
  guint8 *any = g_new0 (guint8, n);

  for (guint32 i = 0; i < n; i++)
    given[i] = !isnan (overlay->value[i]);
  for (guint32 i = 1; i < n; i++)
    {
      if (!given[i])
        continue;
      for (guint32 at = viz_diagram_box (overlay->diagram, i)->parent; at != VIZ_ROOT && !given[at];
           at = viz_diagram_box (overlay->diagram, at)->parent)
        {
          sum[at] += overlay->value[i];
          any[at] = TRUE;
        }
    }
  for (guint32 i = 1; i < n; i++)
    if (any[i])
      {
        overlay->value[i] = sum[i];
        if (!overlay->text[i])
          {
            g_autofree char *text = viz_overlay_format (overlay, sum[i]);

            overlay->text[i] = g_string_chunk_insert_const (overlay->texts, text);
          }
      }
  g_free (any);
  g_free (sum);
  g_free (given);
}

/* Whether a box has no children, or only children that show details of its operator. */
static gboolean
is_single (VizDiagram *diagram, guint32 box)
{
  return viz_diagram_box (diagram, box)->n_children == 0 ||
         viz_diagram_box (diagram, viz_diagram_child (diagram, box, 0))->flags & VIZ_BOX_INSIDE;
}

/* Whether a box is drawn as one box: all groups around it are open, and it is not. */
static gboolean
is_shown (const VizOverlay *overlay, const VizFolds *folds, guint32 box)
{
  if (!folds)
    return is_single (overlay->diagram, box);
  if (viz_folds_is_open (folds, box) && !is_single (overlay->diagram, box))
    return FALSE;
  while (box != VIZ_ROOT)
    {
      box = viz_diagram_box (overlay->diagram, box)->parent;
      if (!viz_folds_is_open (folds, box))
        return FALSE;
    }
  return TRUE;
}

/* The bounds are those of the visible boxes.  With the sums of open groups among them, all boxes
 * inside would be pale; with the boxes inside closed groups, all closed groups would look equal. */
void
viz_overlay_finish (VizOverlay *overlay, const VizFolds *folds)
{
  guint32 n = viz_diagram_n_boxes (overlay->diagram);

  g_return_if_fail (!overlay->sorted);
  sum_groups (overlay);
  overlay->sorted = g_new (double, MAX (n, 1));
  for (guint32 i = 1; i < n; i++)
    if (!isnan (overlay->value[i]) && is_shown (overlay, folds, i))
      overlay->sorted[overlay->n_sorted++] = overlay->value[i];
  qsort (overlay->sorted, overlay->n_sorted, sizeof (double), compare_doubles);
  if (overlay->n_sorted > 0)
    {
      overlay->low = overlay->sorted[0];
      overlay->high = overlay->sorted[overlay->n_sorted - 1];
    }
}

double
viz_overlay_value (const VizOverlay *overlay, guint32 box)
{
  g_return_val_if_fail (box < viz_diagram_n_boxes (overlay->diagram), NAN);
  return overlay->value[box];
}

static double
rank_of (const VizOverlay *overlay, double value)
{
  guint32 low = 0, high = overlay->n_sorted;

  while (low < high)
    {
      guint32 middle = (low + high) / 2;

      if (overlay->sorted[middle] < value)
        low = middle + 1;
      else
        high = middle;
    }
  return overlay->n_sorted > 1 ? (double) low / (overlay->n_sorted - 1) : 1;
}

/* The value at level 0 of the logarithmic scale: the smallest one, but at least 1/10,000 of the
 * largest. */
static double
log_floor (const VizOverlay *overlay)
{
  return MAX (MAX (overlay->low, overlay->high * 1e-4), 1e-300);
}

double
viz_overlay_level_of (const VizOverlay *overlay, double value)
{
  double floor_value = log_floor (overlay), level = 0;

  if (isnan (value))
    return NAN;
  switch (overlay->scale)
    {
    case VIZ_SCALE_LOG:
      if (overlay->high > floor_value)
        level = log (MAX (value, floor_value) / floor_value) / log (overlay->high / floor_value);
      else
        level = value > 0;
      break;
    case VIZ_SCALE_LINEAR:
      level = overlay->high > 0 ? value / overlay->high : 0;
      break;
    case VIZ_SCALE_RANK:
      level = rank_of (overlay, value);
      break;
    case VIZ_SCALE_DIFFERENCE:
      level = MAX (fabs (overlay->low), fabs (overlay->high));
      return level > 0 ? CLAMP (value / level, -1, 1) : 0;
    }
  return CLAMP (level, 0, 1);
}

double
viz_overlay_value_of_steps (const VizOverlay *overlay,
                            guint32           steps,
                            gint32            first,
                            gint32            last,
                            gint32            layer)
{
  const VizBox *chain = viz_diagram_box (overlay->diagram, steps);
  double        sum = NAN;

  for (guint32 i = 0; i < chain->n_children; i++)
    {
      guint32       child = viz_diagram_child (overlay->diagram, steps, i);
      const VizBox *cell = viz_diagram_box (overlay->diagram, child);

      if (cell->layer == layer && cell->step >= first && cell->step <= last &&
          !isnan (overlay->value[child]))
        sum = (isnan (sum) ? 0 : sum) + overlay->value[child];
    }
  return sum;
}

VizBadge
viz_overlay_badge (const VizOverlay *overlay, guint32 box, const char **text)
{
  g_return_val_if_fail (box < viz_diagram_n_boxes (overlay->diagram), VIZ_BADGE_NONE);
  if (text)
    *text = overlay->badge_text[box];
  return overlay->badge[box];
}

const char *
viz_overlay_badges_note (const VizOverlay *overlay, const char **details)
{
  if (details)
    *details = overlay->badges_details;
  return overlay->badges_note;
}

const char *
viz_overlay_text (const VizOverlay *overlay, guint32 box)
{
  g_return_val_if_fail (box < viz_diagram_n_boxes (overlay->diagram), NULL);
  return overlay->text[box];
}

VizScale
viz_overlay_scale (const VizOverlay *overlay)
{
  return overlay->scale;
}

const char *
viz_overlay_title (const VizOverlay *overlay)
{
  return overlay->title;
}

const char *
viz_overlay_note (const VizOverlay *overlay)
{
  return overlay->note;
}

void
viz_overlay_bounds (const VizOverlay *overlay, double *low, double *high)
{
  *low = overlay->low;
  *high = overlay->high;
}

void
viz_overlay_ends (const VizOverlay *overlay, double *low, double *high)
{
  viz_overlay_bounds (overlay, low, high);
  if (overlay->scale == VIZ_SCALE_DIFFERENCE)
    {
      *high = MAX (fabs (*low), fabs (*high));
      *low = -*high;
    }
  else if (overlay->scale == VIZ_SCALE_LINEAR)
    *low = 0;
  else if (overlay->scale == VIZ_SCALE_LOG && overlay->n_sorted > 0 && *high > 0)
    *low = log_floor (overlay);
}

char *
viz_overlay_format (const VizOverlay *overlay, double value)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  if (overlay->format)
    return overlay->format (value);
  return g_strdup (g_ascii_formatd (number, sizeof number, "%.3g", value));
}
