/* nsys-without.c — replaces nsys.c in a build without SQLite.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/nsys.h"

#include "engine/base/error.h"
#include "profiler/capture/capture.h"

ProfTrace *
prof_nsys_read (const char *path, GError **error)
{
  hyb_error_at (error, PROF_ERROR, PROF_ERROR_TRACE, path,
                "Build with libsqlite3-dev, or give a Chrome trace",
                "this is a SQLite database, which this build cannot read");
  return NULL;
}
