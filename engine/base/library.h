/* library.h — opens libraries that the program is not linked with, and finds their functions.
 *
 * A library is never closed: threads and handlers of its own would not survive.
 * Threads: any thread may call these functions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"

#include <glib.h>

G_BEGIN_DECLS
/* A function of a library, and where its address goes. */
typedef struct
{
  const char *name;
  gsize       offset; /* in the caller's table */
  gboolean    is_optional;
} HybLibraryFunction;

/* A row of such a list: the member of the struct has the name of the function. */
#define HYB_LIBRARY_FUNCTION(Table, name)          \
  {                                                \
    (#name), G_STRUCT_OFFSET (Table, name), FALSE, \
  }

/* Opens the first library of this name in these folders, NULL-terminated; an empty folder stands for ld.so.  Files beside it
 * whose names begin with `companion`, which it opens by name alone, are opened before it; NULL: none.  NULL if none can be
 * opened: then *why, which may be NULL at first, says why one that was found cannot; it stays NULL if none was found.
 * (transfer full) for *why. */
HYB_API void *hyb_library_open (const char        *soname,
                                const char *const *folders,
                                const char        *companion,
                                char             **why);
/* Writes the addresses of `n` functions into a table.  Returns the name of the first that is missing and not optional, NULL
 * if there is none.  An optional function that is missing is NULL. */
HYB_API const char *
hyb_library_bind (void *library, const HybLibraryFunction *functions, guint n, gpointer table);
G_END_DECLS
