/* scene-wrap.h — wraps tall groups so that the picture fits a page.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/scene/scene-parts.h"

/* FALSE if the boxes, with all their lines, cover more than a page of that size in pixels can show legibly.
 * An estimate, for a scene that is not placed. */
gboolean viz_scene_may_fit (const VizScene *scene, const VizPoint *page);

/* Whether a page that shows all of the placed scene shows all lines of its boxes. */
gboolean viz_scene_is_legible (const VizScene *scene, const VizPoint *page);

/* Wraps the answer of the group that then lets the whole picture be seen largest on a page of that size
 * in pixels, if that helps; the caller then places the groups around it again.  Returns the number of
 * its body, or VIZ_NO_BODY. */
guint32 viz_scene_wrap (VizScene *scene, const VizPoint *size);
