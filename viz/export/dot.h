/* dot.h — pictures as DOT text, and DOT text as diagrams.
 *
 * Writing does not use cgraph, whose time is quadratic in the number of clusters.  Reading does;
 * cgraph has global state, so that viz_dot_read() must only be called from one thread at a time.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/error.h"
#include "viz/scene/picture.h"

/* The visible items as nodes and clusters, and one edge per wire.  (transfer full) */
char *viz_dot_write (const VizPicture *picture);

/* The nodes, edges, clusters and labels of the first graph in text; other attributes are ignored.
 * Returns NULL with VIZ_ERROR_FORMAT if cgraph cannot parse it.  The order of nodes in clusters can
 * depend on the graphs that the process read before.  Tests use it to check viz_dot_write(); no command
 * reads DOT.  (transfer full) */
VizDiagram *viz_dot_read (const char *text, GError **error);
