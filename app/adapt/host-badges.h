/* host-badges.h — marks the boxes whose steps the host computed in a run on a GPU.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture.h"
#include "viz/fold/overlay.h"

/* Gives badges to the boxes of such steps and to the groups around them, and explains them in the legend.  overlay: of
 * diagram, not yet finished.  boxes: by row of capture.  Does nothing for captures of the processor. */
void scope_host_badges_add (VizOverlay        *overlay,
                            VizDiagram        *diagram,
                            const ProfCapture *capture,
                            const guint32     *boxes);
/* The text in the box of a row, as a sentence without a full stop.  (transfer full) */
char *scope_host_badge_describe (const char *reason);
