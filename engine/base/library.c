/* library.c — opens libraries and finds their functions; see library.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/library.h"

#include <dlfcn.h>
#include <string.h>

static void
open_companions (const char *folder, const char *prefix)
{
  GDir       *dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    if (g_str_has_prefix (name, prefix))
      {
        g_autofree char *path = g_build_filename (folder, name, NULL);

        dlopen (path, RTLD_NOW | RTLD_GLOBAL);
      }
  if (dir)
    g_dir_close (dir);
}

/* The message of ld.so; NULL if the library itself was not found.  A missing dependency of the library does give a message.
 * (transfer full) */
static char *
dup_reason (const char *soname, const char *text)
{
  return text && g_str_has_prefix (text, soname) && text[strlen (soname)] == ':' &&
                 strstr (text, "cannot open shared object file: No such file")
             ? NULL
             : g_strdup (text);
}

void *
hyb_library_open (const char *soname, const char *const *folders, const char *companion, char **why)
{
  g_return_val_if_fail (soname && folders && why, NULL);
  for (guint i = 0; folders[i]; i++)
    {
      g_autofree char *path = *folders[i] ? g_build_filename (folders[i], soname, NULL) : NULL;
      void            *library;

      if (path && !g_file_test (path, G_FILE_TEST_EXISTS))
        continue;
      if (path && companion)
        open_companions (folders[i], companion);
      library = dlopen (path ? path : soname, RTLD_NOW | RTLD_LOCAL);
      if (library)
        {
          g_clear_pointer (why, g_free);
          return library;
        }
      if (!*why)
        *why = dup_reason (soname, dlerror ());
    }
  return NULL;
}

const char *
hyb_library_bind (void *library, const HybLibraryFunction *functions, guint n, gpointer table)
{
  for (guint i = 0; i < n; i++)
    {
      void *function = dlsym (library, functions[i].name);

      if (!function && !functions[i].is_optional)
        return functions[i].name;
      memcpy ((char *) table + functions[i].offset, &function, sizeof function);
    }
  return NULL;
}
