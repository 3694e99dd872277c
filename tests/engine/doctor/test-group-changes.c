/* test-group-changes.c — equal changes of several nodes are one line.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/change.h"
#include "engine/doctor/group-changes.h"
#include "tests/program.h"

/* The lines of the changes, joined by “|”.  (transfer full) */
static char *
group (const GPtrArray *changes)
{
  g_autoptr (GPtrArray) lines = hyb_group_changes (changes);

  g_ptr_array_add (lines, NULL);
  return g_strjoinv ("|", (char **) lines->pdata);
}

static void
assert_lines (const GPtrArray *changes, const char *expected)
{
  g_autofree char *lines = group (changes);

  g_assert_cmpstr (lines, ==, expected);
}

static void
add_operator (GPtrArray *changes, const char *node, const char *after)
{
  hyb_changes_add (changes, node, "changed the operator of %s from “X” to “%s”", HYB_CHANGE_NAME,
                   after);
}

static void
test_equal_changes (void)
{
  g_autoptr (GPtrArray) changes = hyb_changes_new ();

  hyb_changes_add (changes, "a", "cast %s to float32", HYB_CHANGE_NAME);
  add_operator (changes, "n0", "Y");
  hyb_changes_add (changes, "b", "cast %s to float32", HYB_CHANGE_NAME);
  add_operator (changes, "n1", "Y");
  add_operator (changes, "n2", "Y");
  assert_lines (changes, "cast “a” and 1 more to float32|"
                         "changed the operator of “n0” and 2 more from “X” to “Y”");
}

/* The name is not what is quoted first, and has quotation marks itself. */
static void
test_names_after_other_words (void)
{
  g_autoptr (GPtrArray) changes = hyb_changes_new ();

  hyb_changes_add (changes, "n”0", "removed the attribute “%s” of %s", "k", HYB_CHANGE_NAME);
  hyb_changes_add (changes, "„n1“", "removed the attribute “%s” of %s", "k", HYB_CHANGE_NAME);
  hyb_changes_add (changes, "n2", "removed the attribute “%s” of %s", "l", HYB_CHANGE_NAME);
  assert_lines (changes, "removed the attribute “k” of “n”0” and 1 more|"
                         "removed the attribute “l” of “n2”");
}

static void
test_different_changes (void)
{
  g_autoptr (GPtrArray) changes = hyb_changes_new ();

  add_operator (changes, "n0", "Y");
  add_operator (changes, "n1", "Z");
  hyb_changes_add (changes, "a", "cast %s to float16", HYB_CHANGE_NAME);
  assert_lines (changes, "changed the operator of “n0” from “X” to “Y”|"
                         "changed the operator of “n1” from “X” to “Z”|cast “a” to float16");
}

static void
test_no_names (void)
{
  g_autoptr (GPtrArray) changes = hyb_changes_new ();

  assert_lines (changes, "");
  hyb_changes_add (changes, NULL, "took the parameters from %s", "a.params");
  hyb_changes_add (changes, NULL, "took the parameters from %s", "a.params");
  hyb_changes_add (changes, NULL, "an “unfinished name");
  hyb_changes_add (changes, "a", "%s", "");
  assert_lines (changes, "took the parameters from a.params|an “unfinished name|");
}

static void
test_copies (void)
{
  g_autoptr (GPtrArray) changes = hyb_changes_new ();
  g_autoptr (GPtrArray) more = hyb_changes_new ();

  add_operator (changes, "n0", "Y");
  add_operator (more, "n1", "Y");
  hyb_changes_append (changes, more);
  g_clear_pointer (&more, g_ptr_array_unref);
  g_assert_cmpstr (hyb_change_text (changes, 1), ==,
                   "changed the operator of “n1” from “X” to “Y”");
  assert_lines (changes, "changed the operator of “n0” and 1 more from “X” to “Y”");
}

TEST_PROGRAM (test_group_changes)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/doctor/group-changes/equal-changes-are-one-line", test_equal_changes);
  g_test_add_func ("/engine/doctor/group-changes/names-stand-anywhere",
                   test_names_after_other_words);
  g_test_add_func ("/engine/doctor/group-changes/different-changes-stay-apart",
                   test_different_changes);
  g_test_add_func ("/engine/doctor/group-changes/sentences-without-names-stay-as-they-are",
                   test_no_names);
  g_test_add_func ("/engine/doctor/group-changes/copies-keep-their-names", test_copies);
  return g_test_run ();
}
