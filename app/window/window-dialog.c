/* window-dialog.c — file dialogs of the window.
 *
 * A window has at most one file dialog: a new one replaces the old.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include <glib/gi18n.h>

typedef struct
{
  ScopeFileChosen  chosen;
  ScopePathChosen  path_chosen;
  ScopeFilesChosen all_chosen;
  char            *data;
} Choice;

static void
choice_free (gpointer data)
{
  Choice *choice = data;

  g_free (choice->data);
  g_free (choice);
}

static void
on_response (GtkNativeDialog *dialog, int response, gpointer data)
{
  ScopeWindow  *self = data;
  const Choice *choice = g_object_get_data (G_OBJECT (dialog), "choice");

  if (response == GTK_RESPONSE_ACCEPT)
    {
      g_autoptr (GListModel) files = gtk_file_chooser_get_files (GTK_FILE_CHOOSER (dialog));

      if (choice->all_chosen)
        choice->all_chosen (self, files);
      for (guint i = 0; i < g_list_model_get_n_items (files); i++)
        {
          g_autoptr (GFile) file = g_list_model_get_item (files, i);
          g_autofree char *path = g_file_get_path (file);

          if (choice->chosen)
            choice->chosen (self, file, choice->data);
          if (choice->path_chosen && path)
            choice->path_chosen (self, path);
        }
    }
  g_clear_object (&self->chooser);
}

GtkFileChooser *
scope_window_choose_file (ScopeWindow *self, const ScopeFileDialog *dialog)
{
  gboolean        is_save = dialog->action == GTK_FILE_CHOOSER_ACTION_SAVE;
  Choice         *choice = g_new (Choice, 1);
  GtkFileChooser *chooser;

  g_clear_object (&self->chooser);
  self->chooser = gtk_file_chooser_native_new (dialog->title, GTK_WINDOW (self), dialog->action,
                                               is_save ? _ ("_Save") : _ ("_Open"), _ ("_Cancel"));
  chooser = GTK_FILE_CHOOSER (self->chooser);
  gtk_file_chooser_set_select_multiple (chooser, dialog->is_multiple);
  if (dialog->folder)
    gtk_file_chooser_set_current_folder (chooser, dialog->folder, NULL);
  if (dialog->name)
    gtk_file_chooser_set_current_name (chooser, dialog->name);
  *choice =
      (Choice){ dialog->chosen, dialog->path_chosen, dialog->all_chosen, g_strdup (dialog->data) };
  g_object_set_data_full (G_OBJECT (chooser), "choice", choice, choice_free);
  g_signal_connect (chooser, "response", G_CALLBACK (on_response), self);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (chooser));
  return chooser;
}

void
scope_window_choose_beside (ScopeWindow *self, ScopeFileDialog dialog)
{
  ScopePage *page = scope_window_get_page (self);
  GFile     *file = page ? scope_workspace_get_file (scope_page_get_workspace (page)) : NULL;
  g_autoptr (GFile) folder = file ? g_file_get_parent (file) : NULL;

  if (!file)
    return;
  dialog.folder = folder;
  scope_window_choose_file (self, &dialog);
}
