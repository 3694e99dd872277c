/* window-guide.c — opens the user guide in the program that the desktop has for it.
 *
 * The guide is installed as HTML if that could be made, else as Markdown.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include <glib/gi18n.h>

/* The first page of the guide.  NULL if it is not installed. */
static char *
find_guide (void)
{
  const char      *given = g_getenv ("HYBRIDSCOPE_GUIDE");
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = g_path_get_dirname (self ? self : "");
  /* Where it was installed; beside a program that was moved; in the build folder. */
  const char *const places[] = { SCOPE_HELP_DIR "/docs/guide/README.html",
                                 SCOPE_HELP_DIR "/docs/guide/README.md",
                                 "../share/doc/hybridscope/docs/guide/README.html",
                                 "../share/doc/hybridscope/docs/guide/README.md",
                                 "../docs/guide/README.html" };

  if (given)
    return g_file_test (given, G_FILE_TEST_EXISTS) ? g_strdup (given) : NULL;
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *path = g_canonicalize_filename (places[i], folder);

      if (g_file_test (path, G_FILE_TEST_EXISTS))
        return g_steal_pointer (&path);
    }
  return NULL;
}

static void
shown_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree char *path = data;
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  if (gtk_show_uri_full_finish (GTK_WINDOW (source), result, &error))
    return;
  text = g_strdup_printf (_ ("No program could open the guide. It is here: %s"), path);
  scope_window_toast (SCOPE_WINDOW (source), text);
}

static void
act_guide (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  g_autofree char *path = find_guide ();
  g_autofree char *uri = path ? g_filename_to_uri (path, NULL, NULL) : NULL;

  if (uri)
    gtk_show_uri_full (GTK_WINDOW (self), uri, GDK_CURRENT_TIME, NULL, shown_cb,
                       g_steal_pointer (&path));
  else
    scope_window_toast (self, _ ("The guide is not installed. It is the folder docs/guide of the "
                                 "source code."));
}

const ScopeWindowAction scope_window_guide_actions[] = {
  { "win.guide", NULL, act_guide },
  { NULL },
};
