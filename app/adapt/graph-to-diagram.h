/* graph-to-diagram.h — a graph as a picture's boxes and arrows.
 *
 * The only place, with capture-to-heat, where engine and viz meet.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"
#include "viz/diagram/diagram.h"

/* What stands behind a box: VizBox.user is an index into the array. */
typedef struct
{
  HybGraph *graph; /* that of the model, or a body below it; (transfer none) */
  HybNodeId node;
  guint32   box;
} ScopePlace;

typedef struct
{
  HybModel      *model;
  const HybType *types;        /* by value of the model's graph; NULL: not known */
  gboolean       keep_weights; /* do not fold weights into their consumers */
  gboolean       keep_scopes;  /* no groups from names */
  gboolean       keep_repeats; /* no groups from repeated structure */
  guint          depth;        /* bodies and groups down to here stand open; 0: as fits */
} ScopeDiagramOptions;

/* places: (out) (transfer full) array of ScopePlace by VizBox.user; may be NULL. */
VizDiagram *scope_graph_to_diagram (const ScopeDiagramOptions *options, GArray **places);
