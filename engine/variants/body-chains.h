/* body-chains.h — repeated bodies as chains beside those of known cells.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/cells.h"

/* Those that are no part of an unbroken chain, as chains of no known kind. */
void hyb_cells_add_bodies (HybCells *cells);
