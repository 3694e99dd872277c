/* sweep-watch.c — follows the folder of results by a file monitor, and by looking at its time.
 *
 * A monitor does not report writes of other machines to a network file system, so the time of the folder is compared
 * as well, every few seconds.  A server that does not answer blocks a worker only, and the next look waits for it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/sweep/sweep-watch.h"

#include "app/process/worker.h"

#include <sys/stat.h>

#define LOOK_S   5       /* seconds between two looks at the time */
#define FOLLOWED "cells" /* every stored result changes it */

struct _ScopeSweepWatch
{
  GObject       parent_instance;
  char         *folder; /* the one that is followed */
  GCancellable *cancellable;
  GFileMonitor *monitor; /* NULL: the folder cannot be monitored */
  gint64        time;    /* ns, as last seen */
  guint         source;
  gboolean      is_looking;
};

G_DEFINE_FINAL_TYPE (ScopeSweepWatch, scope_sweep_watch, G_TYPE_OBJECT)

static guint changed_signal;

/* --- The monitor --- */

static void
end_monitor (gpointer monitor)
{
  g_file_monitor_cancel (monitor);
  g_object_unref (monitor);
}

static void
on_monitor (ScopeSweepWatch *self)
{
  g_signal_emit (self, changed_signal, 0);
}

/* In a worker, because the kernel may block when an inotify watch is added. */
static void
monitor_in_worker (GTask *task, gpointer data)
{
  g_autoptr (GFile) folder = g_file_new_for_path (data);

  g_task_return_pointer (task, g_file_monitor_directory (folder, G_FILE_MONITOR_NONE, NULL, NULL),
                         end_monitor);
}

static void
monitored_cb (GObject *source, GAsyncResult *result, gpointer data G_GNUC_UNUSED)
{
  ScopeSweepWatch *self = SCOPE_SWEEP_WATCH (source);
  g_autoptr (GError) error = NULL;

  self->monitor = g_task_propagate_pointer (G_TASK (result), &error);
  if (self->monitor)
    g_signal_connect_swapped (self->monitor, "changed", G_CALLBACK (on_monitor), self);
  if (!error)
    g_signal_emit (self, changed_signal, 0);
}

/* --- The time --- */

static void
look_in_worker (GTask *task, gpointer data)
{
  struct stat info = { 0 };

  stat (data, &info);
  g_task_return_int (task, (gssize) (info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec));
}

static void
looked_cb (GObject *source, GAsyncResult *result, gpointer data G_GNUC_UNUSED)
{
  ScopeSweepWatch *self = SCOPE_SWEEP_WATCH (source);
  g_autoptr (GError) error = NULL;
  gint64 time = g_task_propagate_int (G_TASK (result), &error);

  self->is_looking = FALSE;
  if (error || time == self->time)
    return;
  self->time = time;
  g_signal_emit (self, changed_signal, 0);
}

static void
start (ScopeSweepWatch *self, ScopeWorkerFunc function, GAsyncReadyCallback callback)
{
  g_autoptr (GTask) task = g_task_new (self, self->cancellable, callback, NULL);

  g_task_set_task_data (task, g_strdup (self->folder), g_free);
  scope_worker_run (task, function);
}

static gboolean
on_tick (gpointer data)
{
  ScopeSweepWatch *self = data;

  if (!self->is_looking)
    start (self, look_in_worker, looked_cb);
  self->is_looking = TRUE;
  return G_SOURCE_CONTINUE;
}

/* --- Object --- */

void
scope_sweep_watch_stop (ScopeSweepWatch *self)
{
  g_cancellable_cancel (self->cancellable);
  g_clear_handle_id (&self->source, g_source_remove);
  if (self->monitor)
    {
      g_signal_handlers_disconnect_by_data (self->monitor, self);
      scope_worker_free (g_steal_pointer (&self->monitor), end_monitor);
    }
}

static void
scope_sweep_watch_dispose (GObject *object)
{
  scope_sweep_watch_stop (SCOPE_SWEEP_WATCH (object));
  G_OBJECT_CLASS (scope_sweep_watch_parent_class)->dispose (object);
}

static void
scope_sweep_watch_finalize (GObject *object)
{
  ScopeSweepWatch *self = SCOPE_SWEEP_WATCH (object);

  g_object_unref (self->cancellable);
  g_free (self->folder);
  G_OBJECT_CLASS (scope_sweep_watch_parent_class)->finalize (object);
}

static void
scope_sweep_watch_class_init (ScopeSweepWatchClass *class)
{
  G_OBJECT_CLASS (class)->dispose = scope_sweep_watch_dispose;
  G_OBJECT_CLASS (class)->finalize = scope_sweep_watch_finalize;
  changed_signal = g_signal_new ("changed", G_TYPE_FROM_CLASS (class), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
scope_sweep_watch_init (ScopeSweepWatch *self)
{
  self->cancellable = g_cancellable_new ();
}

ScopeSweepWatch *
scope_sweep_watch_new (const char *folder)
{
  ScopeSweepWatch *self = g_object_new (SCOPE_TYPE_SWEEP_WATCH, NULL);

  self->folder = g_build_filename (folder, FOLLOWED, NULL);
  self->source = g_timeout_add_seconds (LOOK_S, on_tick, self);
  start (self, monitor_in_worker, monitored_cb);
  return self;
}
