/* window.c — header, tabs, pages.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/widgets/tooltip.h"

#include <glib/gi18n.h>
#include <string.h>

/* So much may be lost when the process is killed. */
#define AUTOSAVE_INTERVAL_S 5
#define GALLERY             "gallery:"

G_DEFINE_FINAL_TYPE (ScopeWindow, scope_window, ADW_TYPE_APPLICATION_WINDOW)

static ScopePage *
selected_page (ScopeWindow *self)
{
  AdwTabPage *page = adw_tab_view_get_selected_page (self->tabs);
  GtkWidget  *child = page ? adw_tab_page_get_child (page) : NULL;

  return SCOPE_IS_PAGE (child) ? SCOPE_PAGE (child) : NULL;
}

ScopePage *
scope_window_get_page (ScopeWindow *self)
{
  return self->is_at_start ? NULL : selected_page (self);
}

void
scope_window_toast (ScopeWindow *self, const char *text)
{
  AdwToast *toast = adw_toast_new (text);

  adw_toast_set_timeout (toast, 4);
  adw_toast_overlay_add_toast (self->toasts, toast);
}

/* --- What is kept --- */

static ScopePage *
nth_page (ScopeWindow *self, int n)
{
  return SCOPE_PAGE (adw_tab_page_get_child (adw_tab_view_get_nth_page (self->tabs, n)));
}

void
scope_window_save_state (ScopeWindow *self)
{
  for (int i = 0; i < adw_tab_view_get_n_pages (self->tabs); i++)
    scope_page_save_state (nth_page (self, i));
}

static gboolean
on_keep (gpointer data)
{
  ScopeWindow *self = data;

  for (int i = 0; i < adw_tab_view_get_n_pages (self->tabs); i++)
    scope_page_autosave (nth_page (self, i));
  return G_SOURCE_CONTINUE;
}

static void
add_open (ScopeWindow *self, GPtrArray *models)
{
  for (int i = 0; !self->is_closing && i < adw_tab_view_get_n_pages (self->tabs); i++)
    {
      ScopeWorkspace *workspace = scope_page_get_workspace (nth_page (self, i));
      GFile          *file = scope_workspace_get_file (workspace);
      const char     *name = scope_workspace_get_model_name (workspace);

      if (name && g_str_has_prefix (name, "gallery:"))
        g_ptr_array_add (models, g_strdup (name));
      else if (file)
        g_ptr_array_add (models, g_file_get_uri (file));
    }
}

/* What all windows show. */
static void
note_session (ScopeWindow *self)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
  g_autoptr (GPtrArray) models = g_ptr_array_new_with_free_func (g_free);

  if (!application || self->is_closing)
    return;
  for (GList *i = gtk_application_get_windows (application); i != NULL; i = i->next)
    if (SCOPE_IS_WINDOW (i->data))
      add_open (i->data, models);
  g_ptr_array_add (models, NULL);
  scope_session_set_open ((const char *const *) models->pdata);
}

static void
on_reopen (AdwToast *toast, gpointer data)
{
  const char *const *models = g_object_get_data (G_OBJECT (toast), "models");

  for (guint i = 0; models[i] != NULL; i++)
    scope_window_open_uri (data, models[i]);
}

void
scope_window_offer_reopen (ScopeWindow *self, const char *const *models)
{
  AdwToast *toast = adw_toast_new (_ ("The last session ended before it was closed"));

  adw_toast_set_button_label (toast, _ ("Open Again"));
  adw_toast_set_timeout (toast, 0);
  adw_toast_set_priority (toast, ADW_TOAST_PRIORITY_HIGH);
  g_object_set_data_full (G_OBJECT (toast),
                          "models",
                          g_strdupv ((char **) models),
                          (GDestroyNotify) g_strfreev);
  g_signal_connect_object (toast, "button-clicked", G_CALLBACK (on_reopen), self, 0);
  adw_toast_overlay_add_toast (self->toasts, toast);
}

/* The start page does not close what is open: the button that leads to it leads back. */
static void
update_start_button (ScopeWindow *self)
{
  gboolean leads_back = self->is_at_start && selected_page (self);

  gtk_button_set_icon_name (self->start_button,
                            leads_back ? "go-previous-symbolic" : "tab-new-symbolic");
  scope_tooltip_set (GTK_WIDGET (self->start_button),
                     leads_back ? _ ("Back to the model (Ctrl+T)") : _ ("Start page (Ctrl+T)"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->start_button),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  leads_back ? _ ("Back to the model") : _ ("Start page"),
                                  -1);
}

