/* graph-view-private.h — the struct of the graph view, and the functions that its files share.
 *
 * Calls go one way: graph-view.c (the class) and graph-view-state.c → graph-view-layout.c →
 * graph-view-steps.c.
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
  GtkWidget    *spinner; /* while the layout is computed */
  GtkBox       *steps;
  GtkLabel     *steps_label;
  GtkRange     *steps_scale; /* of loops: the shown step */
  gulong        scrubbing;   /* handler of steps_scale */
  GtkWidget    *steps_range; /* of chains: buttons for fewer and more steps */
  GtkBox       *trace_box;
  GtkRange     *trace_scale;
  GtkWidget    *zoom_box;
  GMenuModel   *closed_menu, *open_menu, *node_menu, *model_menu, *view_menu; /* parts of menu */

  /* Owned */
  GtkWidget    *menu;
  VizFolds     *folds;
  GPtrArray    *undo, *redo; /* of VizFolds */
  GCancellable *layout_running;
  char         *layout;
  VizDirection  direction;
  guint         busy_timeout;            /* shows the spinner */
  guint         menu_idle;               /* shows the menu */
  guint         page_tick, page_timeout; /* a layout waits for the size of the page */

  guint32  anchor;       /* box that keeps its place on the screen in the next picture */
  guint32  reveal_after; /* box to bring into view in the next picture */
  guint32  chain;        /* chain or loop whose steps the bar controls; VIZ_ROOT: none */
  gboolean is_loop;      /* chain is a loop with recorded steps */
  double   saved_x, saved_y, saved_zoom;
  gboolean has_saved_camera; /* for the next picture */
};

/* --- graph-view-steps.c --- */

/* Chooses the chain or loop and updates the bar. */
void scope_graph_view_update_steps (ScopeGraphView *self);
/* Performs a "graph.steps-…" action.  For a loop it shows another step and returns FALSE; for a chain
 * it returns TRUE and the steps to be drawn. */
gboolean
scope_graph_view_move_steps (ScopeGraphView *self, const char *action, int *first, int *last);
/* Turns the trace of the selection on or off. */
void scope_graph_view_toggle_trace (ScopeGraphView *self);
/* For ScopeViewClass.workspace_changed. */
void scope_graph_view_follow_steps (ScopeView *view, ScopeWorkspace *before);
/* Connects the scales. */
void scope_graph_view_init_steps (ScopeGraphView *self);

/* --- graph-view-controls.c --- */

/* For GtkOverlay::get-child-position.  FALSE: the control stands where the overlay puts it. */
gboolean
scope_graph_view_place_control (ScopeGraphView *self, GtkWidget *control, GdkRectangle *place);

/* --- graph-view-menu.c --- */

/* Creates the context menu of the canvas. */
void scope_graph_view_init_menu (ScopeGraphView *self);
/* Removes it, before the canvas is destroyed. */
void scope_graph_view_remove_menu (ScopeGraphView *self);

/* --- graph-view-layout.c --- */

/* Lays out again; anchor: the box that keeps its place on the screen, or VIZ_ROOT. */
void scope_graph_view_update_layout (ScopeGraphView *self, guint32 anchor);
/* Stops a layout that is running or waits. */
void scope_graph_view_cancel_layout (ScopeGraphView *self);
/* Lays out again by another layout. */
void scope_graph_view_set_layout (ScopeGraphView *self, const char *name);
/* Lays out again in another direction, by its name. */
void scope_graph_view_set_direction (ScopeGraphView *self, const char *name);
/* Copies the folds for undo, before they change. */
void scope_graph_view_push_undo (ScopeGraphView *self);
/* Enables or disables the actions for undo and redo. */
void scope_graph_view_update_undo (ScopeGraphView *self);
/* Opens or closes box and all groups inside it; VIZ_ROOT: all groups. */
void scope_graph_view_open_inside (ScopeGraphView *self,
                                   VizDiagram     *diagram,
                                   guint32         box,
                                   gboolean        open);
