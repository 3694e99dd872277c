/* rnn-cells.h — what one fused RNN operator does inside: its cells and gates.
 *
 * The boxes are virtual: no node of the graph stands behind them (VIZ_BOX_INSIDE),
 * and the operator's own box stays closed until somebody opens it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"
#include "viz/diagram/diagram.h"

/* Ports of the operator's box, by input and by output; VIZ_NO_PORT: none. */
typedef struct
{
  guint32 in[5], out[3];
} ScopeRnnPorts;

/* Layers × directions of cells inside box, which is that of node.  types: (nullable) by
 * value.  NULL: the node is no fused RNN.  (transfer full) */
ScopeRnnPorts *scope_add_rnn_cells (VizDiagramBuilder *builder,
                                    guint32            box,
                                    HybGraph          *graph,
                                    HybNodeId          node,
                                    const HybType     *types);
