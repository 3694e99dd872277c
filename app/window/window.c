/* window.c — the class of windows: template, actions, searching, closing.
 *
 * Tabs and opening are in window-pages.c, actions in the files with tables of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/session/settings.h"
#include "app/widgets/side-buttons.h"

#define AUTOSAVE_INTERVAL_S 5

G_DEFINE_FINAL_TYPE (ScopeWindow, scope_window, ADW_TYPE_APPLICATION_WINDOW)

/* --- Actions --- */

static const ScopeWindowAction *const tables[] = {
  scope_window_actions,           scope_window_forward_actions,   scope_window_export_actions,
  scope_window_mend_actions,      scope_window_attribute_actions, scope_window_own_input_actions,
  scope_window_print_actions,     scope_window_replace_actions,   scope_window_convert_actions,
  scope_window_compare_actions,   scope_window_plugin_actions,    scope_window_input_actions,
  scope_window_numbers_actions,   scope_window_save_actions,      scope_window_guide_actions,
  scope_window_values_actions,    scope_window_sweep_actions,     scope_window_list_actions,
  scope_window_parameter_actions,
};

static void
activate (GtkWidget *widget, const char *name, GVariant *parameter)
{
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    for (const ScopeWindowAction *action = tables[i]; action->name; action++)
      if (!g_str_equal (action->name, name))
        continue;
      else if (action->forwarded)
        scope_window_forward (SCOPE_WINDOW (widget), action->forwarded, parameter);
      else
        action->activate (SCOPE_WINDOW (widget), parameter);
}

static void
install_actions (GtkWidgetClass *class)
{
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    for (const ScopeWindowAction *action = tables[i]; action->name; action++)
      gtk_widget_class_install_action (class, action->name, action->parameter, activate);
}

/* --- Handlers of the template --- */

static void
on_page_changed (ScopeWindow *self)
{
  scope_window_show_start (self, FALSE);
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

/* Escape ends the search and moves the focus to the graph. */
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

/* Places the card in the upper left corner of the graph, or below messages that reach there. */
static gboolean
on_first_steps_placed (GtkOverlay *overlay, GtkWidget *card, GdkRectangle *place, gpointer data)
{
  ScopePage      *page = scope_window_get_page (data);
  GtkWidget      *graph_view;
  GtkRequisition  size;
  graphene_rect_t graph, messages;
  gboolean        is_shown;

  if (!page)
    return FALSE;
  graph_view = GTK_WIDGET (scope_page_get_graph_view (page));
  if (!gtk_widget_compute_bounds (graph_view, GTK_WIDGET (overlay), &graph))
    return FALSE;
  gtk_widget_get_preferred_size (card, NULL, &size);
  is_shown = gtk_revealer_get_reveal_child (GTK_REVEALER (card));
  scope_canvas_set_card (scope_graph_view_get_canvas (scope_page_get_graph_view (page)),
                         is_shown ? size.width : 0, is_shown ? size.height : 0);
  /* It never covers a pane beside a narrow graph. */
  gtk_widget_set_child_visible (card, graph.size.width >= (float) size.width &&
                                          graph.size.height >= (float) size.height);
  *place = (GdkRectangle){ (int) graph.origin.x, (int) graph.origin.y, size.width, size.height };
  if (scope_page_find_messages (page, GTK_WIDGET (overlay), &messages) &&
      messages.origin.x < graph.origin.x + (float) size.width)
    place->y = (int) (messages.origin.y + messages.size.height);
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
on_autosave (gpointer data)
{
  scope_window_autosave (data);
  return G_SOURCE_CONTINUE;
}

/* --- Object --- */

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

/* A page that is closed while it reads a file changes its state, which the rest of this window could no longer show. */
static void
stop_following (ScopeWindow *self)
{
  GListModel *workspaces = G_LIST_MODEL (self->workspaces);

  for (guint i = 0; workspaces && i < g_list_model_get_n_items (workspaces); i++)
    {
      g_autoptr (ScopeWorkspace) workspace = g_list_model_get_item (workspaces, i);

      g_signal_handlers_disconnect_by_data (workspace, self);
    }
}

static void
scope_window_dispose (GObject *object)
{
  ScopeWindow *self = SCOPE_WINDOW (object);

  stop_following (self);
  g_clear_object (&self->chooser);
  g_clear_pointer (&self->refused, g_free);
  g_clear_pointer (&self->refused_parameter, g_variant_unref);
  g_clear_handle_id (&self->autosave, g_source_remove);
  g_clear_handle_id (&self->naming, g_source_remove);
  g_clear_handle_id (&self->showing, g_source_remove);
  G_OBJECT_CLASS (scope_window_parent_class)->dispose (object);
  g_clear_object (&self->workspaces); /* closing tabs leave it */
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
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, menu_button);
  gtk_widget_class_bind_template_child (widget_class, ScopeWindow, first_steps);
  gtk_widget_class_bind_template_callback (widget_class, on_close_page);
  gtk_widget_class_bind_template_callback (widget_class, on_first_steps_placed);
  gtk_widget_class_bind_template_callback (widget_class, on_search);
  gtk_widget_class_bind_template_callback (widget_class, on_next_match);
  gtk_widget_class_bind_template_callback (widget_class, on_previous_match);
  gtk_widget_class_bind_template_callback (widget_class, on_stop_search);
  install_actions (widget_class);
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
  scope_side_buttons_watch (GTK_WINDOW (self));
  scope_window_set_accessible_names (self);
  scope_window_list_workspaces (self);
  scope_window_watch_tabs (self);
  gtk_revealer_set_reveal_child (self->first_steps, scope_settings_get_flag ("first-steps", TRUE));
  /* A card that is gone keeps its place, and must not take the clicks there. */
  g_object_bind_property (self->first_steps, "reveal-child", self->first_steps, "can-target",
                          G_BINDING_SYNC_CREATE);
  self->autosave = g_timeout_add_seconds (AUTOSAVE_INTERVAL_S, on_autosave, self);
  on_page_changed (self);
}

ScopeWindow *
scope_window_new (GtkApplication *application)
{
  return g_object_new (SCOPE_TYPE_WINDOW, "application", application, NULL);
}
