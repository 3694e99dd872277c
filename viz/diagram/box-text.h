/* node.h — what is written in a box, line by line, and how large the box is.
 *
 * Layout and drawing both ask here, so that nothing is clipped.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/diagram.h"
#include "viz/diagram/measure.h"

G_BEGIN_DECLS

#define VIZ_BOX_STRIPE   4 /* width of the category's stripe, at the left */
#define VIZ_BOX_PAD_X    8
#define VIZ_BOX_PAD_Y    5
#define VIZ_BADGE_HEIGHT 14

typedef struct
{
  char        *text;
  VizTextStyle style;
  gboolean     is_faint;
} VizTextLine;

/* The lines of a box, as GArray of VizTextLine.  first_step … last_step: for the part of a chain
 * that is drawn as one box, else -1. */
GArray *viz_box_lines (const VizDiagram *diagram,
                       guint32           box,
                       gint32            first_step,
                       gint32            last_step,
                       gboolean          bare);

/* What stands beside the title of an open group. */
char *viz_box_group_title (const VizDiagram *diagram, guint32 box);

/* Where a wire comes from that is drawn only at its head. */
char *viz_arrow_stub_text (const VizDiagram *diagram, guint32 arrow);

void viz_box_size (VizMeasure   *measure,
                   const GArray *lines,
                   VizBoxKind    kind,
                   double       *width,
                   double       *height);

G_END_DECLS
