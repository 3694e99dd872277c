/* cells.h — finds the formulas of LSTM and GRU cells that are written out in pointwise operators, and of their
 * gradients, for the pass fuse-gates.
 *
 * Both searches look at the structure alone: the caller checks whether intermediate values have other readers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/pass.h"

#define HYB_CELL_INPUTS  3
#define HYB_CELL_KEPT    5
#define HYB_CELL_RESULTS 3
#define HYB_CELL_NODES   24

/* Different nodes. */
typedef struct
{
  guint     n;
  HybNodeId id[HYB_CELL_NODES];
} HybCellNodes;

/* The nodes that compute a cell. */
typedef struct
{
  const char *forward, *recording, *backward; /* operators */
  guint       n_kept;                         /* hidden outputs of recording: the last ones */
  guint       n_results;                      /* outputs of backward */
  guint       first_read;     /* the inputs of the cell from this one on are inputs of backward */
  const char *cell_attribute; /* whether backward reads the state's gradient; NULL: never */
} HybWrittenCellKind;

/* A cell: the values that it reads, its outputs, and all nodes between. */
typedef struct
{
  const HybWrittenCellKind *kind;
  HybValueId                inputs[HYB_CELL_INPUTS];
  HybValueId   kept[HYB_CELL_KEPT]; /* further outputs of the recording operator, in its order */
  HybNodeId    output, cell;        /* cell: HYB_NO_ID for a GRU */
  HybCellNodes nodes;
} HybCell;

/* The gradient of a cell: its inputs, its results and its nodes. */
typedef struct
{
  HybValueId output, cell; /* gradients of the outputs; cell: HYB_NO_ID if none arrives */
  HybValueId results
      [HYB_CELL_RESULTS]; /* in the order of the outputs of backward; HYB_NO_ID: not computed */
  HybCellNodes nodes;
} HybWrittenCellGradient;

typedef struct
{
  HybGraph    *graph;
  HybFacts    *facts;
  const HybOp *add, *sub, *mul, *negative, *slice, *concat, *ones, *from_scalar, *activation,
      *backward_activation;
} HybWrittenCells;

/* Prepares the search. */
void hyb_cells_init (HybWrittenCells *cells, HybGraph *graph, HybFacts *facts);
/* TRUE if this node is the output of a cell. */
gboolean hyb_cells_match (const HybWrittenCells *cells, HybNodeId id, HybCell *cell);
/* Finds the gradient of a cell.  FALSE if the graph has none, or one of another structure. */
gboolean hyb_cells_match_gradient (const HybWrittenCells  *cells,
                                   const HybCell          *cell,
                                   HybWrittenCellGradient *gradient);

/* TRUE if the nodes have this one. */
gboolean hyb_cell_nodes_have (const HybCellNodes *nodes, HybNodeId id);
/* Adds a node unless it is there.  FALSE if there is no room. */
gboolean hyb_cell_nodes_add (HybCellNodes *nodes, HybNodeId id);
