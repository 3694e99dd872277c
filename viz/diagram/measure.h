/* measure.h — the texts of a picture: their styles, and how wide they are.
 *
 * Widths are sums of advances, each character measured once: a hundred thousand
 * names cost milliseconds, and kerning can only make the real text narrower.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <pango/pango.h>

G_BEGIN_DECLS

#define VIZ_DEFAULT_FONT "DejaVu Sans"

typedef enum
{
  VIZ_TEXT_TITLE, /* operator, bold */
  VIZ_TEXT_NAME,  /* the node's name */
  VIZ_TEXT_ROW,   /* attributes, weights, shapes inside a box */
  VIZ_TEXT_EDGE,  /* on an arrow, at a port */
  VIZ_TEXT_GROUP, /* title of an open group, of a legend */
  VIZ_N_TEXT_STYLES,
} VizTextStyle;

typedef struct _VizMeasure VizMeasure;

/* This thread's table for a family (NULL: VIZ_DEFAULT_FONT); holds until the thread asks for
 * another family.  (transfer none) */
VizMeasure *viz_measure_get (const char *font);

double viz_measure_width (VizMeasure *measure, VizTextStyle style, const char *text);

double   viz_text_size (VizTextStyle style); /* of the font, in points of the picture */
double   viz_text_line (VizTextStyle style); /* from line to line */
gboolean viz_text_is_bold (VizTextStyle style);
PangoFontDescription *viz_text_font (const char *font, VizTextStyle style); /* (transfer full) */

/* text itself, or its first and last characters around an ellipsis. */
char *viz_text_shorten (const char *text, guint n_characters);

G_END_DECLS
