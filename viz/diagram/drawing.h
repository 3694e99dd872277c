/* drawing.h — the functions of Cairo and Pango that this module calls, found when something is drawn.
 *
 * Pango needs two dozen libraries.  Opening and binding them takes longer than a small model does, and most
 * commands draw nothing.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <cairo-pdf.h>
#include <pango/pangocairo.h>

/* F (function) for each. */
/* clang-format off */
#define VIZ_DRAWING_FUNCTIONS(F)                                                                  \
  F (cairo_arc) F (cairo_close_path) F (cairo_copy_path) F (cairo_create) F (cairo_curve_to)      \
  F (cairo_destroy) F (cairo_fill) F (cairo_fill_preserve) F (cairo_font_options_create)          \
  F (cairo_font_options_destroy) F (cairo_font_options_set_antialias)                             \
  F (cairo_font_options_set_hint_metrics) F (cairo_font_options_set_hint_style)                   \
  F (cairo_image_surface_create) F (cairo_line_to) F (cairo_move_to) F (cairo_new_path)           \
  F (cairo_new_sub_path) F (cairo_path_destroy) F (cairo_pdf_surface_create_for_stream)           \
  F (cairo_pdf_surface_set_metadata) F (cairo_rectangle) F (cairo_restore) F (cairo_save)         \
  F (cairo_scale) F (cairo_set_antialias) F (cairo_set_dash) F (cairo_set_line_width)             \
  F (cairo_set_source_rgba) F (cairo_status) F (cairo_status_to_string) F (cairo_stroke)          \
  F (cairo_surface_destroy) F (cairo_surface_finish) F (cairo_surface_flush)                      \
  F (cairo_surface_status) F (cairo_surface_write_to_png_stream) F (cairo_translate)              \
  F (pango_cairo_context_set_font_options) F (pango_cairo_create_layout)                          \
  F (pango_cairo_font_map_new) F (pango_cairo_layout_line_path) F (pango_cairo_show_layout_line)  \
  F (pango_context_set_round_glyph_positions) F (pango_font_description_free)                     \
  F (pango_font_description_new) F (pango_font_description_set_absolute_size)                     \
  F (pango_font_description_set_family) F (pango_font_description_set_weight)                     \
  F (pango_font_map_create_context) F (pango_layout_get_line_readonly) F (pango_layout_get_size)  \
  F (pango_layout_new) F (pango_layout_set_font_description) F (pango_layout_set_text)
/* clang-format on */

/* Every member has the name of its function. */
typedef struct
{
#define MEMBER(function) __typeof__ (&function) function;
  VIZ_DRAWING_FUNCTIONS (MEMBER)
#undef MEMBER
} VizDrawing;

/* Returns the functions; the first call loads the libraries.  NULL with VIZ_ERROR_LIBRARY if one is missing or too
 * old. */
const VizDrawing *viz_drawing_load (GError **error);

/* The same, but ends the program if a library is missing.  Functions that can return an error call viz_drawing_load()
 * first. */
const VizDrawing *viz_drawing (void);
