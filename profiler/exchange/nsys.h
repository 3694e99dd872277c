/* nsys.h — reads the SQLite export of NVIDIA Nsight Systems (nsys export --type sqlite).
 *
 * NVTX ranges become executions of operators.  Where a range launched kernels, its time is theirs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/exchange/trace-events.h"

#include <string.h>

#define PROF_SQLITE_MAGIC "SQLite format 3" /* with its 0 */

/* TRUE if the first bytes of a file belong to a SQLite database.  16 bytes are enough. */
static inline gboolean
prof_nsys_sniff (const char *head, gsize length)
{
  return length >= sizeof PROF_SQLITE_MAGIC &&
         memcmp (head, PROF_SQLITE_MAGIC, sizeof PROF_SQLITE_MAGIC) == 0;
}

/* Reads the file at path, which is not trusted.  NULL with an error if it is not such an export, damaged,
 * too large, or if this build has no SQLite.  (transfer full) */
ProfTrace *prof_nsys_read (const char *path, GError **error);
