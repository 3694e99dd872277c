/* test-roi.c — ROIPooling, ROIAlign and RROIAlign: the checks of op-check.h on samples and refusals; regions
 * whose image does not exist.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include "engine/base/parallel.h"
#include "engine/base/random.h"

#include <math.h>

static const OpSample samples[] = {
  { "ROIPooling",
    "two regions",
    "pooled_size=(2, 2) spatial_scale=1.0",
    { "f32[1,2,5,5]", "f32[2,5] = 0,0,0,4,4,0,1,2,3,3" } },
  { "ROIPooling",
    "smaller than its cells",
    "pooled_size=(3, 2) spatial_scale=0.5",
    { "f32[2,1,4,4]", "f32[1,5] = 1,2,2,3,3" } },
  { "_contrib_ROIAlign",
    "an image without rows",
    "pooled_size=(2, 2) spatial_scale=1.0 sample_ratio=2",
    { "f32[1,2,0,5]", "f32[1,5] = 0,0,0,4,4" } },
  { "_contrib_ROIAlign",
    "given samples",
    "pooled_size=(2, 2) spatial_scale=1.0 sample_ratio=2",
    { "f32[1,2,5,5]", "f32[2,5] = 0,0.3,0.2,4.1,3.9,0,1,2,3,3" } },
  { "_contrib_ROIAlign",
    "samples by size, aligned",
    "pooled_size=(2, 3) spatial_scale=0.5 aligned=True",
    { "f32[2,1,5,5]", "f32[1,5] = 1,1.1,0.7,7.9,8.3" } },
  { "_contrib_ROIAlign",
    "channels by position",
    "pooled_size=(2, 2) spatial_scale=1.0 sample_ratio=1 position_sensitive=True",
    { "f32[1,4,4,4]", "f32[1,5] = 0,0.5,0.4,3.1,3.3" } },
  { "_contrib_RROIAlign",
    "turned by 30 and by -100 degrees",
    "pooled_size=(2, 3) spatial_scale=1.0 sampling_ratio=2",
    { "f32[1,2,5,5]", "f32[2,6] = 0,2.1,2.2,3,2,30,0,1.9,2.3,4,1.5,-100" } },
  { "_contrib_RROIAlign",
    "samples by size",
    "pooled_size=(1, 2) spatial_scale=0.5",
    { "f32[2,1,4,4]", "f32[1,6] = 1,3.1,3.3,4.2,2.4,60" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "ROIPooling",
    "regions of four numbers",
    "pooled_size=(2, 2) spatial_scale=1.0",
    { "f32[1,1,3,3]", "f32[1,4]" },
    "rois: " },
  { "ROIPooling",
    "no cell",
    "pooled_size=(0, 2) spatial_scale=1.0",
    { "f32[1,1,3,3]", "f32[1,5]" },
    "pooled_size" },
  { "_contrib_ROIAlign",
    "channels that cannot be split",
    "pooled_size=(2, 2) spatial_scale=1.0 position_sensitive=True",
    { "f32[1,3,4,4]", "f32[1,5]" },
    "3 channels cannot be split" },
  { 0 },
};

/* A quarter turn of a whole image, whose cells are sampled at their corners. */
static void
test_a_quarter_turn_turns_the_image (void)
{
  g_autoptr (HybTensor) turned =
      op_run ("_contrib_RROIAlign", "pooled_size=(2, 2) spatial_scale=1.0 sampling_ratio=1",
              op_tensor ("f64[1,1,2,2]", 1., 2., 3., 4.),
              op_tensor ("f64[1,6]", 0., 0.5, 0.5, 2., 2., 90.), NULL);

  op_assert_near (turned, 1e-7, 3., 1., 4., 2.);
}

static void
test_a_region_of_no_image_gives_zero (void)
{
  g_autoptr (HybTensor) pooled =
      op_run ("ROIPooling", "pooled_size=(1, 1) spatial_scale=1.0", op_tensor ("f32[1,1,1,1]", 7.),
              op_tensor ("f32[3,5]", 5., 0., 0., 1., 1., -1., 0., 0., 1., 1., NAN, 0., 0., 1., 1.),
              NULL);
  g_autoptr (HybTensor) aligned =
      op_run ("_contrib_ROIAlign", "pooled_size=(1, 1) spatial_scale=1.0",
              op_tensor ("f32[1,1,1,1]", 7.),
              op_tensor ("f32[2,5]", 5., 0., 0., 1., 1., 0., -1e30, -1e30, 1e30, NAN), NULL);

  op_assert_near (pooled, 0, 0., 0., 7.);
  op_assert_near (aligned, 0, 0., 0.);
}

