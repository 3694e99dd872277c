/* bars.h — a row of numbers as bars: steps, histograms, memory; or ranges from minimum to maximum.
 *
 * If there are more bars than pixels, each pixel shows the highest of its bars.
 * Signal "picked" (index): a bar was clicked.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/widgets/bar-axes.h"

#define SCOPE_TYPE_BARS (scope_bars_get_type ())
G_DECLARE_FINAL_TYPE (ScopeBars, scope_bars, SCOPE, BARS, GtkWidget)

/* Makes the tooltip of a bar; (transfer full) (nullable). */
typedef char *(*ScopeBarLabel) (guint index, double value, gpointer data);

/* height: in pixels.  (transfer floating) */
GtkWidget *scope_bars_new (int height);
/* Bars from 0 to each value; negative values are not drawn. */
void scope_bars_set_values (ScopeBars *self, const double *values, guint n);
/* Bars from lows to highs with a line at middles, which are passed to the label function.  Bars that are not
 * finite are drawn in the error colour over the whole height. */
void scope_bars_set_ranges (ScopeBars    *self,
                            const double *lows,
                            const double *middles,
                            const double *highs,
                            guint         n);
/* Adds axes; without them the bars fill the widget. */
void scope_bars_set_axes (ScopeBars *self, const ScopeBarAxes *axes);
/* The area of the bars inside the widget. */
void scope_bars_get_plot (ScopeBars *self, ScopeBarPlot *plot);
/* Sets the function for tooltips. */
void scope_bars_set_label (ScopeBars *self, ScopeBarLabel label, gpointer data);
void scope_bars_set_marked (ScopeBars *self, int index); /* highlights a bar; -1: none */
/* Accessible label and description, text: (nullable). */
void scope_bars_set_description (ScopeBars *self, const char *name, const char *text);
