/* sweep-heat.h — a heat map of a sweep over two axes, with the values in its fields.
 *
 * Signal "opened" (cell): a field was double-clicked.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/sweep/sweep-slice.h"

#include <gtk/gtk.h>

/* Further values of an axis are left out. */
#define SCOPE_SWEEP_MAX_ROWS    200
#define SCOPE_SWEEP_MAX_COLUMNS 100

#define SCOPE_TYPE_SWEEP_HEAT (scope_sweep_heat_get_type ())
G_DECLARE_FINAL_TYPE (ScopeSweepHeat, scope_sweep_heat, SCOPE, SWEEP_HEAT, GtkWidget)

/* Empty; (transfer floating) */
GtkWidget *scope_sweep_heat_new (void);
/* Shows a slice, which is copied. */
void
scope_sweep_heat_set (ScopeSweepHeat *self, ScopeSweepData *data, const ScopeSweepSlice *slice);