/* Numbers in an array of this shape. */
static HybTensor *
many_numbers (HybShape shape, double scale)
{
  HybTensor *tensor = hyb_tensor_new (&(HybType){ shape, HYB_F32 }, NULL);
  float     *values = hyb_tensor_get_data (tensor);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    values[i] = (float) (scale * hyb_random_uniform (1, (guint64) i));
  return tensor;
}

/* Enough cells and channels of regions for several threads. */
/* Samples up to a cell outside of an image have the value at its edge, which an image without cells does not have. */
static void
test_images_without_cells_give_zero (void)
{
  static const char *const images[] = { "f32[1,1,0,0]", "f32[1,1,0,3]", "f32[1,1,3,0]" };
  static const char *const attributes[] = {
    "pooled_size=(1, 1) spatial_scale=1.0 sample_ratio=2",
    "pooled_size=(1, 1) spatial_scale=1.0 sample_ratio=2 position_sensitive=True",
  };

  for (guint i = 0; i < G_N_ELEMENTS (images) * G_N_ELEMENTS (attributes); i++)
    {
      g_autoptr (HybTensor) aligned =
          op_run ("_contrib_ROIAlign", attributes[i / G_N_ELEMENTS (images)],
                  op_tensor (images[i % G_N_ELEMENTS (images)]),
                  op_tensor ("f32[2,5]", 0., -1., -1., -0.2, -0.2, 0., -0.5, -0.5, 0.5, 0.5), NULL);

      op_assert_near (aligned, 0, 0., 0.);
    }
}

static void
test_threads_change_no_byte (void)
{
  static const char *const names[] = { "ROIPooling", "_contrib_ROIAlign" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (HybTensor) first = NULL;

      for (guint threads = 1; threads <= 3; threads++)
        {
          g_autoptr (HybTensor) now = NULL;

          hyb_parallel_set_threads (threads);
          now = op_run (names[i], "pooled_size=(3, 2) spatial_scale=1.0",
                        many_numbers (hyb_shape_4d (2, 24, 9, 8), 1),
                        many_numbers (hyb_shape_2d (35, 5), 9), NULL);
          if (first)
            g_assert_cmpmem (hyb_tensor_get_data (now), hyb_tensor_get_bytes (now),
                             hyb_tensor_get_data (first), hyb_tensor_get_bytes (first));
          else
            first = g_steal_pointer (&now);
        }
      hyb_parallel_set_threads (0);
    }
}

/* A small region may take as much work as a large one. */
static void
test_samples_are_work (void)
{
  static const struct
  {
    const char *ratio;
    double      flops;
  } cases[] = {
    { "-1", 8 * 4 }, { "1", 8 * 4 }, { "10", 8 * 4 * 100 }, { "1000000000", 8. * 4 * 4096 * 4096 }
  };
  const HybOp *op = hyb_op_find ("_contrib_RROIAlign");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *const attributes[] = { "pooled_size", "(2, 2)",         "spatial_scale",
                                         "1.0",         "sampling_ratio", cases[i].ratio,
                                         NULL };
      HybType           types[] = { { hyb_shape_4d (1, 1, 5, 5), HYB_F32 },
                                    { hyb_shape_2d (1, 6), HYB_F32 },
                                    { hyb_shape_4d (1, 1, 2, 2), HYB_F32 } };
      gpointer params = hyb_params_parse (op->params, op->params_size, attributes, NULL, NULL);
      HybCall  call = { .op = op,
                        .params = params,
                        .n_inputs = 2,
                        .n_outputs = 1,
                        .input = types,
                        .output = types + 2 };
      HybCost  cost = { 0 };

      op->cost (&call, &cost);
      g_assert_cmpfloat (cost.flops, ==, cases[i].flops);
      hyb_params_unref (params);
    }
}

TEST_PROGRAM (test_roi)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("roi", hyb_ops_roi, samples, refusals);
  g_test_add_func ("/engine/ops/roi/a-quarter-turn-turns-the-image",
                   test_a_quarter_turn_turns_the_image);
  g_test_add_func ("/engine/ops/roi/a-region-of-no-image-gives-zero",
                   test_a_region_of_no_image_gives_zero);
  g_test_add_func ("/engine/ops/roi/threads-change-no-byte", test_threads_change_no_byte);
  g_test_add_func ("/engine/ops/roi/samples-are-work", test_samples_are_work);

  g_test_add_func ("/engine/ops/roi/images-without-cells-give-zero",
                   test_images_without_cells_give_zero);
  return g_test_run ();
}
