/* test-original-name.c — files of a target are called as where they come from; other names stay.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/original-name.h"
#include "tests/program.h"

static void
assert_name (const char *lines, const char *file, const char *wanted)
{
  g_autofree char *name = NULL;

  if (lines)
    g_setenv (SCOPE_FILES_VARIABLE, lines, TRUE);
  else
    g_unsetenv (SCOPE_FILES_VARIABLE);
  name = scope_original_name_dup (file);
  g_assert_cmpstr (name, ==, wanted);
}

static void
test_names_of_the_target (void)
{
  static const char lines[] = "hscope-file-0\tmodels/\nhscope-file-1\t/home/me/\n";

  assert_name (lines, "hscope-file-0/a.json", "models/a.json");
  assert_name (lines, "hscope-file-1/b/c.npz", "/home/me/b/c.npz");
}

static void
test_other_names (void)
{
  static const char lines[] = "hscope-file-1\tmodels/\n";

  assert_name (NULL, "hscope-file-1/a", "hscope-file-1/a");
  assert_name ("", "hscope-file-1/a", "hscope-file-1/a");
  assert_name (lines, "hscope-file-10/a", "hscope-file-10/a");
  assert_name (lines, "hscope-file-1", "hscope-file-1");
  assert_name (lines, "/a", "/a");
  assert_name (lines, NULL, NULL);
}

/* The variable comes from outside. */
static void
test_lines_without_a_tab (void)
{
  assert_name ("h\n\thome/\n", "h/a", "h/a");
  assert_name ("h\nhscope-file-0\tmodels/", "hscope-file-0/a", "models/a");
}

TEST_PROGRAM (test_original_name)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/original-name/files-are-called-as-where-they-come-from",
                   test_names_of_the_target);
  g_test_add_func ("/original-name/other-files-keep-their-names", test_other_names);
  g_test_add_func ("/original-name/a-line-without-a-tab-says-nothing", test_lines_without_a_tab);
  return g_test_run ();
}
