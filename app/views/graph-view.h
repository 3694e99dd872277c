/* graph-view.h — the graph itself: what stands open, where one looks, what was searched.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/views/view.h"
#include "app/widgets/canvas.h"

G_BEGIN_DECLS

#define SCOPE_TYPE_GRAPH_VIEW (scope_graph_view_get_type ())
G_DECLARE_FINAL_TYPE (ScopeGraphView, scope_graph_view, SCOPE, GRAPH_VIEW, ScopeView)

ScopeCanvas *scope_graph_view_get_canvas (ScopeGraphView *self);
VizFolds    *scope_graph_view_get_folds (ScopeGraphView *self); /* (nullable) */
/* Whether layout and tiles have caught up with what was asked. */
gboolean scope_graph_view_is_settled (ScopeGraphView *self);

void scope_graph_view_toggle (ScopeGraphView *self, guint32 box, gboolean deep);
void scope_graph_view_set_steps (ScopeGraphView *self, guint32 box, int first, int last);
void scope_graph_view_set_hits (ScopeGraphView *self, const guint32 *boxes, guint n);

/* In a narrow pane only what nothing else can do stands over the graph. */
void scope_graph_view_set_compact (ScopeGraphView *self, gboolean is_compact);

/* What a workspace file keeps: folds, camera, layout, selection. */
void scope_graph_view_save (ScopeGraphView *self, GKeyFile *file);
/* Only what stands open: for another picture of the same model. */
void scope_graph_view_save_folds (ScopeGraphView *self, GKeyFile *file);
void scope_graph_view_load (ScopeGraphView *self, GKeyFile *file);

G_END_DECLS
