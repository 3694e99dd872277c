/* scene-strips.h — puts activations and norms on the layers that they belong to.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/scene/scene-parts.h"

/* Makes activations and norms strips on the boxes that they belong to; items must not be measured yet. */
void viz_scene_find_strips (VizScene *scene);

/* Gives boxes and the strips on them one width, and sets stack and below; after measuring. */
void viz_scene_stack_strips (VizScene *scene);
