/* window-parameters.c — chooses the file of parameters of the open model.
 *
 * If the model has parameters of another one, fitting files beside it are offered first; a worker finds
 * them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/process/worker.h"
#include "engine/doctor/neighbours.h"

#include <glib/gi18n.h>

void
scope_window_set_parameters (ScopeWindow *self, const char *path)
{
  ScopePage      *page = scope_window_get_page (self);
  ScopeWorkspace *workspace = page ? scope_page_get_workspace (page) : NULL;
  GFile          *file = workspace ? scope_workspace_get_file (workspace) : NULL;
  g_autoptr (GFile) graph = file ? g_object_ref (file) : NULL;

  if (graph)
    scope_workspace_open (workspace, graph, path);
}

static void
choose_file (ScopeWindow *self)
{
  scope_window_choose_beside (self,
                              (ScopeFileDialog){ .title = _ ("Choose the Parameters"),
                                                 .action = GTK_FILE_CHOOSER_ACTION_OPEN,
                                                 .path_chosen = scope_window_set_parameters });
}

/* --- Files that fit --- */

/* The model without parameters, and the files found. */
typedef struct
{
  ScopeDocument *document;
  GPtrArray     *paths, *labels; /* of char * */
} Candidates;

static void
candidates_free (gpointer data)
{
  Candidates *candidates = data;

  scope_document_unref (candidates->document);
  g_clear_pointer (&candidates->paths, g_ptr_array_unref);
  g_clear_pointer (&candidates->labels, g_ptr_array_unref);
  g_free (candidates);
}

/* Files with damaged values come last, and say so. */
static void
list_files (Candidates *candidates, const GPtrArray *fitting)
{
  g_autofree gboolean *has_nan = g_new (gboolean, fitting->len + 1);

  for (guint i = 0; i < fitting->len; i++)
    has_nan[i] = hyb_neighbour_has_nan (fitting->pdata[i]);
  for (gboolean is_damaged = FALSE; is_damaged <= TRUE; is_damaged++)
    for (guint i = 0; i < fitting->len; i++)
      {
        char *name = g_path_get_basename (fitting->pdata[i]);

        if (has_nan[i] == is_damaged)
          {
            g_ptr_array_add (candidates->paths, g_strdup (fitting->pdata[i]));
            g_ptr_array_add (candidates->labels,
                             is_damaged
                                 ? g_strdup_printf (_ ("%s, with values that are not finite"), name)
                                 : g_strdup (name));
          }
        g_free (name);
      }
}

static void
find_in_worker (GTask *task, gpointer data)
{
  Candidates *candidates = data;
  g_autoptr (GPtrArray) fitting =
      hyb_neighbours_find (scope_document_get_model (candidates->document));

  candidates->paths = g_ptr_array_new_with_free_func (g_free);
  candidates->labels = g_ptr_array_new_with_free_func (g_free);
  list_files (candidates, fitting);
  g_task_return_boolean (task, TRUE);
}

static void
on_response (GtkWidget *dialog, const char *response, gpointer data)
{
  GPtrArray   *paths = g_object_get_data (G_OBJECT (dialog), "paths");
  GtkDropDown *choice = g_object_get_data (G_OBJECT (dialog), "choice");
  guint        selected = gtk_drop_down_get_selected (choice);

  if (g_str_equal (response, "other"))
    choose_file (data);
  else if (g_str_equal (response, "open") && selected < paths->len)
    scope_window_set_parameters (data, paths->pdata[selected]);
}

static void
ask (ScopeWindow *self, const Candidates *found)
{
  g_autoptr (GtkStringList) labels = gtk_string_list_new (NULL);
  GtkWidget *choice,
      *dialog = adw_message_dialog_new (GTK_WINDOW (self), _ ("Choose the Parameters"),
                                        _ ("These files beside the model have all "
                                           "its arrays with their shapes."));

  for (guint i = 0; i < found->labels->len; i++)
    gtk_string_list_append (labels, found->labels->pdata[i]);
  choice = gtk_drop_down_new (G_LIST_MODEL (g_steal_pointer (&labels)), NULL);
  gtk_widget_set_name (choice, "parameter-files");
  gtk_widget_set_size_request (choice, 420, -1); /* so that the buttons stand side by side */
  gtk_widget_set_name (dialog, "parameters-dialog");
  adw_message_dialog_set_extra_child (ADW_MESSAGE_DIALOG (dialog), choice);
  g_object_set_data_full (G_OBJECT (dialog), "paths", g_ptr_array_ref (found->paths),
                          (GDestroyNotify) g_ptr_array_unref);
  g_object_set_data (G_OBJECT (dialog), "choice", choice);
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", _ ("_Cancel"), "other",
                                    _ ("Another _File…"), "open", _ ("_Open"), NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "open",
                                              ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "open");
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  g_signal_connect (dialog, "response", G_CALLBACK (on_response), self);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
found_cb (GObject *source, GAsyncResult *result, gpointer unused G_GNUC_UNUSED)
{
  ScopeWindow      *self = SCOPE_WINDOW (source);
  const Candidates *found = g_task_get_task_data (G_TASK (result));
  ScopePage        *page = scope_window_get_page (self);

  if (!page || scope_workspace_get_document (scope_page_get_workspace (page)) != found->document)
    return; /* another model is shown meanwhile */
  if (found->paths->len > 0)
    ask (self, found);
  else
    choose_file (self);
}

static void
act_choose_parameters (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  ScopePage     *page = scope_window_get_page (self);
  ScopeDocument *document =
      page ? scope_workspace_get_document (scope_page_get_workspace (page)) : NULL;
  g_autoptr (GTask) task = NULL;
  Candidates *candidates;

  if (!document || !scope_document_get_params (document))
    {
      choose_file (self);
      return;
    }
  candidates = g_new0 (Candidates, 1);
  candidates->document = scope_document_ref (document);
  task = g_task_new (self, NULL, found_cb, NULL);
  g_task_set_task_data (task, candidates, candidates_free);
  scope_worker_run (task, find_in_worker);
}

const ScopeWindowAction scope_window_parameter_actions[] = {
  { "win.choose-parameters", NULL, act_choose_parameters },
  { NULL },
};
