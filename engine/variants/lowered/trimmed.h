/* trimmed.h — a lowered graph without unused parts.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/lower/lowering.h"

typedef struct
{
  HybGraph *graph; /* with the variables of the lowered graph */
  HybType  *types; /* by value of graph */
  GArray   *map; /* of HybValueId, by value of the file's graph: its value in graph, or HYB_NO_ID */
} HybTrimmed;

/* Leaves out nodes that no output needs, and states of loops over rows that only compute themselves: tensorflow-onnx hands
 * the number of steps from step to step, and keeps a first step of which only the shape was taken. */
void hyb_lowered_trim (HybTrimmed *trimmed, const HybLowered *lowered);
/* Frees the members. */
void hyb_trimmed_clear (HybTrimmed *trimmed);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HybTrimmed, hyb_trimmed_clear)
