/* rnn-cells.h — draws the inside of a fused RNN operator: its cells and gates.
 *
 * The boxes are virtual: no node of the graph belongs to them (VIZ_BOX_INSIDE).  The operator's own
 * box stays closed until the user opens it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"
#include "viz/diagram/diagram.h"

/* Ports of the operator's box, by input and by output of the node; VIZ_NO_PORT: no port. */
typedef struct
{
  guint32 in[5], out[3];
} ScopeRnnPorts;

/* Adds the cells of all layers and directions inside box, the box of the node.  types (nullable): by
 * value id.  NULL if the node is not a fused RNN.  (transfer full) */
ScopeRnnPorts *scope_add_rnn_cells (VizDiagramBuilder *builder,
                                    guint32            box,
                                    HybGraph          *graph,
                                    HybNodeId          node,
                                    const HybType     *types);
