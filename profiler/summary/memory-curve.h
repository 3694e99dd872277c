/* memory-curve.h — how much of a plan's memory block is in use while each node runs.
 *
 * Computed from the plan, without running it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/plan.h"

typedef struct
{
  HybNodeId node;  /* of the planned graph */
  gsize     live;  /* bytes of values that are still read, and the node's workspace */
  gsize     taken; /* bytes for outputs that lie in no input's memory, and the node's workspace */
} ProfLive;

/* GArray of ProfLive, one per step of the plan; empty for plans whose shapes are only known at run
 * time, and for NULL. (transfer full) */
GArray *prof_memory_curve (const HybPlan *plan);
