/* window-values.c — saves the tensor whose values are shown, and chooses a file to compare it with.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/process/worker.h"
#include "app/views/values-view.h"
#include "engine/formats/format.h"

#include <glib/gi18n.h>

static ScopeValuesView *
get_view (ScopeWindow *self)
{
  ScopePage *page = scope_window_get_page (self);

  return page ? SCOPE_VALUES_VIEW (scope_page_get_view (page, "values")) : NULL;
}

/* --- Saving --- */

typedef struct
{
  HybTensor *tensor;
  ScopePlane plane; /* of the shown slice */
  char      *name, *path;
} SaveJob;

static void
save_job_free (gpointer data)
{
  SaveJob *job = data;

  hyb_tensor_unref (job->tensor);
  g_free (job->name);
  g_free (job->path);
  g_free (job);
}

/* A table holds the shown slice of a tensor with more than two dimensions.  (transfer full) */
static HybTensor *
get_written (const SaveJob *job, GError **error)
{
  ScopePart all = { 0, 0, job->plane.rows, job->plane.columns };

  if (g_str_has_suffix (job->path, ".csv") && hyb_tensor_get_shape (job->tensor)->rank > 2)
    return scope_plane_read (&job->plane, job->tensor, &all, NULL, error);
  return hyb_tensor_ref (job->tensor);
}

static void
save_in_worker (GTask *task, gpointer data)
{
  const SaveJob *job = data;
  GError        *error = NULL;
  g_autoptr (HybTensor) tensor = get_written (job, &error);
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();

  if (tensor)
    hyb_tensor_list_set (list, job->name, tensor);
  if (tensor && hyb_weights_write_file (list, job->path, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
saved_cb (GObject *source, GAsyncResult *result, gpointer unused G_GNUC_UNUSED)
{
  const SaveJob *job = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autofree char *name = NULL, *text = NULL;

  if (!g_task_propagate_boolean (G_TASK (result), &error))
    {
      scope_window_show_unwritten (SCOPE_WINDOW (source), job->path, "win.save-values", error);
      return;
    }
  name = g_path_get_basename (job->path);
  text = g_strdup_printf (_ ("%s was written"), name);
  scope_window_toast (SCOPE_WINDOW (source), text);
}

void
scope_window_save_values (ScopeWindow *self, const char *path)
{
  ScopeValuesView *view = get_view (self);
  HybTensor       *tensor = view ? scope_values_view_get_tensor (view) : NULL;
  SaveJob         *job;
  g_autoptr (GTask) task = NULL;

  if (!tensor)
    return;
  job = g_new (SaveJob, 1);
  *job = (SaveJob){ hyb_tensor_ref (tensor), scope_values_view_get_plane (view),
                    g_strdup (scope_values_view_get_name (view)), g_strdup (path) };
  task = g_task_new (self, NULL, saved_cb, NULL);
  g_task_set_task_data (task, job, save_job_free);
  scope_worker_run (task, save_in_worker);
}

static void
act_save_values (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeValuesView *view = get_view (self);
  g_autofree char *proposal = NULL;
  ScopeFileDialog  dialog = { .title = _ ("Save Values: .npy, .npz, .csv (of the shown slice)"),
                              .action = GTK_FILE_CHOOSER_ACTION_SAVE,
                              .path_chosen = scope_window_save_values };

  if (!view || !scope_values_view_get_tensor (view))
    return;
  proposal = g_strconcat (scope_values_view_get_name (view), ".npy", NULL);
  g_strdelimit (proposal, "/:", '-');
  dialog.name = proposal;
  scope_window_choose_file (self, &dialog);
}

/* --- Comparing --- */

static void
compare_file (ScopeWindow *self, const char *path)
{
  ScopeValuesView *view = get_view (self);

  if (view)
    scope_values_view_compare_file (view, path);
}

static void
act_compare_values (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  const ScopeFileDialog dialog = { .title = _ ("Compare Values with a Model or a File of Arrays"),
                                   .action = GTK_FILE_CHOOSER_ACTION_OPEN,
                                   .path_chosen = compare_file };

  scope_window_choose_file (self, &dialog);
}

/* The models of the window have each other as peers. */
static void
on_attached (AdwTabView *tabs G_GNUC_UNUSED,
             AdwTabPage      *tab,
             int position     G_GNUC_UNUSED,
             gpointer         data)
{
  GtkWidget      *child = adw_tab_page_get_child (tab);
  ScopeWindow    *self = data;
  ScopeWorkspace *workspace =
      SCOPE_IS_PAGE (child) ? scope_page_get_workspace (SCOPE_PAGE (child)) : NULL;

  if (!workspace)
    return;
  g_list_store_append (self->workspaces, workspace);
  scope_workspace_set_peers (workspace, G_LIST_MODEL (self->workspaces));
}

static void
on_detached (AdwTabView *tabs G_GNUC_UNUSED,
             AdwTabPage      *tab,
             int position     G_GNUC_UNUSED,
             gpointer         data)
{
  GtkWidget      *child = adw_tab_page_get_child (tab);
  ScopeWindow    *self = data;
  ScopeWorkspace *workspace =
      SCOPE_IS_PAGE (child) ? scope_page_get_workspace (SCOPE_PAGE (child)) : NULL;
  guint position_in_list;

  if (!workspace || !g_list_store_find (self->workspaces, workspace, &position_in_list))
    return;
  scope_workspace_set_peers (workspace, NULL);
  g_list_store_remove (self->workspaces, position_in_list);
}

void
scope_window_list_workspaces (ScopeWindow *self)
{
  self->workspaces = g_list_store_new (SCOPE_TYPE_WORKSPACE);
  g_signal_connect_object (self->tabs, "page-attached", G_CALLBACK (on_attached), self, 0);
  g_signal_connect_object (self->tabs, "page-detached", G_CALLBACK (on_detached), self, 0);
}

const ScopeWindowAction scope_window_values_actions[] = {
  { "win.save-values", NULL, act_save_values },
  { "win.compare-values", NULL, act_compare_values },
  { NULL },
};
