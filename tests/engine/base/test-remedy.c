/* test-remedy.c — errors carry what the user can do about them, through copies and prefixes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/remedy.h"

#include "engine/base/error.h"
#include "tests/program.h"

#include <gio/gio.h>
#include <string.h>

static void
test_names (void)
{
  g_assert_null (hyb_remedy_name (HYB_REMEDY_NONE));
  g_assert_cmpint (hyb_remedy_find (NULL), ==, HYB_REMEDY_NONE);
  g_assert_cmpint (hyb_remedy_find ("no such remedy"), ==, HYB_REMEDY_NONE);
  for (guint i = HYB_REMEDY_NONE + 1; i < HYB_N_REMEDIES; i++)
    {
      g_assert_nonnull (hyb_remedy_name ((HybRemedy) i));
      g_assert_cmpint (hyb_remedy_find (hyb_remedy_name ((HybRemedy) i)), ==, i);
    }
}

static void
test_without (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) foreign = g_error_new (G_IO_ERROR, G_IO_ERROR_FAILED, "it failed");

  g_assert_cmpint (hyb_error_get_remedy (NULL), ==, HYB_REMEDY_NONE);
  g_assert_null (hyb_error_get_subject (NULL));
  g_assert_false (hyb_error_add_remedy (NULL, HYB_REMEDY_SHAPES, "data"));
  g_assert_false (hyb_error_add_remedy (&error, HYB_REMEDY_SHAPES, "data"));
  g_assert_no_error (error);
  /* An error of another domain has no room for it. */
  g_assert_false (hyb_error_add_remedy (&foreign, HYB_REMEDY_SHAPES, "data"));
  g_assert_cmpint (hyb_error_get_remedy (foreign), ==, HYB_REMEDY_NONE);
}

static void
test_survives (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) copy = NULL;
  g_autoptr (GError) other = g_error_new (HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_UNKNOWN, "other");
  g_autofree char *subject = g_strdup ("data");

  hyb_error_at (&error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_UNKNOWN, "fc1", NULL, "no shape");
  g_assert_cmpint (hyb_error_get_remedy (error), ==, HYB_REMEDY_NONE);
  g_assert_cmpstr (hyb_error_get_subject (error), ==, "fc1");
  g_assert_false (hyb_error_add_remedy (&error, HYB_REMEDY_SHAPES, subject));
  memset (subject, 'x', strlen (subject)); /* the error has a copy */
  g_prefix_error (&error, "file: ");
  copy = g_error_copy (error);
  g_clear_error (&error);
  g_assert_cmpint (hyb_error_get_remedy (copy), ==, HYB_REMEDY_SHAPES);
  g_assert_cmpstr (hyb_error_get_subject (copy), ==, "data");
  hyb_error_copy_remedy (&other, copy);
  g_assert_cmpint (hyb_error_get_remedy (other), ==, HYB_REMEDY_SHAPES);
  g_assert_cmpstr (hyb_error_get_subject (other), ==, "data");
  /* Without a subject the earlier one stays. */
  hyb_error_add_remedy (&other, HYB_REMEDY_VALUES, NULL);
  g_assert_cmpint (hyb_error_get_remedy (other), ==, HYB_REMEDY_VALUES);
  g_assert_cmpstr (hyb_error_get_subject (other), ==, "data");
}

TEST_PROGRAM (test_remedy)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/base/remedy/every-remedy-has-a-name", test_names);
  g_test_add_func ("/engine/base/remedy/other-errors-have-none", test_without);
  g_test_add_func ("/engine/base/remedy/survives-copies-and-prefixes", test_survives);
  return g_test_run ();
}
