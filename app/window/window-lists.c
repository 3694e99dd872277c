/* window-lists.c — opens folders, and files of parameters that were opened without their graph.
 *
 * A file of parameters beside its graph opens both; alone its arrays are listed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/window/list-page.h"
#include "engine/formats/format.h"

#include <glib/gi18n.h>
#include <string.h>

static void
show_list (ScopeWindow *self, const char *path, GtkWidget *(*new_page) (const char *path))
{
  AdwTabPage *tab = scope_window_find_saved (self, SCOPE_TYPE_LIST_PAGE, path);

  if (!tab)
    {
      tab = adw_tab_view_append (self->tabs, new_page (path));
      g_object_bind_property (adw_tab_page_get_child (tab), "busy", tab, "loading",
                              G_BINDING_SYNC_CREATE);
    }
  scope_window_select_tab (self, tab);
}

/* Opens a folder: of a sweep, or of models. */
static void
act_open_folder (ScopeWindow *self, GVariant *parameter)
{
  g_autofree char *path = g_canonicalize_filename (g_variant_get_string (parameter, NULL), NULL);
  g_autofree char *plan = g_build_filename (path, "plan.json", NULL);

  if (g_file_test (plan, G_FILE_TEST_IS_REGULAR))
    scope_window_open_sweep (self, path);
  else
    show_list (self, path, scope_list_page_new_of_folder);
}

static void
act_open_arrays (ScopeWindow *self, GVariant *parameter)
{
  const char      *params = g_variant_get_string (parameter, NULL);
  g_autofree char *path = g_canonicalize_filename (params, NULL);
  g_autofree char *graph = hyb_format_find_graph (path);
  g_autoptr (GFile) file = graph ? g_file_new_for_path (graph) : NULL;

  if (file)
    scope_window_open_pair (self, file, path);
  else
    show_list (self, path, scope_list_page_new_of_arrays);
}

static void
on_graph (ScopeWindow *self, GFile *file, const char *params)
{
  scope_window_open_pair (self, file, params);
}

/* Asks for the graph of a file of parameters. */
static void
act_choose_graph (ScopeWindow *self, GVariant *parameter)
{
  const char      *params = g_variant_get_string (parameter, NULL);
  g_autofree char *path = g_path_get_dirname (params);
  g_autoptr (GFile) folder = g_file_new_for_path (path);

  scope_window_choose_file (self, &(ScopeFileDialog){ .title = _ ("Choose the Graph"),
                                                      .action = GTK_FILE_CHOOSER_ACTION_OPEN,
                                                      .folder = folder,
                                                      .chosen = on_graph,
                                                      .data = params });
}

const ScopeWindowAction scope_window_list_actions[] = {
  { "win.open-folder", "s", act_open_folder },
  { "win.open-arrays", "s", act_open_arrays },
  { "win.choose-graph", "s", act_choose_graph },
  { NULL },
};
