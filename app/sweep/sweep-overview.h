/* sweep-overview.h — heat map, curves and pairs of a sweep, below the choice of axes.
 *
 * Signal "opened" (cell): a field of the heat map was double-clicked.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/sweep/sweep-data.h"

#include <adwaita.h>

#define SCOPE_TYPE_SWEEP_OVERVIEW (scope_sweep_overview_get_type ())
G_DECLARE_FINAL_TYPE (ScopeSweepOverview, scope_sweep_overview, SCOPE, SWEEP_OVERVIEW, AdwBin)

/* For sweeps with the plan of data.  (transfer floating) */
GtkWidget *scope_sweep_overview_new (ScopeSweepData *data);
/* Shows newer results of the same plan. */
void scope_sweep_overview_update (ScopeSweepOverview *self, ScopeSweepData *data);
