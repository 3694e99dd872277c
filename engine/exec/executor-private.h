/* executor-private.h — the inside of an executor.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/executor.h"

typedef struct
{
  HybTensor *tensor;      /* NULL: not bound */
  gboolean   is_constant; /* the caller says so */
  gboolean   is_copy;     /* ours, so that a run may write it */
  gboolean   is_needed;   /* some head depends on it */
  gboolean   is_written;
  gboolean   is_label; /* read by losses only, and only as their label */
  guint      next;     /* another variable of the same name; G_MAXUINT: none */
} HybBinding;

typedef struct
{
  HybType    *types; /* by variable: the key; unknown for what was not bound */
  HybTensor **zeros; /* by variable: for labels that were not bound */
  HybPlan    *plan;  /* NULL in imperative mode */
  guint64     last_used;

  /* Static mode */
  gpointer       room; /* of the frame */
  HybFrame      *frame;
  HybTensor     *block;   /* that the frame was made for */
  gconstpointer *bound;   /* by variable: what is bound in the frame */
  HybTensor    **outputs; /* by head: what lies in the block, or elsewhere */
} HybEntry;

struct _HybExecutor
{
  HybGraph          *graph;
  HybExecutorOptions options;
  char             **without; /* owned copies of options' */
  char              *dump_after;

  guint       n_variables;
  HybBinding *bindings;
  GHashTable *by_name; /* name → index of the first such variable + 1 */
  HybTensor **inputs;  /* by variable, borrowed: for one run */

  GPtrArray *entries; /* of HybEntry */
  HybEntry  *current; /* NULL: types changed since */

  guint       n_outputs;
  HybTensor **outputs; /* of the last run; NULL before */
  HybTensor  *block;   /* static mode: of all entries */

  guint64         n_runs, n_seeded; /* in all, and since the seed was set */
  const HybProbe *probe;
  gsize           live_bytes, peak_bytes;
};
