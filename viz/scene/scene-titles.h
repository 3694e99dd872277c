/* scene-titles.h — finds room for the titles of open groups.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/scene/scene-parts.h"

/* The width that the title of an open group can have at any scale, after its body was placed. */
double viz_scene_title_room (const VizScene *scene, guint32 item);
