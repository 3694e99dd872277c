/* measure.h — the text styles of a picture, and the widths of texts.
 *
 * A width is the sum of the advances of its characters.  Pango measures each character once per
 * thread, so that a hundred thousand names take milliseconds.  Kerning is ignored; it can only make
 * the drawn text narrower.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <pango/pango.h>

#define VIZ_DEFAULT_FONT "DejaVu Sans"

typedef enum
{
  VIZ_TEXT_TITLE, /* operator, bold */
  VIZ_TEXT_NAME,  /* name of the node */
  VIZ_TEXT_ROW,   /* attributes, weights, shapes inside a box */
  VIZ_TEXT_EDGE,  /* on an arrow, in a port */
  VIZ_TEXT_GROUP, /* title of an open group or a legend, bold */
  VIZ_N_TEXT_STYLES,
} VizTextStyle;

typedef struct _VizMeasure VizMeasure;

/* The calling thread's measure for a font family (NULL: VIZ_DEFAULT_FONT).  Valid until the thread
 * calls this for another family.  (transfer none) */
VizMeasure *viz_measure_get (const char *font);

/* The width of one line of text in points. */
double viz_measure_width (VizMeasure *measure, VizTextStyle style, const char *text);

double   viz_text_size (VizTextStyle style);    /* The font size in points. */
double   viz_text_line (VizTextStyle style);    /* The line height in points. */
gboolean viz_text_is_bold (VizTextStyle style); /* Whether the style is bold. */

/* The font of a style in a family (NULL: VIZ_DEFAULT_FONT).  (transfer full) */
PangoFontDescription *viz_text_font (const char *font, VizTextStyle style);

/* A copy of text; if it is longer than n_characters, its start and end around an ellipsis, with that
 * length.  n_characters below 5 never shorten.  (transfer full) */
char *viz_text_shorten (const char *text, guint n_characters);

/* The start of a text with an ellipsis, which replaces spaces and another ellipsis at its end.  (transfer full) */
char *viz_text_end_early (const char *head);

/* A copy of text; if it is longer than n_characters, its start and an ellipsis, with at most that length.
 * n_characters below 2 never cut.  (transfer full) */
char *viz_text_cut (const char *text, guint n_characters);
