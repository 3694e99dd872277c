/* test-values.c — what the window reads of the values that its child process prints.
 *
 * A script takes the place of hscope, so that its output can be anything.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/values.h"
#include "tests/program.h"

#include <glib/gstdio.h>

static void
take_result (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  *(GAsyncResult **) data = g_object_ref (result);
}

/* The values in a document that a script prints.  (transfer full) */
static ScopeValues *
read_document (const char *json)
{
  g_autofree char *folder = g_dir_make_tmp ("hybridscope-values-XXXXXX", NULL);
  g_autofree char *program = g_build_filename (folder, "hscope", NULL);
  g_autofree char *script = g_strdup_printf ("#!/bin/sh\ncat <<'END'\n%s\nEND\n", json);
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  ScopeValues *values;

  g_assert_true (g_file_set_contents_full (program, script, -1, 0, 0700, NULL));
  g_setenv ("HYBRIDSCOPE_HSCOPE", program, TRUE);
  scope_values_load_async ((const char *const[]){ "run", NULL }, NULL, take_result, &result);
  while (!result)
    g_main_context_iteration (NULL, TRUE);
  values = scope_values_load_finish (result, &error);
  g_assert_no_error (error);
  g_remove (program);
  g_rmdir (folder);
  return values;
}

static void
test_dimensions_out_of_range (void)
{
  ScopeValues            *values = read_document ("{\"values\": [{\"node\": \"a\", \"output\": 0, "
                                                             "\"shape\": [1e300, -7, 3, \"x\", 9007199254740992]}]}");
  const ScopeValueSeries *series = scope_values_find (values, NULL, "a", 0);

  g_assert_nonnull (series);
  g_assert_cmpint (series->shape.rank, ==, 5);
  g_assert_cmpint (series->shape.dim[0], ==, HYB_UNKNOWN);
  g_assert_cmpint (series->shape.dim[1], ==, HYB_UNKNOWN);
  g_assert_cmpint (series->shape.dim[2], ==, 3);
  g_assert_cmpint (series->shape.dim[4], ==, HYB_UNKNOWN);
  scope_values_free (values);
}

TEST_PROGRAM (test_values)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/values/dimensions-out-of-range-are-unknown", test_dimensions_out_of_range);
  return g_test_run ();
}
