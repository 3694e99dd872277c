/* test-file-sync.c — a file that replaces another one reaches the disk before the old one is given up.
 *
 * This program has an fsync() of its own, which the writer calls instead of the C library's.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/file.h"
#include "tests/program.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static guint  n_calls;
static int    answer;
static guint8 seen[8]; /* the beginning of the file when it was synchronised */

int
fsync (int descriptor)
{
  n_calls++;
  memset (seen, 0, sizeof seen);
  /* The writer's descriptor may only write; the file is read through another one. */
  {
    g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", descriptor);
    g_autofree char *contents = NULL;
    gsize            length;

    if (g_file_get_contents (path, &contents, &length, NULL))
      memcpy (seen, contents, MIN (length, sizeof seen));
  }
  errno = answer;
  return answer == 0 ? 0 : -1;
}

typedef struct
{
  char *folder, *path;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture->folder = g_dir_make_tmp ("sync-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->folder, "out", NULL);
  g_assert_true (hyb_file_replace_contents (fixture->path, "old", 3, NULL));
  n_calls = 0;
  answer = 0;
}

static void
tear_down (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_unlink (fixture->path);
  g_assert_no_errno (g_rmdir (fixture->folder));
  g_free (fixture->folder);
  g_free (fixture->path);
}

static void
assert_contents (const Fixture *fixture, const char *expected)
{
  g_autofree char *contents = NULL;

  g_assert_true (g_file_get_contents (fixture->path, &contents, NULL, NULL));
  g_assert_cmpstr (contents, ==, expected);
}

static void
test_whole_file_is_synchronised (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_assert_true (hyb_file_replace_contents (fixture->path, "new", 3, NULL));
  g_assert_cmpuint (n_calls, >=, 1);
  g_assert_cmpstr ((const char *) seen, ==, "new");
  assert_contents (fixture, "new");
}

static void
test_failure_keeps_the_old_file (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;

  answer = EIO;
  g_assert_false (hyb_file_replace_contents (fixture->path, "new", 3, &error));
  g_assert_nonnull (error);
  assert_contents (fixture, "old");
}

/* Some file systems have nothing to synchronise and say so. */
static void
test_unsupported_is_no_failure (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  answer = EINVAL;
  g_assert_true (hyb_file_replace_contents (fixture->path, "new", 3, NULL));
  assert_contents (fixture, "new");
}

TEST_PROGRAM (test_file_sync)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) \
  g_test_add ("/engine/formats/file-sync/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("whole-file-is-synchronised", test_whole_file_is_synchronised);
  ADD ("failure-keeps-the-old-file", test_failure_keeps_the_old_file);
  ADD ("unsupported-is-no-failure", test_unsupported_is_no_failure);
  return g_test_run ();
}
