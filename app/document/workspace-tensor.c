/* workspace-tensor.c — reads a whole tensor: a parameter, or a value of the last run.
 *
 * Values of a run are not kept, since the values of all operators may exceed the memory.  The child therefore runs the
 * model once more on the same inputs and writes the wanted one to a file, which is mapped and removed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/workspace-private.h"

#include "app/process/child.h"
#include "app/process/worker.h"
#include "engine/formats/format.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>

gboolean
scope_workspace_has_tensor (ScopeWorkspace *self, const ScopeTensorName *name)
{
  HybModel *model = self->document ? scope_document_get_model (self->document) : NULL;

  if (!model)
    return FALSE;
  if (!name->body && name->output == 0 && hyb_model_get_parameter (model, name->node))
    return TRUE;
  return self->values && self->values_command &&
         scope_values_find (self->values, name->body, name->node, name->output);
}

/* --- A value of the last run --- */

static void
remove_and_free (gpointer path)
{
  g_remove (path);
  g_free (path);
}

static void
read_in_worker (GTask *task, gpointer path)
{
  GError *error = NULL;
  g_autoptr (HybTensorList) list = hyb_weights_read_file (path, NULL, &error);

  if (!list)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, hyb_tensor_ref (hyb_tensor_list_get (list, 0)->tensor),
                           (GDestroyNotify) hyb_tensor_unref);
}

static void
ran_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  GError          *error = NULL;
  g_autofree char *text = scope_child_run_finish (result, &error);

  if (text)
    scope_worker_run (task, read_in_worker);
  else
    g_task_return_error (task, error);
}

/* A file that does not exist yet, in a folder that children may write to. */
static char *
new_path (void)
{
  static guint     n;
  g_autofree char *folder =
      g_build_filename (g_get_user_cache_dir (), "hybridscope", "values", NULL);
  g_autofree char *name = g_strdup_printf ("%d-%u.params", (int) getpid (), n++);

  g_mkdir_with_parents (folder, 0700);
  return g_build_filename (folder, name, NULL);
}

/* The command that records all values, changed to the requested one. */
static GPtrArray *
make_command (ScopeWorkspace *self, const char *wanted, const char *path)
{
  GPtrArray *argv = g_ptr_array_new ();

  for (guint i = 0; self->values_command[i]; i++)
    if (!g_str_equal (self->values_command[i], "--values"))
      g_ptr_array_add (argv, self->values_command[i]);
  g_ptr_array_add (argv, (gpointer) "--value");
  g_ptr_array_add (argv, (gpointer) wanted);
  g_ptr_array_add (argv, (gpointer) "--value-output");
  g_ptr_array_add (argv, (gpointer) path);
  g_ptr_array_add (argv, NULL);
  return argv;
}

/* NULL for a value outside of loops, and for the last step, which every loop has. */
static char *
dup_step (ScopeWorkspace *self, const ScopeValueSeries *series)
{
  const ScopeValueStep *step = series->steps && self->step.n > 0
                                   ? scope_value_series_find (series, &self->step, NULL)
                                   : NULL;

  return step ? scope_step_path_to_string (&self->step) : NULL;
}

static void
run_for_value (ScopeWorkspace *self, const ScopeTensorName *name, GTask *task)
{
  const ScopeValueSeries *series =
      scope_values_find (self->values, name->body, name->node, name->output);
  char            *path = new_path ();
  g_autofree char *step = dup_step (self, series);
  g_autofree char *wanted = scope_tensor_name_to_string (name, step);
  g_autoptr (GPtrArray) argv = make_command (self, wanted, path);

  g_task_set_task_data (task, path, remove_and_free);
  scope_child_run_async ((const char *const *) argv->pdata, g_task_get_cancellable (task), ran_cb,
                         g_object_ref (task));
}

/* --- Any tensor --- */

void
scope_workspace_read_tensor_async (ScopeWorkspace        *self,
                                   const ScopeTensorName *name,
                                   GCancellable          *cancellable,
                                   GAsyncReadyCallback    callback,
                                   gpointer               user_data)
{
  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, user_data);
  HybModel  *model = self->document ? scope_document_get_model (self->document) : NULL;
  HybTensor *parameter = model && !name->body && name->output == 0
                             ? hyb_model_get_parameter (model, name->node)
                             : NULL;

  if (parameter)
    g_task_return_pointer (task, hyb_tensor_ref (parameter), (GDestroyNotify) hyb_tensor_unref);
  else if (scope_workspace_has_tensor (self, name))
    run_for_value (self, name, task);
  else
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                             _ ("The last run has no value of %s"), name->node);
}

HybTensor *
scope_workspace_read_tensor_finish (ScopeWorkspace *self G_GNUC_UNUSED,
                                    GAsyncResult        *result,
                                    GError             **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

/* --- The other models --- */

void
scope_workspace_set_peers (ScopeWorkspace *self, GListModel *peers)
{
  g_set_object (&self->peers, peers);
}

GListModel *
scope_workspace_get_peers (ScopeWorkspace *self)
{
  return self->peers;
}
