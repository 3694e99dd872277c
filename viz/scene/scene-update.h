/* scene-update.h — takes over hints from the previous picture.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/scene/scene-parts.h"

/* Whether the picture scene->previous can be updated.  FALSE if more than a few groups were opened or
 * closed since. */
gboolean viz_scene_can_update (const VizScene *scene);

/* Finds the order, groups and wires of scene->previous that correspond to bodies and edges. */
void viz_scene_match_previous (VizScene *scene);

/* Copies places and routes of the previous picture into body->body, if the group was there. */
void viz_scene_fill_previous (const VizScene *scene, VizSceneBody *body);
