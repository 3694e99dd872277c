/* values-view-compare.c — the tensor of the same name in another model of the window, or in a file.
 *
 * Start at scope_values_view_compare_again().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/values-view-private.h"

#include "app/process/worker.h"
#include "engine/formats/format.h"

#include <glib/gi18n.h>

/* --- Differences --- */

typedef struct
{
  HybTensor      *a, *b;
  ScopeDifference difference;
} CompareJob;

static void
compare_job_free (gpointer data)
{
  CompareJob *job = data;

  hyb_tensor_unref (job->a);
  hyb_tensor_unref (job->b);
  g_free (job);
}

static void
compare_in_worker (GTask *task, gpointer data)
{
  GCancellable *cancellable = g_task_get_cancellable (task);
  CompareJob   *job = data;

  g_task_return_boolean (task,
                         scope_difference_compute (&job->difference, job->a, job->b, cancellable));
}

static void
compared_cb (GObject *source, GAsyncResult *result, gpointer unused G_GNUC_UNUSED)
{
  ScopeValuesView  *self = SCOPE_VALUES_VIEW (source);
  const CompareJob *job = g_task_get_task_data (G_TASK (result));

  if (!g_task_propagate_boolean (G_TASK (result), NULL) || job->a != self->tensor)
    return;
  self->difference = job->difference;
  g_clear_pointer (&self->other, hyb_tensor_unref);
  self->other = hyb_tensor_ref (job->b);
  gtk_widget_set_visible (GTK_WIDGET (self->shown), TRUE);
  scope_values_view_reread (self);
  scope_values_view_update_facts (self);
}

/* --- The other tensor --- */

static void
show_failure (ScopeValuesView *self, const char *text)
{
  g_free (self->other_error);
  self->other_error = g_strdup (text);
  scope_values_view_update_facts (self);
}

/* other: (transfer full) (nullable) */
static void
take_other (ScopeValuesView *self, HybTensor *other, const GError *error)
{
  g_autoptr (HybTensor) owned = other;
  CompareJob *job;
  g_autoptr (GTask) task = NULL;

  if (!other)
    {
      show_failure (self, error->message);
      return;
    }
  if (!hyb_shape_equal (hyb_tensor_get_shape (other), &self->slice.shape))
    {
      g_autofree char *here = hyb_shape_join (&self->slice.shape, "×");
      g_autofree char *there = hyb_shape_join (hyb_tensor_get_shape (other), "×");
      g_autofree char *text = g_strdup_printf (_ ("%s here, but %s there"), here, there);

      show_failure (self, text);
      return;
    }
  job = g_new0 (CompareJob, 1);
  job->a = hyb_tensor_ref (self->tensor);
  job->b = g_steal_pointer (&owned);
  task = g_task_new (self, self->comparing, compared_cb, NULL);
  g_task_set_task_data (task, job, compare_job_free);
  scope_worker_run (task, compare_in_worker);
}

static void
read_peer_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ScopeValuesView) self = data;
  g_autoptr (GError) error = NULL;
  HybTensor *other = scope_workspace_read_tensor_finish (SCOPE_WORKSPACE (source), result, &error);

  if (g_task_get_cancellable (G_TASK (result)) != self->comparing || !self->tensor)
    hyb_tensor_unref (other);
  else
    take_other (self, other, error);
}

/* --- Files --- */

typedef struct
{
  char *path, *name;
} FileJob;

static void
file_job_free (gpointer data)
{
  FileJob *job = data;

  g_free (job->path);
  g_free (job->name);
  g_free (job);
}

/* Names in parameter files of MXNet have a prefix; a file with a single array may have any name for it. */
static HybTensor *
find_in_list (HybTensorList *list, const char *name)
{
  static const char *const prefixes[] = { "", "arg:", "aux:" };

  for (guint i = 0; i < G_N_ELEMENTS (prefixes); i++)
    {
      g_autofree char *full = g_strconcat (prefixes[i], name, NULL);
      HybTensor       *found = hyb_tensor_list_find (list, full);

      if (found)
        return found;
    }
  return hyb_tensor_list_n (list) == 1 ? hyb_tensor_list_get (list, 0)->tensor : NULL;
}

static void
read_file_in_worker (GTask *task, gpointer data)
{
  GCancellable  *cancellable = g_task_get_cancellable (task);
  const FileJob *job = data;
  GError        *error = NULL;
  g_autoptr (HybTensorList) list = hyb_weights_read_file (job->path, NULL, NULL);
  g_autoptr (ScopeDocument) model =
      list ? NULL : scope_document_open (job->path, NULL, NULL, cancellable, &error);
  HybTensor *found = list    ? find_in_list (list, job->name)
                     : model ? hyb_model_get_parameter (scope_document_get_model (model), job->name)
                             : NULL;

  if (error)
    g_task_return_error (task, error);
  else if (!found)
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                             _ ("The file has no array with the name %s"), job->name);
  else
    g_task_return_pointer (task, hyb_tensor_ref (found), (GDestroyNotify) hyb_tensor_unref);
}

