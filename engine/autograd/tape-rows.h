/* tape-rows.h — computes the sum of several gradients of one weight as one product.
 *
 * A weight that is used n times (at every step of a recurrent network, for example) has n
 * gradients that are added up: Σ aᵢᵀ bᵢ.  Instead of n products and sums, the rows of all aᵢ and
 * of all bᵢ are concatenated and multiplied once.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"
#include "engine/op/run.h"

/* Returns, by node, TRUE for nodes from `first` on that need not be run, because the sum that
 * alone reads them computes them together.  readers: the number of readers of each value.
 * (transfer full) */
guint8 *hyb_tape_rows_find (HybGraph *graph, HybNodeId first, const guint32 *readers);

/* Computes a sum whose inputs hyb_tape_rows_find() marked.  tensors: by value; inputs of the
 * marked nodes must be set.  Returns NULL and an error if a call fails.  (transfer full) */
HybTensor *hyb_tape_rows_call (HybGraph         *graph,
                               HybNodeId         sum,
                               HybTensor *const *tensors,
                               const HybRun     *run,
                               GError          **error);
