/* test-own-file.c — files that the program keeps for itself are its own, or not read.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/own-file.h"

#include "tests/program.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct
{
  char *root, *path, *other;
} Files;

static void
set_up (Files *files, gconstpointer unused G_GNUC_UNUSED)
{
  files->root = g_dir_make_tmp ("own-file-XXXXXX", NULL);
  files->path = g_build_filename (files->root, "folder", "file.ini", NULL);
  files->other = g_build_filename (files->root, "other", NULL);
  g_assert_true (hyb_own_file_write (files->path, "text", 4, NULL));
  g_assert_true (g_file_set_contents (files->other, "others", -1, NULL));
}

static void
tear_down (Files *files, gconstpointer unused G_GNUC_UNUSED)
{
  g_autofree char *folder = g_path_get_dirname (files->path);

  g_remove (files->path);
  g_remove (folder);
  g_remove (files->other);
  g_remove (files->root);
  g_free (files->root);
  g_free (files->path);
  g_free (files->other);
}

static void
assert_holds (Files *files, const char *want)
{
  gsize            length = 0;
  g_autofree char *got = hyb_own_file_read (files->path, 100, &length);

  g_assert_cmpstr (got, ==, want);
  if (want)
    g_assert_cmpuint (length, ==, strlen (want));
}

static void
test_written (Files *files, gconstpointer unused G_GNUC_UNUSED)
{
  struct stat facts;

  assert_holds (files, "text");
  g_assert_true (hyb_own_file_write (files->path, "", 0, NULL));
  assert_holds (files, "");
  g_assert_cmpint (stat (files->path, &facts), ==, 0);
  g_assert_cmpint (facts.st_mode & 0777, ==, 0600);
}

static void
test_limit (Files *files, gconstpointer unused G_GNUC_UNUSED)
{
  gsize            length;
  g_autofree char *whole = hyb_own_file_read (files->path, 4, &length);
  g_autofree char *longer = hyb_own_file_read (files->path, 3, &length);

  g_assert_cmpstr (whole, ==, "text");
  g_assert_null (longer);
}

/* The file that a link names is neither read nor changed. */
static void
test_link (Files *files, gconstpointer unused G_GNUC_UNUSED)
{
  g_autofree char *others = NULL;

  g_remove (files->path);
  g_assert_cmpint (symlink (files->other, files->path), ==, 0);
  assert_holds (files, NULL);
  g_assert_true (hyb_own_file_write (files->path, "own", 3, NULL));
  assert_holds (files, "own");
  g_assert_true (g_file_get_contents (files->other, &others, NULL, NULL));
  g_assert_cmpstr (others, ==, "others");
}

/* Reading a pipe would wait for a writer. */
static void
test_pipe (Files *files, gconstpointer unused G_GNUC_UNUSED)
{
  g_remove (files->path);
  g_assert_cmpint (mkfifo (files->path, 0600), ==, 0);
  assert_holds (files, NULL);
  g_assert_true (hyb_own_file_write (files->path, "own", 3, NULL));
  assert_holds (files, "own");
}

static void
test_writable_file (Files *files, gconstpointer unused G_GNUC_UNUSED)
{
  g_assert_cmpint (chmod (files->path, 0620), ==, 0);
  g_test_expect_message ("hybrid", G_LOG_LEVEL_INFO, "*/folder/file.ini is not used*may write*");
  assert_holds (files, NULL);
  g_test_assert_expected_messages ();
  g_assert_true (hyb_own_file_write (files->path, "own", 3, NULL));
  assert_holds (files, "own");
}

static void
test_writable_folder (Files *files, gconstpointer unused G_GNUC_UNUSED)
{
  g_autofree char *folder = g_path_get_dirname (files->path);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (chmod (folder, 0777), ==, 0);
  g_test_expect_message ("hybrid", G_LOG_LEVEL_INFO, "*/folder is not used*may write*");
  assert_holds (files, NULL);
  g_test_assert_expected_messages ();
  g_assert_false (hyb_own_file_write (files->path, "own", 3, &error));
  g_assert_nonnull (strstr (error->message, folder));
}

static void
test_missing (Files *files, gconstpointer unused G_GNUC_UNUSED)
{
  g_remove (files->path);
  assert_holds (files, NULL);
}

#define ADD(name, function) \
  g_test_add ("/engine/formats/own-file/" name, Files, NULL, set_up, function, tear_down)

TEST_PROGRAM (test_own_file)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("what-was-written-is-read-by-its-user-alone", test_written);
  ADD ("a-longer-file-is-not-read", test_limit);
  ADD ("a-link-is-neither-read-nor-written-through", test_link);
  ADD ("a-pipe-is-replaced", test_pipe);
  ADD ("a-file-that-others-may-write-is-replaced", test_writable_file);
  ADD ("a-folder-that-others-may-write-is-not-used", test_writable_folder);
  ADD ("no-file-is-no-failure", test_missing);
  return g_test_run ();
}
