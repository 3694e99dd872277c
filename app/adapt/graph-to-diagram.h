/* graph-to-diagram.h — a graph as the boxes and arrows of a diagram.
 *
 * engine and viz are independent of each other: this file and capture-to-heat.h connect them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"
#include "viz/diagram/diagram.h"

/* The node that a box belongs to.  VizBox.user is an index into an array of these. */
typedef struct
{
  HybGraph *graph; /* the model's graph, or a body in it; (transfer none) */
  HybNodeId node;
  guint32   box;
} ScopePlace;

typedef struct
{
  HybModel      *model;
  const HybType *types;        /* by value id of the model's graph; NULL: unknown */
  gboolean       keep_weights; /* do not fold weights into the boxes that read them */
  gboolean       keep_scopes;  /* do not group boxes by scopes of their names */
  gboolean       keep_repeats; /* do not group repeated structure */
  guint          depth;        /* bodies and groups down to here stand open; 0: as fits */
} ScopeDiagramOptions;

/* Makes the diagram of a model.  places: (out) (optional) (transfer full) array of ScopePlace by
 * VizBox.user.  (transfer full) */
VizDiagram *scope_graph_to_diagram (const ScopeDiagramOptions *options, GArray **places);
