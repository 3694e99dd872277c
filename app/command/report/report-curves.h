/* report-curves.h — curves of a sweep over the axis of its rows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/said.h"
#include "app/command/sweep/sweep-results.h"

/* Adds a chart with a curve for each column, if the rows are numbers and a time is there for two of them. */
void scope_say_sweep_curves (ScopeSaid               *said,
                             const ScopeSweepResults *results,
                             const ScopeSweepView    *view);
