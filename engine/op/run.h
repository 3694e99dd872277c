/* run.h — what a kernel sees while it computes.
 *
 * forward() gets pointers to its operands and nothing it could fail with.  The
 * step counter and key make random numbers depend on the node and the loop step
 * alone, not on order or threads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"
#include "engine/op/probe.h"

#include <gio/gio.h>

G_BEGIN_DECLS

struct _HybRun
{
  gconstpointer  *input; /* aux states (HybOp.mutates) may be written through a cast */
  gpointer       *output;
  gpointer        workspace; /* as many bytes as workspace() asked, 64-byte aligned */
  gboolean        training;
  guint64         seed;        /* of this run */
  guint32         key;         /* of this node: HybNode.key */
  guint64         step;        /* mixed over all enclosing loops; 0 outside */
  guint16         depth;       /* how many subgraphs deep */
  guint64         number;      /* which run of the graph */
  const HybProbe *probe;       /* NULL: nobody watches */
  GCancellable   *cancellable; /* loops look at it between steps; may be NULL */
};

/* A 64-bit seed for this node at this step of this run, for base/random.h. */
guint64 hyb_run_random_seed (const HybRun *run);

/* Reserves bytes at the end of a workspace of *workspace bytes, rounded up to HYB_ALIGNMENT,
 * and returns their offset.  For HybOp.prepare. */
gsize hyb_workspace_take (gsize *workspace, gsize bytes);

G_END_DECLS
