/* test-display.c — the connection to the display is lost: the session is saved.
 *
 * Starts and ends Xvfb and the real program as processes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/program.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <string.h>

typedef struct
{
  GSubprocess *server;
  char        *name; /* ":7" */
} Display;

static char *folder; /* of settings, state and cache */

static gboolean
settings_have (gpointer text)
{
  return program_has_written (folder, text);
}

/* --- Processes --- */

/* name is NULL if Xvfb is not installed. */
static Display
display_start (void)
{
  Display display = { 0 };
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (
      G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_SILENCE);
  g_autofree char *program = g_find_program_in_path ("Xvfb");
  char             number[16] = "";
  int              ends[2];

  if (!program)
    return display;
  g_assert_cmpint (pipe (ends), ==, 0);
  g_subprocess_launcher_take_fd (launcher, ends[1], 3);
  display.server = g_subprocess_launcher_spawn (launcher, NULL, program, "-displayfd", "3",
                                                "-screen", "0", "1280x800x24", NULL);
  g_assert_nonnull (display.server);
  g_clear_object (&launcher); /* closes our copy of its end */
  for (gsize i = 0; i < sizeof number - 1 && read (ends[0], &number[i], 1) == 1; i++)
    if (number[i] == '\n')
      break;
  g_close (ends[0], NULL);
  display.name = g_strconcat (":", g_strstrip (number), NULL);
  return display;
}

static void
display_stop (Display *display)
{
  g_subprocess_force_exit (display->server);
  g_subprocess_wait (display->server, NULL, NULL);
  g_clear_object (&display->server);
  g_clear_pointer (&display->name, g_free);
}

static char *
find_state (void)
{
  g_autofree char *path = g_build_filename (folder, "hybridscope", NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    if (g_str_has_suffix (name, ".hsws"))
      return g_build_filename (path, name, NULL);
  return NULL;
}

/* --- Tests --- */

static void
test_display_lost (void)
{
  Display          display = display_start ();
  g_autofree char *said = NULL;
  g_autofree char *state = NULL;
  g_autofree char *kept = NULL;
  g_autoptr (GSubprocess) program = NULL;

  if (!display.name)
    {
      g_test_skip ("there is no Xvfb");
      return;
    }
  program = program_start (folder, display.name, "lenet-static", "none");
  g_assert_true (program_wait (settings_have, (gpointer) "recent=")); /* it is open */
  g_usleep (300 * 1000);
  display_stop (&display);
  g_assert_true (g_subprocess_communicate_utf8 (program, NULL, NULL, NULL, &said, NULL));
  g_test_message ("%s", said);
  g_assert_true (g_subprocess_get_if_exited (program));
  g_assert_cmpint (g_subprocess_get_exit_status (program), ==, 1);
  g_assert_nonnull (strstr (said, "the connection to the display was lost"));
  g_assert_true (settings_have ((gpointer) "lenet-static-symbol.json"));
  g_assert_true (settings_have ((gpointer) "running=true"));
  state = find_state ();
  g_assert_nonnull (state);
  g_assert_true (g_file_get_contents (state, &kept, NULL, NULL));
  g_assert_nonnull (strstr (kept, "zoom="));
  g_assert_cmpint (g_remove (state), ==, 0);
}

/* SIGTERM saves as closing the window does. */
static void
test_asked_to_end (void)
{
  Display          display = display_start ();
  g_autofree char *said = NULL;
  g_autofree char *state = NULL;
  g_autoptr (GSubprocess) program = NULL;

  if (!display.name)
    {
      g_test_skip ("there is no Xvfb");
      return;
    }
  program = program_start (folder, display.name, "mlp-dropout", "none");
  g_assert_true (program_wait (settings_have, (gpointer) "recent=file:///"));
  g_assert_true (program_wait (settings_have, (gpointer) "mlp-dropout-symbol.json;"));
  g_usleep (300 * 1000);
  said = program_end (program);
  g_assert_true (g_subprocess_get_if_exited (program));
  g_assert_cmpint (g_subprocess_get_exit_status (program), ==, 0);
  g_assert_true (settings_have ((gpointer) "running=false"));
  state = find_state ();
  g_assert_nonnull (state);
  display_stop (&display);
}

static void
test_no_display (void)
{
  g_autofree char *said = NULL;
  g_autoptr (GSubprocess) program = program_start (folder, ":987654", NULL, "none");

  g_assert_true (g_subprocess_communicate_utf8 (program, NULL, NULL, NULL, &said, NULL));
  g_assert_cmpint (g_subprocess_get_exit_status (program), ==, 1);
  g_assert_nonnull (strstr (said, "there is no display"));
}

/* Runs the program without a display and any settings. */
static int
run_without (const char *arguments, char **out)
{
  g_autofree char *line =
      g_strdup_printf ("env -u DISPLAY -u WAYLAND_DISPLAY GDK_BACKEND=x11 '%s' %s", HYBRIDSCOPE,
                       arguments);
  const char *words[] = { "/bin/sh", "-c", line, NULL };
  int         status;

  g_assert_true (g_spawn_sync (NULL, (char **) words, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
                               out, NULL, &status, NULL));
  return status >> 8;
}

static void
test_help_without_display (void)
{
  static const char *const lines[] = { "--help", "-h", "--help file-symbol.json" };
  g_autofree char         *version = NULL, *nothing = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autofree char *out = NULL;

      g_assert_cmpint (run_without (lines[i], &out), ==, 0);
      g_assert_true (g_str_has_prefix (out, "Usage: hybridscope"));
      g_assert_nonnull (strstr (out, "--version"));
    }
  g_assert_cmpint (run_without ("--version", &version), ==, 0);
  g_assert_true (g_str_has_prefix (version, "hybridscope "));
  g_assert_cmpint (run_without ("--help >/dev/full", &nothing), ==, 3);
}

TEST_PROGRAM (test_display)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = program_folder_new ();
  g_test_add_func ("/app/display/when-it-goes-away-all-is-kept", test_display_lost);
  g_test_add_func ("/app/display/a-polite-signal-closes-the-window", test_asked_to_end);
  g_test_add_func ("/app/display/without-one-it-says-what-to-do", test_no_display);
  g_test_add_func ("/app/display/help-and-version-need-none", test_help_without_display);
  status = g_test_run ();
  program_folder_free (folder);
  return status;
}
