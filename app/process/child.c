/* child.c — runs hscope, or any other program, as a child process.
 *
 * Processes are started by a thread of their own, because the call that starts one returns only
 * after the program has begun.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/process/child.h"

#include "app/process/limits.h"
#include "app/process/worker.h"
#include "engine/base/remedy.h"
#include "engine/block/plugin.h"

#include <glib/gi18n.h>

char *
scope_child_find_program (void)
{
  const char      *given = g_getenv ("HYBRIDSCOPE_HSCOPE");
  g_autofree char *self = NULL;
  g_autofree char *folder = NULL;

  if (given && *given != '\0')
    return g_strdup (given);
  self = g_file_read_link ("/proc/self/exe", NULL);
  folder = self ? g_path_get_dirname (self) : NULL;
  /* Beside the window; tests run from a folder of their own. */
  for (const char *const *place =
           (const char *const[]){ "hscope", "../app/hscope", "../../app/hscope", NULL };
       folder && *place; place++)
    {
      g_autofree char *path = g_build_filename (folder, *place, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_EXECUTABLE))
        return g_steal_pointer (&path);
    }
  return g_find_program_in_path ("hscope");
}

GQuark
scope_child_error_quark (void)
{
  static gsize domain;

  if (g_once_init_enter (&domain))
    g_once_init_leave (&domain, hyb_error_domain_register ("scope-child-error-quark"));
  return (GQuark) domain;
}

GError *
scope_child_error_new (const ScopeChildMessage *message)
{
  GError *error = g_error_new_literal (SCOPE_CHILD_ERROR, SCOPE_CHILD_ERROR_FAILED, message->text);

  hyb_error_add_remedy (&error, message->remedy, message->subject);
  return error;
}

char *
scope_child_describe_signal (int number)
{
  return g_strdup_printf (_ ("The run was ended by signal %d (%s). The open model is not "
                             "affected."),
                          number, g_strsignal (number));
}

/* Why a child failed: the last error that it wrote, else its last line.  (transfer full) */
static GError *
describe_failure (GSubprocess *child, const char *err)
{
  g_auto (GStrv) lines = g_strsplit (err ? err : "", "\n", -1);
  const char *last = NULL;

  if (g_subprocess_get_if_signaled (child))
    {
      g_autofree char *text = scope_child_describe_signal (g_subprocess_get_term_sig (child));

      return g_error_new_literal (SCOPE_CHILD_ERROR, SCOPE_CHILD_ERROR_FAILED, text);
    }
  for (guint i = g_strv_length (lines); i-- > 0;)
    {
      g_auto (ScopeChildMessage) message = { 0 };

      if (scope_child_message_read (g_strstrip (lines[i]), &message) &&
          message.severity == HYB_SEVERITY_ERROR && *message.text != '\0')
        return scope_child_error_new (&message);
      if (!last && !message.text && *lines[i] != '\0')
        last = lines[i];
    }
  return g_error_new_literal (SCOPE_CHILD_ERROR, SCOPE_CHILD_ERROR_FAILED,
                              last ? last : _ ("hscope failed without an error message"));
}

/* --- Starting --- */

typedef struct
{
  char           **argv;
  GSubprocessFlags flags;
  gboolean         allows_modules;
} Start;

static void
start_free (gpointer data)
{
  Start *start = data;

  g_strfreev (start->argv);
  g_free (start);
}

static void
kill_child (gpointer child)
{
  g_subprocess_force_exit (child);
  g_object_unref (child);
}

static void
run_start (gpointer data, gpointer unused G_GNUC_UNUSED)
{
  g_autoptr (GTask) task = data;
  const Start *start = g_task_get_task_data (task);
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (start->flags);
  GError      *error = NULL;
  GSubprocess *child;

  if (g_task_return_error_if_cancelled (task))
    return;
  if (start->allows_modules)
    g_subprocess_launcher_unsetenv (launcher, HYB_PLUGINS_VARIABLE);
  else
    g_subprocess_launcher_setenv (launcher, HYB_PLUGINS_VARIABLE, HYB_PLUGINS_GALLERY, TRUE);
  g_subprocess_launcher_setenv (launcher, SCOPE_MESSAGES_VARIABLE, "json", TRUE);
  child = g_subprocess_launcher_spawnv (launcher, (const char *const *) start->argv, &error);
  scope_task_return (task, child, kill_child, error);
}

