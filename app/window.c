/* window.c — header, tabs, pages.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window-private.h"

#include "app/settings.h"

#include <glib/gi18n.h>

G_DEFINE_FINAL_TYPE (ScopeWindow, scope_window, ADW_TYPE_APPLICATION_WINDOW)

ScopePage *
scope_window_get_page (ScopeWindow *self)
{
  AdwTabPage *page = adw_tab_view_get_selected_page (self->tabs);
  GtkWidget  *child = page != NULL ? adw_tab_page_get_child (page) : NULL;

  return SCOPE_IS_PAGE (child) ? SCOPE_PAGE (child) : NULL;
}

void
scope_window_toast (ScopeWindow *self, const char *text)
{
  AdwToast *toast = adw_toast_new (text);

  adw_toast_set_timeout (toast, 4);
  adw_toast_overlay_add_toast (self->toasts, toast);
}

static void
on_page_changed (ScopeWindow *self)
{
  ScopePage *page = scope_window_get_page (self);

  gtk_stack_set_visible_child_name (self->stack, page != NULL ? "tabs" : "start");
  gtk_stack_set_visible_child_name (self->title_stack, page != NULL ? "search" : "title");
  gtk_widget_set_visible (self->page_tools, page != NULL);
  if (page != NULL)
    {
      ScopeWorkspace  *workspace = scope_page_get_workspace (page);
      GFile           *file = scope_workspace_get_file (workspace);
      g_autofree char *path = file != NULL ? g_file_get_parse_name (file) : NULL;
      g_autofree char *title =
          g_strdup_printf ("%s – Hybridscope", scope_workspace_get_title (workspace));

      adw_window_title_set_title (self->title, scope_workspace_get_title (workspace));
      adw_window_title_set_subtitle (self->title, path != NULL ? path : "");
      gtk_window_set_title (GTK_WINDOW (self), title);
    }
  else
    {
      adw_window_title_set_title (self->title, "Hybridscope");
      adw_window_title_set_subtitle (self->title, "");
      gtk_window_set_title (GTK_WINDOW (self), "Hybridscope");
      scope_start_page_refresh (self->start);
    }
  scope_window_update_actions (self);
}

static void
on_state (ScopeWorkspace *workspace, GParamSpec *pspec G_GNUC_UNUSED, gpointer data)
{
  AdwTabPage *tab = data;

  adw_tab_page_set_loading (tab, scope_workspace_get_state (workspace) == SCOPE_STATE_LOADING);
  if (scope_workspace_get_state (workspace) == SCOPE_STATE_READY)
    scope_settings_add_recent (scope_workspace_get_file (workspace));
}

void
scope_window_open (ScopeWindow *self, GFile *file)
{
  scope_window_open_as (self, file, NULL, NULL);
}

void
scope_window_open_as (ScopeWindow *self, GFile *file, const char *source, const char *const *shapes)
{
  ScopePage      *page = SCOPE_PAGE (scope_page_new ());
  ScopeWorkspace *workspace = scope_page_get_workspace (page);
  AdwTabPage     *tab = adw_tab_view_append (self->tabs, GTK_WIDGET (page));

  g_object_bind_property (workspace, "title", tab, "title", G_BINDING_SYNC_CREATE);
  g_signal_connect_object (workspace, "notify::state", G_CALLBACK (on_state), tab, 0);
  g_signal_connect_object (workspace,
                           "notify::state",
                           G_CALLBACK (on_page_changed),
                           self,
                           G_CONNECT_SWAPPED);
  adw_tab_view_set_selected_page (self->tabs, tab);
  g_signal_connect_object (workspace,
                           "notify::running",
                           G_CALLBACK (scope_window_update_actions),
                           self,
                           G_CONNECT_SWAPPED);
  scope_workspace_set_source (workspace, source, shapes);
  scope_page_open (page, file);
  on_page_changed (self);
}

void
scope_window_open_uri (ScopeWindow *self, const char *uri)
{
  g_autoptr (GFile) file = g_file_new_for_uri (uri);

  scope_window_open (self, file);
}

static void
on_search (GtkSearchEntry *entry, gpointer data)
{
  ScopePage *page = scope_window_get_page (data);

  if (page != NULL)
    scope_page_search (page, gtk_editable_get_text (GTK_EDITABLE (entry)));
}

static void
on_next_match (gpointer data)
{
  ScopePage *page = scope_window_get_page (data);

  if (page != NULL)
    scope_page_step_search (page, 1);
}

static void
on_previous_match (gpointer data)
{
  ScopePage *page = scope_window_get_page (data);

  if (page != NULL)
    scope_page_step_search (page, -1);
}

/* Escape: no search any more, and the keyboard back to the graph. */
static void
on_stop_search (gpointer data)
{
  ScopeWindow *self = data;
  ScopePage   *page = scope_window_get_page (self);

  gtk_editable_set_text (GTK_EDITABLE (self->search), "");
  if (page != NULL)
    gtk_widget_grab_focus (
        GTK_WIDGET (scope_graph_view_get_canvas (scope_page_get_graph_view (page))));
}

