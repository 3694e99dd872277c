/* sweep-table.h — the table of all cells of a sweep, filtered by state and text.
 *
 * Signal "opened" (cell): a row was activated by a double click or Enter.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/sweep/sweep-data.h"

#include <adwaita.h>

#define SCOPE_TYPE_SWEEP_TABLE (scope_sweep_table_get_type ())
G_DECLARE_FINAL_TYPE (ScopeSweepTable, scope_sweep_table, SCOPE, SWEEP_TABLE, AdwBin)

/* A table for sweeps with the plan of data.  (transfer floating) */
GtkWidget *scope_sweep_table_new (ScopeSweepData *data);
/* Shows newer results of the same plan; rows that are equal stay. */
void scope_sweep_table_update (ScopeSweepTable *self, ScopeSweepData *data);
/* Shows cells of one state only; SCOPE_CELL_N_STATES: all. */
void scope_sweep_table_filter (ScopeSweepTable *self, ScopeCellState state);
/* How many rows the filter leaves. */
guint scope_sweep_table_n_shown (ScopeSweepTable *self);
