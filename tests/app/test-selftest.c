/* test-selftest.c — hscope selftest: operators that are right on the pretend GPU, that are wrong, and that
 * fail.
 *
 * HYB_GPU_PATH and HYB_GPU_MODULE are set by meson.build.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"

#include <string.h>

static gboolean
lacks_compiler (Fixture *fixture)
{
  if (!strstr (fixture->err, "libnvrtc"))
    return FALSE;
  g_test_skip ("libnvrtc.so.13 is not installed");
  return TRUE;
}

/* Forward and backward, in three types, replayed; random bits are the processor's. */
static void
test_right_operators (Fixture *fixture, gconstpointer unused)
{
  static const char *const wanted[] = {
    "Dropout", "_backward_Dropout", "_random_randint", "dot", "_backward_dot_lhs"
  };
  g_autoptr (cJSON) json = NULL;
  const cJSON *item, *operators;
  guint        n = 0;

  fixture_run_line (fixture,
                    "hscope selftest --json --operator dot --operator Dropout --operator "
                    "_random_randint");
  if (lacks_compiler (fixture))
    return;
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  operators = cJSON_GetObjectItem (json, "operators");
  cJSON_ArrayForEach (item, operators)
  {
    const char *name = cJSON_GetStringValue (cJSON_GetObjectItem (item, "name"));

    g_assert_true (cJSON_IsTrue (cJSON_GetObjectItem (item, "passed")));
    g_assert_cmpint (cJSON_GetObjectItem (item, "comparisons")->valueint, >, 2);
    for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
      n += strcmp (name, wanted[i]) == 0;
  }
  g_assert_cmpuint (n, ==, G_N_ELEMENTS (wanted));
  g_assert_cmpint (cJSON_GetObjectItem (json, "failed")->valueint, ==, 0);
  g_assert_null (cJSON_GetObjectItem (json, "tests")); /* no models */
}

/* The wrong operator is named, with the size of the difference; others are not blamed. */
static void
test_wrong_operator (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (
      fixture, "HYB_PRETEND=wrong=products hscope selftest --quick --operator dot --operator relu");
  if (lacks_compiler (fixture))
    return;
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_nonnull (strstr (fixture->out, "FAILED: the self-test found a difference of 0.00"));
  g_assert_nonnull (strstr (fixture->out, "\ndot   "));
  g_assert_nonnull (strstr (fixture->out, " tests failed: do not rely on this GPU.\n"));
  g_assert_null (strstr (strstr (fixture->out, "\nrelu   "), "FAILED"));
}

/* A launch that fails once is the fault of its operator; after one that spoils the GPU nothing more is
 * tested. */
static void
test_failing_operator (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture,
                    "HYB_PRETEND=fail=cuLaunchKernel:1:1 hscope selftest --quick --operator relu "
                    "--operator softmax");
  if (lacks_compiler (fixture))
    return;
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_nonnull (strstr (fixture->out, "FAILED: it failed in the self-test: "));
  g_assert_nonnull (strstr (fixture->out, "\nsoftmax   "));
  g_assert_null (strstr (fixture->out, "cannot go on"));

  fixture_run_line (fixture,
                    "HYB_PRETEND=fail=cuLaunchKernel:1:700 hscope selftest --quick --operator relu "
                    "--operator softmax");
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_nonnull (strstr (fixture->out, "\nThe GPU cannot go on: it failed in the self-test: "));
}

static void
test_usage (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture, "hscope selftest --operator no_such");
  if (lacks_compiler (fixture))
    return;
  g_assert_cmpint (fixture->code, ==, 2);
  g_assert_nonnull (strstr (fixture->err, "a GPU computes no operator of this name"));
  fixture_run_line (fixture, "HYB_PRETEND=device=none hscope selftest --operator dot");
  g_assert_cmpint (fixture->code, ==, 4);
}

#define ADD(name, function) \
  g_test_add ("/app/selftest/" name, Fixture, NULL, fixture_set_up, function, fixture_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("right-operators-pass", test_right_operators);
  ADD ("a-wrong-operator-is-named", test_wrong_operator);
  ADD ("a-failing-operator-is-named", test_failing_operator);
  ADD ("unknown-operators-and-absent-GPUs-are-refused", test_usage);
  return g_test_run ();
}
