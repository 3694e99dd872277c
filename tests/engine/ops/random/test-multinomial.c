/* test-multinomial.c — tests of _sample_multinomial and _shuffle: samples and refusals for
 * op-check.h, the frequencies of draws, and that shuffling permutes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "_sample_multinomial", "one row", NULL, { "f32[3] = 0.2,0.3,0.5" } },
  { "_sample_multinomial", "several rows", "shape=(4,)", { "f32[2,3] = 0.2,0.3,0.5" } },
  { "_sample_multinomial",
    "with probabilities",
    "shape=(2,2) get_prob=True",
    { "f32[2,3] = 0.2,0.3,0.5,0.1,0.6,0.3" } },
  { "_sample_multinomial", "classes as floats", "dtype=float32", { "f64[2,2] = 0.5" } },
  { "_shuffle", "rows", NULL, { "f32[5,2]" }, OP_SKIP_GRADIENT },
  { "_shuffle", "integers", NULL, { "i64[7]" } },
  { "_shuffle", "nothing", NULL, { "f32[0,2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_sample_multinomial", "no class", NULL, { "f32[2,0]" }, "no classes to draw from" },
  { 0 },
};

static void
test_frequencies_are_probabilities (void)
{
  g_autoptr (HybTensor) y = op_run ("_sample_multinomial", "shape=(30000,)",
                                    op_tensor ("f32[4]", 0.1, 0., 0.6, 0.3), NULL);
  int counts[4] = { 0 };

  for (gint64 i = 0; i < 30000; i++)
    counts[(int) hyb_tensor_get_value (y, i)]++;
  g_assert_cmpfloat (fabs (counts[0] / 30000. - 0.1), <, 0.01);
  g_assert_cmpint (counts[1], ==, 0);
  g_assert_cmpfloat (fabs (counts[2] / 30000. - 0.6), <, 0.015);
}

static void
test_probabilities_belong_to_what_was_drawn (void)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  g_autoptr (GPtrArray) outputs = NULL;
  const double p[] = { 0.25, 0.75 };

  g_ptr_array_add (inputs, op_tensor ("f32[2]", p[0], p[1]));
  outputs = op_run_all ("_sample_multinomial", "shape=(20,) get_prob=True", FALSE, inputs);
  for (gint64 i = 0; i < 20; i++)
    g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (outputs->pdata[1], i),
                                    log (p[(int) hyb_tensor_get_value (outputs->pdata[0], i)]),
                                    1e-6);
}

/* The gradient has the shape of the probabilities, and there is one incoming gradient for each draw. */
static void
test_gradient_has_the_shape_of_the_probabilities (void)
{
  static const struct
  {
    gint64   columns, draws;
    gboolean fits;
  } cases[] = { { 3, 4, TRUE }, { 2, 4, FALSE }, { 3, 5, FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const HybOp *op = hyb_op_find ("_backward_sample_multinomial");
      g_autoptr (GError) error = NULL;
      HybType types[] = {
        { hyb_shape_2d (2, cases[i].draws), HYB_F32 }, /* incoming */
        { hyb_shape_2d (2, 3), HYB_F32 },              /* probabilities */
        { hyb_shape_2d (2, 4), HYB_I32 },              /* what was drawn */
        { hyb_shape_2d (2, cases[i].columns), HYB_F32 },
      };
      HybCall call = {
        .op = op, .input = types, .n_inputs = 3, .output = types + 3, .n_outputs = 1
      };

      g_assert_cmpint (op->infer_shape (&call, &error), ==, cases[i].fits);
      g_assert_cmpint (!error, ==, cases[i].fits);
    }
}

static void
test_shuffling_keeps_rows (void)
{
  HybTensor *x = op_tensor_from_text ("f32[50,2]", 0);
  g_autoptr (HybTensor) y = op_run ("_shuffle", NULL, hyb_tensor_ref (x), NULL);
  gboolean seen[50] = { FALSE }, moved = FALSE;

  for (gint64 i = 0; i < 50; i++)
    for (gint64 j = 0; j < 50; j++)
      if (hyb_tensor_get_value (y, 2 * i) == hyb_tensor_get_value (x, 2 * j) &&
          hyb_tensor_get_value (y, 2 * i + 1) == hyb_tensor_get_value (x, 2 * j + 1))
        {
          g_assert_false (seen[j]);
          seen[j] = TRUE;
          moved |= i != j;
        }
  for (gint64 j = 0; j < 50; j++)
    g_assert_true (seen[j]);
  g_assert_true (moved);
  hyb_tensor_unref (x);
}

TEST_PROGRAM (test_multinomial)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("multinomial", hyb_ops_multinomial, samples, refusals);
#define ADD(name, function) g_test_add_func ("/engine/ops/multinomial/" name, function)
  ADD ("frequencies-are-probabilities", test_frequencies_are_probabilities);
  ADD ("probabilities-belong-to-what-was-drawn", test_probabilities_belong_to_what_was_drawn);
  ADD ("gradient-has-the-shape-of-the-probabilities",
       test_gradient_has_the_shape_of_the_probabilities);
  ADD ("shuffling-keeps-rows", test_shuffling_keeps_rows);
#undef ADD

  return g_test_run ();
}
