/* window-save.c — saves the shown model, or the shown comparison, under a name that the user chooses.
 *
 * Files are written in a worker, to temporary names that are renamed.  Start reading with
 * scope_window_save_model().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/process/worker.h"
#include "app/session/settings.h"
#include "engine/formats/format.h"
#include "engine/formats/model-files.h"

#include <glib/gi18n.h>

static void
add_recent (const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  scope_settings_add_recent (file);
}

/* --- Models --- */

typedef struct
{
  ScopeDocument *document;
  char          *path;
  GPtrArray     *written; /* of char *: paths */
} SaveJob;

static void
save_job_free (gpointer data)
{
  SaveJob *job = data;

  scope_document_unref (job->document);
  g_ptr_array_unref (job->written);
  g_free (job->path);
  g_free (job);
}

static void
save_in_worker (GTask *task, gpointer data)
{
  SaveJob         *job = data;
  g_autofree char *prefix = hyb_model_prefix_of (job->path);
  GError          *error = NULL;

  if (hyb_model_save (scope_document_get_model (job->document), prefix, 0, job->written, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
model_saved_cb (GObject *source, GAsyncResult *result, gpointer unused G_GNUC_UNUSED)
{
  ScopeWindow   *self = SCOPE_WINDOW (source);
  const SaveJob *job = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autofree char *first = NULL, *second = NULL, *text = NULL;

  if (!g_task_propagate_boolean (G_TASK (result), &error))
    {
      scope_window_show_unwritten (self, job->path, "win.save-model", error);
      return;
    }
  first = g_path_get_basename (job->written->pdata[0]);
  if (job->written->len > 1)
    {
      second = g_path_get_basename (job->written->pdata[1]);
      text = g_strdup_printf (_ ("%s and %s were written"), first, second);
    }
  else
    text = g_strdup_printf (_ ("%s was written, without values of parameters"), first);
  add_recent (job->written->pdata[0]);
  scope_window_toast (self, text);
}

void
scope_window_save_model (ScopeWindow *self, const char *path)
{
  ScopePage     *page = scope_window_get_page (self);
  ScopeDocument *document =
      page ? scope_workspace_get_document (scope_page_get_workspace (page)) : NULL;
  g_autoptr (GTask) task = NULL;
  SaveJob *job;

  if (!document)
    return;
  job = g_new (SaveJob, 1);
  *job = (SaveJob){ scope_document_ref (document), g_strdup (path),
                    g_ptr_array_new_with_free_func (g_free) };
  task = g_task_new (self, NULL, model_saved_cb, NULL);
  g_task_set_task_data (task, job, save_job_free);
  scope_worker_run (task, save_in_worker);
}

/* Formats in which a model can be written. */
static void
add_model_filters (GtkFileChooser *chooser)
{
  for (const HybFormat *const *format = hyb_formats (); *format; format++)
    {
      g_autoptr (GtkFileFilter) filter = NULL;
      g_autofree char *names = NULL;

      if (!(*format)->write_model)
        continue;
      filter = gtk_file_filter_new ();
      names = g_strjoinv (", ", (char **) (*format)->patterns);
      gtk_file_filter_set_name (filter, names);
      for (guint i = 0; (*format)->patterns[i]; i++)
        gtk_file_filter_add_pattern (filter, (*format)->patterns[i]);
      gtk_file_chooser_add_filter (chooser, filter);
    }
}

/* For models in the cache, such as converted ones, the dialog opens in the folder that the user chose last. */
static void
act_save_model (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  ScopePage      *page = scope_window_get_page (self);
  ScopeWorkspace *workspace = page ? scope_page_get_workspace (page) : NULL;
  GFile          *file = workspace ? scope_workspace_get_file (workspace) : NULL;
  g_autoptr (GFile) cache = g_file_new_for_path (g_get_user_cache_dir ());
  g_autoptr (GFile) folder = NULL;
  g_autofree char *proposal = NULL;

  if (!file)
    return;
  if (!g_file_has_prefix (file, cache))
    folder = g_file_get_parent (file);
  proposal = g_strconcat (scope_workspace_get_title (workspace), "-symbol.json", NULL);
  add_model_filters (
      scope_window_choose_file (self, &(ScopeFileDialog){
                                          .title = _ ("Save the Model: graph and parameters"),
                                          .action = GTK_FILE_CHOOSER_ACTION_SAVE,
                                          .name = proposal,
                                          .folder = folder,
                                          .path_chosen = scope_window_save_model }));
}

/* --- Comparisons --- */

typedef struct
{
  ScopeWindow      *window;
  ScopeComparePage *page;
  char             *path;
} SaveRequest;

static void
comparison_saved_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autofree SaveRequest *request = data;
  g_autoptr (ScopeWindow) self = request->window;
  g_autoptr (ScopeComparePage) page = request->page;
  g_autofree char *path = request->path;
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  gssize n = scope_saved_comparison_write_finish (result, &error);

  if (error)
    {
      scope_window_show_unwritten (self, path, "win.save-comparison", error);
      return;
    }
  if (n > 0)
    text = g_strdup_printf (g_dngettext (NULL, "%s was written, with %d recording in it",
                                         "%s was written, with %d recordings in it", (gulong) n),
                            name, (int) n);
  else
    text = g_strdup_printf (_ ("%s was written"), name);
  scope_compare_page_set_path (page, path);
  add_recent (path);
  scope_window_toast (self, text);
}

void
scope_window_save_comparison (ScopeWindow *self, const char *path)
{
  ScopeComparePage     *page = scope_window_get_comparison (self);
  ScopeSavedComparison *comparison = page ? scope_compare_page_dup_comparison (page, path) : NULL;
  SaveRequest          *request;

  if (!comparison)
    return;
  request = g_new (SaveRequest, 1);
  *request = (SaveRequest){ g_object_ref (self), g_object_ref (page), g_strdup (path) };
  scope_saved_comparison_write_async (comparison, comparison_saved_cb, request);
}

static void
act_save_comparison (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeComparePage *page = scope_window_get_comparison (self);
  g_autofree char  *title = NULL, *proposal = NULL;

  if (!page)
    return;
  title = scope_compare_page_dup_name (page);
  proposal = g_strconcat (title, SCOPE_COMPARISON_ENDING, NULL);
  scope_window_choose_file (self,
                            &(ScopeFileDialog){ .title = _ ("Save the Comparison"),
                                                .action = GTK_FILE_CHOOSER_ACTION_SAVE,
                                                .name = proposal,
                                                .path_chosen = scope_window_save_comparison });
}

const ScopeWindowAction scope_window_save_actions[] = {
  { "win.save-model", NULL, act_save_model },
  { "win.save-comparison", NULL, act_save_comparison },
  { NULL },
};
