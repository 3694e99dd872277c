/* legend.h — the legend of the costs on the graph: colour ramp, bounds with unit, and a note.
 *
 * Ramp and bounds are taken from the overlay and the theme.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/viz.h"

#include <gtk/gtk.h>

#define SCOPE_TYPE_LEGEND (scope_legend_get_type ())
G_DECLARE_FINAL_TYPE (ScopeLegend, scope_legend, SCOPE, LEGEND, GtkWidget)

/* Shows the scale of an overlay; NULL hides the legend. */
void scope_legend_set (ScopeLegend *self, VizOverlay *overlay, const VizTheme *theme);
