/* test-group-changes.c — equal changes of several nodes are one line.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/group-changes.h"
#include "tests/program.h"

/* The lines for sentences that a NULL ends, joined by “|”.  (transfer full) */
static char *
group (const char *const *sentences)
{
  g_autoptr (GPtrArray) changes = g_ptr_array_new ();
  g_autoptr (GPtrArray) lines = NULL;

  for (; *sentences; sentences++)
    g_ptr_array_add (changes, (gpointer) *sentences);
  lines = hyb_group_changes (changes);
  g_ptr_array_add (lines, NULL);
  return g_strjoinv ("|", (char **) lines->pdata);
}

static void
assert_lines (const char *const *sentences, const char *expected)
{
  g_autofree char *lines = group (sentences);

  g_assert_cmpstr (lines, ==, expected);
}

static void
test_equal_changes (void)
{
  assert_lines ((const char *const[]){ "cast “a” to float32", "changed “n0” from “X” to “Y”",
                                       "cast “b” to float32", "changed “n1” from “X” to “Y”",
                                       "changed “n2” from “X” to “Y”", NULL },
                "cast “a” and 1 more to float32|changed “n0” and 2 more from “X” to “Y”");
}

static void
test_german_changes (void)
{
  assert_lines ((const char *const[]){ "„a“ in „x“ umbenannt", "„b“ in „x“ umbenannt", NULL },
                "„a“ and 1 more in „x“ umbenannt");
}

static void
test_different_changes (void)
{
  assert_lines ((const char *const[]){ "changed “n0” from “X” to “Y”",
                                       "changed “n1” from “X” to “Z”", "cast “a” to float32",
                                       "cast “a” to float16", NULL },
                "changed “n0” from “X” to “Y”|changed “n1” from “X” to “Z”|"
                "cast “a” to float32|cast “a” to float16");
}

static void
test_no_names (void)
{
  assert_lines ((const char *const[]){ "took the parameters from a.params",
                                       "took the parameters from a.params", "an “unfinished name",
                                       "”", "", NULL },
                "took the parameters from a.params|an “unfinished name|”|");
  assert_lines ((const char *const[]){ NULL }, "");
}

TEST_PROGRAM (test_group_changes)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/doctor/group-changes/equal-changes-are-one-line", test_equal_changes);
  g_test_add_func ("/engine/doctor/group-changes/german-changes-are-one-line-too",
                   test_german_changes);
  g_test_add_func ("/engine/doctor/group-changes/different-changes-stay-apart",
                   test_different_changes);
  g_test_add_func ("/engine/doctor/group-changes/sentences-without-names-stay-as-they-are",
                   test_no_names);
  return g_test_run ();
}
