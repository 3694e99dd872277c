/* scene.h — finds the visible items and wires of a diagram.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/scene/scene-parts.h"

/* Finds the visible items and wires, and measures the items.  The scene keeps a reference to the
 * diagram; folds must outlive it. */
VizScene *
viz_scene_new (VizDiagram *diagram, const VizFolds *folds, const char *font, VizDetail detail);

/* Makes flow go to the right; before the wires are cut. */
void viz_scene_set_sideways (VizScene *scene);

/* Frees a scene; NULL is allowed. */
void viz_scene_free (VizScene *scene);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (VizScene, viz_scene_free)
