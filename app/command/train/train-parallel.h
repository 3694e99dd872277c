/* train-parallel.h — several processes that train one model, each with its share of every batch.
 *
 * mpirun starts the processes; what they tell each other goes through MPI.  Start with scope_parallel_new().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/train/train-trace.h"
#include "engine/train/exchange.h"

typedef struct _ScopeParallel ScopeParallel;

typedef enum
{
  SCOPE_COMBINE_SUM,
  SCOPE_COMBINE_MINIMUM,
  SCOPE_COMBINE_MAXIMUM,
} ScopeCombine;

/* How long this process waited for others. */
typedef struct
{
  double waiting; /* seconds */
  gint64 early;   /* bytes of gradients that were under way before the backward pass ended */
  gint64 bytes;   /* of all gradients */
} ScopeParallelTimes;

/* When a gradient had its value in this process, and when the average of all was there: seconds after the step began, the mean of
 * all steps. */
typedef struct
{
  double ready, averaged;
} ScopeGradientTimes;

/* Joins the processes that mpirun has started.  cancellable: ends the training of all.  NULL and an error: Open MPI is missing, or
 * mpirun has not started this process. */
ScopeParallel *scope_parallel_new (GCancellable *cancellable, GError **error);
/* Leaves the others.  is_done: FALSE if this process has failed; then mpirun ends the others. */
void scope_parallel_free (ScopeParallel *parallel, gboolean is_done);

/* The number of this process, from 0. */
guint scope_parallel_get_rank (const ScopeParallel *parallel);
/* How many there are. */
guint scope_parallel_get_size (const ScopeParallel *parallel);

/* Gives all processes the same n numbers, which are a combination of those of each.  FALSE and an error: another one has ended. */
gboolean scope_parallel_combine (ScopeParallel *parallel,
                                 ScopeCombine   how,
                                 double        *values,
                                 guint          n,
                                 GError       **error);
/* Whether all have the same number. */
gboolean
scope_parallel_agree (ScopeParallel *parallel, double value, gboolean *is_same, GError **error);

/* Averages the gradients of trainer from now on. */
gboolean scope_parallel_connect (ScopeParallel *parallel, HybTrainer *trainer, GError **error);
/* Gradients are sums and not means over the batch: they are added and not averaged. */
void scope_parallel_set_adds (ScopeParallel *parallel, gboolean adds);

/* Notes when gradients travel, and when this process waits.  trace: (nullable), the caller's. */
void scope_parallel_set_trace (ScopeParallel *parallel, ScopeTrace *trace);

/* Whether a process was asked to stop before the end of the last step; all say the same. */
gboolean scope_parallel_is_cancelled (const ScopeParallel *parallel);
/* To be called before each step: times of gradients count from here. */
void scope_parallel_begin_step (ScopeParallel *parallel);
/* The times of a gradient, by the number of its parameter. */
ScopeGradientTimes scope_parallel_get_gradient (const ScopeParallel *parallel, guint index);
/* What happened since the last call. */
ScopeParallelTimes scope_parallel_take_times (ScopeParallel *parallel);
