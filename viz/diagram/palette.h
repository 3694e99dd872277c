/* palette.h — every colour of a picture, as themes.
 *
 * Boxes are neutral, because an overlay uses the fill to show costs; a stripe shows the category.
 * Most hues are from Okabe and Ito (2008).  In the theme "safe", people with any kind of colour
 * vision can distinguish all categories.  Ramps change evenly in lightness.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/diagram.h"

typedef struct
{
  double red, green, blue, alpha;
} VizColour;

typedef struct
{
  const char *name; /* for the command line */
  gboolean    is_dark;
  gboolean    fills_by_category; /* a box is filled with its category's colour, as in mx.viz */

  VizColour background;
  VizColour box, box_border, box_closed; /* closed: a group that can be opened */
  VizColour input;                       /* inputs and outputs of the graph */
  VizColour text, text_faint;
  VizColour group[2], group_border; /* open scopes, at even and odd depth */
  VizColour loop[2], loop_border;   /* open loop and branch bodies, at even and odd depth */
  VizColour wire, wire_state, wire_captured, wire_feedback, wire_control;
  VizColour port[4]; /* by VizPortKind */
  VizColour problem, selection, incoming, outgoing, hit;
  VizColour category[VIZ_N_CATEGORIES];
  VizColour heat[5];       /* from low to high values */
  VizColour difference[5]; /* from negative (faster) to positive (slower) */
} VizTheme;

/* All themes, NULL-terminated.  (transfer none) */
const VizTheme *const *viz_themes (void);
/* The theme of that name, or NULL; for the name NULL the theme "light". */
const VizTheme *viz_theme_find (const char *name);

/* The colour of a level from 0 to 1 on the heat ramp; NAN counts as 0. */
VizColour viz_theme_heat (const VizTheme *theme, double level);
/* The colour of a level from -1 to 1 on the difference ramp. */
VizColour viz_theme_difference (const VizTheme *theme, double level);
/* Black or white, whichever has more contrast to fill. */
VizColour viz_theme_text_on (const VizTheme *theme, const VizColour *fill);
/* a mixed with b, channel by channel; share_of_b from 0 to 1. */
VizColour viz_colour_mix (const VizColour *a, const VizColour *b, double share_of_b);
/* The relative luminance of WCAG 2, from 0 to 1.  Contrast checks need it. */
double viz_colour_luminance (const VizColour *colour);
