/* read-dot.h — DOT text as a diagram.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/diagram.h"

/* The nodes, edges, clusters and labels of the first graph in text; other attributes are ignored.
 * Returns NULL with VIZ_ERROR_FORMAT if cgraph cannot parse it.  cgraph has global state: only one thread at a time
 * may call this, and the order of nodes in clusters can depend on graphs that were read before.  (transfer full) */
VizDiagram *dot_read (const char *text, GError **error);
