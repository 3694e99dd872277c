/* dot.h — diagrams as DOT text.
 *
 * Writing is a loop of our own (cgraph's is quadratic in clusters); reading is
 * cgraph's, which keeps hidden state per process: call it from one thread only,
 * the layout's.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/error.h"
#include "viz/scene/picture.h"

G_BEGIN_DECLS

/* The visible items as nodes and clusters, one edge a wire. */
char *viz_dot_write (const VizPicture *picture);

/* Nodes, edges and clusters of the first graph in text; attributes beyond labels are left. */
VizDiagram *viz_dot_read (const char *text, GError **error);

G_END_DECLS
