/* window-sweep.c — opens folders of sweeps as tabs.
 *
 * A folder that is open already is selected.  Start reading with scope_window_open_sweep().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/session/settings.h"

#include <glib/gi18n.h>
#include <string.h>

static void
on_open_capture (ScopeWindow *self, const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  scope_window_open (self, file);
}

/* Only a folder that could be read is worth remembering. */
static void
on_busy (GtkWidget *page, GParamSpec *pspec G_GNUC_UNUSED, gpointer unused G_GNUC_UNUSED)
{
  g_autoptr (GFile) folder = NULL;

  if (!scope_sweep_page_get_data (SCOPE_SWEEP_PAGE (page)))
    return;
  folder = g_file_new_for_path (scope_sweep_page_get_folder (SCOPE_SWEEP_PAGE (page)));
  g_signal_handlers_disconnect_by_data (page, page); /* this one */
  scope_settings_add_recent (folder);
}

static AdwTabPage *
append_tab (ScopeWindow *self, const char *folder)
{
  GtkWidget  *page = scope_sweep_page_new (folder);
  AdwTabPage *tab = adw_tab_view_append (self->tabs, page);

  g_object_bind_property (page, "busy", tab, "loading", G_BINDING_SYNC_CREATE);
  g_signal_connect (page, "notify::busy", G_CALLBACK (on_busy), page);
  g_signal_connect_object (page, "open-capture", G_CALLBACK (on_open_capture), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (page, "said", G_CALLBACK (scope_window_toast), self, G_CONNECT_SWAPPED);
  return tab;
}

void
scope_window_open_sweep (ScopeWindow *self, const char *folder)
{
  AdwTabPage *tab = scope_window_find_saved (self, SCOPE_TYPE_SWEEP_PAGE, folder);

  if (!tab)
    tab = append_tab (self, folder);
  scope_window_select_tab (self, tab);
}

/* A file dialog chooses either files or folders. */
static void
act_open_sweep (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  scope_window_choose_file (self,
                            &(ScopeFileDialog){ .title = _ ("Open the Folder of a Sweep"),
                                                .action = GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER,
                                                .path_chosen = scope_window_open_sweep });
}

const ScopeWindowAction scope_window_sweep_actions[] = {
  { "win.open-sweep", NULL, act_open_sweep },
  { NULL },
};
