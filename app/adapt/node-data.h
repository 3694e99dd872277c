/* node-data.h — numbers by node name, read from JSON, as colours of a diagram.
 *
 * Read are {"name": 1.5}, {"name": {"value": 1.5}} and the node data of Model Explorer, in which such an
 * object is called "results" and may stand inside of a named graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/capture-to-heat.h"

#include <gio/gio.h>

typedef struct _ScopeNodeData ScopeNodeData;

/* Whether the contents of a file begin like JSON; captures do not. */
gboolean scope_node_data_is (const char *contents, gsize length);
/* Reads numbers.  where: the file, whose name becomes the title of the legend.  NULL and an error if it is not
 * valid JSON or holds no number.  (transfer full) */
ScopeNodeData *scope_node_data_read (GBytes *bytes, const char *where, GError **error);
/* Frees the numbers; NULL is allowed. */
void scope_node_data_free (ScopeNodeData *data);
/* How many members were left out because they are no finite numbers. */
guint scope_node_data_n_skipped (const ScopeNodeData *data);

/* Overlay of the numbers of the nodes that have these names, or whose first output has ("name_output").
 * folds: (nullable) the visible boxes, which set the range of colours.  count: set to the numbers and those whose
 * node is in the diagram.  Finished; (transfer full). */
VizOverlay *scope_node_data_paint (const ScopeNodeData *data,
                                   VizDiagram          *diagram,
                                   const GArray        *places,
                                   const VizFolds      *folds,
                                   ScopeHeatCount      *count);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeNodeData, scope_node_data_free)
