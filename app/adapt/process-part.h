/* process-part.h — the colours of the parts of a training step, in timelines of several processes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/base/event.h"
#include "viz/diagram/palette.h"

/* The colour of a part; that of a whole step is neutral. */
VizColour scope_process_part_colour (const VizTheme *theme, ProfProcessPart part);
