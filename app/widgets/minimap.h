/* minimap.h — the whole picture, small, with the part that the canvas shows.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/widgets/canvas.h"

G_BEGIN_DECLS

#define SCOPE_TYPE_MINIMAP (scope_minimap_get_type ())
G_DECLARE_FINAL_TYPE (ScopeMinimap, scope_minimap, SCOPE, MINIMAP, GtkWidget)

/* canvas is borrowed: it must live as long as the minimap, or NULL. */
void scope_minimap_set_canvas (ScopeMinimap *self, ScopeCanvas *canvas);

G_END_DECLS
