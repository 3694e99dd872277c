/* bars.h — a row of numbers as bars: steps, histograms, memory over a run; or of ranges.
 *
 * Where there are more bars than pixels, a pixel shows the highest of them.
 * Signal "picked" (index).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SCOPE_TYPE_BARS (scope_bars_get_type ())
G_DECLARE_FINAL_TYPE (ScopeBars, scope_bars, SCOPE, BARS, GtkWidget)

/* label: (nullable) what a bar is called, its tooltip; (transfer full). */
typedef char *(*ScopeBarLabel) (guint index, double value, gpointer data);

GtkWidget *scope_bars_new (int height);
void       scope_bars_set_values (ScopeBars *self, const double *values, guint n);
/* Instead: bars from lows to highs, with a line at middles, which are the values that labels get.
 * What is not finite is drawn as a mistake. */
void scope_bars_set_ranges (ScopeBars    *self,
                            const double *lows,
                            const double *middles,
                            const double *highs,
                            guint         n);
void scope_bars_set_label (ScopeBars *self, ScopeBarLabel label, gpointer data);
void scope_bars_set_marked (ScopeBars *self, int index); /* -1: none */
/* For people who cannot see it. */
void scope_bars_set_description (ScopeBars *self, const char *name, const char *text);

G_END_DECLS
