/* make-ptx.c — runs compile-ptx for a test.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/make-ptx.h"

#include <string.h>
#include <sys/wait.h>

char *
make_ptx (const char *name, const char *define)
{
  g_autofree char *file =
      g_strdup_printf ("%s/tests/engine/cuda/ptx/kernels/%s.cu", SOURCE_ROOT, name);
  g_autofree char *option = define ? g_strdup_printf ("-D%s", define) : NULL;
  char *arguments[] = { (char *) HYB_COMPILE_PTX, file, (char *) SOURCE_ROOT, option, NULL };
  char *ptx = NULL;
  g_autofree char *log = NULL;
  g_autoptr (GError) error = NULL;
  int status = 0;

  if (!g_spawn_sync (NULL, arguments, NULL, G_SPAWN_DEFAULT, NULL, NULL, &ptx, &log, &status,
                     &error))
    g_error ("%s cannot be run: %s", HYB_COMPILE_PTX, error->message);
  if (WIFEXITED (status) && WEXITSTATUS (status) == 77)
    {
      g_test_skip ("neither NVRTC nor clang is here to make PTX");
      g_clear_pointer (&ptx, g_free);
    }
  else if (status)
    g_error ("%s does not compile: %s", file, log);
  return ptx;
}

gboolean
make_ptx_has_lines (const char *ptx)
{
  return strstr (ptx, ".loc") != NULL;
}
