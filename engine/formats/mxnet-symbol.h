/* mxnet-symbol.h — graphs as MXNet 0.7 to 2.0 writes them (*-symbol.json).
 *
 * What MXNet refuses for no reason that matters is read and noted as a finding.
 * A node that cannot be understood becomes opaque and an error finding: the rest
 * of the graph can still be looked at.  Whoever wants to run asks for none.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

#include <gio/gio.h>

/* FALSE only when no graph remains; the reason is also the last finding. */
gboolean hyb_symbol_read (HybModel *model, GBytes *bytes, const char *where, GError **error);

/* Byte for byte as MXNet 1.9.1 writes: nodes in depth-first order from the heads. */
char    *hyb_symbol_print (HybGraph *graph, gsize *length);
gboolean hyb_symbol_write_file (HybGraph *graph, const char *path, GError **error);
