/* executor.h — runs a graph: binds variables by name, plans when types change (one plan for each set of input types), runs.
 * Start with hyb_executor_new(), bind every variable, call hyb_executor_run(), read the outputs.
 * Threads: one thread at a time uses an executor; those of several may share a graph and tensors, which none of them changes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/exec/plan.h"

G_BEGIN_DECLS
/* Runs a graph in one of the modes. */
typedef struct _HybExecutor HybExecutor;
/* How much is decided before a run. */
typedef enum
{
  HYB_MODE_IMPERATIVE, /* operator by operator, memory for each */
  HYB_MODE_HYBRID,     /* planned once, memory allocated for each run */
  HYB_MODE_STATIC,     /* planned once, memory kept: a run allocates nothing */
} HybMode;
/* Options of hyb_executor_new(). */
typedef struct
{
  HybMode            mode;
  gboolean           training;
  gboolean           fold_parameters; /* parameters do not change between runs */
  gboolean           no_passes;       /* leave out all optimising passes */
  const char *const *without;         /* names of passes left out, NULL-terminated; NULL: none */
  const char        *dump_after;      /* print the graph to stderr after this pass; NULL: none */
  guint64            seed;            /* of the first run */
  gsize              memory_limit;    /* bytes; 0: the machine's memory */
  HybGpu            *gpu;             /* computes the operators that it supports; NULL: the
                                       * processor (device/gpu.h) */
  gboolean           times_device;    /* the GPU's clock counts each run */
  gboolean           same_bytes; /* fold only where every kernel and its rounding stay the same */
} HybExecutorOptions;

/* An executor for graph, of which it takes a reference; options are copied.  (transfer full) */
HYB_API HybExecutor *hyb_executor_new (HybGraph *graph, const HybExecutorOptions *options);
/* Frees an executor with its plans and memory. */
HYB_API void hyb_executor_free (HybExecutor *executor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybExecutor, hyb_executor_free)

/* Binds the variable of this name to tensor until it is bound again; the executor takes a
 * reference.  FALSE and an error if the graph has no such variable. */
HYB_API gboolean hyb_executor_bind (HybExecutor *executor,
                                    const char  *name,
                                    HybTensor   *tensor,
                                    GError     **error);
/* The tensor that a variable is bound to, owned by the executor, or NULL.  After a run this is
 * the updated state if the graph writes the variable. */
HYB_API HybTensor *hyb_executor_get_bound (HybExecutor *executor, const char *name);
/* Promises that the contents of a variable do not change between runs, so that they may be
 * folded into the plan (see fold_parameters). */
HYB_API void hyb_executor_set_constant (HybExecutor *executor, const char *name, gboolean constant);

/* Sets the probe that watches every run, or NULL.  It stays the caller's. */
HYB_API void hyb_executor_set_probe (HybExecutor *executor, const HybProbe *probe);
/* Sets the seed.  The next run draws from seed itself and later runs from seeds derived from it,
 * so that every training step drops different units. */
HYB_API void hyb_executor_set_seed (HybExecutor *executor, guint64 seed);

/* Plans if the types of bound variables have changed.  FALSE and an error that names everything
 * that is missing or wrong. */
HYB_API gboolean hyb_executor_prepare (HybExecutor *executor, GError **error);
/* Prepares if needed, and runs.  States that the graph writes are bound to updated copies.
 * FALSE and an error if preparing fails or cancellable is cancelled.  A GPU may still compute when this
 * returns, see hyb_executor_finish(); an error of the run before may be reported by this one. */
HYB_API gboolean hyb_executor_run (HybExecutor  *executor,
                                   GCancellable *cancellable,
                                   GError      **error);
/* Waits for the last run and brings all its outputs to the host.  FALSE and an error if the GPU failed;
 * on the processor there is nothing to do. */
HYB_API gboolean hyb_executor_finish (HybExecutor *executor, GError **error);
/* The number of outputs: the heads of the graph. */
HYB_API guint hyb_executor_n_outputs (HybExecutor *executor);
/* An output of the last run, owned by the executor.  In static mode the next run overwrites it.  On
 * a GPU this waits and fills the tensor, so call it after every run; results that failed are zero
 * and hyb_executor_finish() returns the error. */
HYB_API HybTensor *hyb_executor_get_output (HybExecutor *executor, guint index);
/* The output of this name (hyb_graph_dup_output_names()), as hyb_executor_get_output(); NULL if there is none. */
HYB_API HybTensor *hyb_executor_find_output (HybExecutor *executor, const char *name);
/* The current plan, owned by the executor; NULL in imperative mode. */
HYB_API const HybPlan *hyb_executor_get_plan (HybExecutor *executor);
/* The number of runs so far. */
HYB_API guint64 hyb_executor_n_runs (HybExecutor *executor);
/* The steps of the last run that a GPU computed and the copies, as one sentence for users; NULL
 * without a GPU.  (transfer full) */
HYB_API char *hyb_executor_dup_device_work (HybExecutor *executor);
/* The seconds that the clock of the GPU counted from the first to the last work of the last run, which must have
 * ended.  NaN without a GPU or HybExecutorOptions.times_device, or if the GPU failed. */
HYB_API double hyb_executor_get_device_seconds (HybExecutor *executor);
/* The largest number of bytes that tensors of a run have taken at once. */
HYB_API gsize hyb_executor_get_peak_bytes (HybExecutor *executor);

G_END_DECLS
