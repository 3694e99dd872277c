/* summary.h — the events of a capture summed per node, operator type, scope, category and step.
 *
 * Seconds are of one run: the mean over the typical traced runs (typical-runs.h), so that the parts
 * add up to the whole.  Summaries are computed when they are needed and never stored.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/summary/steps.h"

typedef struct
{
  guint32     row;
  double      count;     /* executions per run */
  double      self;      /* seconds without the events inside */
  double      low, high; /* 95 % interval of their median over all runs, widened to contain self */
  double      inclusive; /* seconds with them */
  double      flops, bytes; /* of all executions in a run; NaN: not known */
  double      allocated;    /* bytes for outputs and workspace, in a run; NaN: not known */
  const char *inputs;       /* types of its inputs, "" if not known; owned by the capture */
} ProfNodeSum;

/* All nodes with the same operator type, scope or category. */
typedef struct
{
  const char *name; /* owned by the capture */
  guint       n_nodes;
  double      count, self, inclusive; /* as for nodes */
  double      share;                  /* of the traced run */
  double      flops, bytes;
  double      allocated; /* bytes of the known allocations */
  guint16     category;  /* of the first node */
} ProfGroupSum;

typedef struct
{
  guint    n_runs;      /* traced runs, without exact ones */
  guint    n_used;      /* typical ones of them, whose means these times are */
  guint    n_disturbed; /* traced runs that lost the processor */
  guint    n_dropped;   /* further traced runs, for which the limit of memory has no room */
  GArray  *used;        /* of guint16: the numbers of these typical ones in events */
  guint    run;         /* number in events of the used run whose length is nearest to traced */
  gboolean is_run_disturbed; /* whether this run lost the processor: there were too few others */
  double   traced;  /* seconds of a traced run: the self times of all nodes, between and other */
  double   nodes;   /* traced less between */
  double   between; /* seconds outside of everything that is recorded */
  double   other;   /* seconds of passes, copies and nodes that are mapped to no row */
  double   interpreter; /* seconds between nodes in exact runs, their median; NaN without one */
  double   interpreter_low, interpreter_high; /* least and most of these runs */
  double   exact;                             /* seconds of an exact run; NaN without one */
  double   clean;        /* seconds of a clean run, median of the undisturbed ones; NaN */
  double   overhead;     /* seconds that recording took, computed from the cost of a span */
  double   noise;        /* traced less clean and overhead: other differences between the runs;
                          * NaN */
  double   n_spans;      /* recorded spans per run */
  double   unattributed; /* seconds of nodes that are mapped to no row, part of other */
  gboolean is_of_device; /* a GPU was traced: the times of nodes are the GPU's */
  double   no_operator;  /* seconds that the GPU worked for no node that is known; else 0 */
  double   device_busy;  /* seconds of a traced run in which the GPU worked; 0 without a trace */
  GArray  *node;         /* of ProfNodeSum: nodes that ran, largest self first */
  GArray  *operators;    /* of ProfGroupSum by operator type, largest self first */
  GArray  *scope;        /* of ProfGroupSum by scope */
  GArray  *category;     /* of ProfGroupSum by category */
  GArray  *step;         /* of ProfStepSum, in order; empty without loops and unrolled cells */
  guint32 *by_row;       /* index in node by row; PROF_NONE if the node did not run */
} ProfSummary;

/* Sums the events of capture, which must outlive the result.  (transfer full) */
ProfSummary *prof_summary_new (const ProfCapture *capture);
/* The same of one traced run alone: every time is that run's, count is still the mean of all runs.  number:
 * of the run in events.  NULL if there is no such run, or if it is an exact one.  (transfer full) */
ProfSummary *prof_summary_new_of_run (const ProfCapture *capture, guint number);

/* A traced run. */
typedef struct
{
  guint    number; /* in events */
  double   seconds;
  gboolean is_disturbed; /* lost the processor */
  gboolean is_used;      /* one of the typical runs, of which times are means */
  gboolean is_outlier; /* beyond a quartile by more than 1.5 times the distance of the quartiles */
} ProfTracedRun;

/* The traced runs of a capture in order, without exact ones.  (transfer full) array of ProfTracedRun */
GArray *prof_traced_runs (const ProfCapture *capture);
/* Frees summary; NULL is allowed. */
void prof_summary_free (ProfSummary *summary);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfSummary, prof_summary_free)

#define PROF_MAX_REST 3
/* The time of a traced run outside of all nodes of the table, as rows of a table: “(between operators)”, where a
 * trace followed a GPU “(GPU idle)” instead, and, if there were any, “(passes and copies)” and “(GPU, no
 * operator)”. Their shares and those of the nodes, of the operators or of the scopes add up to 1.  Returns the
 * number of rows; 0 without traced runs. */
guint prof_summary_rest (const ProfSummary *summary, ProfGroupSum rest[PROF_MAX_REST]);
/* How traced and clean time are related and which runs are left out, in sentences; NULL without traced
 * or clean runs.
 * (transfer full) */
char *prof_summary_relation (const ProfSummary *summary);

/* FLOP per second; NaN if it is not known, and for control operators, whose work is done by nodes
 * inside. */
double prof_node_rate (const ProfNode *node, const ProfNodeSum *sum);

/* A HybCategory in words: "linear"; "other" for unknown values. */
const char *prof_category_name (guint category);
