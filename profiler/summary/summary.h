/* summary.h — the events of a capture added up: per node, operator, scope, step.
 *
 * Seconds are of one run: the median over the traced runs, of what lay within each.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/summary/steps.h"

typedef struct
{
  guint32 row;
  double  count;           /* executions a run */
  double  self, low, high; /* seconds without what lies inside; the median's 95 % interval */
  double  inclusive;
  double  flops, bytes; /* of all executions of a run; NaN: not known */
} ProfNodeSum;

/* Of all nodes that share a word: operator, scope, category. */
typedef struct
{
  const char *name; /* of the capture */
  guint       n_nodes;
  double      count, self, inclusive, share;
  double      flops, bytes;
  guint16     category; /* of the first */
} ProfGroupSum;

typedef struct
{
  guint    n_runs;       /* traced, without exact ones */
  double   traced;       /* seconds of a traced run, the median */
  double   nodes;        /* of which inside nodes */
  double   between;      /* and around them: what is left */
  double   interpreter;  /* between nodes, from the exact run; NaN: none */
  double   overhead;     /* seconds that watching took, as stated */
  double   n_spans;      /* a run */
  double   unattributed; /* seconds of nodes that could not be led back */
  GArray  *node;         /* of ProfNodeSum, executed ones, largest self first */
  GArray  *operators;    /* of ProfGroupSum, likewise */
  GArray  *scope;        /* of ProfGroupSum */
  GArray  *category;     /* of ProfGroupSum */
  GArray  *step;         /* of ProfStepSum, in order; empty without loops and unrolled cells */
  guint32 *by_row;       /* row → index in node; PROF_NONE */
} ProfSummary;

ProfSummary *prof_summary_new (const ProfCapture *capture);
void         prof_summary_free (ProfSummary *summary);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfSummary, prof_summary_free)

/* FLOP a second; NaN: not known, as of loops, whose work is done inside. */
double prof_node_rate (const ProfNode *node, const ProfNodeSum *sum);

const char *prof_category_name (guint category);
