/* train-rows.h — the rows and events of a capture of training.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/train/train.h"
#include "profiler/summary/attribute.h"

/* A part of a step of a process; times are ns since the first one began. */
typedef struct
{
  guint           process, step;
  ProfProcessPart part;
  guint           gradient; /* of PROF_PART_AVERAGE: the number of its parameter */
  guint64         begin_ns, end_ns;
} ScopeProcessSpan;

/* Adds rows for the parts of a step, and events of all spans.  The parts of the first process are the nodes of a run.
 * spans: of ScopeProcessSpan, in any order, which changes. */
void scope_add_process_spans (ProfBuilder           *builder,
                              const ProfAttribution *attribution,
                              const ScopeTraining   *training,
                              GArray                *spans);
/* Adds the model's graph. */
void scope_add_symbol (ProfBuilder *builder, HybGraph *graph);
