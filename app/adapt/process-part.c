/* process-part.c — a colour for each part, and a warm one for waiting.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/process-part.h"

#include "viz/paint/chart.h"

VizColour
scope_process_part_colour (const VizTheme *theme, ProfProcessPart part)
{
  static const guint hues[PROF_N_PARTS] = {
    [PROF_PART_FORWARD] = 0, [PROF_PART_BACKWARD] = 2, [PROF_PART_COMPUTING] = 2,
    [PROF_PART_AVERAGE] = 3, [PROF_PART_UPDATE] = 4,
  };

  if (part == PROF_PART_WAITING)
    return theme->problem;
  if (part == PROF_PART_STEP || part >= PROF_N_PARTS)
    return theme->box_border;
  return theme->category[viz_chart_hue (hues[part])];
}
