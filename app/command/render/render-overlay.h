/* render-overlay.h — the colours of hscope render: a capture, a difference, or numbers by node name.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"
#include "viz/fold/overlay.h"

/* The options of the command. */
typedef struct
{
  char *file;    /* --overlay; NULL: no colours */
  char *heat;    /* --heat */
  char *against; /* --against */
} ScopeRenderOverlay;

/* A diagram and how it is shown. */
typedef struct
{
  HybModel   *model;
  VizDiagram *diagram;
  GArray     *places; /* of ScopePlace */
  VizFolds   *folds;
} ScopeRenderDrawing;

/* Makes the overlay that the options request; *overlay stays NULL without one.  Warns if nodes of the file
 * are missing in the model.  FALSE and an error if the file cannot be read or belongs to another model. */
gboolean scope_render_overlay_make (const ScopeRenderOverlay *options,
                                    const ScopeRenderDrawing *drawing,
                                    VizOverlay              **overlay,
                                    GError                  **error);
