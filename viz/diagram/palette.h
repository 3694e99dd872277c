/* palette.h — every colour of a picture, light and dark.
 *
 * Boxes are neutral, because cost owns the fill; the category is a stripe.
 * Most hues are from Okabe and Ito (2008); in the theme "safe" every two categories
 * are told apart by every kind of colour vision.  Ramps change evenly in lightness.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/diagram.h"

G_BEGIN_DECLS

typedef struct
{
  double red, green, blue, alpha;
} VizColour;

typedef struct
{
  const char *name; /* for the command line */
  gboolean    is_dark;
  gboolean    fills_by_category; /* a box takes its category's colour, as mx.viz did */

  VizColour background;
  VizColour box, box_border, box_closed; /* closed: a group that can be opened */
  VizColour input;                       /* what enters or leaves the graph */
  VizColour text, text_faint;
  VizColour group[2], group_border; /* scopes; by depth */
  VizColour loop[2], loop_border;   /* loop and branch bodies have a hue of their own */
  VizColour wire, wire_state, wire_captured, wire_feedback, wire_control;
  VizColour port[4]; /* by VizPortKind */
  VizColour problem, selection, incoming, outgoing, hit;
  VizColour category[VIZ_N_CATEGORIES];
  VizColour heat[5];       /* little … much */
  VizColour difference[5]; /* faster … slower */
} VizTheme;

const VizTheme *const *viz_themes (void);                 /* NULL-terminated */
const VizTheme        *viz_theme_find (const char *name); /* NULL: unknown; name NULL: "light" */

VizColour viz_theme_heat (const VizTheme *theme, double level);             /* 0 … 1 */
VizColour viz_theme_difference (const VizTheme *theme, double level);       /* -1 … 1 */
VizColour viz_theme_text_on (const VizTheme *theme, const VizColour *fill); /* black or white */
VizColour viz_colour_mix (const VizColour *a, const VizColour *b, double share_of_b);
double    viz_colour_luminance (const VizColour *colour);

G_END_DECLS