/* Starting a program blocks until it has begun, which may take long on a busy machine.  The thread
 * keeps its normal priority, because the child would inherit a lower one. */
static void
push_start (GTask *task, const Start *job)
{
  static GThreadPool *thread;
  Start              *start = g_memdup2 (job, sizeof *job);

  if (!thread)
    thread = g_thread_pool_new (run_start, NULL, 1, TRUE, NULL);
  /* With inherited descriptors (all are close-on-exec) GLib uses posix_spawn() instead of fork():
   * fork() copies the page tables, and every thread that touches new memory waits for it. */
  start->argv = g_strdupv (job->argv);
  start->flags |= G_SUBPROCESS_FLAGS_INHERIT_FDS;
  g_task_set_task_data (task, start, start_free);
  g_thread_pool_push (thread, task, NULL);
}

void
scope_child_start_async (const char *const  *argv,
                         GSubprocessFlags    flags,
                         GCancellable       *cancellable,
                         GAsyncReadyCallback callback,
                         gpointer            user_data)
{
  push_start (g_task_new (NULL, cancellable, callback, user_data),
              &(Start){ (char **) argv, flags, FALSE });
}

GSubprocess *
scope_child_start_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

/* --- Running to the end --- */

static void
communicated_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  GSubprocess *child = G_SUBPROCESS (source);
  g_autoptr (GTask) task = data;
  g_autofree char *out = NULL;
  g_autofree char *err = NULL;
  GError          *error = NULL;

  if (!g_subprocess_communicate_utf8_finish (child, result, &out, &err, &error))
    {
      g_subprocess_force_exit (child);
      g_task_return_error (task, error);
      return;
    }
  if (g_subprocess_get_successful (child) ||
      (g_task_get_task_data (task) && g_subprocess_get_if_exited (child) &&
       g_subprocess_get_exit_status (child) == 1 && out[0] == '{'))
    {
      g_task_return_pointer (task, g_steal_pointer (&out), g_free);
      return;
    }
  g_task_return_error (task, describe_failure (child, err));
}

static void
started_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  GTask  *task = data;
  GError *error = NULL;
  g_autoptr (GSubprocess) child = scope_child_start_finish (result, &error);

  if (child)
    {
      g_subprocess_communicate_utf8_async (child, NULL, g_task_get_cancellable (task),
                                           communicated_cb, task);
      return;
    }
  g_task_return_error (task, error);
  g_object_unref (task);
}

/* Runs hscope and returns its output through task (transfer full). */
static void
run_hscope (GTask *task, const char *const *arguments, gboolean allows_modules)
{
  GTask *start;
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autoptr (GPtrArray) limits = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *program = scope_child_find_program ();

  if (!program)
    {
      g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                               _ ("hscope was not found beside hybridscope or in PATH. Install "
                                  "both programs together."));
      g_object_unref (task);
      return;
    }
  g_ptr_array_add (argv, program);
  g_ptr_array_add (argv, (gpointer) SCOPE_CHILD_SANDBOX);
  for (guint i = 0; arguments[i] != NULL; i++)
    g_ptr_array_add (argv, (gpointer) arguments[i]);
  scope_limits_add_options (limits);
  g_ptr_array_extend (argv, limits, NULL, NULL);
  g_ptr_array_add (argv, NULL);
  start = g_task_new (NULL, g_task_get_cancellable (task), started_cb, task);
  push_start (start, &(Start){ (char **) argv->pdata,
                               G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE,
                               allows_modules });
}

void
scope_child_run_async (const char *const  *arguments,
                       GCancellable       *cancellable,
                       GAsyncReadyCallback callback,
                       gpointer            user_data)
{
  run_hscope (g_task_new (NULL, cancellable, callback, user_data), arguments, FALSE);
}

void
scope_child_run_check_async (const char *const  *arguments,
                             GCancellable       *cancellable,
                             GAsyncReadyCallback callback,
                             gpointer            user_data)
{
  GTask *task = g_task_new (NULL, cancellable, callback, user_data);

  g_task_set_task_data (task, GINT_TO_POINTER (TRUE), NULL);
  run_hscope (task, arguments, FALSE);
}

void
scope_child_run_plugin_async (const char *const  *arguments,
                              GCancellable       *cancellable,
                              GAsyncReadyCallback callback,
                              gpointer            user_data)
{
  run_hscope (g_task_new (NULL, cancellable, callback, user_data), arguments, TRUE);
}

char *
scope_child_run_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
