/* window-pages.c — the tabs of a window: opening models, the start page, titles, what is enabled.
 *
 * The lowest of the window's files but for window-tabs.c.  scope_window_open_as() creates a page;
 * scope_window_update() adapts the window to the selected one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/adapt/file-kind.h"
#include "app/process/worker.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/widgets/tooltip.h"
#include "app/window/list-page.h"
#include "engine/block/plugin.h"
#include "engine/formats/format.h"

#include <glib/gi18n.h>
#include <string.h>

#define GALLERY        "gallery:"
#define REOPEN_SECONDS 20 /* afterwards the list of recent models has them */

/* --- Pages --- */

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

ScopeComparePage *
scope_window_get_comparison (ScopeWindow *self)
{
  AdwTabPage *tab = self->is_at_start ? NULL : adw_tab_view_get_selected_page (self->tabs);
  GtkWidget  *child = tab ? adw_tab_page_get_child (tab) : NULL;

  return SCOPE_IS_COMPARE_PAGE (child) ? SCOPE_COMPARE_PAGE (child) : NULL;
}

ScopeSweepPage *
scope_window_get_sweep (ScopeWindow *self)
{
  AdwTabPage *tab = self->is_at_start ? NULL : adw_tab_view_get_selected_page (self->tabs);
  GtkWidget  *child = tab ? adw_tab_page_get_child (tab) : NULL;

  return SCOPE_IS_SWEEP_PAGE (child) ? SCOPE_SWEEP_PAGE (child) : NULL;
}

/* NULL: the tab is a comparison or a sweep. */
static ScopePage *
nth_page (ScopeWindow *self, int n)
{
  GtkWidget *child = adw_tab_page_get_child (adw_tab_view_get_nth_page (self->tabs, n));

  return SCOPE_IS_PAGE (child) ? SCOPE_PAGE (child) : NULL;
}

void
scope_window_toast (ScopeWindow *self, const char *text)
{
  AdwToast *toast = adw_toast_new (text);

  adw_toast_set_timeout (toast, 4);
  adw_toast_overlay_add_toast (self->toasts, toast);
}

void
scope_window_show_unwritten (ScopeWindow  *self,
                             const char   *path,
                             const char   *action,
                             const GError *error)
{
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *text = g_strdup_printf (_ ("%s was not written: %s"), name, error->message);
  ScopePage       *page = scope_window_get_page (self);

  if (page)
    scope_page_show_message (page, text, _ ("Save Elsewhere…"), action);
  else
    scope_window_toast (self, text);
}

void
scope_window_save_state (ScopeWindow *self)
{
  for (int i = 0; i < adw_tab_view_get_n_pages (self->tabs); i++)
    if (nth_page (self, i))
      scope_page_save_state (nth_page (self, i));
}

void
scope_window_autosave (ScopeWindow *self)
{
  for (int i = 0; i < adw_tab_view_get_n_pages (self->tabs); i++)
    if (nth_page (self, i))
      scope_page_autosave (nth_page (self, i));
}

/* The path of a saved comparison, a sweep or a list; NULL: the tab is something else. */
static const char *
get_saved (GtkWidget *child)
{
  if (SCOPE_IS_SWEEP_PAGE (child))
    return scope_sweep_page_get_folder (SCOPE_SWEEP_PAGE (child));
  if (SCOPE_IS_LIST_PAGE (child))
    return scope_list_page_get_path (SCOPE_LIST_PAGE (child));
  return SCOPE_IS_COMPARE_PAGE (child) ? scope_compare_page_get_path (SCOPE_COMPARE_PAGE (child))
                                       : NULL;
}

AdwTabPage *
scope_window_find_saved (ScopeWindow *self, GType type, const char *path)
{
  for (int i = 0; i < adw_tab_view_get_n_pages (self->tabs); i++)
    {
      AdwTabPage *tab = adw_tab_view_get_nth_page (self->tabs, i);
      GtkWidget  *child = adw_tab_page_get_child (tab);

      if (G_TYPE_CHECK_INSTANCE_TYPE (child, type) && g_strcmp0 (get_saved (child), path) == 0)
        return tab;
    }
  return NULL;
}

