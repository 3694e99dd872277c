/* import.h — another profiler's trace onto a model's graph.
 *
 * MXNet names operators by type only; which node an event belongs to follows from the
 * order in which nodes of that type run.  Bulked events are shared out over their
 * operators, and counted as estimates.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"
#include "profiler/capture/capture.h"
#include "profiler/exchange/trace-events.h"

/* Events that belong to no node, of one kind. */
typedef struct
{
  const char *name;   /* of the event */
  const char *reason; /* a sentence, static */
  guint       count;
  double      seconds;
} ProfUnmatched;

typedef struct
{
  guint   n_operators;  /* executions of operators in the trace */
  guint   n_attributed; /* led to a node */
  guint   n_shared;     /* of those, bulked: shared out over their operators */
  guint   n_members;    /* operators that bulked events were shared over */
  guint   n_iterations, n_loop_steps;
  GArray *unmatched; /* of ProfUnmatched, longest first */
} ProfImport;

void prof_import_clear (ProfImport *import);

/* types: by value of graph, as far as they are known (may be NULL): bulked events are
 * shared by work then.  like: (nullable) the same graph's trace without bulking: bulked
 * events are shared as the nodes' times are there.  facts may be NULL. */
ProfCapture *prof_import_trace (const ProfTrace   *trace,
                                HybGraph          *graph,
                                const HybType     *types,
                                const ProfCapture *like,
                                const ProfFacts   *facts,
                                ProfImport        *import,
                                GError           **error);