static void
read_file_cb (GObject *source, GAsyncResult *result, gpointer unused G_GNUC_UNUSED)
{
  ScopeValuesView *self = SCOPE_VALUES_VIEW (source);
  g_autoptr (GError) error = NULL;
  HybTensor *other = g_task_propagate_pointer (G_TASK (result), &error);

  if (g_task_get_cancellable (G_TASK (result)) != self->comparing || !self->tensor)
    hyb_tensor_unref (other);
  else
    take_other (self, other, error);
}

static void
read_file (ScopeValuesView *self)
{
  FileJob *job = g_new (FileJob, 1);
  g_autoptr (GTask) task = g_task_new (self, self->comparing, read_file_cb, NULL);

  *job = (FileJob){ g_strdup (self->other_path), g_strdup (self->name->node) };
  g_task_set_task_data (task, job, file_job_free);
  scope_worker_run (task, read_file_in_worker);
}

/* --- Starting and ending --- */

static void
forget_other (ScopeValuesView *self)
{
  g_cancellable_cancel (self->comparing);
  g_clear_object (&self->comparing);
  g_clear_pointer (&self->other, hyb_tensor_unref);
  g_clear_pointer (&self->other_error, g_free);
  gtk_widget_set_visible (GTK_WIDGET (self->shown), FALSE);
}

void
scope_values_view_compare_again (ScopeValuesView *self)
{
  g_autoptr (ScopeWorkspace) peer = g_weak_ref_get (&self->other_workspace);

  forget_other (self);
  if (!peer && !self->other_path)
    g_clear_pointer (&self->other_title, g_free);
  if (!self->tensor || !self->other_title)
    return;
  self->comparing = g_cancellable_new ();
  if (peer)
    scope_workspace_read_tensor_async (peer, self->name, self->comparing, read_peer_cb,
                                       g_object_ref (self));
  else
    read_file (self);
}

/* title: (transfer full) (nullable) */
static void
set_partner (ScopeValuesView *self, ScopeWorkspace *peer, const char *path, char *title)
{
  g_weak_ref_set (&self->other_workspace, peer);
  g_free (self->other_path);
  self->other_path = g_strdup (path);
  g_free (self->other_title);
  self->other_title = title;
  scope_values_view_compare_again (self);
  scope_values_view_reread (self);
  scope_values_view_update_facts (self);
}

void
scope_values_view_compare_file (ScopeValuesView *self, const char *path)
{
  set_partner (self, NULL, path, g_path_get_basename (path));
}

void
scope_values_view_stop_comparing (ScopeValuesView *self)
{
  set_partner (self, NULL, NULL, NULL);
}

void
scope_values_view_compare_peer (ScopeValuesView *self, const char *model)
{
  ScopeWorkspace *own = scope_view_get_workspace (SCOPE_VIEW (self));
  GListModel     *peers = scope_workspace_get_peers (own);

  for (guint i = 0; peers && i < g_list_model_get_n_items (peers); i++)
    {
      g_autoptr (ScopeWorkspace) peer = g_list_model_get_item (peers, i);

      if (peer == own || g_strcmp0 (scope_workspace_get_model_name (peer), model) != 0)
        continue;
      set_partner (self, peer, NULL, g_strdup (scope_workspace_get_title (peer)));
      return;
    }
}

/* --- The menu --- */

/* Models of the window that have the tensor. */
static void
add_peers (ScopeValuesView *self, GMenu *menu)
{
  ScopeWorkspace *own = scope_view_get_workspace (SCOPE_VIEW (self));
  GListModel     *peers = own ? scope_workspace_get_peers (own) : NULL;

  for (guint i = 0; peers && self->name && i < g_list_model_get_n_items (peers); i++)
    {
      g_autoptr (ScopeWorkspace) peer = g_list_model_get_item (peers, i);
      g_autoptr (GMenuItem) item = g_menu_item_new (scope_workspace_get_title (peer), NULL);

      if (peer == own || !scope_workspace_has_tensor (peer, self->name))
        continue;
      g_menu_item_set_action_and_target (item, "values.compare-with", "s",
                                         scope_workspace_get_model_name (peer));
      g_menu_append_item (menu, item);
    }
}

static void
create_menu (GtkMenuButton *button, gpointer data)
{
  ScopeValuesView *self = data;
  g_autoptr (GMenu) menu = g_menu_new ();
  g_autoptr (GMenu) models = g_menu_new ();
  g_autoptr (GMenu) others = g_menu_new ();

  add_peers (self, models);
  g_menu_append (others, _ ("A File…"), "win.compare-values");
  if (self->other_title)
    g_menu_append (others, _ ("Stop Comparing"), "values.stop-comparing");
  g_menu_append_section (menu, _ ("Compare With"), G_MENU_MODEL (models));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (others));
  gtk_menu_button_set_menu_model (button, G_MENU_MODEL (menu));
}

void
scope_values_view_init_compare (ScopeValuesView *self)
{
  gtk_menu_button_set_create_popup_func (self->compare_button, create_menu, self, NULL);
}
