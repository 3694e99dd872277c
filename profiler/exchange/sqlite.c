/* sqlite.c — loads SQLite; see sqlite.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/sqlite.h"

#include "profiler/capture/capture.h"

#include <dlfcn.h>

#define LIBRARY "libsqlite3.so.0"
#define WAY_OUT "Install SQLite 3.39 or newer (Debian: libsqlite3-0)."

static const struct
{
  const char *name;
  glong       offset;
} functions[] = {
#define ROW(function) { #function, G_STRUCT_OFFSET (ProfSqlite, function) },
  PROF_SQLITE_FUNCTIONS (ROW)
#undef ROW
};

static ProfSqlite sqlite;
static char      *failure; /* why there are no functions; NULL: there are */

static void
load (void)
{
  void *library = dlopen (LIBRARY, RTLD_LAZY | RTLD_LOCAL);

  if (!library)
    failure = g_strdup_printf ("Databases cannot be read or written: %s. " WAY_OUT, dlerror ());
  for (guint i = 0; i < G_N_ELEMENTS (functions) && !failure; i++)
    {
      void *function = dlsym (library, functions[i].name);

      if (!function)
        failure = g_strdup_printf ("Databases cannot be read or written: " LIBRARY
                                   " has no function %s. " WAY_OUT,
                                   functions[i].name);
      G_STRUCT_MEMBER (void *, &sqlite, functions[i].offset) = function;
    }
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
