/* test-scaled-attention.c — tests of _scaled_attention by formula; tests/engine/passes/test-fuse-attention.c compares it with its
 * pieces.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

/* A float tensor of these numbers, rows × columns. */
static HybTensor *
matrix (gint64 rows, gint64 columns, const float *values)
{
  HybType type = { hyb_shape_2d (rows, columns), HYB_F32 };
  g_autoptr (GError) error = NULL;
  HybTensor *tensor = hyb_tensor_new (&type, &error);

  for (gint64 i = 0; i < rows * columns; i++)
    ((float *) hyb_tensor_get_data (tensor))[i] = values[i];
  return tensor;
}

static HybTensor *
truth (gint64 rows, gint64 columns, const guint8 *values)
{
  HybType type = { hyb_shape_2d (rows, columns), HYB_BOOL };
  g_autoptr (GError) error = NULL;
  HybTensor *tensor = hyb_tensor_new (&type, &error);

  for (gint64 i = 0; i < rows * columns; i++)
    ((guint8 *) hyb_tensor_get_data (tensor))[i] = values[i];
  return tensor;
}

#define Q matrix (2, 1, (const float[]){ 1, 2 })
#define K matrix (1, 3, (const float[]){ 0, 1, -1 })
#define V matrix (3, 1, (const float[]){ 3, 5, 7 })

static void
assert_rows (HybTensor *got, double first, double second)
{
  g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (got, 0), first, 1e-6);
  g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (got, 1), second, 1e-6);
}

static double
weighted (double scale, double a, double b, double c)
{
  double x = exp (a), y = exp (scale + b), z = exp (c - scale);

  return (3 * x + 5 * y + 7 * z) / (x + y + z);
}

static void
test_formula (void)
{
  g_autoptr (HybTensor) plain = op_run ("_scaled_attention", "scale=0.5", Q, K, V, NULL);
  g_autoptr (HybTensor) biased = op_run ("_scaled_attention", "scale=0.5 has_bias=True", Q, K, V,
                                         matrix (1, 3, (const float[]){ 0.25f, 0, -1 }), NULL);

  assert_rows (plain, weighted (0.5, 0, 0, 0), weighted (1, 0, 0, 0));
  assert_rows (biased, weighted (0.5, 0.25, 0, -1), weighted (1, 0.25, 0, -1));
}

/* Any byte but 0 is true. */
static void
test_masks (void)
{
  const float none = -INFINITY;
  g_autoptr (HybTensor) shown =
      op_run ("_scaled_attention", "has_mask=True", Q, K, V,
              truth (2, 3, (const guint8[]){ 1, 0, 0, 255, 7, 0 }), matrix (1, 1, &none), NULL);
  g_autoptr (HybTensor) hidden =
      op_run ("_scaled_attention", "has_mask=True is_inverted=True", Q, K, V,
              truth (2, 3, (const guint8[]){ 0, 2, 255, 0, 0, 1 }), matrix (1, 1, &none), NULL);

  assert_rows (shown, 3, (3 + 5 * exp (2)) / (1 + exp (2)));
  assert_rows (hidden, 3, (3 + 5 * exp (2)) / (1 + exp (2)));
}

TEST_PROGRAM (test_scaled_attention)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/ops/scaled-attention/formula", test_formula);
  g_test_add_func ("/engine/ops/scaled-attention/masks", test_masks);

  return g_test_run ();
}
