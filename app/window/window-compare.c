/* window-compare.c — opens comparisons of forms as tabs.
 *
 * A comparison that is open already is selected instead of made again.  Start reading with
 * open_comparison().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/document/gallery.h"
#include "app/session/settings.h"
#include "engine/block/plugin.h"

#include <glib/gi18n.h>
#include <string.h>

/* --- Opening --- */

/* The tab that compares this already, or NULL. */
static AdwTabPage *
find_comparison (ScopeWindow *self, const ScopeCompareSource *source)
{
  for (int i = 0; i < adw_tab_view_get_n_pages (self->tabs); i++)
    {
      AdwTabPage *tab = adw_tab_view_get_nth_page (self->tabs, i);
      GtkWidget  *child = adw_tab_page_get_child (tab);

      if (SCOPE_IS_COMPARE_PAGE (child) &&
          scope_compare_page_has_source (SCOPE_COMPARE_PAGE (child), source))
        return tab;
    }
  return NULL;
}

/* The tab of a model, or NULL. */
static AdwTabPage *
find_model (ScopeWindow *self, const char *model)
{
  for (int i = 0; i < adw_tab_view_get_n_pages (self->tabs); i++)
    {
      AdwTabPage *tab = adw_tab_view_get_nth_page (self->tabs, i);
      GtkWidget  *child = adw_tab_page_get_child (tab);

      if (SCOPE_IS_PAGE (child) &&
          g_strcmp0 (scope_workspace_get_model_name (scope_page_get_workspace (SCOPE_PAGE (child))),
                     model) == 0)
        return tab;
    }
  return NULL;
}

/* Performs an action, "win.convert::unrolled" with a target, in the tab of the model; opens the model if
 * its tab was closed, and then leaves the action to the user. */
static void
on_remedy (ScopeWindow *self, const char *model, const char *action)
{
  AdwTabPage      *tab = find_model (self, model);
  g_autofree char *name = NULL;
  g_autoptr (GVariant) target = NULL;
  g_autoptr (GFile) file = NULL;

  if (!tab)
    {
      file = g_file_new_for_path (model);
      scope_window_open (self, file);
      return;
    }
  scope_window_select_tab (self, tab);
  if (g_action_parse_detailed_name (action, &name, &target, NULL))
    gtk_widget_activate_action_variant (adw_tab_page_get_child (tab), name, target);
}

/* Appends a tab with an empty comparison. */
static AdwTabPage *
append_comparison (ScopeWindow *self)
{
  GtkWidget  *page = scope_compare_page_new ();
  AdwTabPage *tab = adw_tab_view_append (self->tabs, page);

  g_object_bind_property (page, "busy", tab, "loading", G_BINDING_SYNC_CREATE);
  g_signal_connect_object (page, "remedy", G_CALLBACK (on_remedy), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (page, "notify::title", G_CALLBACK (scope_window_update), self,
                           G_CONNECT_SWAPPED);
  return tab;
}

static void
open_comparison (ScopeWindow *self, const ScopeCompareSource *source)
{
  AdwTabPage *tab = find_comparison (self, source);

  if (!tab)
    {
      tab = append_comparison (self);
      scope_compare_page_open (SCOPE_COMPARE_PAGE (adw_tab_page_get_child (tab)), source);
    }
  scope_window_select_tab (self, tab);
}

const char *
scope_window_get_params (ScopeWorkspace *workspace)
{
  ScopeDocument *document = scope_workspace_get_document (workspace);
  const char    *model = scope_workspace_get_model_name (workspace);

  /* An example makes its own. */
  return !document || hyb_is_plugin_name (model) ? NULL : scope_document_get_params (document);
}

static void
act_compare (ScopeWindow *self, GVariant *parameter)
{
  ScopePage      *page = scope_window_get_page (self);
  ScopeWorkspace *workspace = page ? scope_page_get_workspace (page) : NULL;
  const char     *model = workspace ? scope_workspace_get_model_name (workspace) : NULL;

  if (model && scope_window_check_inputs (self, "win.compare", parameter))
    open_comparison (self, &(ScopeCompareSource){ .model = model,
                                                  .shapes = scope_workspace_get_shapes (workspace),
                                                  .params = scope_window_get_params (workspace),
                                                  .fills = scope_workspace_get_fills (workspace) });
}

typedef struct
{
  ScopeWindow *window;
  char        *model;
} ExampleForms;

static void
shapes_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  ExampleForms *forms = data;
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) shapes = scope_gallery_shapes_finish (result, &error);

  if (shapes)
    open_comparison (forms->window,
                     &(ScopeCompareSource){ forms->model, (const char *const *) shapes });
  else
    scope_window_toast (forms->window, error->message);
  g_object_unref (forms->window);
  g_free (forms->model);
  g_free (forms);
}

