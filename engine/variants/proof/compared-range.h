/* compared-range.h — numbers that a variable is compared with.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* Finds comparisons of a variable with numbers, also in bodies; *reach is the largest of these numbers without its sign.
 * FALSE if there is none, or if the variable is also read by anything else but bodies. */
gboolean hyb_compared_range_find (HybGraph *graph, HybNodeId variable, double *reach);
