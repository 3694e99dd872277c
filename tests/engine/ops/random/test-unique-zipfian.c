/* test-unique-zipfian.c — tests of _sample_unique_zipfian: samples and refusals for
 * op-check.h, and that classes are different.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_sample_unique_zipfian", "plain", "range_max=100 shape=(2, 5)", { NULL } },
  { "_sample_unique_zipfian", "all classes", "range_max=5 shape=(1, 5)", { NULL } },
  { "_sample_unique_zipfian", "nothing", "range_max=5 shape=(0, 5)", { NULL } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_sample_unique_zipfian",
    "too many",
    "range_max=4 shape=(1, 5)",
    { NULL },
    "5 different classes cannot be drawn from 4" },
  { "_sample_unique_zipfian",
    "one size",
    "range_max=4 shape=(5,)",
    { NULL },
    "shape should have 2 sizes" },
  { 0 },
};

static void
test_classes_of_a_row_are_different (void)
{
  g_autoptr (HybTensor) y = op_run ("_sample_unique_zipfian", "range_max=50 shape=(3, 50)", NULL);

  for (int row = 0; row < 3; row++)
    {
      gboolean seen[50] = { FALSE };

      for (int i = 0; i < 50; i++)
        {
          int class = (int) hyb_tensor_get_value (y, row * 50 + i);

          g_assert_cmpint (class, >=, 0);
          g_assert_cmpint (class, <, 50);
          g_assert_false (seen[class]);
          seen[class] = TRUE;
        }
    }
}

/* log (2) / log (1001) = 0.1003; the deviation of the share of 20000 first draws is 0.0021. */
static void
test_the_first_class_has_its_probability (void)
{
  g_autoptr (HybTensor) y =
      op_run ("_sample_unique_zipfian", "range_max=1000 shape=(20000, 1)", NULL);
  double zeros = 0;

  for (int i = 0; i < 20000; i++)
    zeros += hyb_tensor_get_value (y, i) == 0;
  g_assert_cmpfloat_with_epsilon (zeros / 20000, 0.1003, 0.009);
}

TEST_PROGRAM (test_unique_zipfian)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("unique-zipfian", hyb_ops_unique_zipfian, samples, refusals);
  g_test_add_func ("/engine/ops/unique-zipfian/classes-of-a-row-are-different",
                   test_classes_of_a_row_are_different);
  g_test_add_func ("/engine/ops/unique-zipfian/the-first-class-has-its-probability",
                   test_the_first_class_has_its_probability);
  return g_test_run ();
}
