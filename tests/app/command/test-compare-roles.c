/* test-compare-roles.c — hscope compare of two files sums their times by role.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

#define FILES SOURCE_ROOT "/tests/data/exporters/"

static double
get_number (const cJSON *object, const char *key)
{
  const cJSON *number = cJSON_GetObjectItemCaseSensitive (object, key);

  g_assert_true (cJSON_IsNumber (number));
  return number->valuedouble;
}

/* One LSTM as a layer and as nodes for each step. */
static void
test_a_layer_stands_beside_its_steps (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (cJSON) json = NULL;
  const cJSON *roles, *row;
  guint        n_layers = 0;

  fixture_run_line (fixture, "hscope compare " FILES "torchscript.onnx " FILES
                             "cell.onnx --repeat 3 --no-ladder --json");
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  roles = cJSON_GetObjectItemCaseSensitive (json, "roles");
  g_assert_nonnull (roles);
  cJSON_ArrayForEach (row, cJSON_GetObjectItemCaseSensitive (roles, "rows"))
  {
    const cJSON *role = cJSON_GetObjectItemCaseSensitive (row, "role");

    if (!cJSON_IsString (role) || !g_str_has_prefix (role->valuestring, "lstm"))
      continue;
    n_layers++;
    g_assert_cmpfloat (get_number (row, "a_seconds"), >, 0);
    g_assert_cmpfloat (get_number (row, "b_seconds"), >, 0);
    g_assert_cmpfloat (get_number (row, "b_nodes"), >, get_number (row, "a_nodes"));
  }
  g_assert_cmpuint (n_layers, ==, 1);
}

/* Forms of one file are no two files. */
static void
test_forms_of_one_file_have_no_roles (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (cJSON) json = NULL;

  fixture_run_line (fixture, "hscope compare " FILES
                             "torchscript.onnx --variants as-is,foreach --repeat 3 --no-ladder "
                             "--json");
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  g_assert_null (cJSON_GetObjectItemCaseSensitive (json, "roles"));
}

TEST_PROGRAM (test_compare_roles)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/app/command/compare-roles/a-layer-stands-beside-its-steps", Fixture, NULL,
              fixture_set_up, test_a_layer_stands_beside_its_steps, fixture_tear_down);
  g_test_add ("/app/command/compare-roles/forms-of-one-file-have-no-roles", Fixture, NULL,
              fixture_set_up, test_forms_of_one_file_have_no_roles, fixture_tear_down);
  return g_test_run ();
}
