/* run.h — HybRun: the context of a kernel while it computes.
 *
 * forward() gets pointers to its operands and cannot fail.  Random numbers are a function of seed, node key and loop
 * step (hyb_run_random_seed()), so that they do not depend on the order in which nodes run or on the number of threads.
 * Threads: a HybRun belongs to one call of forward(); several threads may be in forward() at once, each with its own.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/op/op.h"
#include "engine/op/probe.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* Values that a kernel cannot compute with, such as an index outside of its axis.  forward() cannot fail:
 * it reports the first such value with hyb_run_report() and continues with a value that it defines.  The
 * run then ends with an error behind this node. */
typedef struct
{
  gboolean    is_set;
  char        message[160];
  const char *hint;  /* the way out; a constant text or NULL */
  HybGraph   *graph; /* the graph of the node, set by whatever calls forward(); or NULL */
  guint32     node;  /* its id in that graph */
} HybRunFault;

/* The memory limit for the arrays of a run (op/run-memory.h). */
typedef struct _HybRunMemory HybRunMemory;
/* The device whose memory holds values (op/run-device.h). */
typedef struct _HybRunDevice HybRunDevice;
/* The arguments of a kernel for one call of an operator. */
struct _HybRun
{
  gconstpointer  *input;     /* data of each input; forward() casts away const for the ones in
                              * HybOp.mutates */
  gpointer       *output;    /* data of each output */
  gpointer        workspace; /* HybOp.workspace() bytes, 64-byte aligned; undefined contents */
  gboolean        training;
  guint64         seed;        /* of this run */
  guint32         key;         /* HybNode.key of this node */
  guint64         step;        /* mixed from the steps of all enclosing loops; 0 outside of loops */
  guint16         depth;       /* number of enclosing subgraphs */
  guint64         number;      /* counts the runs of the graph */
  const HybProbe *probe;       /* NULL if nothing observes the run */
  GCancellable   *cancellable; /* checked by loops between steps; may be NULL */
  HybRunFault    *fault;       /* where kernels report values; NULL if nothing reads it */
  const HybSpan  *span;        /* of the node that runs, for phase.h; NULL if nothing observes it */
  HybRunMemory   *memory;      /* NULL where a plan has counted all arrays */

  const HybRunDevice *device; /* NULL if values are in the memory of the host */
  const guint64 *seed_there;  /* for twins of a device: its address of seed, which each run sends */
};

/* One call of an operator with tensors, for hyb_imperative_call() and hyb_tape_call(). */
typedef struct
{
  const HybOp      *op;
  gconstpointer     params; /* parsed attributes; NULL if the operator has none */
  HybGraph *const  *bodies; /* of a loop or condition; else NULL */
  guint             n_inputs;
  HybTensor *const *inputs;
  HybTensor       **outputs; /* one for each output of the operator, each (transfer full) */
  gboolean has_scalars; /* not MXNet's legacy rules for shapes: rank 0 and empty arrays exist */
} HybImperativeCall;

/* The seed for this node in this step of this run, for the functions of base/random.h. */
HYB_API guint64 hyb_run_random_seed (const HybRun *run);

/* Reports invalid values; only the first report of a run counts.  hint: a constant text that says
 * what to do, or NULL.  Allocates nothing.  To be called by the thread that runs forward(). */
HYB_API void
hyb_run_report (const HybRun *run, const char *hint, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* Reports that an index lies outside of an axis of `size` elements. */
HYB_API void hyb_run_report_index (const HybRun *run, int axis, double index, gint64 size);
/* TRUE if the run must not continue: it was cancelled, or values were reported. */
HYB_API gboolean hyb_run_is_stopped (const HybRun *run);

/* Adds `bytes`, rounded up to HYB_ALIGNMENT, to a workspace of *workspace bytes, and returns the
 * offset of the added part.  For operators that divide their workspace into several parts. */
HYB_API gsize hyb_workspace_take (gsize *workspace, gsize bytes);

G_END_DECLS
