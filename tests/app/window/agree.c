/* agree.c — exports of the window equal those of hscope, and hscope is called as it should be.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/window/case.h"

#include <glib/gstdio.h>
#include <string.h>

static char *folder;

static char *
path_of (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static void
call (const char *const *arguments, char **out)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  int status;

  g_ptr_array_add (argv, (gpointer) HSCOPE);
  for (guint i = 0; arguments[i] != NULL; i++)
    g_ptr_array_add (argv, (gpointer) arguments[i]);
  g_ptr_array_add (argv, NULL);
  g_spawn_sync (NULL, (char **) argv->pdata, NULL, !out ? G_SPAWN_STDOUT_TO_DEV_NULL : 0, NULL,
                NULL, out, NULL, &status, &error);
  g_assert_no_error (error);
  g_assert_true (g_spawn_check_wait_status (status, &error));
}

static gboolean
is_file (gpointer path)
{
  return g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

static void
check_same (const char *what, const char *ours, const char *theirs)
{
  g_autofree char *path = path_of (ours);
  g_autofree char *other = path_of (theirs);
  g_autofree char *a = NULL;
  g_autofree char *b = NULL;
  gsize            a_size, b_size;

  scope_window_export (window, what, path);
  g_assert_true (gui_wait (is_file, path, 20000));
  g_assert_true (g_file_get_contents (path, &a, &a_size, NULL));
  g_assert_true (g_file_get_contents (other, &b, &b_size, NULL));
  g_assert_cmpuint (a_size, >, 100);
  g_assert_cmpmem (a, a_size, b, b_size);
}

static void
test_pictures (void)
{
  ScopePage       *other = gui_open (window, "two-inputs", NULL);
  g_autofree char *model =
      g_file_get_path (scope_workspace_get_file (scope_page_get_workspace (other)));

  const char *const *shapes = scope_workspace_get_shapes (scope_page_get_workspace (other));

  /* The command knows nothing of the shapes that the window has guessed. */
  g_assert_cmpuint (g_strv_length ((char **) shapes), ==, 1);
  gui_act (window, "app.colours", "light");
  for (const char *const *ending = (const char *const[]){ "svg", "dot", "pdf", NULL };
       *ending != NULL; ending++)
    {
      g_autofree char *ours = g_strconcat ("window.", *ending, NULL);
      g_autofree char *theirs = g_strconcat ("hscope.", *ending, NULL);
      g_autofree char *path = path_of (theirs);

      call ((const char *const[]){ "render", model, "--output", path, "--shape", shapes[0], NULL },
            NULL);
      check_same ("picture", ours, theirs);
      /* Pictures of a dark window are light, too. */
      gui_act (window, "app.colours", "dark");
      check_same ("picture", ours, theirs);
      gui_act (window, "app.colours", "light");
    }
  gui_act (window, "app.colours", "follow");
}

static gboolean
has_capture (gpointer path)
{
  return g_strcmp0 (scope_workspace_get_capture_path (workspace ()), path) == 0;
}

static void
test_costs (void)
{
  g_autofree char *model = g_file_get_path (scope_workspace_get_file (workspace ()));
  g_autofree char *capture = path_of ("measured.hscope");
  g_autofree char *csv = path_of ("hscope.csv");
  g_autofree char *trace = path_of ("hscope.json");
  g_autofree char *report = path_of ("hscope.txt");
  g_autofree char *text = NULL;

  call ((const char *const[]){ "profile", model, "--shape", "data=2,6,4", "--time-limit", "2",
                               "--init", "uniform", "--capture", capture, "--csv", csv, "--trace",
                               trace, NULL },
        NULL);
  call ((const char *const[]){ "report", capture, NULL }, &text);
  /* The first line is the name of the capture, which the window leaves out. */
  g_assert_true (g_file_set_contents (report, strchr (text, '\n') + 1, -1, NULL));
  scope_workspace_open_capture (workspace (), capture);
  g_assert_true (gui_wait (has_capture, capture, 10000));
  check_same ("costs", "window.csv", "hscope.csv");
  check_same ("costs", "window.json", "hscope.json");
  check_same ("costs", "window.txt", "hscope.txt");
  check_same ("costs", "window.hscope", "measured.hscope");
}

/* --- How the child is called --- */

static gboolean
has_another (gpointer before)
{
  return scope_workspace_get_measurement (workspace ()) != before &&
         !scope_workspace_is_running (workspace ());
}

/* A launcher, like "ssh host", is put before the command and finds hscope in its own PATH. */
static void
test_launcher (void)
{
  g_autoptr (ScopeRunOptions) options = scope_run_options_load ();
  g_autofree char *launcher = path_of ("launch");
  g_autofree char *program = path_of ("hscope");
  g_autofree char *path = g_strconcat (folder, ":", g_getenv ("PATH"), NULL);
  g_autofree char *before = g_strdup (g_getenv ("PATH"));
  g_autofree char *input =
      g_build_filename (SOURCE_ROOT, "tests/data/goldens/models/cell-lstm-t6-ntc-none", "input.npz",
                        NULL);
  gpointer measurement = scope_workspace_get_measurement (workspace ());

  g_assert_true (g_file_set_contents (launcher,
                                      "#!/bin/sh\necho \"launched $*\" >&2\nshift\nexec \"$@\"\n",
                                      -1, NULL));
  g_assert_cmpint (g_chmod (launcher, 0700), ==, 0);
  g_assert_cmpint (symlink (HSCOPE, program), ==, 0);
  g_setenv ("PATH", path, TRUE);
  g_free (options->launcher);
  options->launcher = g_strdup_printf ("%s 'far away'", launcher);
  g_free (options->input);
  options->input = g_strdup (input);
  g_free (options->init);
  options->init = g_strdup ("zeros");
  g_free (options->mode);
  options->mode = g_strdup ("imperative");
  options->threads = 1;
  options->seconds = 2;
  options->backward = TRUE;
  g_assert_true (scope_page_run (page, options));
  g_assert_true (gui_wait (has_another, measurement, 60000));
  g_setenv ("PATH", before, TRUE);
  g_assert_true (is_logged ((gpointer) "launched far away"));
  for (const char *const *part =
           (const char *const[]){ "--threads 1", "--init zeros", "--mode imperative", "--backward",
                                  "input.npz", "--time-limit 2", NULL };
       *part != NULL; part++)
    g_assert_true (is_logged ((gpointer) *part));
}

static void
remove_folder (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = path_of (name);

      g_remove (path);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_free (folder);
}

void
add_agreement_tests (void)
{
  folder = g_dir_make_tmp ("hybridscope-agree-XXXXXX", NULL);
  add_test ("/app/window/pictures-agree-with-hscope", CASE_EMPTY, test_pictures);
  add_test ("/app/window/costs-agree-with-hscope", CASE_MODEL, test_costs);
  add_test ("/app/window/a-launcher-stands-before-the-command", CASE_MODEL, test_launcher);
  g_test_add_func ("/app/window/agreement-leaves-nothing-behind", remove_folder);
}