/* Adds the sources or URIs of all open models. */
static void
list_open (ScopeWindow *self, GPtrArray *models)
{
  for (int i = 0; !self->is_closing && i < adw_tab_view_get_n_pages (self->tabs); i++)
    {
      ScopePage      *page = nth_page (self, i);
      GtkWidget      *child = adw_tab_page_get_child (adw_tab_view_get_nth_page (self->tabs, i));
      const char     *saved = get_saved (child);
      ScopeWorkspace *workspace = page ? scope_page_get_workspace (page) : NULL;
      GFile          *file = workspace ? scope_workspace_get_file (workspace) : NULL;
      const char     *name = workspace ? scope_workspace_get_model_name (workspace) : NULL;

      if (name && g_str_has_prefix (name, GALLERY))
        g_ptr_array_add (models, g_strdup (name));
      else if (file)
        g_ptr_array_add (models, g_file_get_uri (file));
      else if (saved)
        g_ptr_array_add (models, g_filename_to_uri (saved, NULL, NULL));
    }
}

/* Saves the open pages of all windows for the next start. */
static void
update_session (ScopeWindow *self)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
  g_autoptr (GPtrArray) models = g_ptr_array_new_with_free_func (g_free);

  if (!application || self->is_closing)
    return;
  for (GList *i = gtk_application_get_windows (application); i != NULL; i = i->next)
    if (G_OBJECT_TYPE (i->data) == G_OBJECT_TYPE (self)) /* not dialogs */
      list_open (i->data, models);
  g_ptr_array_add (models, NULL);
  scope_session_set_open ((const char *const *) models->pdata);
}

/* --- State of the window --- */

/* Enables the actions that the selected page allows. */
static void
update_actions (ScopeWindow *self)
{
  static const char *const of_page[] = {
    "win.search",        "win.first-steps",      "win.export",
    "win.mend",          "win.replace-operator", "win.choose-parameters",
    "win.run-options",   "win.give-shapes",      "win.fill",
    "win.convert",       "win.compare",          "win.reload",
    "win.stop",          "win.outline",          "win.side-pane",
    "win.panel",         "win.save-view",        "win.undo",
    "win.redo",          "win.unfold-all",       "win.fold-all",
    "win.trace",         "win.zoom-fit",         "win.zoom-in",
    "win.zoom-out",      "win.save-model",       "win.open-beside",
    "win.choose-device", "win.open-numbers",     "win.go-back",
    "win.go-forward",    "win.save-values",      "win.compare-values",
    "win.zoom-normal",   "win.bookmark"
  };
  ScopePage      *page = scope_window_get_page (self);
  ScopeWorkspace *workspace = page ? scope_page_get_workspace (page) : NULL;

  for (guint i = 0; i < G_N_ELEMENTS (of_page); i++)
    gtk_widget_action_set_enabled (GTK_WIDGET (self), of_page[i], page != NULL);
  if (scope_window_get_sweep (self))
    gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.reload", TRUE);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.save-comparison",
                                 scope_window_get_comparison (self) != NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.run",
                                 workspace && scope_workspace_get_document (workspace) &&
                                     !scope_workspace_is_running (workspace));
}

/* The button leads to the start page and back; tabs stay open behind it. */
static void
update_start_button (ScopeWindow *self)
{
  gboolean is_back = self->is_at_start && adw_tab_view_get_selected_page (self->tabs);

  gtk_button_set_icon_name (self->start_button,
                            is_back ? "go-previous-symbolic" : "tab-new-symbolic");
  scope_tooltip_set (GTK_WIDGET (self->start_button),
                     is_back ? _ ("Back to the model (Ctrl+T)") : _ ("Start page (Ctrl+T)"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->start_button),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  is_back ? _ ("Back to the model") : _ ("Start page"), -1);
}

