/* bar-axes.h — axes of a row of bars: ticks with their labels, and the room that they take.
 *
 * Text has one size; lines are faint, so that bars stand out.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

/* Which labels bars have. */
typedef struct
{
  char *(*format) (double value); /* of heights (transfer full); NULL: heights have no labels */
  gboolean    is_binary;          /* ticks of heights are multiples of powers of two, for bytes */
  const char *name;               /* (nullable) name of the bars' unit, static: "step" */
  guint       first;              /* the number of the first bar */
  double      low, high;          /* of a histogram: values at both ends; equal: bars are counted */
} ScopeBarAxes;

/* The area of the bars inside the widget, and the values at its bottom and top. */
typedef struct
{
  double left, width, height;
  double lowest, highest;
  guint  n; /* bars */
} ScopeBarPlot;

/* The height that labels below the bars take, in pixels. */
int scope_bar_axes_height (const ScopeBarAxes *axes, GtkWidget *widget);
/* Sets the area of the bars from the size of the widget; lowest, highest and n are set before. */
void scope_bar_axes_layout (const ScopeBarAxes *axes, GtkWidget *widget, ScopeBarPlot *plot);
/* Draws lines and labels. */
void scope_bar_axes_draw (const ScopeBarAxes *axes,
                          GtkWidget          *widget,
                          cairo_t            *cr,
                          const ScopeBarPlot *plot);
