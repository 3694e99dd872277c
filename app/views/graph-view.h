/* graph-view.h — the view of the graph: folding, undo, loop steps, tracing, entering groups.
 *
 * The page and every pane of a compare page have one; the drawing is done by the canvas.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/views/view.h"
#include "app/widgets/canvas.h"

#define SCOPE_TYPE_GRAPH_VIEW (scope_graph_view_get_type ())
G_DECLARE_FINAL_TYPE (ScopeGraphView, scope_graph_view, SCOPE, GRAPH_VIEW, ScopeView)

/* The canvas, owned by the view. */
ScopeCanvas *scope_graph_view_get_canvas (ScopeGraphView *self);
VizFolds    *scope_graph_view_get_folds (ScopeGraphView *self); /* (nullable) */
/* TRUE when no layout is running and all tiles are painted. */
gboolean scope_graph_view_is_settled (ScopeGraphView *self);

/* Opens or closes a group, with deep all groups inside it as well; can be undone. */
void scope_graph_view_toggle (ScopeGraphView *self, guint32 box, gboolean deep);
/* Draws the steps first to last of a chain one by one; can be undone. */
void scope_graph_view_set_steps (ScopeGraphView *self, guint32 box, int first, int last);
/* Highlights boxes, for example search hits. */
void scope_graph_view_set_hits (ScopeGraphView *self, const guint32 *boxes, guint n);

/* Hides minimap and zoom buttons, for narrow panes. */
void scope_graph_view_set_compact (ScopeGraphView *self, gboolean is_compact);

/* Writes folds, camera, layout and selection to a workspace file. */
void scope_graph_view_save (ScopeGraphView *self, GKeyFile *file);
/* Writes only the folds, for another form of the same model. */
void scope_graph_view_save_folds (ScopeGraphView *self, GKeyFile *file);
/* Restores the state in the file. */
void scope_graph_view_load (ScopeGraphView *self, GKeyFile *file);