static void
show_page (ScopeWindow *self)
{
  ScopePage *page = scope_window_get_page (self);

  gtk_stack_set_visible_child_name (self->stack, page ? "tabs" : "start");
  gtk_stack_set_visible_child_name (self->title_stack, page ? "search" : "title");
  gtk_widget_set_visible (self->page_tools, page != NULL);
  scope_form_menu_set_page (self->form_menu, page);
  if (page)
    {
      ScopeWorkspace  *workspace = scope_page_get_workspace (page);
      GFile           *file = scope_workspace_get_file (workspace);
      g_autofree char *path = file ? g_file_get_parse_name (file) : NULL;
      g_autofree char *title =
          g_strdup_printf ("%s – Hybridscope", scope_workspace_get_title (workspace));

      adw_window_title_set_title (self->title, scope_workspace_get_title (workspace));
      adw_window_title_set_subtitle (self->title, path ? path : "");
      gtk_window_set_title (GTK_WINDOW (self), title);
    }
  else
    {
      adw_window_title_set_title (self->title, "Hybridscope");
      adw_window_title_set_subtitle (self->title, "");
      gtk_window_set_title (GTK_WINDOW (self), "Hybridscope");
      scope_start_page_refresh (self->start);
    }
  update_start_button (self);
  scope_window_update_actions (self);
  note_session (self);
}

void
scope_window_show_start (ScopeWindow *self, gboolean is_at_start)
{
  self->is_at_start = is_at_start;
  show_page (self);
}

static void
on_page_changed (ScopeWindow *self)
{
  scope_window_show_start (self, FALSE);
}

/* Files of the user; what the program wrote for itself can be had from the gallery again. */
static void
add_recent (ScopeWorkspace *workspace)
{
  GFile *file = scope_workspace_get_file (workspace);
  g_autoptr (GFile) cache = g_file_new_for_path (g_get_user_cache_dir ());

  if (!g_file_has_prefix (file, cache))
    scope_settings_add_recent (file);
}

static void
on_state (ScopeWorkspace *workspace, GParamSpec *pspec G_GNUC_UNUSED, gpointer data)
{
  AdwTabPage *tab = data;

  adw_tab_page_set_loading (tab, scope_workspace_get_state (workspace) == SCOPE_STATE_LOADING);
  if (scope_workspace_get_state (workspace) == SCOPE_STATE_READY)
    add_recent (workspace);
}

void
scope_window_open (ScopeWindow *self, GFile *file)
{
  g_autofree char *uri = g_file_get_uri (file);

  if (g_str_has_prefix (uri, GALLERY))
    gtk_widget_activate_action (GTK_WIDGET (self),
                                "win.open-example",
                                "s",
                                uri + strlen (GALLERY) + strspn (uri + strlen (GALLERY), "/"));
  else
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
                           G_CALLBACK (show_page),
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

  if (page)
    scope_page_search (page, gtk_editable_get_text (GTK_EDITABLE (entry)));
}

static void
on_next_match (gpointer data)
{
  ScopePage *page = scope_window_get_page (data);

  if (page)
    scope_page_step_search (page, 1);
}

static void
on_previous_match (gpointer data)
{
  ScopePage *page = scope_window_get_page (data);

  if (page)
    scope_page_step_search (page, -1);
}

/* Escape: no search any more, and the keyboard back to the graph. */
static void
on_stop_search (gpointer data)
{
  ScopeWindow *self = data;
  ScopePage   *page = scope_window_get_page (self);

  gtk_editable_set_text (GTK_EDITABLE (self->search), "");
  if (page)
    gtk_widget_grab_focus (
        GTK_WIDGET (scope_graph_view_get_canvas (scope_page_get_graph_view (page))));
}

/* In the corner of the graph, below whatever bars the page shows above it. */
static gboolean
on_first_steps_placed (GtkOverlay *overlay, GtkWidget *card, GdkRectangle *place, gpointer data)
{
  ScopePage      *page = selected_page (data);
  GtkRequisition  size;
  graphene_rect_t graph;

  if (!page || !gtk_widget_compute_bounds (GTK_WIDGET (scope_page_get_graph_view (page)),
                                           GTK_WIDGET (overlay),
                                           &graph))
    return FALSE;
  gtk_widget_get_preferred_size (card, NULL, &size);
  *place = (GdkRectangle){ (int) graph.origin.x, (int) graph.origin.y, size.width, size.height };
  return TRUE;
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

  scope_window_save_state (self);
  self->is_closing = TRUE;
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
  g_clear_handle_id (&self->keeping, g_source_remove);
  g_clear_handle_id (&self->naming, g_source_remove);
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
  g_type_ensure (SCOPE_TYPE_FORM_MENU);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/hybridscope/Hybridscope/ui/window.ui");
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, toasts);
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, stack);
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, tabs);
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, start);
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, start_button);
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, title);
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, title_stack);
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, search);
  gtk_widget_class_bind_template_callback (widget_class, on_page_changed);
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, page_tools);
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, run_panel);
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, run_popover);
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, form_menu);
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, run_button);
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, tab_bar);
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, first_steps);
  gtk_widget_class_bind_template_callback (widget_class, on_close_page);
  gtk_widget_class_bind_template_callback (widget_class, on_first_steps_placed);
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
  scope_window_set_accessible_names (self);
  gtk_revealer_set_reveal_child (self->first_steps, scope_settings_get_flag ("first-steps", TRUE));
  self->keeping = g_timeout_add_seconds (AUTOSAVE_INTERVAL_S, on_keep, self);
  on_page_changed (self);
}

ScopeWindow *
scope_window_new (ScopeApplication *application)
{
  return g_object_new (SCOPE_TYPE_WINDOW, "application", application, NULL);
}
