/* cell-hints.h — marks the cells of recurrent networks for folding.
 *
 * viz knows no operators: it groups by names and by repeated structure.  The engine recognises cells by
 * their formulas, whatever the names of their operators.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"
#include "viz/fold/fold.h"

/* The chains of cells in a graph as hints.  types (nullable): by value.  box_of: the box of each node, VIZ_ROOT
 * for none.  (transfer full) */
VizFoldHints *scope_find_cell_hints (HybGraph *graph, const HybType *types, const guint32 *box_of);
/* Frees hints; NULL is allowed. */
void scope_cell_hints_free (VizFoldHints *hints);
