/* graph-view-private.h — the inside of the graph view, for graph-view*.c only.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/views/graph-view.h"

#include "app/widgets/minimap.h"

struct _ScopeGraphView
{
  ScopeView parent_instance;

  /* Template */
  GtkStack     *stack;
  ScopeCanvas  *canvas;
  ScopeMinimap *minimap;
  GtkBox       *breadcrumb;
  GtkSpinner   *spinner;
  GtkBox       *steps;
  GtkLabel     *steps_label;
  GtkRange     *steps_scale; /* of loops */
  gulong        scrubbing;   /* its handler */
  GtkWidget    *steps_range; /* of chains: how many are shown */
  GtkBox       *trace_box;
  GtkRange     *trace_scale;
  GtkWidget    *zoom_box;
  GMenuModel   *menu_model;

  /* Owned */
  GtkWidget    *menu;
  VizFolds     *folds;
  GPtrArray    *undo, *redo; /* of VizFolds */
  GCancellable *placing;
  char         *layout;
  guint         busy;

  guint32  anchor;       /* stays on the screen when the next picture comes */
  guint32  reveal_after; /* is brought into sight then */
  guint32  chain;        /* whose steps the scrubber moves: of cells, or a loop that has run */
  gboolean is_loop;
  double   saved_x, saved_y, saved_zoom;
  gboolean has_saved_camera;
};

/* Lays out anew; anchor: (box) stays where it is. */
void scope_graph_view_update_layout (ScopeGraphView *self, guint32 anchor);

/* graph-view-steps.c */
void scope_graph_view_update_steps (ScopeGraphView *self);
/* For ScopeViewClass.workspace_changed. */
void scope_graph_view_follow_steps (ScopeView *view, ScopeWorkspace *before);
void scope_graph_view_init_steps (ScopeGraphView *self);
void scope_graph_view_class_add_step_actions (GtkWidgetClass *class);
