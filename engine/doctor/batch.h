/* batch.h — a batch size that is written into a graph, in the shape of a Reshape or of begin states.
 *
 * Such a graph runs with the batch that it was exported with and with no other.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

typedef struct
{
  gint64     batch;   /* that is written into the graph */
  GArray    *nodes;   /* of HybNodeId: the nodes that have it */
  GPtrArray *changes; /* of HybChange: the changes of freeing */
  HybGraph  *freed;   /* a copy that accepts any batch; nodes keep their ids */
} HybFrozenBatch;

/* Finds a batch without being given a shape: constants are tried as the batch, and it is one if the graph
 * accepts data with it, refuses data with one more, and accepts both once the constants are freed.
 * NULL if there is none.  (transfer full) */
HybFrozenBatch *hyb_batch_find (HybModel *model);
/* Frees the result; accepts NULL. */
void hyb_frozen_batch_free (HybFrozenBatch *frozen);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybFrozenBatch, hyb_frozen_batch_free)
