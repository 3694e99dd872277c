/* box-text.h — the texts in a box, line by line, and the size of the box.
 *
 * Layout and drawing both use these functions, so that no text is clipped.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/diagram.h"
#include "viz/diagram/measure.h"

#define VIZ_BOX_STRIPE  4 /* width of the category's stripe at the left border, in points */
#define VIZ_BOX_PAD_X   8 /* between border and text */
#define VIZ_BOX_PAD_Y   5
#define VIZ_STRIP_PAD_Y 2 /* of a strip */

typedef struct
{
  char        *text;
  VizTextStyle style;
  gboolean     is_faint;
} VizTextLine;

/* The least size of a text on the screen, in pixels. */
#define VIZ_MIN_TEXT 9.0

/* How much a box shows. */
typedef enum
{
  VIZ_DETAIL_FULL,
  VIZ_DETAIL_BRIEF, /* title and name */
  VIZ_DETAIL_TITLE, /* title only; also of an activation or norm that is a strip on its layer */
  VIZ_DETAIL_AUTO,  /* for layouts: as much as the page can show legibly */
} VizDetail;

/* The lines of a box as a GArray of VizTextLine.  first_step, last_step: the steps of a chain that
 * are drawn as one box; first_step is -1 for any other box.  (transfer full) */
GArray *viz_box_lines (const VizDiagram *diagram,
                       guint32           box,
                       gint32            first_step,
                       gint32            last_step,
                       VizDetail         detail);

/* The title of an open group in one line; with_name: and its name, if that is another.  (transfer full) */
char *viz_box_group_title (const VizDiagram *diagram, guint32 box, gboolean with_name);

/* The text at the start of an arrow that is drawn only at its head: "from NAME".  (transfer full) */
char *viz_arrow_stub_text (const VizDiagram *diagram, guint32 arrow);

/* The size, in points, of a closed box of that kind with these lines. */
void viz_box_size (VizMeasure   *measure,
                   const GArray *lines,
                   VizBoxKind    kind,
                   double       *width,
                   double       *height);
