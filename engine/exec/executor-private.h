/* executor-private.h — the members of an executor, for executor.c and executor-run.c.
 *
 * A binding holds the tensor of a variable; an entry holds the plan for one set of input types.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/device-frame.h"
#include "engine/exec/executor.h"

typedef struct
{
  HybTensor *tensor;      /* NULL: not bound */
  gboolean   is_constant; /* promised by hyb_executor_set_constant() */
  gboolean   is_copy;     /* owned by the executor, so that a run may write it */
  gboolean   is_needed;   /* a head depends on it */
  gboolean   is_written;
  gboolean   is_label; /* read only by losses, and only as their label */
  gboolean   is_kept;  /* stays on the GPU between runs; executor-keep.h */
  gboolean   decides;  /* types of the current plans depend on its contents */
  guint      next;     /* the next variable of the same name; G_MAXUINT: none */
} HybBinding;

typedef struct
{
  HybType    *types;   /* by variable; the key of the entry.  Unknown if not bound */
  HybTensor **zeros;   /* by variable: for labels that are not bound */
  HybPlan    *plan;    /* NULL in imperative mode */
  HybGraph   *lowered; /* imperative mode, of a graph of another format: the graph that runs; NULL
                      * otherwise */
  guint64     last_used;

  /* Static mode */
  gpointer       storage; /* memory that holds the frame */
  HybFrame      *frame;
  HybTensor     *block;   /* the memory that frame was made for */
  gconstpointer *bound;   /* by variable: the address bound in the frame */
  HybTensor    **outputs; /* by head: inside the block or elsewhere */

  HybDeviceFrame *on_device; /* NULL: on the processor, or before the first run */
} HybEntry;

struct _HybExecutor
{
  HybGraph          *graph;
  HybExecutorOptions options;
  char             **without; /* owned; options.without points here */
  char              *dump_after;

  guint       n_variables;
  HybBinding *bindings;
  GHashTable *by_name; /* name → index of the first such variable + 1 */
  HybTensor **inputs;  /* by variable, borrowed for one run */

  GPtrArray *entries; /* of HybEntry */
  HybEntry  *current; /* NULL: types have changed since */

  guint       n_outputs;
  HybTensor **outputs; /* of the last run; NULL before the first */
  HybTensor  *block;   /* static mode: shared by all entries */

  guint64         n_runs, n_seeded; /* in total, and since the seed was set */
  const HybProbe *probe;
  gsize           live_bytes, peak_bytes;

  HybDeviceValues *on_device; /* the bound tensors there; NULL: on the processor */
  HybEntry        *unread;    /* of the last run, whose outputs the host may not have; or NULL */
};

/* In executor-lowered.c, for graphs of other formats.  Sets constants (by variable) to the known contents: the contents
 * of the file if they were bound unchanged, and with_inputs the small integers that were given, on which the plan then
 * depends. */
void
hyb_executor_find_contents (HybExecutor *executor, gboolean with_inputs, HybTensor **constants);
/* TRUE if there are small integers that a plan does not depend on yet. */
gboolean hyb_executor_has_deciding_inputs (const HybExecutor *executor);
/* TRUE if planning failed with `error` only because of types that are known while running. */
gboolean hyb_executor_may_run_unplanned (const HybExecutor *executor, const GError *error);
/* Sets the graph that the imperative mode runs in place of the given one. */
gboolean hyb_executor_lower (HybExecutor *executor, HybEntry *entry, GError **error);
/* In executor-device.c: one run of the current entry on options.gpu, in any mode. */
gboolean hyb_executor_run_device (HybExecutor *executor, const HybRun *context, GError **error);
/* In executor-outputs.c: brings n outputs of the last run from number first on to the host.  FALSE and an
 * error if the device failed. */
gboolean hyb_executor_bring (HybExecutor *executor, guint first, guint n, GError **error);
/* In executor.c: makes tensor output number index of the last run.  tensor: (transfer full) */
void hyb_executor_set_output (HybExecutor *executor, guint index, HybTensor *tensor);
/* In executor.c: counts bytes that were allocated, or freed if they are negative, on device
 * number device; 0 is the host. */
void hyb_executor_account (HybExecutor *executor, guint16 device, gint64 bytes);