/* The title, which says so where parameters are random.  (transfer full) */
static char *
dup_marked_title (ScopeWorkspace *workspace)
{
  const char *title = scope_workspace_get_title (workspace);

  return scope_workspace_get_fills (workspace) ? g_strdup_printf (_ ("%s, random values"), title)
                                               : g_strdup (title);
}

/* Title of the window: the name of the page's subject, and where it comes from. */
static void
set_titles (ScopeWindow *self, const char *title, const char *path)
{
  g_autofree char *text = title ? g_strdup_printf ("%s – Hybridscope", title) : NULL;

  adw_window_title_set_title (self->title, title ? title : "Hybridscope");
  adw_window_title_set_subtitle (self->title, path ? path : "");
  gtk_window_set_title (GTK_WINDOW (self), text ? text : "Hybridscope");
}

void
scope_window_update (ScopeWindow *self)
{
  ScopePage  *page = scope_window_get_page (self);
  AdwTabPage *tab = self->is_at_start ? NULL : adw_tab_view_get_selected_page (self->tabs);

  scope_window_update_tabs (self);
  gtk_stack_set_visible_child_name (self->stack, tab ? "tabs" : "start");
  gtk_stack_set_visible_child_name (self->title_stack, page ? "search" : "title");
  gtk_widget_set_visible (self->page_tools, page != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->first_steps), page != NULL);
  scope_form_menu_set_page (self->form_menu, page);
  scope_run_panel_set_workspace (self->run_panel, page ? scope_page_get_workspace (page) : NULL);
  if (page)
    {
      ScopeWorkspace  *workspace = scope_page_get_workspace (page);
      GFile           *file = scope_workspace_get_file (workspace);
      g_autofree char *path = file ? g_file_get_parse_name (file) : NULL;
      g_autofree char *name = dup_marked_title (workspace);

      set_titles (self, name, path);
    }
  else
    {
      g_autofree char *title = tab ? scope_window_dup_title (tab) : NULL;

      set_titles (self, title, tab ? get_saved (adw_tab_page_get_child (tab)) : NULL);
    }
  if (!tab)
    scope_start_page_refresh (self->start);
  update_start_button (self);
  update_actions (self);
  update_session (self);
}

void
scope_window_show_start (ScopeWindow *self, gboolean is_at_start)
{
  self->is_at_start = is_at_start;
  scope_window_update (self);
}

/* --- Opening --- */

/* Only files of the user: models in the cache can be opened from the gallery again. */
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

/* Marks the tab of a model whose parameters are random. */
static void
on_fills (ScopeWorkspace *workspace, GParamSpec *pspec G_GNUC_UNUSED, gpointer data)
{
  gboolean fills = scope_workspace_get_fills (workspace);
  g_autoptr (GIcon) icon = g_themed_icon_new ("media-playlist-shuffle-symbolic");

  adw_tab_page_set_indicator_icon (data, fills ? icon : NULL);
  adw_tab_page_set_indicator_tooltip (data, fills ? _ ("Parameters have random values. Times are "
                                                       "real, but results are meaningless.")
                                                  : "");
}

