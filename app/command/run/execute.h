/* execute.h — one run of a graph with the options of a command.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/inputs.h"
#include "engine/exec/executor.h"

/* A run and its options.  All members are borrowed. */
typedef struct
{
  const ScopeCommonOptions *common;
  const ScopeInputs        *inputs; /* filled */
  HybGraph                 *graph;  /* the graph of inputs, or one with its gradients as more
                                     * outputs */
  HybTensor *const         *values; /* by variable of graph; NULL: no output depends on it */
  guint                     n_values;
  gboolean                  backward;   /* graph has gradients */
  HybGpu                   *gpu;        /* NULL: the processor */
  double                    time_limit; /* seconds; 0: no limit */
} ScopeExecution;

/* Binds the values, plans, and runs once.  seconds: (out) (nullable) the time of the run without planning.  Returns the
 * executor, which owns the outputs; NULL and an error if the graph cannot be planned or run, or the limit has passed.
 * (transfer full) */
HybExecutor *scope_execute (const ScopeExecution *execution, double *seconds, GError **error);
