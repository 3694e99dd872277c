/* node-data.h — numbers by node name, read from JSON, as colours of a diagram.
 *
 * Read are {"name": 1.5}, {"name": {"value": 1.5}} and the node data of Model Explorer, in which such an
 * object is called "results" and may stand inside of named graphs.  Numbers are immutable and reference-counted.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/capture-to-heat.h"

#include <gio/gio.h>

typedef struct _ScopeNodeData ScopeNodeData;

/* Whether the contents of a file begin like JSON; captures do not. */
gboolean scope_node_data_is (const char *contents, gsize length);
/* Reads numbers.  where: the file, whose name becomes the title of the legend.  NULL and an error if it is not
 * valid JSON, holds a graph (HYB_FORMAT_ERROR_UNKNOWN) or no number.  (transfer full) */
ScopeNodeData *scope_node_data_read (GBytes *bytes, const char *where, GError **error);
/* Takes a reference and returns data; thread-safe. */
ScopeNodeData *scope_node_data_ref (ScopeNodeData *data);
/* Drops a reference; the last one frees the numbers. */
void scope_node_data_unref (ScopeNodeData *data);
/* The name of the file, owned by data. */
const char *scope_node_data_title (const ScopeNodeData *data);
/* The number of the node with this name, or of its first output ("name_output"); NAN: it has none. */
double scope_node_data_get (const ScopeNodeData *data, const char *name);
/* Counts the numbers, all and with a node among the places. */
void scope_node_data_count (const ScopeNodeData *data, const GArray *places, ScopeHeatCount *count);
/* A number as it is written at boxes.  (transfer full) */
char *scope_node_data_format (double value);
/* How many members were left out because they are not finite numbers. */
guint scope_node_data_n_skipped (const ScopeNodeData *data);

typedef struct
{
  VizDiagram     *diagram;
  const GArray   *places;     /* of the diagram */
  const VizFolds *folds;      /* (nullable) the visible boxes, which set the range of colours */
  VizScale        scale;      /* if no number is negative; otherwise VIZ_SCALE_DIFFERENCE */
  gboolean        names_file; /* in the note, for legends without a title */
} ScopeNodeDataPaint;

/* Overlay of the numbers of the nodes that have these names, or whose first output has ("name_output").
 * count: set to the numbers, all and with a node in the diagram.  Finished; (transfer full). */
VizOverlay *scope_node_data_paint (const ScopeNodeData      *data,
                                   const ScopeNodeDataPaint *paint,
                                   ScopeHeatCount           *count);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeNodeData, scope_node_data_unref)
