/* overlay.h — a value per box, painted as its fill: costs, or differences.
 *
 * An overlay belongs to a diagram, not to a picture: it restyles and never lays
 * out.  Values are set for single boxes; groups get the sum of what is inside.
 * A box without a value is faded, never drawn as zero.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/fold/folds.h"

G_BEGIN_DECLS

typedef struct _VizOverlay VizOverlay;

typedef enum
{
  VIZ_SCALE_LOG,
  VIZ_SCALE_LINEAR,
  VIZ_SCALE_RANK,
  VIZ_SCALE_DIFFERENCE, /* around 0: less is blue, more is orange */
} VizScale;

VizOverlay *viz_overlay_new (VizDiagram *diagram, const char *title, VizScale scale);
VizOverlay *viz_overlay_ref (VizOverlay *overlay);
void        viz_overlay_unref (VizOverlay *overlay);

/* Before viz_overlay_finish() only.  text: (nullable) what is written in the box: "1.2 ms · 14 %". */
void viz_overlay_set (VizOverlay *overlay, guint32 box, double value, const char *text);
/* Prints sums of groups and the legend's bounds; NULL: "%.3g" with no unit.  The result is freed
 * with g_free(). */
void viz_overlay_set_format (VizOverlay *overlay, char *(*format) (double value));
/* A line under the legend: clock, run, noise. */
void viz_overlay_set_note (VizOverlay *overlay, const char *note);

/* Sums groups, finds the bounds of what folds shows (NULL: of single boxes); from then on the
 * overlay may be read by any thread. */
void viz_overlay_finish (VizOverlay *overlay, const VizFolds *folds);

double viz_overlay_value (const VizOverlay *overlay, guint32 box); /* NAN: none */
/* Of a run of steps of one layer of a VIZ_BOX_STEPS. */
double      viz_overlay_value_of_steps (const VizOverlay *overlay,
                                        guint32           steps,
                                        gint32            first,
                                        gint32            last,
                                        gint32            layer);
const char *viz_overlay_text (const VizOverlay *overlay, guint32 box); /* (nullable) */
double      viz_overlay_level_of (const VizOverlay *overlay, double value);

VizScale    viz_overlay_scale (const VizOverlay *overlay);
const char *viz_overlay_title (const VizOverlay *overlay);
const char *viz_overlay_note (const VizOverlay *overlay);
void        viz_overlay_bounds (const VizOverlay *overlay, double *low, double *high);
char       *viz_overlay_format (const VizOverlay *overlay, double value);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (VizOverlay, viz_overlay_unref)

G_END_DECLS
