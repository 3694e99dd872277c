/* limits.c — how much memory and work opening one file may take.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/limits.h"

#include "engine/base/error.h"
#include "engine/base/remedy.h"

#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#define DEFAULT_MEMORY ((guint64) 256 << 20)
#define DEFAULT_GROWTH 6 /* times the size of the file */
#define DEFAULT_WORK   10000000

/* Of a limit of the process: for small things and OpenBLAS itself, which is loaded when it is needed; the buffer that
 * it allocates in each thread that multiplies matrices, and waits for without end; and a further thread with buffer,
 * stack and heap. */
#define OWN_BYTES    ((guint64) 64 << 20)
#define BUFFER_BYTES ((guint64) 129 << 20)
#define THREAD_BYTES (BUFFER_BYTES + ((guint64) 136 << 20))

/* Atomic, since a window raises them while other threads open files. */
static struct
{
  _Atomic guint64 memory, work; /* 0: the default */
} limits;

static guint64
get_limit (const _Atomic guint64 *limit)
{
  return atomic_load_explicit (limit, memory_order_relaxed);
}

void
hyb_limits_set (guint64 memory_bytes, guint64 work)
{
  atomic_store_explicit (&limits.memory, memory_bytes, memory_order_relaxed);
  atomic_store_explicit (&limits.work, work, memory_order_relaxed);
}

guint64
hyb_limits_get_memory (guint64 file_bytes)
{
  guint64 memory = get_limit (&limits.memory), grown;

  if (memory > 0)
    return memory;
  if (!g_uint64_checked_mul (&grown, file_bytes, DEFAULT_GROWTH) ||
      !g_uint64_checked_add (&grown, grown, DEFAULT_MEMORY))
    return G_MAXUINT64;
  return grown;
}

/* --- Limits of the process --- */

/* The remainder of a limit after `used` bytes; G_MAXUINT64 if there is no limit. */
static guint64
room_of (int resource, guint64 used)
{
  struct rlimit limit;

  if (getrlimit (resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return G_MAXUINT64;
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

guint64
hyb_limits_get_room (void)
{
  guint64          page = (guint64) MAX (sysconf (_SC_PAGE_SIZE), 1);
  guint64          size = 0, data = 0;
  g_autofree char *text = NULL;

  /* Pages: size, resident, shared, text, 0, data */
  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    sscanf (text, "%" G_GUINT64_FORMAT " %*u %*u %*u %*u %" G_GUINT64_FORMAT, &size, &data);
  return MIN (room_of (RLIMIT_AS, size * page), room_of (RLIMIT_DATA, data * page));
}

guint
hyb_limits_get_threads (void)
{
  static gsize n_threads;

  if (g_once_init_enter (&n_threads))
    {
      guint64 room = hyb_limits_get_room ();
      guint64 first = OWN_BYTES + BUFFER_BYTES;
      guint64 n = room > first ? 1 + (room - first) / THREAD_BYTES : 1;

      g_once_init_leave (&n_threads, room == G_MAXUINT64 ? G_MAXUINT : (gsize) MIN (n, G_MAXUINT));
    }
  return (guint) n_threads;
}

/* The memory left for runs, computed once. */
static guint64
get_room_for_runs (void)
{
  static gsize   is_known;
  static guint64 left;

  if (g_once_init_enter (&is_known))
    {
      guint64 room = hyb_limits_get_room ();
      guint   n = hyb_limits_get_threads ();
      guint64 used = OWN_BYTES + BUFFER_BYTES +
                     (guint64) (MIN (n, g_get_num_processors ()) - 1) * THREAD_BYTES;

      left = room == G_MAXUINT64 ? room : room > used ? room - used : 0;
      g_once_init_leave (&is_known, 1);
    }
  return left;
}

guint64
hyb_limits_get_run_memory (void)
{
  long    n_pages = sysconf (_SC_PHYS_PAGES);
  long    page_size = sysconf (_SC_PAGE_SIZE);
  guint64 machine =
      n_pages > 0 && page_size > 0 ? (guint64) n_pages * (guint64) page_size : G_MAXSSIZE;
  guint64 memory = get_limit (&limits.memory);

  machine = MIN (machine, get_room_for_runs ());
  return memory > 0 ? MIN (memory, machine) : machine;
}

guint64
hyb_limits_get_work (void)
{
  guint64 work = get_limit (&limits.work);

  return work > 0 ? work : DEFAULT_WORK;
}

gboolean
hyb_limits_check_memory (guint64 needed, guint64 file_bytes, const char *where, GError **error)
{
  guint64          limit = hyb_limits_get_memory (file_bytes);
  g_autofree char *needed_text = NULL, *limit_text = NULL;

  if (needed <= limit)
    return TRUE;
  needed_text = g_format_size_full (needed, G_FORMAT_SIZE_IEC_UNITS);
  limit_text = g_format_size_full (limit, G_FORMAT_SIZE_IEC_UNITS);
  hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_LIMIT, where, NULL,
                "reading it would take %s of memory; the limit for a file of its size is %s",
                needed_text, limit_text);
  return hyb_error_add_remedy (error, HYB_REMEDY_MEMORY, NULL);
}
