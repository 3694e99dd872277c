/* sweep-slice.h — two axes of a sweep, with one value on each of the others.
 *
 * The heat map and the curves show it.  Of several rounds the median counts.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/sweep/sweep-data.h"

typedef struct
{
  guint rows, columns;                   /* axes */
  guint positions[SCOPE_SWEEP_MAX_AXES]; /* of the other axes */
} ScopeSweepSlice;

/* Forms side by side, and the longest other axis below each other. */
void scope_sweep_slice_init (ScopeSweepSlice *slice, const ScopeSweepData *data);
/* Keeps rows and columns different and every position on its axis. */
void scope_sweep_slice_set_axis (ScopeSweepSlice      *slice,
                                 const ScopeSweepData *data,
                                 gboolean              is_rows,
                                 guint                 axis);
/* The cell at a place in the first round. */
guint scope_sweep_slice_get_cell (const ScopeSweepSlice *slice,
                                  const ScopeSweepData  *data,
                                  guint                  row,
                                  guint                  column);
/* The median of the rounds that are done; NAN: none is.  *state: done if one is, else the state of the first round that
 * failed, else waiting. */
double scope_sweep_slice_get (const ScopeSweepSlice *slice,
                              const ScopeSweepData  *data,
                              guint                  row,
                              guint                  column,
                              ScopeCellState        *state);
/* TRUE if the values on the axis are ascending positive numbers, over which curves can be drawn. */
gboolean scope_axis_is_ascending (const ScopeAxis *axis);
