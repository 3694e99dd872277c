/* mending.c — repairs a model in a worker; mend() is the main function.
 *
 * The repairs themselves are rules of engine/doctor.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/mending.h"

#include "app/process/worker.h"
#include "engine/doctor/change.h"
#include "engine/doctor/diagnose.h"
#include "engine/doctor/edit-attributes.h"
#include "engine/doctor/replace-operator.h"
#include "engine/open/open.h"

typedef struct
{
  char  *path, *params, *prefix, *edited;
  char **shapes, **replacements, **attributes;
} MendJob;

static void
mend_job_free (gpointer data)
{
  MendJob *job = data;

  g_free (job->path);
  g_free (job->params);
  g_free (job->prefix);
  g_strfreev (job->shapes);
  g_strfreev (job->replacements);
  g_strfreev (job->attributes);
  g_free (job->edited);
  g_free (job);
}

void
scope_mended_free (ScopeMended *mended)
{
  g_clear_object (&mended->symbol);
  g_ptr_array_unref (mended->changes);
  g_free (mended->conflict);
  g_free (mended);
}

/* The changes that the job makes to a model. */
static gboolean
change (const MendJob *job, HybModel *model, ScopeMended *mended, GError **error)
{
  if (job->edited)
    {
      if (!hyb_attributes_edit (model, job->edited, (const char *const *) job->attributes,
                                mended->changes, error))
        return FALSE;
      mended->conflict = hyb_attributes_find_conflict (model, job->edited);
      return TRUE;
    }
  for (char **pair = job->replacements; pair && pair[0] && pair[1]; pair += 2)
    hyb_replace_operator (model, pair[0], hyb_op_find (pair[1]), mended->changes);
  /* A file that was named is not replaced; without it nothing can be right. */
  if (hyb_diagnose_can_repair (model))
    hyb_diagnose_repair (model, mended->changes);
  return TRUE;
}

/* Documents are immutable, but no other thread has seen this one yet. */
static ScopeMended *
mend (const MendJob *job, GCancellable *cancellable, GError **error)
{
  g_autoptr (ScopeMended) mended = g_new0 (ScopeMended, 1);
  g_autoptr (GPtrArray) written = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (ScopeDocument) document = NULL;

  mended->changes = hyb_changes_new ();
  document = scope_document_open (job->path, job->params, (const char *const *) job->shapes,
                                  cancellable, error);
  if (!document)
    return NULL;
  if (!change (job, scope_document_get_model (document), mended, error))
    return NULL;
  if (!job->prefix)
    return g_steal_pointer (&mended);
  if (!hyb_model_save (scope_document_get_model (document), job->prefix, 0, written, error))
    return NULL;
  mended->symbol = g_file_new_for_path (written->pdata[0]);
  return g_steal_pointer (&mended);
}

static void
mend_in_worker (GTask *task, gpointer data)
{
  GCancellable *cancellable = g_task_get_cancellable (task);
  GError       *error = NULL;
  ScopeMended  *mended = mend (data, cancellable, &error);

  scope_task_return (task, mended, (GDestroyNotify) scope_mended_free, error);
}

void
scope_mend_async (const ScopeMendOptions *options, GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, user_data);
  MendJob *job = g_new0 (MendJob, 1);

  job->path = g_strdup (options->path);
  job->params = g_strdup (options->params);
  job->prefix = g_strdup (options->prefix);
  job->shapes = g_strdupv ((char **) options->shapes);
  job->replacements = g_strdupv ((char **) options->replacements);
  job->attributes = g_strdupv ((char **) options->attributes);
  job->edited = g_strdup (options->edited);
  g_task_set_task_data (task, job, mend_job_free);
  scope_worker_run (task, mend_in_worker);
}

ScopeMended *
scope_mend_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
