/* plugins.c — plug-ins: nothing is loaded before the user allows it, once per version of a file.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include <adwaita.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

static char *folder;
static char *module; /* a copy of the plug-in, in folder */
static char *marker; /* exists once any process has loaded it */
static char *child;  /* a script that takes the place of hscope */
static char *first;  /* holds the first argument of the last child */

/* More bytes after its end make the same plug-in another version. */
static void
write_module (const char *more)
{
  g_autofree char *text = NULL;
  gsize            length;

  g_assert_true (g_file_get_contents (HYB_MODULES "/marker.so", &text, &length, NULL));
  text = g_realloc (text, length + strlen (more));
  memcpy (text + length, more, strlen (more));
  g_assert_true (g_file_set_contents (module, text, (gssize) (length + strlen (more)), NULL));
}

/* In the sandbox the plug-in could not leave its marker, so the child runs without; checks that the window asks
 * for it. */
static void
watch_child (void)
{
  g_autofree char *script =
      g_strdup_printf ("#!/bin/sh\necho \"$1\" >'%s'\nshift\nexec '%s' \"$@\"\n", first, HSCOPE);

  g_assert_true (g_file_set_contents_full (child, script, -1, 0, 0700, NULL));
  g_setenv ("HYBRIDSCOPE_HSCOPE", child, TRUE);
}

static void
assert_sandboxed_child (void)
{
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (first, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "--sandbox\n");
}

static gboolean
was_loaded (void)
{
  return g_file_test (marker, G_FILE_TEST_EXISTS);
}

static gboolean
has_question (gpointer unused G_GNUC_UNUSED)
{
  GtkWidget *dialog = gui_find_window (ADW_TYPE_MESSAGE_DIALOG);

  return dialog && gtk_widget_get_mapped (dialog);
}

static gboolean
has_no_question (gpointer unused G_GNUC_UNUSED)
{
  return !has_question (NULL);
}

static gboolean
is_ready (gpointer before)
{
  ScopePage *shown = scope_window_get_page (window);

  return shown && shown != before &&
         scope_workspace_get_state (scope_page_get_workspace (shown)) == SCOPE_STATE_READY;
}

static gboolean
has_ended (gpointer before)
{
  ScopePage *shown = scope_window_get_page (window);

  return shown && shown != before &&
         scope_workspace_get_state (scope_page_get_workspace (shown)) != SCOPE_STATE_LOADING;
}

static void
answer (const char *response)
{
  wait_until (has_question, NULL);
  g_assert_false (was_loaded ());
  take_picture (gui_find_window (ADW_TYPE_MESSAGE_DIALOG), "plugin-question");
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (gui_find_window (ADW_TYPE_MESSAGE_DIALOG)),
                               response);
  gtk_window_close (gui_find_window (ADW_TYPE_MESSAGE_DIALOG));
  wait_until (has_no_question, NULL);
}

static void
open_file (const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);

  scope_window_open (window, file);
}

static void
test_asking (void)
{
  gpointer before = scope_window_get_page (window);

  write_module ("");
  watch_child ();
  g_remove (marker);
  gui_act (window, "win.open-plugin", module);
  answer ("cancel");
  gui_spin (500);
  g_assert_false (was_loaded ());

  open_file ("model.so");
  answer ("load");
  g_assert_true (gui_wait (is_ready, before, 20000));
  g_assert_true (was_loaded ());
  assert_sandboxed_child ();

  /* The same file again: no question. */
  before = scope_window_get_page (window);
  open_file ("model.so");
  g_assert_true (gui_wait (is_ready, before, 20000));
  g_assert_true (has_no_question (NULL));

  /* Another version. */
  g_remove (marker);
  write_module ("changed");
  open_file ("model.so");
  answer ("cancel");
  gui_spin (500);
  g_assert_false (was_loaded ());
  g_setenv ("HYBRIDSCOPE_HSCOPE", HSCOPE, TRUE);
}

/* Data whose name or folder looks like that of a plug-in. */
static void
test_data_beside_a_plugin (void)
{
  static const char *const names[] = { "model.so:marker", "model.so?x/net-symbol.json" };
  g_autofree char         *below = g_build_filename (folder, "model.so?x", NULL);

  write_module ("");
  watch_child ();
  g_remove (marker);
  g_mkdir (below, 0700);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);
      gpointer         before = scope_window_get_page (window);

      g_assert_true (g_file_set_contents (path, "{\"nodes\": [", -1, NULL));
      open_file (names[i]);
      g_assert_true (gui_wait (has_ended, before, 20000));
      g_remove (path);
      /* Loading the file that has gone must not become loading the plug-in. */
      gui_act (window, "win.reload", NULL);
      gui_spin (1000);
      g_assert_true (has_no_question (NULL));
      g_assert_false (was_loaded ());
    }
  g_rmdir (below);
  g_setenv ("HYBRIDSCOPE_HSCOPE", HSCOPE, TRUE);
}

static void
remove_folder (void)
{
  g_remove (module);
  g_remove (marker);
  g_remove (child);
  g_remove (first);
  g_rmdir (folder);
  g_free (module);
  g_free (marker);
  g_free (child);
  g_free (first);
  g_free (folder);
}

void
add_plugin_tests (void)
{
  /* Beside the folder of the modules, because they find the library by a relative path. */
  folder = g_mkdtemp (g_strdup (HYB_MODULES "/../window-XXXXXX"));
  module = g_build_filename (folder, "model.so", NULL);
  marker = g_build_filename (folder, "loaded", NULL);
  child = g_build_filename (folder, "hscope", NULL);
  first = g_build_filename (folder, "first", NULL);
  g_setenv ("HYB_TEST_MARKER", marker, TRUE);
  at_quick_exit (remove_folder);
  add_long_test ("/app/window/asks-before-it-loads-a-plug-in", CASE_EMPTY, test_asking);
  add_long_test ("/app/window/never-loads-a-plug-in-for-data-beside-it", CASE_EMPTY,
                 test_data_beside_a_plugin);
}
