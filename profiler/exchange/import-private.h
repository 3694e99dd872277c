/* import-private.h — the state of an import, shared by the import-*.c files.
 *
 * import-pair.c finds the executions of operators in a trace, import-order.c lists the nodes that
 * an iteration runs, and import.c maps the former to the latter.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/exchange/import.h"
#include "profiler/summary/attribute.h"

/* --- Executions in the trace (import-pair.c) --- */

typedef struct
{
  const char *name, *node; /* as in ProfTraceEvent */
  gint64      begin_ns, end_ns;
} ProfExecution;

/* All executions of operators, by begin: B and E events paired per name and thread, and X events.
 * Events without a partner are counted in import.  GArray of ProfExecution.  (transfer full) */
GArray *prof_pair_events (const ProfTrace *trace, ProfImport *import);
/* Counts an event that belongs to no node.  reason is static. */
void prof_import_count_unmatched (ProfImport *import,
                                  const char *name,
                                  const char *reason,
                                  double      seconds);
/* Whether an execution is bulked: its name is a list of operators, “[A,B,C]”. */
gboolean prof_is_bulk (const ProfExecution *execution);
/* The operators in the name of a bulked execution; NULL if it is not bulked.  *is_cut: MXNet cut
 * the list off.  Free with g_strfreev(). */
char **prof_split_bulk (const char *name, gboolean *is_cut);

/* --- Nodes of an iteration (import-order.c) --- */

#define PROF_BACKWARD "_backward_" /* prefix of MXNet's gradient operators */

/* A node that an iteration runs. */
typedef struct
{
  guint32     row;
  guint32     step; /* of the loop around it */
  const char *key;  /* of its operator, interned; see prof_import_key() */
  const char *name;
} ExpectedNode;

/* All nodes with the same operator. */
typedef struct
{
  GArray *expected; /* of guint: indices in TraceImport.expected, in order */
  guint   n_once;   /* nodes of the main graph */
  guint   n_body;   /* nodes of bodies */
  guint   n_seen;   /* executions in the trace */
  guint   n_taken;  /* executions that were mapped so far */
} OperatorNodes;

typedef struct
{
  ProfBuilder       *builder;
  ProfAttribution   *attribution;
  ProfImport        *import;
  GArray            *expected;     /* of ExpectedNode, in the order of an iteration */
  GHashTable        *operators;    /* key → OperatorNodes */
  GHashTable        *gradients;    /* key → OperatorNodes, for gradients of the operator */
  GHashTable        *by_name;      /* name of a node → index in expected + 1 */
  GHashTable        *backward;     /* row → row of its gradient + 1 */
  GArray            *events;       /* of ProfEvent: the result */
  gint64             base_ns;      /* begin of the first execution */
  guint              position;     /* index in expected where the next bulked event is searched */
  guint              iteration;    /* of bulked events */
  const ProfCapture *like;         /* see ProfImportOptions */
  double            *like_seconds; /* seconds of one execution by row of like; NULL without it */
} TraceImport;

/* Fills operators, by_name and expected, and the numbers of iterations and loop steps. */
void prof_import_expect (TraceImport *self, HybGraph *graph, const GArray *executions);
/* The key under which equal operators of MXNet and of this engine meet: our name where the operator
 * is known, else its letters in lower case.  Interned. */
const char *prof_import_key (const char *name);
/* The key of the operator whose gradient name is: “_backward_mul” belongs to “elemwise_mul” if the
 * graph has that. */
const char *prof_import_backward_key (const TraceImport *self, const char *name);
/* Frees an OperatorNodes. */
void prof_operator_nodes_free (gpointer nodes);
