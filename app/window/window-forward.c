/* window-forward.c — actions of the window that the selected page, its graph or its canvas performs.
 *
 * Menus and keys of the window need them, because they cannot reach into a page.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

typedef enum
{
  TO_PAGE,
  TO_GRAPH,
  TO_CANVAS,
} Target;

static const struct
{
  const char *name;
  Target      target;
  const char *action;
} forwarded[] = {
  { "win.reload", TO_PAGE, "page.reload" },
  { "win.stop", TO_PAGE, "page.stop" },
  { "win.go-back", TO_PAGE, "page.go-back" },
  { "win.go-forward", TO_PAGE, "page.go-forward" },
  { "win.bookmark", TO_PAGE, "page.bookmark" },
  { "win.outline", TO_PAGE, "page.outline" },
  { "win.side-pane", TO_PAGE, "page.side" },
  { "win.panel", TO_PAGE, "page.panel" },
  { "win.save-view", TO_PAGE, "page.save-view" },
  { "win.undo", TO_GRAPH, "graph.undo" },
  { "win.redo", TO_GRAPH, "graph.redo" },
  { "win.unfold-all", TO_GRAPH, "graph.unfold-all" },
  { "win.fold-all", TO_GRAPH, "graph.fold-all" },
  { "win.trace", TO_GRAPH, "graph.trace" },
  { "win.zoom-fit", TO_CANVAS, "canvas.zoom-fit" },
  { "win.zoom-in", TO_CANVAS, "canvas.zoom-in" },
  { "win.zoom-out", TO_CANVAS, "canvas.zoom-out" },
  { "win.zoom-normal", TO_CANVAS, "canvas.zoom-normal" },
};

static void
forward (ScopeWindow *self, const char *name, GVariant *parameter)
{
  ScopePage      *page = scope_window_get_page (self);
  ScopeSweepPage *sweep = scope_window_get_sweep (self);

  /* Only this action is enabled for sweeps. */
  if (sweep)
    gtk_widget_activate_action (GTK_WIDGET (sweep), "sweep.reload", NULL);
  for (guint i = 0; page && i < G_N_ELEMENTS (forwarded); i++)
    if (g_str_equal (forwarded[i].name, name))
      {
        ScopeGraphView *view = scope_page_get_shown_view (page);
        GtkWidget      *target = forwarded[i].target == TO_PAGE ? GTK_WIDGET (page)
                                 : forwarded[i].target == TO_GRAPH
                                     ? GTK_WIDGET (view)
                                     : GTK_WIDGET (scope_graph_view_get_canvas (view));

        gtk_widget_activate_action_variant (target, forwarded[i].action, parameter);
        return;
      }
}

const ScopeWindowAction scope_window_forward_actions[] = {
  { "win.reload", NULL, forward },
  { "win.stop", NULL, forward },
  { "win.go-back", NULL, forward },
  { "win.go-forward", NULL, forward },
  { "win.bookmark", NULL, forward },
  { "win.outline", NULL, forward },
  { "win.side-pane", NULL, forward },
  { "win.panel", NULL, forward },
  { "win.save-view", NULL, forward },
  { "win.undo", NULL, forward },
  { "win.redo", NULL, forward },
  { "win.unfold-all", NULL, forward },
  { "win.fold-all", NULL, forward },
  { "win.trace", NULL, forward },
  { "win.zoom-fit", NULL, forward },
  { "win.zoom-in", NULL, forward },
  { "win.zoom-out", NULL, forward },
  { "win.zoom-normal", NULL, forward },
  { NULL, NULL, NULL },
};
