/* import-private.h — the state of an import, shared by the import-*.c files.
 *
 * import-pair.c finds the executions of operators in a trace, import-order.c lists the nodes that
 * an iteration runs, import-target.c finds the node of an execution, and import.c puts them together.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/exchange/import.h"
#include "profiler/summary/attribute.h"

/* --- Executions in the trace (import-pair.c) --- */

typedef struct
{
  const char *name, *node, *type; /* as in ProfTraceEvent */
  gint64      begin_ns, end_ns;
  guint64     tid;
} ProfExecution;

/* All executions of operators, by begin: B and E events paired per name and thread, and X events.
 * Events without a partner are counted in import, and those inside an operator of another tool, which
 * are its parts.  GArray of ProfExecution.  (transfer full) */
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
  guint32     step;    /* of the loop around it */
  guint32     n_times; /* that the node is in an iteration: steps of its loop */
  const char *key;     /* of its operator; see prof_import_key() */
  const char *name;
} ExpectedNode;

/* All nodes with the same operator, or of the same class (foreign-operators.h). */
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
  GArray            *expected;  /* of ExpectedNode, in the order of an iteration */
  GHashTable        *operators; /* key → OperatorNodes */
  GHashTable        *gradients; /* key → OperatorNodes, for gradients of the operator */
  OperatorNodes     *classes;   /* by class of foreign-operators.h */
  GHashTable        *by_name;   /* name of a node → index in expected + 1 */
  HybGraph          *graph;     /* the model's */
  GHashTable        *by_value;  /* name of a value of the graph → node + 1 */
  GHashTable        *by_node;   /* node of the graph → index in expected + 1 */
  GArray            *listed; /* of HybNodeId: nodes of the graph that are not variables, in order */
  GArray            *numbered; /* likewise, those that ONNX Runtime counts */
  GHashTable        *renamed; /* name of an event → index in expected + 1 of the node behind it */
  GHashTable        *taken;   /* index in expected + 1 → executions mapped to it by name */
  GHashTable        *backward;  /* row → row of its gradient + 1 */
  GArray            *events;    /* of ProfEvent: the result */
  gint64             base_ns;   /* begin of the first execution */
  guint              position;  /* index in expected where the next bulked event is searched */
  guint              iteration; /* of bulked events */
  const char        *device, *tracer; /* of a trace of ours with work of a GPU; NULL: it has none */
  const ProfCapture *like;            /* see ProfImportOptions */
  double            *like_seconds;    /* seconds of one execution by row of like; NULL without it */
} TraceImport;

/* Fills operators, by_name and expected, and the numbers of iterations and loop steps. */
void prof_import_expect (TraceImport *self, HybGraph *graph, const GArray *executions);
/* The text as import keeps it: equal texts are the same pointer, until prof_import_clear(). */
const char *prof_import_name (ProfImport *import, const char *name);
/* The key under which equal operators of MXNet and of this engine meet: our name where the operator
 * is known, else its letters in lower case; as prof_import_name() returns it. */
const char *prof_import_key (ProfImport *import, const char *name);
/* The key of the operator whose gradient name is: “_backward_mul” belongs to “elemwise_mul” if the
 * graph has that. */
const char *prof_import_backward_key (const TraceImport *self, const char *name);
/* Whether another tool than MXNet recorded the execution: some of their operators have the same name. */
gboolean prof_import_is_foreign (const ProfExecution *execution);
/* The name of the node in the name of an event, as ONNX Runtime writes it: without its
 * additions. (transfer full) */
char *prof_import_dup_node_name (const ProfExecution *execution);
/* Why an execution of an operator of another tool belongs to no node, although the graph may have such
 * operators; NULL if its class can be placed. */
const char *prof_import_class_reason (const TraceImport *self, guint class);
/* Frees an OperatorNodes. */
void prof_operator_nodes_free (gpointer nodes);

/* --- The node of an execution (import-target.c) --- */

/* The target of an execution. */
typedef struct
{
  guint32     row; /* PROF_NONE: no node */
  guint32     step;
  guint       run;
  const char *reason; /* why it has no row */
} Target;

/* The nodes of MXNet's operator with this name; NULL if the graph has none.  A gradient operator belongs
 * to the same nodes as its operator, which are counted separately. */
OperatorNodes *
prof_import_find_operator (TraceImport *self, const char *name, gboolean is_backward);
/* The node that the next execution of MXNet's operator with this name belongs to. */
Target prof_import_find_target (TraceImport *self, const char *name);
/* The node that an execution names, without counting it; PROF_NONE if it names none. */
Target prof_import_peek (TraceImport *self, const ProfExecution *execution);
/* The node of an execution: the named one, or the next node of its operator. */
Target prof_import_find_any (TraceImport *self, const ProfExecution *execution);

/* --- Names that ONNX Runtime's optimiser gives (import-renamed.c) --- */

/* Fills graph, by_value, listed and numbered. */
void prof_import_list_nodes (TraceImport *self, HybGraph *graph);
/* The index in expected + 1, as a pointer, of the node that an optimised one stands for; NULL if it is not known. */
gpointer prof_import_find_renamed (TraceImport *self, const ProfExecution *execution);
/* Fills import->fusions, when all executions are mapped. */
void prof_import_list_fusions (TraceImport *self);

/* --- Traces of ours (import-own.c) --- */

/* Maps a trace that prof_print_chrome() wrote: nodes by name, with runs, steps and nesting.  Fills
 * self->events, with RUN events. */
void prof_import_own (TraceImport *self, const ProfTrace *trace);
/* --- Rows of nodes in traces of ours (import-row.c) --- */

/* The row of a node of the trace: of the graph, or a new one for a node that a pass or autograd made from one of the
 * graph; added: name → row + 1 of those.  PROF_NONE: the graph has neither. */
guint32 prof_import_find_row (TraceImport *self, GHashTable *added, const ProfTraceEvent *event);

/* --- Work of GPUs in traces of ours (import-work.c) --- */

/* Whether begin and duration of an event can be stored. */
gboolean prof_import_has_times (const ProfTraceEvent *event);
/* The device of an event, as ProfEvent counts them: 0 is the host. */
guint prof_import_get_device (const ProfTraceEvent *event);
/* The work of GPUs, by run and as it comes in the trace, and the marks of loops: pointers to ProfTraceEvent.  Sets
 * self->device and self->tracer if there is any.  (transfer container) */
GPtrArray *prof_import_list_work (TraceImport *self, const ProfTrace *trace);
/* Appends the events of the work of one run to self->events. */
void
prof_import_add_work (TraceImport *self, const GPtrArray *work, guint32 run, GHashTable *added);
