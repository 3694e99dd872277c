/* probe-cost.h — the cost of recording in each mode, measured on a model of many tiny operators.
 *
 * Modes call the probe differently: operator by operator, a run also reports memory.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/executor.h"

/* Nanoseconds that recording adds for each span in this mode, measured now, in a few milliseconds: the
 * shortest recorded run less the shortest other one.  At least the cost of one clock reading. */
double prof_probe_cost (HybMode mode);
