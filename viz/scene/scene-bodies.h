/* scene-bodies.h — cuts every wire at the borders that it crosses, and fills the bodies.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/scene/scene-parts.h"

/* Cuts the wires into pieces, and fills nodes, node_sources and edges of every body. */
void viz_scene_cut_wires (VizScene *scene);

/* Makes body->body; frees an old one.  The groups inside must have their sizes (viz_scene_resize_group). */
void viz_scene_make_body (VizScene *scene, VizSceneBody *body);

/* Sets the size of a group from the answer of its body. */
void viz_scene_resize_group (VizScene *scene, VizSceneBody *body);
