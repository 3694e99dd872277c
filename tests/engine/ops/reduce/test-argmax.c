/* test-argmax.c — tests of argmax, argmin and argmax_channel: samples and refusals for op-check.h, and
 * the treatment of equal elements and NaN.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "_npi_argmax _npi_argmin", "last axis", "axis=-1", { "f32[3,4]" } },
  { "_npi_argmax _npi_argmin", "vector", "axis=0", { "i32[4]" } },
  { "_npi_argmax _npi_argmin", "flattened", NULL, { "f32[3,4]" } },
  { "_npi_argmax _npi_argmin", "flattened, axes kept", "keepdims=True", { "f64[3,4]" } },
  { "_npi_argmax _npi_argmin", "no dimensions", NULL, { "f32[]" } },
  { "argmax argmin", "last axis", "axis=-1", { "f32[3,4]" } },
  { "argmax argmin", "kept axis", "axis=0 keepdims=True", { "f32[3,4]" } },
  { "argmax argmin", "flattened", NULL, { "f32[3,4]" } },
  { "argmax argmin", "flattened, axes kept", "keepdims=True", { "f32[3,4]" } },
  { "argmax argmin", "integers", "axis=1", { "i32[3,4]" } },
  { "argmax argmin", "half floats", "axis=1", { "f16[3,4]" } },
  { "argmax argmin", "no lines", "axis=1", { "f32[2,3,0]" } },
  { "argmax argmin", "no columns", "axis=1", { "f32[0,3]" } },
  { "argmax_channel", "matrix", NULL, { "f32[3,4]" } },
  { "argmax_channel", "images", NULL, { "f32[2,3,2,2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "argmax", "axis outside", "axis=2", { "f32[3,4]" }, "axis 2 is outside" },
  { "argmin", "empty axis", "axis=1", { "f32[3,0]" }, "axis 1 is empty" },
  { "argmax_channel", "one dimension", NULL, { "f32[3]" }, "axis 1 is outside" },
  { 0 },
};

static void
test_the_first_of_equals_counts (void)
{
  g_autoptr (HybTensor) x = op_tensor ("f32[2,4]", 1., 3., 3., 1., 0., 0., -1., -1.);
  g_autoptr (HybTensor) most = op_run ("argmax", "axis=1", hyb_tensor_ref (x), NULL);
  g_autoptr (HybTensor) least = op_run ("argmin", "axis=1", hyb_tensor_ref (x), NULL);

  op_assert_type (most, "float32 (2,)");
  op_assert_near (most, 0, 1., 0.);
  op_assert_near (least, 0, 0., 2.);
}

static void
test_the_first_nan_is_extreme (void)
{
  g_autoptr (HybTensor) x = op_tensor ("f32[2,3]", 5., NAN, 9., NAN, -7., NAN);
  g_autoptr (HybTensor) most = op_run ("argmax", "axis=1", hyb_tensor_ref (x), NULL);
  g_autoptr (HybTensor) least = op_run ("argmin", "axis=1", hyb_tensor_ref (x), NULL);

  op_assert_near (most, 0, 1., 0.);
  op_assert_near (least, 0, 1., 0.);
}

/* The index of the extreme element of a line whose elements are `stride` apart, by a plain loop. */
static gint64
find_extreme (const float *x, gint64 length, gint64 stride, gboolean is_smallest)
{
  gint64 best = 0;

  for (gint64 k = 0; k < length; k++)
    {
      float value = x[k * stride], old = x[best * stride];

      if (isnan (value))
        return k;
      if (is_smallest ? value < old : value > old)
        best = k;
    }
  return best;
}

/* Lines are searched in groups of 64 that lie side by side, a line of the last axis in 16 parts; many elements are equal
 * and some are NaN. */
static void
test_all_lengths_and_widths_are_searched (void)
{
  for (int round = 0; round < 600; round++)
    {
      gint64  length = g_test_rand_int_range (1, 70);
      gint64  inner = round % 2 ? 1 : g_test_rand_int_range (1, 140);
      HybType type = { hyb_shape_3d (2, length, inner), HYB_F32 };
      g_autoptr (HybTensor) x = hyb_tensor_new (&type, NULL);
      float *from = hyb_tensor_get_data (x);

      for (gint64 i = 0; i < 2 * length * inner; i++)
        from[i] = g_test_rand_int_range (0, 150) == 0 ? NAN : (float) g_test_rand_int_range (-3, 4);
      for (int is_smallest = 0; is_smallest < 2; is_smallest++)
        {
          g_autoptr (HybTensor) y =
              op_run (is_smallest ? "argmin" : "argmax", "axis=1", hyb_tensor_ref (x), NULL);

          for (gint64 i = 0; i < 2 * inner; i++)
            g_assert_cmpint ((gint64) ((float *) hyb_tensor_get_data (y))[i], ==,
                             find_extreme (from + i / inner * length * inner + i % inner, length,
                                           inner, is_smallest));
        }
    }
}

TEST_PROGRAM (test_argmax)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("argmax", hyb_ops_argmax, samples, refusals);
  g_test_add_func ("/engine/ops/argmax/the-first-of-equals-counts",
                   test_the_first_of_equals_counts);
  g_test_add_func ("/engine/ops/argmax/the-first-nan-is-extreme", test_the_first_nan_is_extreme);
  g_test_add_func ("/engine/ops/argmax/all-lengths-and-widths-are-searched",
                   test_all_lengths_and_widths_are_searched);

  return g_test_run ();
}