/* Compares the forms of an example that is not open. */
static void
act_compare_example (ScopeWindow *self, GVariant *parameter)
{
  const char   *example = g_variant_get_string (parameter, NULL);
  ExampleForms *forms = g_new0 (ExampleForms, 1);

  forms->window = g_object_ref (self);
  forms->model = g_strconcat ("gallery:", example, NULL);
  scope_gallery_shapes_async (example, NULL, shapes_cb, forms);
}

/* --- Files --- */

static void
read_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopeWindow) self = data;
  g_autoptr (GError) error = NULL;
  ScopeSavedComparison *comparison = scope_saved_comparison_read_finish (result, &error);
  g_autoptr (GFile) file = NULL;
  AdwTabPage *tab;

  if (!comparison)
    {
      scope_window_toast (self, error->message);
      return;
    }
  file = g_file_new_for_path (comparison->path);
  scope_settings_add_recent (file);
  tab = append_comparison (self);
  scope_compare_page_show (SCOPE_COMPARE_PAGE (adw_tab_page_get_child (tab)), comparison);
  scope_window_select_tab (self, tab);
}

/* The first bytes of a file of the machine. */
gboolean
scope_window_is_comparison (const char *path)
{
  char   head[256];
  gssize n = -1;
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInputStream) in = g_file_read (file, NULL, NULL);

  if (in)
    n = g_input_stream_read (G_INPUT_STREAM (in), head, sizeof head, NULL, NULL);
  return n > 0 && scope_saved_comparison_sniff (head, (gsize) n);
}

/* Whether the file is the plan of a sweep, which is opened by its folder. */
static gboolean
is_plan (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *cells = g_build_filename (folder, "cells", NULL);

  return g_str_equal (name, "plan.json") && g_file_test (cells, G_FILE_TEST_IS_DIR);
}

/* Opens a JSON file whose name does not show whether it is a comparison, a graph, or the plan of a sweep. */
static void
act_open_json (ScopeWindow *self, GVariant *parameter)
{
  const char *path = g_variant_get_string (parameter, NULL);
  AdwTabPage *tab = scope_window_find_saved (self, SCOPE_TYPE_COMPARE_PAGE, path);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autofree char *folder = g_path_get_dirname (path);

  if (tab)
    scope_window_select_tab (self, tab);
  else if (is_plan (path))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.open-folder", "s", folder);
  else if (scope_window_is_comparison (path))
    scope_saved_comparison_read_async (path, NULL, read_cb, g_object_ref (self));
  else
    scope_window_open_as (self, file, NULL, NULL);
}

void
scope_window_open_beside (ScopeWindow *self, const char *const *files)
{
  open_comparison (self, &(ScopeCompareSource){ .files = files });
}

static void
on_beside (ScopeWindow *self, GFile *file, const char *first)
{
  g_autofree char  *path = g_file_get_path (file);
  const char *const files[] = { first, path, NULL };

  if (path)
    scope_window_open_beside (self, files);
}

/* Shows the model and another one, or two recordings, in panes side by side. */
static void
act_open_beside (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  ScopePage       *page = scope_window_get_page (self);
  GFile           *file = page ? scope_workspace_get_file (scope_page_get_workspace (page)) : NULL;
  g_autofree char *path = file ? g_file_get_path (file) : NULL;
  g_autoptr (GFile) folder = file ? g_file_get_parent (file) : NULL;

  if (path)
    scope_window_choose_file (self, &(ScopeFileDialog){ .title = _ ("Open Beside This"),
                                                        .action = GTK_FILE_CHOOSER_ACTION_OPEN,
                                                        .folder = folder,
                                                        .chosen = on_beside,
                                                        .data = path });
}

static void
on_recordings (ScopeWindow *self, GListModel *files)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) paths = NULL;

  for (guint i = 0; i < g_list_model_get_n_items (files); i++)
    {
      g_autoptr (GFile) file = g_list_model_get_item (files, i);
      g_autofree char *path = g_file_get_path (file);

      if (path)
        g_strv_builder_add (builder, path);
    }
  paths = g_strv_builder_end (builder);
  if (g_strv_length (paths) > 1)
    scope_window_open_beside (self, (const char *const *) paths);
  else
    scope_window_toast (self, _ ("Choose two recordings or more, of which the first is the base"));
}

/* Compares recordings without running anything. */
static void
act_compare_recordings (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  GtkFileChooser *chooser =
      scope_window_choose_file (self,
                                &(ScopeFileDialog){ .title = _ ("Choose Two Recordings or More"),
                                                    .action = GTK_FILE_CHOOSER_ACTION_OPEN,
                                                    .is_multiple = TRUE,
                                                    .all_chosen = on_recordings });
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, _ ("Recordings (*.hscope)"));
  gtk_file_filter_add_pattern (filter, "*.hscope");
  gtk_file_chooser_add_filter (chooser, filter);
}

const ScopeWindowAction scope_window_compare_actions[] = {
  { "win.compare-example", "s", act_compare_example },
  { "win.compare", NULL, act_compare },
  { "win.open-json", "s", act_open_json },
  { "win.open-beside", NULL, act_open_beside },
  { "win.compare-recordings", NULL, act_compare_recordings },
  { NULL },
};
