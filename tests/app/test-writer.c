/* test-writer.c — files written by the writer's thread: order, failures, reading from the queue.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/process/writer.h"
#include "tests/program.h"

#include <glib/gstdio.h>

static char *folder;

static void
ended_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  scope_writer_write_finish (result, data);
}

static void
test_order (void)
{
  g_autofree char *inside = g_build_filename (folder, "inside", NULL);
  g_autofree char *path = g_build_filename (inside, "file", NULL);
  g_autofree char *told = NULL;
  g_autofree char *kept = NULL;

  for (guint i = 0; i < 20; i++)
    scope_writer_write_async (path, g_strdup_printf ("%u", i), NULL, NULL);
  told = scope_writer_read (path);
  g_assert_cmpstr (told, ==, "19");
  scope_writer_wait ();
  g_assert_true (g_file_get_contents (path, &kept, NULL, NULL));
  g_assert_cmpstr (kept, ==, "19");
  g_remove (path);
  g_rmdir (inside);
  g_assert_null (scope_writer_read (path));
}

static void
test_failure (void)
{
  g_autofree char *path = g_build_filename (folder, "folder", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
  scope_writer_write_async (path, g_strdup ("a folder stands there"), ended_cb, &error);
  while (!error)
    g_main_context_iteration (NULL, TRUE);
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_ISDIR);
  g_rmdir (path);
}

TEST_PROGRAM (test_writer)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("hybridscope-writer-XXXXXX", NULL);
  g_test_add_func ("/app/writer/what-was-written-last-is-what-is-read", test_order);
  g_test_add_func ("/app/writer/says-why-a-file-is-not-written", test_failure);
  status = g_test_run ();
  g_rmdir (folder);
  g_free (folder);
  return status;
}
