/* library-threads.c — keeps OpenBLAS from starting threads that a limit of memory has no room for.
 *
 * OpenBLAS starts a thread for each processor before main(), and each tries for ever to allocate 128 MiB.  The
 * engine does not use these threads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/library-threads.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define VARIABLE "OPENBLAS_NUM_THREADS"

static int
is_limited (int resource)
{
  struct rlimit limit;

  return getrlimit (resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

void
scope_ensure_library_threads (char **argv)
{
  if (getenv (VARIABLE) || (!is_limited (RLIMIT_AS) && !is_limited (RLIMIT_DATA)))
    return;

  setenv (VARIABLE, "1", 1);
  execv ("/proc/self/exe", argv); /* if this fails, the threads may have room enough */
}
