/* capture-to-heat.h — the measurements of a capture as colours of a diagram (an overlay).
 *
 * A box shows the self time of its node; a loop or branch shows everything inside; groups and runs
 * of steps show sums.  Rows of the capture are matched to nodes by number or, if the model has
 * been rewritten since, by name.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/graph-to-diagram.h"
#include "profiler/summary/summary.h"
#include "viz/fold/overlay.h"

typedef struct
{
  guint n_executed; /* nodes with times in the capture */
  guint n_found;    /* the ones with a box in the diagram */
} ScopeHeatCount;

typedef enum
{
  SCOPE_HEAT_SELF,      /* seconds */
  SCOPE_HEAT_SHARE,     /* of the run's time */
  SCOPE_HEAT_FLOPS,     /* FLOP per second */
  SCOPE_HEAT_BYTES,     /* bytes moved */
  SCOPE_HEAT_INCLUSIVE, /* seconds, with everything inside */
  SCOPE_HEAT_ROOF,      /* share of the machine's roofline */
  SCOPE_N_HEATS,
} ScopeHeat;

/* The measure with this name, or SCOPE_N_HEATS. */
ScopeHeat scope_heat_find (const char *name);

/* A capture and the diagram to colour. */
typedef struct
{
  const ProfCapture *capture;
  const ProfSummary *summary; /* of capture */
  VizDiagram        *diagram;
  const guint32     *boxes; /* by row of capture, from scope_capture_find_boxes() */
  const VizFolds    *folds; /* (nullable) the visible boxes, which set the range of colours */
} ScopeHeatSource;

/* The box of every row of the capture, VIZ_ROOT if it has none.  places: of the diagram.
 * (transfer full) */
guint32 *
scope_capture_find_boxes (const ProfCapture *capture, HybGraph *graph, const GArray *places);
/* Counts the summary's nodes, all and with a box. */
void
scope_capture_count_boxes (const ProfSummary *summary, const guint32 *boxes, ScopeHeatCount *count);

/* Overlay of a measure.  Finished; (transfer full). */
VizOverlay *scope_capture_paint (const ScopeHeatSource *source, ScopeHeat heat, VizScale scale);
/* Overlay of the change of self time from another capture to the source's; 0 where it is within the
 * noise.  Finished; (transfer full). */
VizOverlay *
scope_capture_paint_difference (const ScopeHeatSource *source, const ProfCapture *against);
