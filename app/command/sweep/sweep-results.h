/* sweep-results.h — the results of a sweep as numbers, and their table over two axes.
 *
 * The folder is only read, also while workers fill it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/sweep/sweep-plan.h"

typedef struct
{
  gboolean has_line, is_done;
  gboolean is_claimed; /* a process is at it */
  double   value;      /* the median in seconds, or the largest difference of a proof; NAN: none */
  double   low, high;  /* NAN: unknown */
  double   began, ended; /* Unix time; NAN: unknown */
  gboolean is_crowded;   /* another cell was measured on this machine meanwhile */
  char    *worker;       /* who did it, HOST.NUMBER.NUMBER; NULL: unknown */
  char    *host;         /* where; NULL: unknown */
  char    *reason;       /* why it failed; NULL: it did not */
} ScopeSweepResult;

typedef struct
{
  ScopeSweepPlan   *plan;
  ScopeSweepResult *cells; /* plan->n_cells */
  guint             n_done, n_failed, n_claimed;
  guint             n_crowded;
} ScopeSweepResults;

/* "done", "failed", "running" or "left". */
const char *scope_sweep_result_get_state (const ScopeSweepResult *result);

/* Whether the path is the folder of a sweep. */
gboolean scope_is_sweep (const char *path);

/* Reads the plan and the finished cells.  (transfer full) */
ScopeSweepResults *scope_sweep_results_read (const char *folder, GError **error);
/* In sweep-placement.c: marks cells that were measured at the same time on the same machine.  Returns how many. */
guint scope_sweep_results_find_crowded (ScopeSweepResults *results);
/* Frees the results. */
void scope_sweep_results_free (ScopeSweepResults *results);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeSweepResults, scope_sweep_results_free)

/* One table of values: rows and columns are two axes, all others have one value. */
typedef struct
{
  ScopeSweepAxis rows, columns;
  guint          first; /* the cell of the first row and column in the first round */
} ScopeSweepView;

/* Chooses axes by name; NULL for the form, and the axis with the most values.  FALSE: a usage error. */
gboolean scope_sweep_view_init (ScopeSweepView          *view,
                                const ScopeSweepResults *results,
                                const char              *rows,
                                const char              *columns,
                                GError                 **error);
/* Goes on to the next table.  FALSE: there is none. */
gboolean scope_sweep_view_next (ScopeSweepView *view, const ScopeSweepResults *results);
/* The subject of the table: "gallery:lstm-lm, training".  (transfer full) */
char *scope_sweep_view_dup_title (const ScopeSweepView *view, const ScopeSweepResults *results);
/* The median of the rounds at a place of the table; NAN if no round is done. */
double scope_sweep_view_get (const ScopeSweepView    *view,
                             const ScopeSweepResults *results,
                             guint                    row,
                             guint                    column);

/* How a form compares with the first one in all cells that differ in nothing else. */
typedef struct
{
  guint n_faster, n_slower, n_unclear; /* by prof_compare_unpaired() */
  guint n_apart;                       /* of two machines, or of an unknown one: not compared */
  guint n_crowded;                     /* one of them is: not compared */
} ScopeSweepPairs;

/* Whether the task of the sweep measures times. */
gboolean scope_sweep_results_is_timing (const ScopeSweepResults *results);
/* Pairs the cells of form number variant with the first form's. */
ScopeSweepPairs scope_sweep_results_pair (const ScopeSweepResults *results, guint variant);
