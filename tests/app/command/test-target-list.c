/* test-target-list.c — what storing a target changes in the file, and what it leaves alone.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/targets/target-list.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <string.h>

#define LIST                           \
  "# of the office\n"                  \
  "[b]\nlauncher=ssh b\nnote=mine\n\n" \
  "[c]\nlauncher=ssh c\n"

/* Writes the list, stores a target in it, and returns what the file holds then.  (transfer full) */
static char *
store (const char *name, const char *old_name)
{
  g_autofree char *path = scope_targets_dup_path ();
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (ScopeTarget) target = scope_target_new (name, "ssh new", NULL, NULL, NULL);
  char *text;

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, LIST, -1, NULL));
  g_assert_true (scope_targets_store (target, old_name, NULL));
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

static void
test_a_changed_target_keeps_what_else_it_has (void)
{
  g_autofree char *text = store ("b", "b");

  g_assert_nonnull (strstr (text, "# of the office\n"));
  g_assert_nonnull (strstr (text, "[b]\nlauncher=ssh new\nnote=mine\n"));
  g_assert_nonnull (strstr (text, "[c]\nlauncher=ssh c\n"));
}

/* The names are neighbours in the alphabet, which strcmp() may tell by 1. */
static void
test_a_renamed_target_leaves_no_old_one (void)
{
  g_autofree char *text = store ("a", "b");

  g_assert_null (strstr (text, "[b]"));
  g_assert_nonnull (strstr (text, "[a]\nlauncher=ssh new\n"));
  g_assert_nonnull (strstr (text, "[c]\nlauncher=ssh c\n"));
}

static void
test_a_new_target_removes_none (void)
{
  g_autofree char *text = store ("d", NULL);

  g_assert_nonnull (strstr (text, "[b]\nlauncher=ssh b\nnote=mine\n"));
  g_assert_nonnull (strstr (text, "[d]\nlauncher=ssh new\n"));
}

/* Bytes that this process has read; 0 where the kernel does not count them. */
static guint64
count_read (void)
{
  g_autofree char *text = NULL;
  const char      *at;

  if (!g_file_get_contents ("/proc/self/io", &text, NULL, NULL) || !(at = strstr (text, "rchar:")))
    return 0;
  return g_ascii_strtoull (at + strlen ("rchar:"), NULL, 10);
}

/* What was checked is what is used. */
static void
test_the_file_is_read_once (void)
{
  g_autofree char *path = scope_targets_dup_path ();
  g_autofree char *comment = g_strnfill (200000, 'x');
  g_autofree char *text = g_strdup_printf ("# %s\n" LIST, comment);
  g_autoptr (GPtrArray) targets = NULL;
  guint64 before, read;

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  before = count_read ();
  targets = scope_targets_read (NULL);
  read = count_read () - before;
  g_assert_cmpuint (targets->len, ==, 2);
  g_assert_cmpuint (read, <, 2 * strlen (text));
}

TEST_PROGRAM (test_target_list)
{
  g_autofree char *home = g_dir_make_tmp ("targets-XXXXXX", NULL);
  g_autofree char *path = NULL, *folder = NULL;
  int              status;

  g_setenv ("XDG_CONFIG_HOME", home, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/target-list/a-changed-target-keeps-what-else-it-has",
                   test_a_changed_target_keeps_what_else_it_has);
  g_test_add_func ("/target-list/a-renamed-target-leaves-no-old-one",
                   test_a_renamed_target_leaves_no_old_one);
  g_test_add_func ("/target-list/a-new-target-removes-none", test_a_new_target_removes_none);
  g_test_add_func ("/target-list/the-file-is-read-once", test_the_file_is_read_once);
  status = g_test_run ();
  path = scope_targets_dup_path ();
  folder = g_path_get_dirname (path);
  g_remove (path);
  g_rmdir (folder);
  g_rmdir (home);
  return status;
}
