/* main.c — hybridscope, the window.
 *
 * Sets up translations and signals and runs the application; all else is in window/application.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/application.h"

#include "app/process/ending.h"
#include "app/process/file-guard.h"
#include "engine/block/plugin.h"

#include <errno.h>
#include <glib-unix.h>
#include <glib/gi18n.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>

/* Translations are in the po/ folder of the build, in the tree that the program was moved in, or
 * where they were installed. */
static void
find_translations (void)
{
  static const char *const places[] = { "../po", SCOPE_LOCALEDIR_FROM_PROGRAM };
  g_autofree char         *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char         *folder = self ? g_path_get_dirname (self) : g_strdup (".");
  g_autofree char         *found = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (places) && !found; i++)
    {
      g_autofree char *place = g_build_filename (folder, places[i], NULL);
      g_autofree char *probe =
          g_build_filename (place, "de", "LC_MESSAGES", GETTEXT_PACKAGE ".mo", NULL);

      if (g_file_test (probe, G_FILE_TEST_EXISTS))
        found = g_steal_pointer (&place);
    }
  bindtextdomain (GETTEXT_PACKAGE, found ? found : SCOPE_LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
}

/* SIGTERM, SIGINT and SIGHUP quit as the menu does. */
static gboolean
on_signal (gpointer application)
{
  g_action_group_activate_action (application, "quit", NULL);
  return G_SOURCE_CONTINUE;
}

/* These options need no display. */
static int
print_and_end (gboolean is_version)
{
  if (is_version)
    printf ("hybridscope %s\n", SCOPE_VERSION);
  else
    printf (
        _ ("Usage: hybridscope [OPTION…] [FILE…]\n"
           "\n"
           "Opens models and recordings in a window.  FILE is a model (net-symbol.json, net.onnx), "
           "whose\n"
           "parameters are found beside it, a file of parameters (net-0000.params), a recording\n"
           "(*.hscope), or a folder of models or of a sweep.  Without a file it shows the start "
           "page, or\n"
           "what was open last if the preference “Reopen Models” is set.\n"
           "\n"
           "Options:\n"
           "  -h, --help     Print this help\n"
           "  --version      Print the version\n"
           "\n"
           "Without a display, use hscope: hscope --help\n"));
  if (fflush (stdout) == 0)
    return 0;
  fprintf (stderr, "hybridscope: %s\n", g_strerror (errno));
  return 3;
}

int
main (int argc, char **argv)
{
  g_autoptr (ScopeApplication) application = NULL;
  g_autoptr (GError) error = NULL;
  int status;

  setlocale (LC_ALL, "");
  find_translations ();
  for (int i = 1; i < argc && !g_str_equal (argv[i], "--"); i++)
    if (g_str_equal (argv[i], "--version") || g_str_equal (argv[i], "--help") ||
        g_str_equal (argv[i], "-h"))
      return print_and_end (g_str_equal (argv[i], "--version"));
  if (!gtk_init_check ())
    {
      fprintf (stderr, "%s\n",
               _ ("hybridscope: there is no display. Use hscope, which needs none: hscope render, "
                  "hscope profile, hscope report."));
      return 1;
    }
  /* Writing beyond a file size limit must fail with an error instead of ending the process. */
  signal (SIGXFSZ, SIG_IGN);
  g_set_application_name ("Hybridscope");
  if (!hyb_operators_load_listed (&error))
    {
      fprintf (stderr, "hybridscope: %s\n", error->message);
      return 3;
    }
  scope_file_guard_install ();
  application = scope_application_new ("org.hybridscope.Hybridscope", G_APPLICATION_HANDLES_OPEN);
  g_unix_signal_add (SIGTERM, on_signal, application);
  g_unix_signal_add (SIGINT, on_signal, application);
  g_unix_signal_add (SIGHUP, on_signal, application);
  status = g_application_run (G_APPLICATION (application), argc, argv);
  g_clear_object (&application);
  scope_end_process (status);
}
