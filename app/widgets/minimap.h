/* minimap.h — the whole picture, small, with a frame around the visible part.
 *
 * Dragging in it moves the canvas.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/widgets/canvas.h"

#define SCOPE_TYPE_MINIMAP (scope_minimap_get_type ())
G_DECLARE_FINAL_TYPE (ScopeMinimap, scope_minimap, SCOPE, MINIMAP, GtkWidget)

/* canvas: (nullable) not referenced; must outlive the minimap. */
void scope_minimap_set_canvas (ScopeMinimap *self, ScopeCanvas *canvas);
