/* overlay.h — one value per box, painted as the fill of the box: costs, or differences.
 *
 * An overlay belongs to a diagram, not to a picture: it changes colours and never the layout.
 * Values are set for single boxes; a group gets the sum of the boxes inside.  A box without a value
 * is drawn faded, never as zero.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/fold/folds.h"

typedef struct _VizOverlay VizOverlay;

typedef enum
{
  VIZ_SCALE_LOG,
  VIZ_SCALE_LINEAR,
  VIZ_SCALE_RANK,
  VIZ_SCALE_DIFFERENCE, /* symmetric around 0: negative is blue, positive is orange */
} VizScale;

/* An overlay without values.  title: (nullable) shown in the legend. */
VizOverlay *viz_overlay_new (VizDiagram *diagram, const char *title, VizScale scale);
/* Adds a reference; thread-safe.  Returns overlay. */
VizOverlay *viz_overlay_ref (VizOverlay *overlay);
/* Drops a reference; the last one frees the overlay. */
void viz_overlay_unref (VizOverlay *overlay);
/* Sets the value of a box; only before viz_overlay_finish().  text: (nullable) the tag drawn at the
 * box, "1.2 ms · 14 %". */
void viz_overlay_set (VizOverlay *overlay, guint32 box, double value, const char *text);
/* Sets the function that prints sums of groups and the bounds of the legend.  It returns a string
 * that is freed with g_free().  Without it, numbers are printed with "%.3g". */
void viz_overlay_set_format (VizOverlay *overlay, char *(*format) (double value));
/* Sets the line under the legend, for example clock, run and noise. */
void viz_overlay_set_note (VizOverlay *overlay, const char *note);

/* The meaning of a badge. */
typedef enum
{
  VIZ_BADGE_NONE,
  VIZ_BADGE_OWN,    /* the box itself */
  VIZ_BADGE_INSIDE, /* something inside; shown where the box is closed */
} VizBadge;

/* Gives a box a badge, a small triangle in its lower right corner; only before viz_overlay_finish().  text: its
 * meaning for this box, in tooltips. */
void viz_overlay_set_badge (VizOverlay *overlay, guint32 box, VizBadge badge, const char *text);
/* Sets the line of the legend that explains the badges, and more of it for a tooltip; without it they are not
 * explained. */
void viz_overlay_set_badges_note (VizOverlay *overlay, const char *note, const char *details);

/* Sums the groups and finds the bounds of the values that folds shows (NULL: of single boxes).
 * Afterwards the overlay may be read by any thread. */
void viz_overlay_finish (VizOverlay *overlay, const VizFolds *folds);

/* The value of a box, or NAN if it has none. */
double viz_overlay_value (const VizOverlay *overlay, guint32 box);
/* The sum over the steps first to last of one layer of a VIZ_BOX_STEPS, or NAN. */
double viz_overlay_value_of_steps (const VizOverlay *overlay,
                                   guint32           steps,
                                   gint32            first,
                                   gint32            last,
                                   gint32            layer);
/* The text of the tag at a box.  (nullable) (transfer none) */
const char *viz_overlay_text (const VizOverlay *overlay, guint32 box);
/* Which badge a box has.  text: (out) (optional) as it was given; NULL without a badge. */
VizBadge viz_overlay_badge (const VizOverlay *overlay, guint32 box, const char **text);
/* (nullable) The line of the legend about badges.  details: (out) (optional) more of it. */
const char *viz_overlay_badges_note (const VizOverlay *overlay, const char **details);
/* The position of a value on the colour ramp: 0 to 1, or -1 to 1 for VIZ_SCALE_DIFFERENCE; NAN for
 * NAN. */
double viz_overlay_level_of (const VizOverlay *overlay, double value);

VizScale    viz_overlay_scale (const VizOverlay *overlay); /* As given to viz_overlay_new(). */
const char *viz_overlay_title (const VizOverlay *overlay); /* (nullable) The legend's title. */
const char *
viz_overlay_note (const VizOverlay *overlay); /* (nullable) The line under the legend. */
/* The smallest and the largest value shown; 0 if there are no values. */
void viz_overlay_bounds (const VizOverlay *overlay, double *low, double *high);
/* The values at both ends of the colour ramp, for its labels; 0 if there are no values. */
void viz_overlay_ends (const VizOverlay *overlay, double *low, double *high);
/* A value as text, by the format that was set.  (transfer full) */
char *viz_overlay_format (const VizOverlay *overlay, double value);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (VizOverlay, viz_overlay_unref)
