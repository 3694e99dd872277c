/* mxnet-symbol.h — reads and writes graphs in the files of MXNet 0.7 to 2.0 (*-symbol.json).
 *
 * The reader accepts more than MXNet does and reports the difference as findings.  A node that it
 * does not understand becomes opaque, with an error finding, so that the rest of the graph can be
 * shown; callers must check for such findings before they run the graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

#include <gio/gio.h>

/* Puts the graph into model.  FALSE only if there is no graph to show; the last finding then
 * gives the reason.  where: name of the file in messages. */
gboolean hyb_symbol_read (HybModel *model, GBytes *bytes, const char *where, GError **error);

/* The JSON text that MXNet 1.9.1 writes for the graph, byte for byte: nodes are in depth-first order
 * from the heads.  (transfer full) */
char *hyb_symbol_print (HybGraph *graph, gsize *length);
