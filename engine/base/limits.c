/* limits.c — how much memory and work opening one file may take.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/limits.h"

#include "engine/base/error.h"

#include <unistd.h>

#define DEFAULT_MEMORY ((guint64) 256 << 20)
#define DEFAULT_GROWTH 6 /* times the size of the file */
#define DEFAULT_WORK   10000000

static struct
{
  guint64 memory, work; /* 0: the default */
} limits;

void
hyb_limits_set (guint64 memory_bytes, guint64 work)
{
  limits.memory = memory_bytes;
  limits.work = work;
}

guint64
hyb_limits_get_memory (guint64 file_bytes)
{
  guint64 grown;

  if (limits.memory > 0)
    return limits.memory;
  if (!g_uint64_checked_mul (&grown, file_bytes, DEFAULT_GROWTH) ||
      !g_uint64_checked_add (&grown, grown, DEFAULT_MEMORY))
    return G_MAXUINT64;
  return grown;
}

guint64
hyb_limits_get_run_memory (void)
{
  long    n_pages = sysconf (_SC_PHYS_PAGES);
  long    page_size = sysconf (_SC_PAGE_SIZE);
  guint64 machine =
      n_pages > 0 && page_size > 0 ? (guint64) n_pages * (guint64) page_size : G_MAXSSIZE;

  return limits.memory > 0 ? MIN (limits.memory, machine) : machine;
}

guint64
hyb_limits_get_work (void)
{
  return limits.work > 0 ? limits.work : DEFAULT_WORK;
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
  return hyb_error_at (error,
                       HYB_FORMAT_ERROR,
                       HYB_FORMAT_ERROR_MALFORMED,
                       where,
                       "If you trust the file, raise the limit with --limit-memory",
                       "reading it would take %s of memory; the limit for a file of its size is %s",
                       needed_text,
                       limit_text);
}
