/* sweep-curves.h — curves of a sweep: the values of a slice over its rows, one curve for each column.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/sweep/sweep-slice.h"

#include <gtk/gtk.h>

/* More curves cannot be distinguished. */
#define SCOPE_SWEEP_MAX_CURVES 24

/* Points of all curves together, because drawing must not take long. */
#define SCOPE_SWEEP_MAX_POINTS 2000

/* Every how many rows a curve has a point. */
guint scope_sweep_curves_get_step (const ScopeSweepData *data, const ScopeSweepSlice *slice);
/* An empty chart.  (transfer floating) */
GtkWidget *scope_sweep_curves_new (void);
/* Shows a slice.  FALSE: nothing can be drawn, because the rows are not numbers, there are too many columns, or fewer than two
 * cells of a curve are done. */
gboolean
scope_sweep_curves_set (GtkWidget *curves, ScopeSweepData *data, const ScopeSweepSlice *slice);
