/* legend.h — what the colours on the graph mean: ramp, real bounds with unit, run and noise.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/viz.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SCOPE_TYPE_LEGEND (scope_legend_get_type ())
G_DECLARE_FINAL_TYPE (ScopeLegend, scope_legend, SCOPE, LEGEND, GtkWidget)

/* overlay: (nullable) */
void scope_legend_set (ScopeLegend *self, VizOverlay *overlay, const VizTheme *theme);

G_END_DECLS
