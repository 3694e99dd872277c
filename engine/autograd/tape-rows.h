/* tape-rows.h — gradients of a weight that was used again and again: the rows of all its uses
 * taken together, in one call instead of one for each use and a sum.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"
#include "engine/op/run.h"

/* By node, from node number `first` on: TRUE for one that need not be run, since the sum that
 * alone reads it takes its rows.  readers: by value.  (transfer full) */
guint8 *hyb_tape_rows_find (HybGraph *graph, HybNodeId first, const guint32 *readers);

/* A sum of such nodes.  tensors: by value, what they read is there. */
gboolean hyb_tape_rows_call (HybGraph         *graph,
                             HybNodeId         sum,
                             HybTensor *const *tensors,
                             const HybRun     *run,
                             HybTensor       **output,
                             GError          **error);
