/* dot.h — pictures as DOT text.
 *
 * Text is written without cgraph, whose time is quadratic in the number of clusters.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/scene/picture.h"

/* The visible items as nodes and clusters, and one edge per wire.  (transfer full) */
char *viz_dot_write (const VizPicture *picture);
