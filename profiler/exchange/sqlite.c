/* sqlite.c — loads SQLite; see sqlite.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/sqlite.h"

#include "engine/base/library.h"
#include "profiler/capture/capture.h"

#include <dlfcn.h>

#define LIBRARY "libsqlite3.so.0"
#define WAY_OUT "Install SQLite 3.39 or newer (Debian: libsqlite3-0)."

#define ROW(function) HYB_LIBRARY_FUNCTION (ProfSqlite, function),
static const HybLibraryFunction functions[] = { PROF_SQLITE_FUNCTIONS (ROW) };

static ProfSqlite sqlite;
static char      *failure; /* why there are no functions; NULL: there are */

static void
load (void)
{
  void       *library = dlopen (LIBRARY, RTLD_LAZY | RTLD_LOCAL);
  const char *missing =
      library ? hyb_library_bind (library, functions, G_N_ELEMENTS (functions), &sqlite) : NULL;

  if (!library)
    failure = g_strdup_printf ("Databases cannot be read or written: %s. " WAY_OUT, dlerror ());
  else if (missing)
    failure = g_strdup_printf ("Databases cannot be read or written: " LIBRARY
                               " has no function %s. " WAY_OUT,
                               missing);
}

const ProfSqlite *
prof_sqlite_load (GError **error)
{
  static gsize is_loaded;

  if (g_once_init_enter (&is_loaded))
    {
      load ();
      g_once_init_leave (&is_loaded, 1);
    }
  if (!failure)
    return &sqlite;

  g_set_error_literal (error, PROF_ERROR, PROF_ERROR_TRACE, failure);
  return NULL;
}

const ProfSqlite *
prof_sqlite (void)
{
  return &sqlite;
}
