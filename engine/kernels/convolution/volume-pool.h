/* volume-pool.h — maximum, sum or average of windows over up to three spatial axes.
 *
 * Windows over three axes are reduced in two passes of window-pool.h, slice by slice and along the first axis: an average of
 * averages is that of the window, because the cells that it counts are a box.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/convolution/window-pool.h"

/* Whether hyb_volume_pool() can reduce these windows. */
gboolean hyb_volume_pool_fits (const HybConvolve *window);
/* Returns the bytes of workspace for windows that fit. */
gsize hyb_volume_pool_workspace (const HybConvolve *window);
/* Computes the map of all planes, on several threads. */
void hyb_volume_pool (const HybWindowPool *pool);
