/* test-pooling.c — Pooling: the checks of op-check.h on samples and refusals; padding in maxima and
 * averages, the last window.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "Pooling", "largest", "kernel=(2, 2) stride=(2, 2)", { "f32[1,2,5,5]" } },
  { "Pooling", "largest of many pairs", "kernel=(2, 2) stride=(2, 2)", { "f32[2,1,6,22]" } },
  { "Pooling", "largest in space", "kernel=(2, 2, 2) stride=(2, 1, 2)", { "f32[1,1,4,3,4]" } },
  { "Pooling",
    "last window hangs over",
    "kernel=(3, 3) stride=(2, 2) pad=(1, 1) pooling_convention=full",
    { "f32[1,1,6,6]" } },
  { "Pooling",
    "average",
    "pool_type=avg kernel=(3, 3) stride=(2, 2) pad=(1, 1)",
    { "f32[2,1,4,5]" } },
  { "Pooling",
    "average without padding",
    "pool_type=avg kernel=(3, 3) stride=(2, 2) pad=(1, 1) count_include_pad=False",
    { "f32[1,1,4,4]" } },
  { "Pooling", "sum of a line", "pool_type=sum kernel=(3,) stride=(2,)", { "f32[1,2,7]" } },
  { "Pooling", "norm of degree 1", "pool_type=lp p_value=1 kernel=(2, 2)", { "f32[1,1,3,3]" } },
  { "Pooling", "norm of degree 2", "pool_type=lp p_value=2 kernel=(2, 2)", { "f32[1,1,3,3]" } },
  { "Pooling",
    "norm of degree 3",
    "pool_type=lp p_value=3 kernel=(2, 2)",
    { "f32[1,1,3,3] 0.5..2" } },
  { "Pooling", "global", "global_pool=True pool_type=avg kernel=(2, 2)", { "f32[2,2,3,3]" } },
  { "Pooling",
    "same",
    "kernel=(3,) stride=(2,) pad=(0, 0, 0) pooling_convention=same pool_type=avg",
    { "f32[2,2,5]" } },
  { "Pooling", "global without kernel", "global_pool=True", { "f32[2,2,4]" } },
  { "Pooling", "channels last", "kernel=(2, 2) layout=NHWC", { "f32[2,3,3,2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "Pooling", "kernel larger than the data", "kernel=(5, 5)", { "f32[1,1,3,3]" }, "5 cells" },
  { "Pooling",
    "data without spatial axes enough",
    "kernel=(2, 2)",
    { "f32[1,3,4]" },
    "4 dimensions" },
  { "Pooling", "norm without degree", "kernel=(2, 2) pool_type=lp", { "f32[1,1,3,3]" }, "p_value" },
  { "Pooling",
    "same windows without a pad of three zeros",
    "kernel=(2,) pooling_convention=same",
    { "f32[1,1,3]" },
    "the pad (0, 0, 0)" },
  { "Pooling",
    "same windows over two axes",
    "kernel=(2, 2) pad=(0, 0, 0) pooling_convention=same",
    { "f32[1,1,3,3]" },
    "over one axis" },
  { "Pooling", "no kernel", NULL, { "f32[1,1,3,3]" }, "kernel" },
  { 0 },
};

static void
test_padding_never_wins (void)
{
  g_autoptr (HybTensor) y =
      op_run ("Pooling", "kernel=(2,) pad=(1,)", op_tensor ("f32[1,1,2]", -3., -5.), NULL);

  op_assert_near (y, 0, -3., -3., -5.);
}

/* NaN is never larger, as with other windows; the last column and row are left over. */
static void
test_halving_skips_nan (void)
{
  g_autoptr (HybTensor) y = op_run ("Pooling", "kernel=(2, 2) stride=(2, 2)",
                                    op_tensor ("f32[1,1,3,5]", 1., (double) NAN, -2., -3., 9., 0.,
                                               0.5, -1., -4., 9., 9., 9., 9., 9., 9.),
                                    NULL);

  op_assert_near (y, 0, 1., -1.);
}

/* Rows of 1 to 40 windows: every remainder after whole vectors. */
static void
test_halving_of_every_width (void)
{
  for (gint64 width = 2; width <= 80; width += 2)
    {
      g_autofree char  *description = g_strdup_printf ("f32[1,1,2,%d]", (int) width);
      HybTensor        *x = op_tensor_from_text (description, 0);
      float            *cell = hyb_tensor_get_data (x);
      g_autofree float *want = g_new (float, width / 2);
      g_autoptr (HybTensor) y = NULL;

      for (gint64 i = 0; i < 2 * width; i++)
        cell[i] = (float) ((i * 37 + width) % 101) - 50;
      for (gint64 k = 0; k < width / 2; k++)
        want[k] = MAX (MAX (cell[2 * k], cell[2 * k + 1]),
                       MAX (cell[width + 2 * k], cell[width + 2 * k + 1]));
      y = op_run ("Pooling", "kernel=(2, 2) stride=(2, 2)", x, NULL);
      g_assert_cmpmem (hyb_tensor_get_data (y), sizeof (float) * (gsize) (width / 2), want,
                       sizeof (float) * (gsize) (width / 2));
    }
}

static void
test_averages_do_not_count_cells_beyond_the_padding (void)
{
  g_autoptr (HybTensor) y =
      op_run ("Pooling", "kernel=(2,) stride=(2,) pool_type=avg pooling_convention=full",
              op_tensor ("f32[1,1,3]", 2., 4., 6.), NULL);

  op_assert_near (y, 0, 3., 6.);
}

static void
test_the_last_window_divides_by_what_is_left_of_it (void)
{
  g_autoptr (HybTensor) y =
      op_run ("Pooling", "kernel=(3,) stride=(2,) pad=(1,) pool_type=avg pooling_convention=full",
              op_tensor ("f32[1,1,4]", 1., 2., 3., 4.), NULL);

  op_assert_near (y, 1e-6, 1., 3., 2.);
}

TEST_PROGRAM (test_pooling)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("pooling", hyb_ops_pooling, samples, refusals);
  g_test_add_func ("/engine/ops/pooling/padding-never-wins", test_padding_never_wins);
  g_test_add_func ("/engine/ops/pooling/halving-skips-nan", test_halving_skips_nan);
  g_test_add_func ("/engine/ops/pooling/halving-of-every-width", test_halving_of_every_width);
  g_test_add_func ("/engine/ops/pooling/averages-do-not-count-cells-beyond-the-padding",
                   test_averages_do_not_count_cells_beyond_the_padding);
  g_test_add_func ("/engine/ops/pooling/the-last-window-divides-by-what-is-left-of-it",
                   test_the_last_window_divides_by_what_is_left_of_it);

  return g_test_run ();
}
