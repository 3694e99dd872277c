/* test-selftest-types.c — hscope selftest: what is wrong in one element type alone, what is tolerated and noted, and memory
 * that other programs take.
 *
 * HYB_GPU_PATH and HYB_GPU_MODULE are set by meson.build.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

static gboolean
lacks_compiler (Fixture *fixture)
{
  if (!strstr (fixture->err, "libnvrtc"))
    return FALSE;
  g_test_skip ("libnvrtc.so.13 is not installed");
  return TRUE;
}

static const cJSON *
find_operator (const cJSON *json, const char *name)
{
  const cJSON *item;

  cJSON_ArrayForEach (item, cJSON_GetObjectItem (json, "operators")) if (
      g_str_equal (cJSON_GetStringValue (cJSON_GetObjectItem (item, "name")), name)) return item;
  g_assert_not_reached ();
}

/* The types with which it is right are not blamed, in one process and in several. */
static void
test_one_type (Fixture *fixture, gconstpointer unused)
{
  static const char *const ways[] = { "", "--in-process " };

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_autofree char *line = g_strconcat ("HYB_PRETEND=wrong=float16 hscope selftest --json ",
                                           ways[i], "--operator dot", NULL);
      g_autoptr (cJSON) json = NULL;
      const cJSON *types;

      fixture_run_line (fixture, line);
      if (lacks_compiler (fixture))
        return;
      g_assert_cmpint (fixture->code, ==, 1);
      json = parse_output (fixture);
      types = cJSON_GetObjectItem (find_operator (json, "dot"), "wrong_types");
      g_assert_cmpint (cJSON_GetArraySize (types), ==, 1);
      g_assert_cmpstr (cJSON_GetStringValue (
                           cJSON_GetObjectItem (cJSON_GetArrayItem (types, 0), "type")),
                       ==, "float16");
    }
}

/* Runs that differ by less than is tolerated pass, with a note. */
static void
test_other_bytes (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (cJSON) json = NULL;
  const cJSON *note, *tests;

  fixture_run_line (fixture, "HYB_PRETEND=wrong=runs hscope selftest --json --operator dot");
  if (lacks_compiler (fixture))
    return;
  json = parse_output (fixture);
  note = cJSON_GetObjectItem (find_operator (json, "dot"), "note");
  g_assert_true (cJSON_IsString (note));
  g_assert_nonnull (strstr (note->valuestring, "runs differ by up to "));
  g_assert_cmpint (fixture->code, ==, 0);
  g_clear_pointer (&json, cJSON_Delete);

  fixture_run_line (fixture, "HYB_PRETEND=wrong=runs hscope selftest --quick --json --model mlp");
  json = parse_output (fixture);
  tests = cJSON_GetObjectItem (json, "tests");
  note = cJSON_GetObjectItem (cJSON_GetArrayItem (tests, 0), "note");
  g_assert_true (cJSON_IsString (note));
  g_assert_nonnull (strstr (note->valuestring, " gave other bytes than the first"));
  g_assert_cmpint (fixture->code, ==, 0);
}

/* What other programs take of the GPU meanwhile is no loss of memory. */
static void
test_other_programs (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture, "HYB_PRETEND=others=1M hscope selftest --quick --model mlp");
  if (lacks_compiler (fixture))
    return;
  if (fixture->code != 0)
    fixture_complain ("exit %d, %s%s", fixture->code, fixture->out, fixture->err);
}

#define ADD(name, function)                                                         \
  g_test_add ("/app/selftest-types/" name, Fixture, NULL, fixture_set_up, function, \
              fixture_tear_down)

TEST_PROGRAM (test_selftest_types)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("one-type-may-be-wrong", test_one_type);
  ADD ("other-bytes-are-a-note", test_other_bytes);
  ADD ("other-programs-take-memory", test_other_programs);
  return g_test_run ();
}
