/* program.c — runs the real program as a process, with settings in a temporary folder.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/program.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>

#define LIMIT_MS 120000 /* long enough for a busy machine */
#define TICK_MS  50

/* A blinking cursor and animations would look like reactions to events. */
static const char quiet[] = "[Settings]\ngtk-enable-animations=0\ngtk-cursor-blink=0\n";

char *
program_folder_new (void)
{
  char            *folder = g_dir_make_tmp ("hybridscope-program-XXXXXX", NULL);
  g_autofree char *gtk = g_build_filename (folder, "gtk-4.0", NULL);
  g_autofree char *settings = g_build_filename (gtk, "settings.ini", NULL);

  g_assert_nonnull (folder);
  g_assert_cmpint (g_mkdir (gtk, 0700), ==, 0);
  g_assert_true (g_file_set_contents (settings, quiet, -1, NULL));
  return folder;
}

static void
remove_all (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree char *inside = g_build_filename (path, name, NULL);

      remove_all (inside);
    }
  g_remove (path);
}

void
program_folder_free (char *folder)
{
  remove_all (folder);
  g_free (folder);
}

GSubprocess *
program_start (const char *folder, const char *display, const char *model, const char *a11y)
{
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autofree char *base = model ? g_strconcat (model, "-symbol.json", NULL) : NULL;
  g_autofree char *path = model ? g_build_filename (SOURCE_ROOT, "tests", "data", "goldens",
                                                    "models", model, base, NULL)
                                : NULL;
  g_autoptr (GError) error = NULL;
  GSubprocess *program;

  for (const char *const *name = (const char *const[]){ "XDG_CONFIG_HOME", "XDG_STATE_HOME",
                                                        "XDG_CACHE_HOME", "XDG_DATA_HOME", NULL };
       *name != NULL; name++)
    g_subprocess_launcher_setenv (launcher, *name, folder, TRUE);
  if (display)
    g_subprocess_launcher_setenv (launcher, "DISPLAY", display, TRUE);
  if (a11y)
    g_subprocess_launcher_setenv (launcher, "GTK_A11Y", a11y, TRUE);
  else
    g_subprocess_launcher_unsetenv (launcher, "GTK_A11Y");
  program = g_subprocess_launcher_spawn (launcher, &error, HYBRIDSCOPE, path, NULL);
  g_assert_no_error (error);
  return program;
}

gboolean
program_wait (gboolean (*done) (gpointer), gpointer data)
{
  gint64 end = g_get_monotonic_time () + (gint64) LIMIT_MS * 1000;

  while (g_get_monotonic_time () < end)
    {
      if (done (data))
        return TRUE;
      g_usleep (TICK_MS * 1000);
    }
  return done (data);
}

gboolean
program_has_written (const char *folder, const char *text)
{
  g_autofree char *path = g_build_filename (folder, "hybridscope", "settings.ini", NULL);
  g_autofree char *settings = NULL;

  return g_file_get_contents (path, &settings, NULL, NULL) && strstr (settings, text);
}

char *
program_end (GSubprocess *program)
{
  char *said = NULL;

  g_subprocess_send_signal (program, SIGTERM);
  g_assert_true (g_subprocess_communicate_utf8 (program, NULL, NULL, NULL, &said, NULL));
  return said;
}
