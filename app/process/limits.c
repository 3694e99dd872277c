/* limits.c — the limits of memory and work for files that are opened, here and in child processes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/process/limits.h"

#include "engine/base/limits.h"

#define FACTOR 4
/* As hscope counts work. */
#define STEPS_PER_SECOND 5000000

/* 0: not raised.  Only the main thread uses them. */
static guint64 raised_memory, raised_work;

void
scope_limits_raise (guint64 file_bytes)
{
  guint64 memory = hyb_limits_get_memory (file_bytes), work = hyb_limits_get_work ();

  raised_memory = memory > G_MAXUINT64 / FACTOR ? memory : memory * FACTOR;
  raised_work = work > G_MAXUINT64 / FACTOR ? work : work * FACTOR;
  hyb_limits_set (raised_memory, raised_work);
}

void
scope_limits_add_options (GPtrArray *argv)
{
  if (raised_memory == 0)
    return;
  g_ptr_array_add (argv, g_strdup ("--limit-memory"));
  g_ptr_array_add (argv, g_strdup_printf ("%" G_GUINT64_FORMAT, raised_memory));
  g_ptr_array_add (argv, g_strdup ("--limit-work"));
  g_ptr_array_add (argv,
                   g_strdup_printf ("%" G_GUINT64_FORMAT, MAX (raised_work / STEPS_PER_SECOND, 1)));
}
