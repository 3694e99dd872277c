/* scene-picture.h — joins the answers of the layouts into a picture.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/scene/scene-parts.h"

/* Joins the answers of all bodies into a picture.  Takes item_of from the scene.  (transfer full) */
VizPicture *viz_scene_make_picture (VizScene              *scene,
                                    const char            *font,
                                    const char            *layout,
                                    const VizPictureStats *stats);
