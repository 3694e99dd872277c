/* find-lengths.h — the readers of the states of a chain whose sequences end early.
 *
 * A fused operator with lengths gives outputs that are zero behind the end of each sequence, and the state after its last step.
 * The nodes of lengths.h, and their equivalents in ONNX files, compute the same from all states.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"
#include "engine/variants/cells.h"

typedef struct
{
  HybValueId lengths; /* one for each sequence; HYB_NO_ID: there are none */
  /* Of HybValueId: h or c after all steps, with time on axis 0, of which only masked h and final states are read. */
  GArray *stacks;
  GArray *final[2]; /* of HybValueId: h and c after the last step of each sequence */
} HybChainLengths;

/* Fills found.  FALSE, and lengths HYB_NO_ID, unless all states that are read outside are read in this way. */
gboolean hyb_chain_find_lengths (const HybCells  *cells,
                                 HybModel        *model,
                                 const HybType   *types,
                                 const HybChain  *chain,
                                 HybChainLengths *found);
/* Frees the members of found. */
void hyb_chain_lengths_clear (HybChainLengths *found);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HybChainLengths, hyb_chain_lengths_clear)