static gboolean
on_close_page (AdwTabView *tabs, AdwTabPage *tab, gpointer data G_GNUC_UNUSED)
{
  GtkWidget *child = adw_tab_page_get_child (tab);

  if (SCOPE_IS_PAGE (child))
    scope_page_save_state (SCOPE_PAGE (child));
  adw_tab_view_close_page_finish (tabs, tab, TRUE);
  return GDK_EVENT_STOP;
}

static gboolean
scope_window_close_request (GtkWindow *window)
{
  ScopeWindow *self = SCOPE_WINDOW (window);
  int          width, height;

  for (int i = 0; i < adw_tab_view_get_n_pages (self->tabs); i++)
    scope_page_save_state (
        SCOPE_PAGE (adw_tab_page_get_child (adw_tab_view_get_nth_page (self->tabs, i))));
  gtk_window_get_default_size (window, &width, &height);
  scope_settings_set_int ("width", width);
  scope_settings_set_int ("height", height);
  scope_settings_set_flag ("maximised", gtk_window_is_maximized (window));
  return GTK_WINDOW_CLASS (scope_window_parent_class)->close_request (window);
}

static void
scope_window_dispose (GObject *object)
{
  ScopeWindow *self = SCOPE_WINDOW (object);

  g_clear_object (&self->chooser);
  G_OBJECT_CLASS (scope_window_parent_class)->dispose (object);
}

static void
scope_window_class_init (ScopeWindowClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = scope_window_dispose;
  GTK_WINDOW_CLASS (class)->close_request = scope_window_close_request;
  g_type_ensure (SCOPE_TYPE_START_PAGE);
  g_type_ensure (SCOPE_TYPE_RUN_PANEL);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/hybridscope/Hybridscope/ui/window.ui");
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, toasts);
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, stack);
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, tabs);
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, start);
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, title);
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, title_stack);
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, search);
  gtk_widget_class_bind_template_callback (widget_class, on_page_changed);
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, page_tools);
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, run_panel);
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, run_popover);
  gtk_widget_class_bind_template_callback (widget_class, on_close_page);
  gtk_widget_class_bind_template_callback (widget_class, on_search);
  gtk_widget_class_bind_template_callback (widget_class, on_next_match);
  gtk_widget_class_bind_template_callback (widget_class, on_previous_match);
  gtk_widget_class_bind_template_callback (widget_class, on_stop_search);
  scope_window_class_add_actions (widget_class);
}

static void
scope_window_init (ScopeWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_window_set_default_size (GTK_WINDOW (self),
                               CLAMP (scope_settings_get_int ("width", 1280), 400, 8000),
                               CLAMP (scope_settings_get_int ("height", 820), 300, 8000));
  if (scope_settings_get_flag ("maximised", FALSE))
    gtk_window_maximize (GTK_WINDOW (self));
  scope_window_add_drop (self);
  on_page_changed (self);
}

ScopeWindow *
scope_window_new (ScopeApplication *application)
{
  return g_object_new (SCOPE_TYPE_WINDOW, "application", application, NULL);
}
