/* test-fourier.c — tests of _contrib_fft and _contrib_ifft: samples and refusals for
 * op-check.h, and sums by definition.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "_contrib_fft", "power of two", NULL, { "f32[2,4]" } },
  { "_contrib_fft", "prime", NULL, { "f32[2,5]" } },
  { "_contrib_fft", "several factors", "compute_size=1", { "f32[1,1,2,12]" } },
  { "_contrib_fft", "one element", NULL, { "f32[2,1]" } },
  { "_contrib_fft", "no element", NULL, { "f32[2,0]" } },
  { "_contrib_ifft", "power of two", NULL, { "f32[2,8]" } },
  { "_contrib_ifft", "odd length", NULL, { "f32[2,6]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_contrib_fft", "three dimensions", NULL, { "f32[2,3,4]" }, "should have 2 or 4" },
  { "_contrib_ifft", "half a number", NULL, { "f32[2,5]" }, "should have an even number" },
  { 0 },
};

/* Σ x[n] exp (−2πi k n / N), element by element, for lengths with different factors. */
static void
test_equal_to_the_sum_by_definition (void)
{
  for (int n = 1; n <= 30; n++)
    {
      g_autofree char *type = g_strdup_printf ("f64[1,%d]", n);
      HybTensor       *x = op_tensor_from_text (type, 0);
      g_autoptr (HybTensor) y = op_run ("_contrib_fft", NULL, hyb_tensor_ref (x), NULL);
      g_autoptr (HybTensor) back = op_run ("_contrib_ifft", NULL, hyb_tensor_ref (y), NULL);

      for (int k = 0; k < n; k++)
        {
          double re = 0, im = 0;

          for (int i = 0; i < n; i++)
            {
              re += hyb_tensor_get_value (x, i) * cos (2 * G_PI * k * i / n);
              im -= hyb_tensor_get_value (x, i) * sin (2 * G_PI * k * i / n);
            }
          g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (y, 2 * k), re, 1e-12);
          g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (y, 2 * k + 1), im, 1e-12);
          g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (back, k),
                                          n * hyb_tensor_get_value (x, k), 1e-11);
        }
      hyb_tensor_unref (x);
    }
}

TEST_PROGRAM (test_fourier)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("fourier", hyb_ops_fourier, samples, refusals);
  g_test_add_func ("/engine/ops/fourier/equal-to-the-sum-by-definition",
                   test_equal_to_the_sum_by_definition);
  return g_test_run ();
}
