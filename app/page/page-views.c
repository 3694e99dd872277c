/* page-views.c — the views of a page: a table of them, and where each is placed.
 *
 * To add a view, write a subclass of ScopeView and add a line to the table.  scope_page_build_views()
 * creates the views with the page's workspace.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/page/page-private.h"

#include "app/session/settings.h"
#include "app/views/findings-view.h"
#include "app/views/log-view.h"
#include "app/views/memory-view.h"
#include "app/views/node-view.h"
#include "app/views/operators-view.h"
#include "app/views/outline-view.h"
#include "app/views/passes-view.h"
#include "app/views/timeline-view.h"
#include "app/views/values-view.h"

#include <glib/gi18n.h>

#define LEFT_WIDTH      220
#define MIN_LEFT_WIDTH  180
#define RIGHT_WIDTH     300
#define MIN_RIGHT_WIDTH 260

typedef enum
{
  PLACE_CENTRE,
  PLACE_LEFT, /* hidden until it is requested */
  PLACE_RIGHT,
  PLACE_PANEL, /* a tab of the lower panel */
} Place;

static const struct
{
  const char *name;
  const char *title; /* of the tab; NULL outside the panel */
  GType (*get_type) (void);
  Place place;
} views[] = {
  { "graph", NULL, scope_graph_view_get_type, PLACE_CENTRE },
  { "node", NULL, scope_node_view_get_type, PLACE_RIGHT },
  { "outline", NULL, scope_outline_view_get_type, PLACE_LEFT },
  { "operators", N_ ("Operators"), scope_operators_view_get_type, PLACE_PANEL },
  { "timeline", N_ ("Timeline"), scope_timeline_view_get_type, PLACE_PANEL },
  { "values", N_ ("Values"), scope_values_view_get_type, PLACE_PANEL },
  { "memory", N_ ("Memory"), scope_memory_view_get_type, PLACE_PANEL },
  { "findings", N_ ("Findings"), scope_findings_view_get_type, PLACE_PANEL },
  { "passes", N_ ("Passes"), scope_passes_view_get_type, PLACE_PANEL },
  { "log", N_ ("Log"), scope_log_view_get_type, PLACE_PANEL },
};

/* Where the width of the page is known for the first time, the side pane gets its usual width. */
static void
on_first_width (GtkPaned *sides, GParamSpec *property G_GNUC_UNUSED, gpointer self)
{
  int last;

  g_object_get (sides, "max-position", &last, NULL);
  if (last <= 0 || last == G_MAXINT)
    return;
  g_signal_handlers_disconnect_by_data (sides, self); /* this one */
  gtk_paned_set_position (sides, MAX (last - (RIGHT_WIDTH - MIN_RIGHT_WIDTH), 0));
}

static void
place_view (ScopePage *self, GtkWidget *view, const char *name, Place place)
{
  GtkStackPage *tab;

  switch (place)
    {
    case PLACE_CENTRE:
      gtk_stack_add_named (self->graphs, view, "model");
      gtk_stack_set_visible_child (self->graphs, view);
      break;
    case PLACE_LEFT:
      gtk_widget_set_size_request (view, MIN_LEFT_WIDTH, -1);
      gtk_widget_set_visible (view, FALSE);
      gtk_paned_set_start_child (self->left, view);
      gtk_paned_set_position (self->left, LEFT_WIDTH);
      break;
    case PLACE_RIGHT:
      gtk_widget_set_size_request (view, MIN_RIGHT_WIDTH, -1);
      gtk_paned_set_end_child (self->sides, view);
      g_signal_connect (self->sides, "notify::max-position", G_CALLBACK (on_first_width), self);
      break;
    case PLACE_PANEL:
      tab = gtk_stack_add_named (self->panel, view, name);
      g_object_bind_property (view, "title", tab, "title", G_BINDING_SYNC_CREATE);
      break;
    }
}

/* A tab opens the panel that it belongs to. */
static void
on_tab (ScopePage *self)
{
  if (!gtk_revealer_get_reveal_child (self->panel_revealer))
    gtk_widget_activate_action (GTK_WIDGET (self), "page.panel", NULL);
}

void
scope_page_build_views (ScopePage *self)
{
  self->views = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < G_N_ELEMENTS (views); i++)
    {
      g_autofree char *widget_name = g_strconcat (views[i].name, "-view", NULL);
      GtkWidget       *view = g_object_new (views[i].get_type (), "name", widget_name, "title",
                                      views[i].title ? _ (views[i].title) : NULL, "workspace",
                                            self->workspace, NULL);

      g_hash_table_insert (self->views, (gpointer) views[i].name, view);
      place_view (self, view, views[i].name, views[i].place);
    }
  self->graph_view = SCOPE_GRAPH_VIEW (scope_page_get_view (self, "graph"));
  for (GtkWidget *tab = gtk_widget_get_first_child (self->switcher); tab;
       tab = gtk_widget_get_next_sibling (tab))
    g_signal_connect_object (tab, "clicked", G_CALLBACK (on_tab), self, G_CONNECT_SWAPPED);
}

ScopeView *
scope_page_get_view (ScopePage *self, const char *name)
{
  return g_hash_table_lookup (self->views, name);
}

/* --- The lower panel --- */

void
scope_page_set_panel_shown (ScopePage *self, gboolean is_shown)
{
  gtk_revealer_set_reveal_child (self->panel_revealer, is_shown);
  gtk_widget_set_visible (GTK_WIDGET (self->panel_revealer), is_shown);
  gtk_button_set_icon_name (GTK_BUTTON (self->panel_button),
                            is_shown ? "go-down-symbolic" : "go-up-symbolic");
  gtk_paned_set_position (self->split, -1); /* the panel gets its natural height */
  scope_settings_set_flag ("panel", is_shown);
}

void
scope_page_show_view (ScopePage *self, const char *name)
{
  gtk_stack_set_visible_child_name (self->panel, name);
  if (!gtk_revealer_get_reveal_child (self->panel_revealer))
    gtk_widget_activate_action (GTK_WIDGET (self), "page.panel", NULL);
}
