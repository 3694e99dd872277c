/* test-bench.c — hscope bench from outside: all forms of a cell compute the same, and samples are counted.
 *
 * Times are not checked.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"

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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/app/bench/forms-of-a-cell-agree",
              Fixture,
              "infer",
              fixture_set_up,
              test_forms_agree,
              fixture_tear_down);
  return g_test_run ();
}
