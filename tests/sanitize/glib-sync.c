/* glib-sync.c — tells ThreadSanitizer which of GLib's calls order the work of threads.
 *
 * GLib is not instrumented, and its locks are futexes that ThreadSanitizer cannot see.  This library is
 * preloaded (tests/sanitize.sh thread): every function calls GLib's own and says between which two
 * calls there is an order.  Each order is one that GLib's documentation promises.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <dlfcn.h>
#include <gio/gio.h>

/* Absent from programs that are not built for it, such as those that a test starts. */
void __attribute__ ((weak)) __tsan_acquire (void *address);
void __attribute__ ((weak)) __tsan_release (void *address);

/* What was released with an object comes before this. */
static void
acquire (gconstpointer object)
{
  if (__tsan_acquire)
    __tsan_acquire ((void *) object);
}

static void
release (gconstpointer object)
{
  if (__tsan_release)
    __tsan_release ((void *) object);
}

/* GLib's own function of this name. */
#define NEXT(name)                                \
  static __typeof__ (name) *next;                 \
  if (!__atomic_load_n (&next, __ATOMIC_RELAXED)) \
  __atomic_store_n (&next, dlsym (RTLD_NEXT, #name), __ATOMIC_RELAXED)

/* Everything before one of these calls with the same object comes before everything after a later one. */
static void
meet (gconstpointer object)
{
  acquire (object);
  release (object);
}

/* --- Locks --- */

#define LOCK(name, Type) \
  void name (Type *lock) \
  {                      \
    NEXT (name);         \
    next (lock);         \
    acquire (lock);      \
  }

#define UNLOCK(name, Type) \
  void name (Type *lock)   \
  {                        \
    NEXT (name);           \
    meet (lock);           \
    next (lock);           \
  }

#define TRYLOCK(name, Type)  \
  gboolean name (Type *lock) \
  {                          \
    gboolean locked;         \
                             \
    NEXT (name);             \
    locked = next (lock);    \
    if (locked)              \
      acquire (lock);        \
    return locked;           \
  }

LOCK (g_mutex_lock, GMutex)
UNLOCK (g_mutex_unlock, GMutex)
TRYLOCK (g_mutex_trylock, GMutex)
LOCK (g_rw_lock_reader_lock, GRWLock)
UNLOCK (g_rw_lock_reader_unlock, GRWLock)
LOCK (g_rw_lock_writer_lock, GRWLock)
UNLOCK (g_rw_lock_writer_unlock, GRWLock)

void
g_cond_wait (GCond *condition, GMutex *mutex)
{
  NEXT (g_cond_wait);
  meet (mutex);
  next (condition, mutex);
  acquire (mutex);
}

gboolean
g_cond_wait_until (GCond *condition, GMutex *mutex, gint64 end)
{
  gboolean came;

  NEXT (g_cond_wait_until);
  meet (mutex);
  came = next (condition, mutex, end);
  acquire (mutex);
  return came;
}

gboolean (g_once_init_enter) (volatile void *location)
{
  static gboolean (*next) (volatile void *);
  gboolean is_first;

  if (!__atomic_load_n (&next, __ATOMIC_RELAXED))
    __atomic_store_n (&next, dlsym (RTLD_NEXT, "g_once_init_enter"), __ATOMIC_RELAXED);
  is_first = next (location);
  acquire ((gconstpointer) location);
  return is_first;
}

void (g_once_init_leave) (volatile void *location, gsize result)
{
  static void (*next) (volatile void *, gsize);

  if (!__atomic_load_n (&next, __ATOMIC_RELAXED))
    __atomic_store_n (&next, dlsym (RTLD_NEXT, "g_once_init_leave"), __ATOMIC_RELAXED);
  release ((gconstpointer) location);
  next (location, result);
}

/* --- Counted references: what was done with an object comes before its end --- */

#define COUNTED(name, Type) \
  void name (Type *object)  \
  {                         \
    NEXT (name);            \
    if (object)             \
      meet (object);        \
    next (object);          \
  }

COUNTED (g_bytes_unref, GBytes)
COUNTED (g_ptr_array_unref, GPtrArray)
COUNTED (g_hash_table_unref, GHashTable)
COUNTED (g_main_loop_unref, GMainLoop)

void (g_object_unref) (gpointer object)
{
  static void (*next) (gpointer);

  if (!__atomic_load_n (&next, __ATOMIC_RELAXED))
    __atomic_store_n (&next, dlsym (RTLD_NEXT, "g_object_unref"), __ATOMIC_RELAXED);
  meet (object);
  next (object);
}

void (g_clear_object) (GObject **object)
{
  GObject *was = *object;

  *object = NULL;
  if (was)
    (g_object_unref) (was);
}

gboolean (g_atomic_ref_count_dec) (gatomicrefcount *count)
{
  static gboolean (*next) (gatomicrefcount *);

  if (!__atomic_load_n (&next, __ATOMIC_RELAXED))
    __atomic_store_n (&next, dlsym (RTLD_NEXT, "g_atomic_ref_count_dec"), __ATOMIC_RELAXED);
  meet (count);
  return next (count);
}

/* --- Work that is passed to another thread --- */

typedef struct
{
  GFunc    function;
  gpointer data;
} Pooled;

static void
run_pooled (gpointer item, gpointer data)
{
  Pooled *pooled = data;

  acquire (item);
  pooled->function (item, pooled->data);
}

/* What it allocates lives as long as the pool, which in this program is as long as the process. */
GThreadPool *
g_thread_pool_new (GFunc function, gpointer data, gint max, gboolean exclusive, GError **error)
{
  Pooled *pooled = g_new (Pooled, 1);

  NEXT (g_thread_pool_new);
  *pooled = (Pooled){ function, data };
  meet (run_pooled);
  return next (run_pooled, pooled, max, exclusive, error);
}

gboolean
g_thread_pool_push (GThreadPool *pool, gpointer item, GError **error)
{
  NEXT (g_thread_pool_push);
  meet (item);
  return next (pool, item, error);
}

typedef struct
{
  GSourceFunc    function;
  gpointer       data;
  GDestroyNotify destroy;
} Passed;

static gboolean
run_passed (gpointer data)
{
  Passed *passed = data;

  acquire (passed);
  return passed->function (passed->data);
}

static void
end_passed (gpointer data)
{
  Passed *passed = data;

  acquire (passed);
  if (passed->destroy)
    passed->destroy (passed->data);
  g_free (passed);
}

static Passed *
pass (GSourceFunc function, gpointer data, GDestroyNotify destroy)
{
  Passed *passed = g_new (Passed, 1);

  *passed = (Passed){ function, data, destroy };
  release (passed);
  return passed;
}

guint
g_idle_add_full (gint priority, GSourceFunc function, gpointer data, GDestroyNotify destroy)
{
  NEXT (g_idle_add_full);
  return next (priority, run_passed, pass (function, data, destroy), end_passed);
}

void
g_main_context_invoke_full (GMainContext  *context,
                            gint           priority,
                            GSourceFunc    function,
                            gpointer       data,
                            GDestroyNotify destroy)
{
  NEXT (g_main_context_invoke_full);
  next (context, priority, run_passed, pass (function, data, destroy), end_passed);
}

/* --- Tasks: created, run in a thread, returned, finished in the main loop --- */

typedef struct
{
  GAsyncReadyCallback callback;
  gpointer            data;
} Awaited;

static void
run_awaited (GObject *source, GAsyncResult *result, gpointer data)
{
  Awaited awaited = *(Awaited *) data;

  g_free (data);
  acquire (result);
  awaited.callback (source, result, awaited.data);
}

GTask *(g_task_new) (gpointer            source,
                     GCancellable       *cancellable,
                     GAsyncReadyCallback callback,
                     gpointer            data)
{
  static GTask *(*next) (gpointer, GCancellable *, GAsyncReadyCallback, gpointer);
  Awaited *awaited = callback ? g_new (Awaited, 1) : NULL;

  if (!__atomic_load_n (&next, __ATOMIC_RELAXED))
    __atomic_store_n (&next, dlsym (RTLD_NEXT, "g_task_new"), __ATOMIC_RELAXED);
  if (awaited)
    *awaited = (Awaited){ callback, data };
  return next (source, cancellable, awaited ? run_awaited : NULL,
               awaited ? (gpointer) awaited : data);
}

static void
run_task (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GTaskThreadFunc function = g_object_get_data (G_OBJECT (task), "glib-sync");

  acquire (task);
  function (task, source, data, cancellable);
}

void
g_task_run_in_thread (GTask *task, GTaskThreadFunc function)
{
  NEXT (g_task_run_in_thread);
  g_object_set_data (G_OBJECT (task), "glib-sync", (gpointer) function);
  meet (task);
  next (task, run_task);
}

void
g_task_return_pointer (GTask *task, gpointer result, GDestroyNotify destroy)
{
  NEXT (g_task_return_pointer);
  meet (task);
  next (task, result, destroy);
}

void
g_task_return_boolean (GTask *task, gboolean result)
{
  NEXT (g_task_return_boolean);
  meet (task);
  next (task, result);
}

void
g_task_return_int (GTask *task, gssize result)
{
  NEXT (g_task_return_int);
  meet (task);
  next (task, result);
}

void
g_task_return_error (GTask *task, GError *error)
{
  NEXT (g_task_return_error);
  meet (task);
  next (task, error);
}

gboolean
g_task_return_error_if_cancelled (GTask *task)
{
  NEXT (g_task_return_error_if_cancelled);
  meet (task);
  return next (task);
}

/* --- The machine --- */

/* HYB_PROCESSORS stands for the number of processors, and so for that of the engine's threads. */
guint
g_get_num_processors (void)
{
  const char *number = g_getenv ("HYB_PROCESSORS");

  NEXT (g_get_num_processors);
  return number ? (guint) g_ascii_strtoull (number, NULL, 10) : next ();
}
