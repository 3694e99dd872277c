/* main.c — hybridscope, the window.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/application.h"

#include <glib-unix.h>
#include <glib/gi18n.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>

/* Uninstalled, translations lie in the build folder beside the program's. */
static void
find_translations (void)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = self ? g_path_get_dirname (self) : g_strdup (".");
  g_autofree char *built = g_build_filename (folder, "..", "po", NULL);
  g_autofree char *probe = g_build_filename (built, "de", "LC_MESSAGES", NULL);

  bindtextdomain (GETTEXT_PACKAGE,
                  g_file_test (probe, G_FILE_TEST_IS_DIR) ? built : SCOPE_LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
}

/* As if every window had been closed. */
static gboolean
on_asked_to_end (gpointer application)
{
  g_action_group_activate_action (application, "quit", NULL);
  return G_SOURCE_CONTINUE;
}

int
main (int argc, char **argv)
{
  g_autoptr (ScopeApplication) application = NULL;

  setlocale (LC_ALL, "");
  find_translations ();
  for (int i = 1; i < argc; i++)
    if (g_str_equal (argv[i], "--version"))
      {
        printf ("hybridscope %s\n", SCOPE_VERSION);
        return 0;
      }
  if (!gtk_init_check ())
    {
      fprintf (stderr,
               "%s\n",
               _ ("hybridscope: there is no display. hscope does the same without one: "
                  "hscope render, hscope profile, hscope report."));
      return 1;
    }
  /* A full disk is an error to be told, not an end. */
  signal (SIGXFSZ, SIG_IGN);
  g_set_application_name ("Hybridscope");
  application = scope_application_new ("org.hybridscope.Hybridscope", G_APPLICATION_HANDLES_OPEN);
  g_unix_signal_add (SIGTERM, on_asked_to_end, application);
  g_unix_signal_add (SIGINT, on_asked_to_end, application);
  g_unix_signal_add (SIGHUP, on_asked_to_end, application);
  return g_application_run (G_APPLICATION (application), argc, argv);
}
