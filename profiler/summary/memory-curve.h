/* memory-curve.h — how much of a plan's block is in use while each node runs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/plan.h"

typedef struct
{
  HybNodeId node; /* of the planned graph */
  gsize     live; /* bytes of values that somebody still reads, and the node's workspace */
} ProfLive;

/* GArray of ProfLive, a step each; empty for plans whose shapes show only while running. */
GArray *prof_memory_curve (const HybPlan *plan);
