/* beside.c — finds files that are installed beside the engine.
 *
 * The engine is a library or a part of a program; dladdr() finds the file of either.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/beside.h"

#include <dlfcn.h>
#include <string.h>

/* dladdr() finds the file of this code by its address. */
static const char beside_anchor = 0;

/* The file that holds this code: the library, or a program that is linked with it.  For a
 * program, dladdr() returns the name by which it was started, which may lack the path.
 * (transfer full) */
static char *
own_file (void)
{
  Dl_info info;

  if (dladdr (&beside_anchor, &info) != 0 && info.dli_fname && strstr (info.dli_fname, ".so"))
    return g_strdup (info.dli_fname);
  return g_file_read_link ("/proc/self/exe", NULL);
}

char *
hyb_find_beside (const char *const *relative)
{
  g_autofree char *file = own_file ();
  g_autofree char *folder = file ? g_path_get_dirname (file) : NULL;

  for (guint i = 0; folder && relative[i]; i++)
    {
      g_autofree char *path = g_build_filename (folder, relative[i], NULL);

      if (g_file_test (path, G_FILE_TEST_EXISTS))
        return g_canonicalize_filename (path, NULL);
    }
  return NULL;
}
