/* capture-to-heat.h — what a capture measured, as the colours of a diagram.
 *
 * A node's box gets its self time, a loop or branch all that happened inside; groups and
 * runs of steps get sums.  Nodes are found by their number, and where that does not fit
 * (the model was written anew) by name.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/graph-to-diagram.h"
#include "profiler/summary/summary.h"
#include "viz/fold/overlay.h"

typedef struct
{
  guint n_executed; /* nodes that the capture has times of */
  guint n_found;    /* of them, those with a box in the diagram */
} ScopeHeatCount;

typedef enum
{
  SCOPE_HEAT_SELF,
  SCOPE_HEAT_SHARE, /* of the run */
  SCOPE_HEAT_FLOPS, /* a second */
  SCOPE_HEAT_BYTES,
  SCOPE_HEAT_INCLUSIVE,
  SCOPE_HEAT_ROOF, /* share of what this machine can do with such work */
  SCOPE_N_HEATS,
} ScopeHeat;

/* places: of the diagram.  folds: (nullable) what is seen, for the bounds of the colours.  count: (out) (nullable).  Finished; (transfer full) */
VizOverlay *scope_capture_to_heat (const ProfCapture *capture,
                                   const ProfSummary *summary,
                                   HybGraph          *graph,
                                   VizDiagram        *diagram,
                                   const GArray      *places,
                                   const VizFolds    *folds,
                                   ScopeHeat          heat,
                                   ScopeHeatCount    *count);

/* The same in two steps, for whoever shows several measures of one capture. */
const char *scope_heat_name (ScopeHeat heat); /* for menus and files: "self", … */

/* By row of the capture: the box that pays for it, VIZ_ROOT: none.  (transfer full) */
guint32 *
scope_capture_find_boxes (const ProfCapture *capture, HybGraph *graph, const GArray *places);
/* boxes: by row.  Finished; (transfer full) */
VizOverlay *scope_capture_paint (const ProfCapture *capture,
                                 const ProfSummary *summary,
                                 VizDiagram        *diagram,
                                 const guint32     *boxes,
                                 ScopeHeat          heat,
                                 VizScale           scale);

/* SCOPE_N_HEATS: no such name. */
ScopeHeat scope_heat_find (const char *name);
/* What a capture changes against another, on nodes that both have; what is within the noise
 * is neither colour.  boxes: by row of capture.  Finished; (transfer full) */
VizOverlay *scope_capture_paint_difference (const ProfCapture *against,
                                            const ProfCapture *capture,
                                            VizDiagram        *diagram,
                                            const guint32     *boxes,
                                            const VizFolds    *folds);
