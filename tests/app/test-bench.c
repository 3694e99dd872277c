/* test-bench.c — hscope bench from outside: all forms of a cell compute the same, samples are
 * counted, and how much memory plans take.
 *
 * Times are not checked.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <math.h>

static void
run_case (Fixture *fixture, const char *form, const char *work)
{
  g_autofree char *name = g_strdup_printf ("rnn-%s-h16-t4-b2-%s", work, form);
  const char      *arguments[] = { HSCOPE, "bench",  "--case", name,     "--repeat",
                                   "3",    "--runs", "1",      "--json", NULL };

  fixture_run (fixture, (char **) arguments);
  g_assert_cmpint (fixture->code, ==, 0);
}

static void
test_forms_agree (Fixture *fixture, gconstpointer work)
{
  static const char *const forms[] = { "imperative", "cell", "unrolled", "foreach", "fused" };
  double                   first = NAN;

  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      g_autoptr (cJSON) json = NULL;
      const cJSON *checksum;

      run_case (fixture, forms[i], work);
      json = parse_output (fixture);
      checksum = cJSON_GetObjectItem (json, "checksum");
      g_test_message ("%s: %s", forms[i], fixture->out);
      g_assert_true (cJSON_IsNumber (checksum));
      if (i == 0)
        first = checksum->valuedouble;
      g_assert_cmpfloat_with_epsilon (checksum->valuedouble, first, 1e-5 * MAX (fabs (first), 1));
      g_assert_cmpint (cJSON_GetArraySize (cJSON_GetObjectItem (json, "seconds")), ==, 3);
    }
}

/* The block of memory of the plan of a training case. */
static double
find_plan_memory (Fixture *fixture, const char *name)
{
  const char *arguments[] = { HSCOPE, "bench",  "--case", name,     "--repeat",
                              "1",    "--runs", "1",      "--json", NULL };
  g_autoptr (cJSON) json = NULL;
  const cJSON *memory;

  fixture_run (fixture, (char **) arguments);
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  memory = cJSON_GetObjectItem (json, "plan_memory");
  g_assert_true (cJSON_IsNumber (memory));
  return memory->valuedouble;
}

/* Every operator's rows are collected once, and not at all where the loop has them in order: 1.24 times the
 * memory of the unrolled form, and 1.6 times if each gradient collects its own. */
static void
test_a_loop_collects_rows_once (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  double loop = find_plan_memory (fixture, "lstm-train-h64-t20-b8-foreach");
  double unrolled = find_plan_memory (fixture, "lstm-train-h64-t20-b8-unrolled");

  g_assert_cmpfloat (unrolled, >, 0);
  g_assert_cmpfloat (loop, <, 1.35 * unrolled);
}

TEST_PROGRAM (test_bench)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/app/bench/forms-of-a-cell-agree", Fixture, "infer", fixture_set_up,
              test_forms_agree, fixture_tear_down);
  g_test_add ("/app/bench/a-loop-collects-rows-once", Fixture, NULL, fixture_set_up,
              test_a_loop_collects_rows_once, fixture_tear_down);
  return g_test_run ();
}
