/* hscope-fixture.c — a temporary folder in which a test runs hscope, and what the program printed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hscope-fixture.h"

#include <glib/gstdio.h>
#include <sys/wait.h>

char *
in_folder (Fixture *fixture, const char *name)
{
  return g_build_filename (fixture->folder, name, NULL);
}

void
fixture_set_up (Fixture *fixture, gconstpointer unused)
{
  fixture->folder = g_dir_make_tmp ("hscope-XXXXXX", NULL);
}

static void
clear_output (Fixture *fixture)
{
  g_clear_pointer (&fixture->out, g_free);
  g_clear_pointer (&fixture->err, g_free);
}

/* Removes a folder with everything in it; links are not followed. */
static void
remove_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
        remove_folder (path);
      else
        g_remove (path);
    }
  g_rmdir (folder);
}

/* Commands that fixture_run_line() has run must leave no temporary files. */
static void
check_temporary (Fixture *fixture)
{
  g_autofree char *path = in_folder (fixture, "tmp");
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    fixture_complain ("%s was left in TMPDIR", name);
}

void
fixture_tear_down (Fixture *fixture, gconstpointer unused)
{
  check_temporary (fixture);
  remove_folder (fixture->folder);
  clear_output (fixture);
  g_free (fixture->folder);
  g_free (fixture->symbol);
  g_free (fixture->input);
}

void
fixture_run (Fixture *fixture, char **arguments)
{
  g_autoptr (GError) error = NULL;
  int status;

  clear_output (fixture);
  g_spawn_sync (NULL, arguments, NULL, G_SPAWN_DEFAULT, NULL, NULL, &fixture->out, &fixture->err,
                &status, &error);
  g_assert_no_error (error);
  g_assert_true (WIFEXITED (status));
  fixture->code = WEXITSTATUS (status);
}

void
fixture_run_line (Fixture *fixture, const char *line)
{
  g_autofree char *script =
      g_strdup_printf ("hscope () { '%s' \"$@\"; }; cd '%s' && mkdir -p tmp && "
                       "export TMPDIR=$PWD/tmp && %s",
                       HSCOPE, fixture->folder, line);

  fixture_run (fixture, (char *[]){ (char *) "/bin/sh", (char *) "-c", script, NULL });
  g_test_message ("%s: %d %s", line, fixture->code, fixture->err);
}

void
fixture_complain (const char *format, ...)
{
  va_list list;

  va_start (list, format);
  vfprintf (stderr, format, list);
  va_end (list);
  fputc ('\n', stderr);
  g_test_fail ();
}

cJSON *
parse_output (Fixture *fixture)
{
  cJSON *json = cJSON_ParseWithOpts (fixture->out, NULL, TRUE);

  if (!json)
    g_error ("not JSON: %s (%s)", fixture->out, fixture->err);
  return json;
}
