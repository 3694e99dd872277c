/* fold-blocks.h — finds blocks that repeat chosen regions but have no shortcut.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/fold/regions.h"

/* Adds to plain the blocks that have the operators of a chosen region but no shortcut around them, before and behind
 * such regions. */
void viz_regions_add_plain (VizRegions *regions, const GPtrArray *chosen, GPtrArray *plain);
