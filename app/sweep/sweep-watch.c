/* sweep-watch.c — follows the folders of results by file monitors, and by looking at their times.
 *
 * Monitors do not see what other machines write to a network file system, so the times of the folders are compared as
 * well, every few seconds.  A server that does not answer blocks a worker only, and the next look waits for it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/sweep/sweep-watch.h"

#include "app/process/worker.h"

#include <sys/stat.h>

#define LOOK_S 5 /* seconds between two looks at the times */

/* Every stored result changes one of them. */
static const char *const followed[] = { "cells" };

#define N_FOLLOWED G_N_ELEMENTS (followed)

struct _ScopeSweepWatch
{
  GObject       parent_instance;
  char         *folder;
  GCancellable *cancellable;
  GFileMonitor *monitors[N_FOLLOWED];
  gint64        times[N_FOLLOWED]; /* ns, as last seen */
  guint         source;
  gboolean      is_looking;
};

G_DEFINE_FINAL_TYPE (ScopeSweepWatch, scope_sweep_watch, G_TYPE_OBJECT)

static guint changed_signal;

/* --- Monitors --- */

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

typedef struct
{
  GFileMonitor *monitors[N_FOLLOWED]; /* NULL: the folder cannot be monitored */
} Monitors;

static void
monitors_free (gpointer data)
{
  Monitors *monitors = data;

  for (guint i = 0; i < N_FOLLOWED; i++)
    g_clear_pointer (&monitors->monitors[i], end_monitor);
  g_free (monitors);
}

/* In a worker, because the kernel may block when an inotify watch is added. */
static void
monitor_in_worker (GTask                    *task,
                   gpointer source           G_GNUC_UNUSED,
                   gpointer                  data,
                   GCancellable *cancellable G_GNUC_UNUSED)
{
  Monitors *monitors = g_new0 (Monitors, 1);

  for (guint i = 0; i < N_FOLLOWED; i++)
    {
      g_autoptr (GFile) folder = g_file_new_build_filename (data, followed[i], NULL);

      monitors->monitors[i] = g_file_monitor_directory (folder, G_FILE_MONITOR_NONE, NULL, NULL);
    }
  g_task_return_pointer (task, monitors, monitors_free);
}

static void
monitored_cb (GObject *source, GAsyncResult *result, gpointer data G_GNUC_UNUSED)
{
  ScopeSweepWatch *self = SCOPE_SWEEP_WATCH (source);
  Monitors        *monitors = g_task_propagate_pointer (G_TASK (result), NULL);

  if (!monitors)
    return; /* stopped */
  for (guint i = 0; i < N_FOLLOWED; i++)
    {
      self->monitors[i] = g_steal_pointer (&monitors->monitors[i]);
      if (self->monitors[i])
        g_signal_connect_swapped (self->monitors[i], "changed", G_CALLBACK (on_monitor), self);
    }
  monitors_free (monitors);
  g_signal_emit (self, changed_signal, 0);
}

/* --- Times --- */

static void
look_in_worker (GTask                    *task,
                gpointer source           G_GNUC_UNUSED,
                gpointer                  data,
                GCancellable *cancellable G_GNUC_UNUSED)
{
  gint64 *times = g_new0 (gint64, N_FOLLOWED);

  for (guint i = 0; i < N_FOLLOWED; i++)
    {
      g_autofree char *path = g_build_filename (data, followed[i], NULL);
      struct stat      info;

      if (stat (path, &info) == 0)
        times[i] = (gint64) info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
    }
  g_task_return_pointer (task, times, g_free);
}

static void
looked_cb (GObject *source, GAsyncResult *result, gpointer data G_GNUC_UNUSED)
{
  ScopeSweepWatch   *self = SCOPE_SWEEP_WATCH (source);
  g_autofree gint64 *times = g_task_propagate_pointer (G_TASK (result), NULL);
  gboolean           is_changed = FALSE;

  self->is_looking = FALSE;
  for (guint i = 0; times && i < N_FOLLOWED; i++)
    {
      is_changed |= times[i] != self->times[i];
      self->times[i] = times[i];
    }
  if (is_changed)
    g_signal_emit (self, changed_signal, 0);
}

static void
start (ScopeSweepWatch *self, GTaskThreadFunc function, GAsyncReadyCallback callback)
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
  for (guint i = 0; i < N_FOLLOWED; i++)
    if (self->monitors[i])
      {
        g_signal_handlers_disconnect_by_data (self->monitors[i], self);
        scope_worker_free (g_steal_pointer (&self->monitors[i]), end_monitor);
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

  self->folder = g_strdup (folder);
  self->source = g_timeout_add_seconds (LOOK_S, on_tick, self);
  start (self, monitor_in_worker, monitored_cb);
  return self;
}
