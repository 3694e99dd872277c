/* summary.h — the events of a capture summed per node, operator type, scope, category and step.
 *
 * Seconds are of one run: the median over the traced runs.  Summaries are computed when they are
 * needed and never stored.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/summary/steps.h"

typedef struct
{
  guint32 row;
  double  count;           /* executions per run */
  double  self, low, high; /* seconds without the events inside; 95 % interval of the median */
  double  inclusive;       /* seconds with them */
  double  flops, bytes;    /* of all executions in a run; NaN: not known */
} ProfNodeSum;

/* All nodes with the same operator type, scope or category. */
typedef struct
{
  const char *name; /* owned by the capture */
  guint       n_nodes;
  double      count, self, inclusive; /* as for nodes */
  double      share;                  /* of the traced run */
  double      flops, bytes;
  guint16     category; /* of the first node */
} ProfGroupSum;

typedef struct
{
  guint    n_runs;       /* traced runs, without exact ones */
  double   traced;       /* seconds of a traced run */
  double   nodes;        /* of which inside outermost nodes */
  double   between;      /* traced less nodes */
  double   interpreter;  /* seconds between nodes in the exact run; NaN without one */
  double   overhead;     /* seconds that recording took, computed from the cost of a span */
  double   n_spans;      /* recorded spans per run */
  double   unattributed; /* seconds of nodes that are mapped to no row */
  GArray  *node;         /* of ProfNodeSum: nodes that ran, largest self first */
  GArray  *operators;    /* of ProfGroupSum by operator type, largest self first */
  GArray  *scope;        /* of ProfGroupSum by scope */
  GArray  *category;     /* of ProfGroupSum by category */
  GArray  *step;         /* of ProfStepSum, in order; empty without loops and unrolled cells */
  guint32 *by_row;       /* index in node by row; PROF_NONE if the node did not run */
} ProfSummary;

/* Sums the events of capture, which must outlive the result.  (transfer full) */
ProfSummary *prof_summary_new (const ProfCapture *capture);
/* Frees summary; NULL is allowed. */
void prof_summary_free (ProfSummary *summary);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfSummary, prof_summary_free)

/* FLOP per second; NaN if it is not known, and for control operators, whose work is done by nodes
 * inside. */
double prof_node_rate (const ProfNode *node, const ProfNodeSum *sum);

/* A HybCategory in words: "linear"; "other" for unknown values. */
const char *prof_category_name (guint category);
