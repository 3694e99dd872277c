/* executor.h — running a model: one plan per set of input types, kept.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/plan.h"

G_BEGIN_DECLS

typedef struct _HybExecutor HybExecutor;

typedef enum
{
  HYB_MODE_IMPERATIVE, /* operator by operator, memory for each */
  HYB_MODE_HYBRID,     /* planned once, memory taken per run */
  HYB_MODE_STATIC,     /* planned once, memory kept: a run allocates nothing */
} HybMode;

typedef struct
{
  HybMode            mode;
  gboolean           training;
  gboolean           fold_parameters; /* parameters do not change between runs */
  gboolean           no_passes;       /* leave all optimising passes out */
  const char *const *without;
  const char        *dump_after;
  guint64            seed;
  gsize              memory_limit;
} HybExecutorOptions;

HybExecutor *hyb_executor_new (HybGraph *graph, const HybExecutorOptions *options);
void         hyb_executor_free (HybExecutor *executor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybExecutor, hyb_executor_free)

/* Variables by name, kept until replaced: parameters, states, data. (transfer none) */
gboolean
hyb_executor_bind (HybExecutor *executor, const char *name, HybTensor *tensor, GError **error);
HybTensor *hyb_executor_get_bound (HybExecutor *executor, const char *name);
/* TRUE: contents may be folded into the plan (see fold_parameters). */
void hyb_executor_set_constant (HybExecutor *executor, const char *name, gboolean constant);

void hyb_executor_set_probe (HybExecutor *executor, const HybProbe *probe);
/* The first run after this draws from seed itself, the following ones from seeds
 * that follow from it, so that every training step drops other units. */
void hyb_executor_set_seed (HybExecutor *executor, guint64 seed);

/* Plans if inputs changed type; fails with everything that is missing or wrong. */
gboolean hyb_executor_prepare (HybExecutor *executor, GError **error);
/* Prepares if needed, and runs.  Auxiliary states bound are replaced by updated
 * copies when the graph writes them. */
gboolean hyb_executor_run (HybExecutor *executor, GCancellable *cancellable, GError **error);
guint    hyb_executor_n_outputs (HybExecutor *executor);
/* Of the last run; (transfer none), overwritten by the next in static mode. */
HybTensor     *hyb_executor_get_output (HybExecutor *executor, guint index);
const HybPlan *hyb_executor_get_plan (HybExecutor *executor); /* NULL in imperative mode */
guint64        hyb_executor_n_runs (HybExecutor *executor);
gsize          hyb_executor_get_peak_bytes (HybExecutor *executor);

G_END_DECLS
