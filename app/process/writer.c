/* writer.c — a queue of files, and the thread that writes them.
 *
 * run_write() is the main function of the thread; readers look into the queue first.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/process/writer.h"

#include "app/process/worker.h"
#include "engine/formats/file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_READ (16 << 20) /* bytes */

typedef struct
{
  char *path, *text;
} WriteJob;

static GMutex lock;
static GCond  written;
static GQueue waiting = G_QUEUE_INIT; /* of WriteJob, oldest first; guarded by lock */

static void
write_job_free (gpointer data)
{
  WriteJob *job = data;

  g_free (job->path);
  g_free (job->text);
  g_free (job);
}

static void
run_write (gpointer data, gpointer unused G_GNUC_UNUSED)
{
  g_autoptr (GTask) task = data;
  WriteJob        *job = g_task_get_task_data (task);
  g_autofree char *folder = g_path_get_dirname (job->path);
  GError          *error = NULL;

  scope_worker_lower_priority ();
  /* If this fails, so does writing the file. */
  g_mkdir_with_parents (folder, 0700);
  hyb_file_replace_contents (job->path, job->text, strlen (job->text), &error);
  g_mutex_lock (&lock);
  g_queue_remove (&waiting, job);
  g_cond_broadcast (&written);
  g_mutex_unlock (&lock);
  if (error)
    {
      g_debug ("%s", error->message);
      g_task_return_error (task, error);
    }
  else
    g_task_return_boolean (task, TRUE);
}

void
scope_writer_write_async (const char         *path,
                          char               *text,
                          GAsyncReadyCallback callback,
                          gpointer            user_data)
{
  static GThreadPool *thread;
  GTask              *task = g_task_new (NULL, NULL, callback, user_data);
  WriteJob           *job = g_new0 (WriteJob, 1);

  if (!thread)
    thread = g_thread_pool_new (run_write, NULL, 1, TRUE, NULL);
  job->path = g_strdup (path);
  job->text = text;
  g_task_set_task_data (task, job, write_job_free);
  g_mutex_lock (&lock);
  g_queue_push_tail (&waiting, job);
  g_mutex_unlock (&lock);
  g_thread_pool_push (thread, task, NULL);
}

gboolean
scope_writer_write_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

/* A pipe of that name would be read without end, and a device perhaps, too.  (transfer full) */
static char *
read_regular (const char *path)
{
  int              file = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  g_autofree char *text = NULL;
  struct stat      status;
  gssize           n = -1;

  if (file >= 0 && fstat (file, &status) == 0 && S_ISREG (status.st_mode) &&
      status.st_size <= MAX_READ)
    {
      text = g_malloc0 ((gsize) status.st_size + 1);
      n = read (file, text, (gsize) status.st_size);
    }
  if (file >= 0)
    close (file);
  return n >= 0 ? g_steal_pointer (&text) : NULL;
}

char *
scope_writer_read (const char *path)
{
  char *text = NULL;

  g_mutex_lock (&lock);
  for (GList *i = waiting.tail; i && !text; i = i->prev)
    {
      const WriteJob *job = i->data;

      if (g_str_equal (job->path, path))
        text = g_strdup (job->text);
    }
  g_mutex_unlock (&lock);
  return text ? text : read_regular (path);
}

void
scope_writer_wait (void)
{
  g_mutex_lock (&lock);
  while (!g_queue_is_empty (&waiting))
    g_cond_wait (&written, &lock);
  g_mutex_unlock (&lock);
}
