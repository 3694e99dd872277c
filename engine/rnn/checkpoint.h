/* checkpoint.h — mx.rnn's checkpoints, which store the weights of cells gate by gate.
 * A model that was trained with a fused cell can therefore be loaded with single cells, and the other way round.  Start at
 * hyb_rnn_save_checkpoint() and hyb_rnn_load_checkpoint().
 * Threads: any thread; loading and saving need the cells for themselves.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/graph/model.h"
#include "engine/rnn/cell.h"

G_BEGIN_DECLS

/* Splits the parameters of n cells, and of all cells below them, into one array per gate. */
HYB_API gboolean hyb_rnn_unpack_weights (HybBlock *const *cells,
                                         guint            n,
                                         HybModel        *model,
                                         GError         **error);
/* The inverse of hyb_rnn_unpack_weights(): the model gets the parameters that the graphs of the
 * cells need. */
HYB_API gboolean hyb_rnn_pack_weights (HybBlock *const *cells,
                                       guint            n,
                                       HybModel        *model,
                                       GError         **error);

/* Where checkpoints are stored, and the cells whose weights are split. */
typedef struct
{
  HybBlock *const *cells;
  guint            n; /* number of cells */
  const char      *prefix;
  guint            period; /* save after every period epochs; 0: 1 */
} HybRnnCheckpoint;

/* Writes PREFIX-symbol.json and PREFIX-NNNN.params with one array per gate.  model is not
 * changed. */
HYB_API gboolean hyb_rnn_save_checkpoint (const HybRnnCheckpoint *checkpoint,
                                          guint                   epoch,
                                          HybModel               *model,
                                          GError                **error);
/* Reads such a pair of files and packs the weights as the cells need them.  The graph is that of the
 * file, as in MXNet: if other cells wrote it, set the graph of these with hyb_model_set_graph().
 * (transfer full) */
HYB_API HybModel *
hyb_rnn_load_checkpoint (const HybRnnCheckpoint *checkpoint, guint epoch, GError **error);
/* Called at the end of every epoch; saves if the period has passed.  finished: the number of
 * epochs that were finished before this one. */
HYB_API gboolean hyb_rnn_checkpoint_epoch (const HybRnnCheckpoint *checkpoint,
                                           guint                   finished,
                                           HybModel               *model,
                                           GError                **error);

G_END_DECLS
