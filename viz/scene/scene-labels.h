/* scene-labels.h — places the texts on wires.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/scene/scene-parts.h"

/* Places the texts on wires where they cover nothing, or removes them.  wires: VizWire, changed;
 * points: VizPoint; plugs: VizPlug; n_stubs: per item, the stubs that arrive. */
void viz_scene_place_labels (const VizScene *scene,
                             GArray         *wires,
                             const GArray   *points,
                             const GArray   *plugs,
                             const guint32  *n_stubs);