/* Appends and selects a tab for a model. */
static ScopePage *
append_page (ScopeWindow *self)
{
  ScopePage      *page = SCOPE_PAGE (scope_page_new ());
  ScopeWorkspace *workspace = scope_page_get_workspace (page);
  AdwTabPage     *tab = adw_tab_view_append (self->tabs, GTK_WIDGET (page));

  g_signal_connect_object (workspace, "notify::title", G_CALLBACK (scope_window_update_tabs), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "notify::state", G_CALLBACK (on_state), tab, 0);
  g_signal_connect_object (workspace, "notify::fills", G_CALLBACK (on_fills), tab, 0);
  g_signal_connect_object (workspace, "notify::state", G_CALLBACK (scope_window_update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "notify::fills", G_CALLBACK (scope_window_update), self,
                           G_CONNECT_SWAPPED);
  adw_tab_view_set_selected_page (self->tabs, tab);
  g_signal_connect_object (workspace, "notify::running", G_CALLBACK (update_actions), self,
                           G_CONNECT_SWAPPED);
  return page;
}

void
scope_window_open_as (ScopeWindow *self, GFile *file, const char *source, const char *const *shapes)
{
  ScopePage *page = append_page (self);

  scope_workspace_set_source (scope_page_get_workspace (page), source, shapes);
  scope_page_open (page, file, NULL);
  scope_window_show_start (self, FALSE);
}

void
scope_window_open_pair (ScopeWindow *self, GFile *graph, const char *params)
{
  scope_page_open (append_page (self), graph, params);
  scope_window_show_start (self, FALSE);
}

void
scope_window_select_tab (ScopeWindow *self, AdwTabPage *tab)
{
  adw_tab_view_set_selected_page (self->tabs, tab);
  scope_window_show_start (self, FALSE);
}

/* FALSE: judging by its name, the file is a model or a recording. */
static gboolean
may_be_other (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  const HybFormat *format = hyb_format_of_path (name);

  return (!format || !format->read_graph) && !g_str_has_suffix (name, ".hscope");
}

/* Finds the action that opens a path. */
static void
look_in_worker (GTask *task, gpointer unused G_GNUC_UNUSED)
{
  const char *path = g_file_peek_path (g_task_get_source_object (task));
  const char *action = g_file_test (path, G_FILE_TEST_IS_DIR) ? "win.open-folder"
                       : scope_is_weights_file (path)         ? "win.open-arrays"
                                                              : NULL;

  g_task_return_pointer (task, (gpointer) action, NULL);
}

static void
looked_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopeWindow) self = data;
  const char *action = g_task_propagate_pointer (G_TASK (result), NULL);

  if (action)
    gtk_widget_activate_action (GTK_WIDGET (self), action, "s", g_file_peek_path (G_FILE (source)));
  else
    scope_window_open_as (self, G_FILE (source), NULL, NULL);
}

void
scope_window_open (ScopeWindow *self, GFile *file)
{
  g_autofree char *uri = g_file_get_uri (file);
  g_autofree char *path = g_file_get_path (file);
  g_autofree char *module = path ? hyb_plugin_dup_module (path) : NULL;

  if (module)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.open-plugin", "s", path);
  else if (g_str_has_prefix (uri, GALLERY))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.open-example", "s",
                                uri + strlen (GALLERY) + strspn (uri + strlen (GALLERY), "/"));
  else if (path && g_str_has_suffix (path, ".json") && !g_str_has_suffix (path, "-symbol.json"))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.open-json", "s", path);
  else if (path && may_be_other (path))
    {
      g_autoptr (GTask) task = g_task_new (file, NULL, looked_cb, g_object_ref (self));

      scope_worker_run (task, look_in_worker);
    }
  else
    scope_window_open_as (self, file, NULL, NULL);
}

void
scope_window_open_uri (ScopeWindow *self, const char *uri)
{
  g_autoptr (GFile) file = g_file_new_for_uri (uri);

  scope_window_open (self, file);
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
  AdwToast *toast = adw_toast_new (_ ("The last session ended unexpectedly"));

  adw_toast_set_button_label (toast, _ ("Open Again"));
  adw_toast_set_timeout (toast, REOPEN_SECONDS); /* it lies over the bar of steps */
  adw_toast_set_priority (toast, ADW_TOAST_PRIORITY_HIGH);
  g_object_set_data_full (G_OBJECT (toast), "models", g_strdupv ((char **) models),
                          (GDestroyNotify) g_strfreev);
  g_signal_connect_object (toast, "button-clicked", G_CALLBACK (on_reopen), self, 0);
  adw_toast_overlay_add_toast (self->toasts, toast);
}
