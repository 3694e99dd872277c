/* window-forward.c — actions of the window that the selected page, its graph or its canvas performs.
 *
 * Menus and keys of the window need them, because they cannot reach into a page.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

/* The canvas is inside its graph, and the graph inside the page: each of their actions can be activated from it. */
void
scope_window_forward (ScopeWindow *self, const char *action, GVariant *parameter)
{
  ScopePage      *page = scope_window_get_page (self);
  ScopeSweepPage *sweep = scope_window_get_sweep (self);
  ScopeCanvas    *canvas =
      page ? scope_graph_view_get_canvas (scope_page_get_shown_view (page)) : NULL;

  /* Only this action is enabled for sweeps. */
  if (sweep)
    gtk_widget_activate_action (GTK_WIDGET (sweep), "sweep.reload", NULL);
  if (canvas)
    gtk_widget_activate_action_variant (GTK_WIDGET (canvas), action, parameter);
}

const ScopeWindowAction scope_window_forward_actions[] = {
  { "win.reload", .forwarded = "page.reload" },
  { "win.stop", .forwarded = "page.stop" },
  { "win.go-back", .forwarded = "page.go-back" },
  { "win.go-forward", .forwarded = "page.go-forward" },
  { "win.bookmark", .forwarded = "page.bookmark" },
  { "win.outline", .forwarded = "page.outline" },
  { "win.side-pane", .forwarded = "page.side" },
  { "win.panel", .forwarded = "page.panel" },
  { "win.save-view", .forwarded = "page.save-view" },
  { "win.undo", .forwarded = "graph.undo" },
  { "win.redo", .forwarded = "graph.redo" },
  { "win.unfold-all", .forwarded = "graph.unfold-all" },
  { "win.fold-all", .forwarded = "graph.fold-all" },
  { "win.trace", .forwarded = "graph.trace" },
  { "win.zoom-fit", .forwarded = "canvas.zoom-fit" },
  { "win.zoom-in", .forwarded = "canvas.zoom-in" },
  { "win.zoom-out", .forwarded = "canvas.zoom-out" },
  { "win.zoom-normal", .forwarded = "canvas.zoom-normal" },
  { NULL },
};
