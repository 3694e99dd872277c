/* import.h — maps the trace of another profiler to the nodes of a model.
 *
 * MXNet names only the operator type of an event.  Which node it belongs to follows from the order
 * in which nodes of that type run.  Bulked events, which stand for several operators, are divided
 * over them and counted as estimates.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"
#include "profiler/capture/capture.h"
#include "profiler/exchange/trace-events.h"

/* Events of one name that belong to no node. */
typedef struct
{
  const char *name;
  const char *reason; /* why, as the end of a sentence; static */
  guint       count;
  double      seconds; /* in total */
} ProfUnmatched;

/* A node of ONNX Runtime's optimised graph, and the nodes of the file that it stands for. */
typedef struct
{
  const char *name;  /* as the trace has it */
  const char *first; /* of these nodes, at which their time is: “conv3” */
  const char *nodes; /* “conv3 + bn3 + relu3” */
} ProfFusion;

/* Statistics about the events of a trace. */
typedef struct
{
  guint   n_operators;  /* executions of operators in the trace */
  guint   n_attributed; /* of those, mapped to nodes */
  guint   n_shared;     /* of those, bulked */
  guint   n_members;    /* operators that bulked events were divided over */
  guint   n_inside;     /* events that are parts of operators; not in n_operators */
  guint   n_fused;      /* mapped operators that include others, as FusedGemm */
  guint   n_layouts;    /* mapped changes of layout, at the node that they are made for */
  guint   n_spans;      /* steps of loops of a trace of ours; not in n_operators */
  guint   n_iterations, n_loop_steps;
  GArray *unmatched; /* of ProfUnmatched, longest first */
  GArray *fusions;   /* of ProfFusion, by name */

  GHashTable   *index; /* name and reason → index in unmatched + 1, while it is filled */
  GStringChunk *names; /* each text once */
} ProfImport;

/* Frees the members of import, but not import itself. */
void prof_import_clear (ProfImport *import);

/* Facts besides the trace.  All may be NULL. */
typedef struct
{
  const HybType
      *types; /* by value of the graph: bulked events are divided by the work of their operators */
  const ProfCapture *like; /* the same graph without bulking: they are divided by the times there */
  const ProfFacts   *facts; /* conditions to store in the capture */
} ProfImportOptions;

/* A capture of the trace.  import is filled in any case; clear it.  (transfer full) */
ProfCapture *prof_import_trace (const ProfTrace         *trace,
                                HybGraph                *graph,
                                const ProfImportOptions *options,
                                ProfImport              *import,
                                GError                 **error);
