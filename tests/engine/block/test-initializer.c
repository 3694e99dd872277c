/* test-initializer.c — initial values of parameters.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/initializer.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

static HybTensor *
filled (HybShape shape, const char *init)
{
  HybTensor *tensor = hyb_tensor_new_float (shape.rank, shape.dim, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (hyb_initializer_fill (tensor, "w", init, 5, &error));
  g_assert_no_error (error);
  return tensor;
}

static double
at (HybTensor *tensor, gint64 index)
{
  return hyb_tensor_get_value (tensor, index);
}

static double
largest (HybTensor *tensor)
{
  double most = 0;

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    most = MAX (most, fabs (at (tensor, i)));
  return most;
}

static void
test_xavier_keeps_its_bound (void)
{
  g_autoptr (HybTensor) mean = filled (hyb_shape_2d (40, 8), "xavier");
  g_autoptr (HybTensor) in =
      filled (hyb_shape_2d (40, 8), "[\"xavier\", {\"factor_type\": \"in\", \"magnitude\": 2}]");

  g_assert_cmpfloat (largest (mean), <=, sqrt (3 / 24.));
  g_assert_cmpfloat (largest (mean), >, 0.8 * sqrt (3 / 24.));
  g_assert_cmpfloat (largest (in), <=, sqrt (2 / 8.));
  g_assert_cmpfloat (largest (in), >, 0.8 * sqrt (2 / 8.));
}

static void
test_orthogonal_rows_are_at_right_angles (void)
{
  const HybShape shapes[] = { hyb_shape_2d (3, 5), hyb_shape_2d (5, 3) };

  for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
    {
      g_autoptr (HybTensor) w = filled (shapes[s], "[\"orthogonal\", {\"scale\": 2}]");
      gint64   n = shapes[s].dim[0], m = shapes[s].dim[1];
      gboolean tall = n > m;

      for (gint64 i = 0; i < MIN (n, m); i++)
        for (gint64 k = 0; k < MIN (n, m); k++)
          {
            double sum = 0;

            for (gint64 j = 0; j < MAX (n, m); j++)
              sum += tall ? at (w, j * m + i) * at (w, j * m + k)
                          : at (w, i * m + j) * at (w, k * m + j);
            g_assert_cmpfloat_with_epsilon (sum, i == k ? 4 : 0, 1e-5);
          }
    }
}

/* The weights with which MXNet's UpSampling starts at scale 2. */
static void
test_bilinear_is_a_tent (void)
{
  static const double row[] = { 0.25, 0.75, 0.75, 0.25 };
  g_autoptr (HybTensor) w = filled (hyb_shape_4d (1, 1, 4, 4), "bilinear");

  for (gint64 i = 0; i < 16; i++)
    g_assert_cmpfloat_with_epsilon (at (w, i), row[i / 4] * row[i % 4], 1e-6);
}

static void
test_forget_gates_start_open (void)
{
  g_autoptr (HybTensor) bias = filled (hyb_shape_1d (8), "lstmbias");
  /* One layer of 2 units over 3 inputs: 8 × (3 + 2) weights, 16 biases. */
  g_autoptr (HybTensor) fused =
      filled (hyb_shape_1d (56),
              "[\"fusedrnn\", {\"num_hidden\": 2, \"num_layers\": 1, \"mode\": \"lstm\", "
              "\"bidirectional\": false, \"forget_bias\": 1.5}]");

  for (gint64 i = 0; i < 8; i++)
    g_assert_cmpfloat (at (bias, i), ==, i == 2 || i == 3 ? 1 : 0);
  for (gint64 i = 40; i < 56; i++)
    g_assert_cmpfloat (at (fused, i), ==, i == 42 || i == 43 ? 1.5 : 0);
  g_assert_cmpfloat (fabs (at (fused, 0)), >, 0);
}

/* More biases than there are elements: all of them are biases. */
static void
test_sizes_beyond_the_tensor (void)
{
  static const char *const sizes[] = { "4611686018427387904", "1e300", "inf" };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *init =
          g_strdup_printf ("[\"fusedrnn\", {\"num_hidden\": %s, \"num_layers\": 1, \"mode\": "
                           "\"gru\", \"bidirectional\": false}]",
                           sizes[i]);
      g_autoptr (HybTensor) fused = filled (hyb_shape_1d (56), init);

      for (gint64 k = 0; k < 56; k++)
        g_assert_cmpfloat (at (fused, k), ==, 0);
    }
}

static void
test_unknown_ones_are_refused (void)
{
  gint64 four = 4;
  g_autoptr (HybTensor) tensor = hyb_tensor_new_float (1, &four, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_false (hyb_initializer_fill (tensor, "net_w", "magic", 1, &error));
  g_assert_nonnull (strstr (error->message, "net_w"));
  g_assert_nonnull (strstr (error->message, "magic"));
  g_assert_nonnull (strstr (error->message, "orthogonal"));
}

TEST_PROGRAM (test_initializer)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/block/initializer/xavier-keeps-its-bound", test_xavier_keeps_its_bound);
  g_test_add_func ("/engine/block/initializer/orthogonal-rows-are-at-right-angles",
                   test_orthogonal_rows_are_at_right_angles);
  g_test_add_func ("/engine/block/initializer/bilinear-is-a-tent", test_bilinear_is_a_tent);
  g_test_add_func ("/engine/block/initializer/forget-gates-start-open",
                   test_forget_gates_start_open);
  g_test_add_func ("/engine/block/initializer/sizes-beyond-the-tensor",
                   test_sizes_beyond_the_tensor);
  g_test_add_func ("/engine/block/initializer/unknown-ones-are-refused",
                   test_unknown_ones_are_refused);
  return g_test_run ();
}
