/* body-chains.h — adds repeated bodies of no known cell to the chains that were found.
 *
 * Runs after the search for known cells (recognise.c), whose unbroken chains keep their nodes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/cells.h"

/* Finds repeated bodies among the nodes outside unbroken chains and appends them as chains of kind
 * HYB_CELL_NONE.  Broken chains whose nodes belong to a body are removed. */
void hyb_cells_add_bodies (HybCells *cells);
