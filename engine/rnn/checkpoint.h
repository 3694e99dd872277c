/* checkpoint.h — mx.rnn's checkpoints: the weights of cells gate by gate, so that what was
 * trained fused loads unfused and the other way round.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"
#include "engine/rnn/cell.h"

G_BEGIN_DECLS

/* The model's parameters of these cells (and of all cells in them), split by gates or put
 * together again as the cells' graphs need them. */
gboolean hyb_rnn_unpack_weights (HybBlock *const *cells, guint n, HybModel *model, GError **error);
gboolean hyb_rnn_pack_weights (HybBlock *const *cells, guint n, HybModel *model, GError **error);

/* PREFIX-symbol.json and PREFIX-NNNN.params, weights gate by gate.  model stays as it is. */
gboolean hyb_rnn_save_checkpoint (HybBlock *const *cells,
                                  guint            n,
                                  const char      *prefix,
                                  guint            epoch,
                                  HybModel        *model,
                                  GError         **error);
/* (transfer full) */
HybModel *hyb_rnn_load_checkpoint (HybBlock *const *cells,
                                   guint            n,
                                   const char      *prefix,
                                   guint            epoch,
                                   GError         **error);

/* What a training loop calls at the end of every epoch. */
typedef struct
{
  HybBlock *const *cells;
  guint            n;
  const char      *prefix;
  guint            period; /* every how many epochs; 0: 1 */
} HybRnnCheckpoint;
/* finished: epochs done before this one. */
gboolean hyb_rnn_checkpoint_epoch (const HybRnnCheckpoint *checkpoint,
                                   guint                   finished,
                                   HybModel               *model,
                                   GError                **error);

G_END_DECLS
