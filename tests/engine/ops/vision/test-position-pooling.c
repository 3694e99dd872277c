/* test-position-pooling.c — PSROIPooling and DeformablePSROIPooling: the checks of op-check.h on
 * samples and refusals; regions whose image does not exist.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "_contrib_PSROIPooling",
    "two regions",
    "spatial_scale=1.0 output_dim=2 pooled_size=2",
    { "f32[1,8,4,4]", "f32[2,5] = 0,0,0,3,3,0,1,2,2,3" } },
  { "_contrib_PSROIPooling",
    "other groups than cells",
    "spatial_scale=0.5 output_dim=1 pooled_size=3 group_size=2",
    { "f32[2,4,3,3]", "f32[1,5] = 1,0,1,5,4" } },
  { "_contrib_DeformablePSROIPooling",
    "parts of two classes",
    "spatial_scale=1.0 output_dim=2 group_size=2 pooled_size=2 sample_per_part=2 trans_std=0.1",
    { "f32[1,8,4,4]", "f32[2,5] = 0,0,0,3,3,0,1,1,2,3", "f32[2,4,2,2]" } },
  { "_contrib_DeformablePSROIPooling",
    "larger parts than cells",
    "spatial_scale=0.5 output_dim=1 group_size=1 pooled_size=3 part_size=2 sample_per_part=2 "
    "trans_std=0.2",
    { "f32[2,1,4,4]", "f32[1,5] = 1,1,1,5,4", "f32[1,2,2,2]" } },
  { "_contrib_DeformablePSROIPooling",
    "not moved",
    "spatial_scale=1.0 output_dim=2 group_size=1 pooled_size=2 no_trans=True",
    { "f32[1,2,3,3]", "f32[1,5] = 0,0,0,2,2" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_contrib_PSROIPooling",
    "too few channels",
    "spatial_scale=1.0 output_dim=2 pooled_size=2",
    { "f32[1,7,4,4]", "f32[1,5]" },
    "data has 7 channels but 8 are read" },
  { "_contrib_PSROIPooling",
    "regions of four numbers",
    "spatial_scale=1.0 output_dim=1 pooled_size=1",
    { "f32[1,1,4,4]", "f32[1,4]" },
    "rois: " },
  { "_contrib_PSROIPooling",
    "scale above 1",
    "spatial_scale=2.0 output_dim=1 pooled_size=1",
    { "f32[1,1,4,4]", "f32[1,5]" },
    "spatial_scale" },
  { "_contrib_DeformablePSROIPooling",
    "movements of other classes",
    "spatial_scale=1.0 output_dim=3 group_size=1 pooled_size=1",
    { "f32[1,3,4,4]", "f32[1,5]", "f32[1,4,1,1]" },
    "trans has 4 channels" },
  { "_contrib_DeformablePSROIPooling",
    "movements of other parts",
    "spatial_scale=1.0 output_dim=1 group_size=1 pooled_size=1",
    { "f32[1,1,4,4]", "f32[1,5]", "f32[1,2,2,1]" },
    "trans: " },
  { 0 },
};

static void
test_a_region_of_no_image_gives_zero (void)
{
  g_autoptr (HybTensor) pooled =
      op_run ("_contrib_PSROIPooling", "pooled_size=1 output_dim=1 spatial_scale=1.0",
              op_tensor ("f32[1,1,1,1]", 7.),
              op_tensor ("f32[4,5]", 1., 0., 0., 1., 1., -1., 0., 0., 1., 1., NAN, 0., 0., 1., 1.,
                         0., -1e30, -1e30, 1e30, 1e30),
              NULL);
  g_autoptr (HybTensor) deformed =
      op_run ("_contrib_DeformablePSROIPooling",
              "pooled_size=1 output_dim=1 group_size=1 spatial_scale=1.0 no_trans=True",
              op_tensor ("f32[1,1,1,1]", 7.),
              op_tensor ("f32[3,5]", 1., 0., 0., 1., 1., 0., 0., 0., 0., 0., 0., NAN, 0., 1e30, 1.),
              NULL);

  op_assert_near (pooled, 0, 0., 0., 7., 7.);
  op_assert_near (deformed, 0, 0., 7., 0.);
}

/* A small region may take as much work as a large one; of its gradient, parts are those of the incoming one. */
static void
test_samples_are_work (void)
{
  static const char *const names[] = { "_contrib_DeformablePSROIPooling",
                                       "_backward_DeformablePSROIPooling" };
  static const char *const attributes[] = {
    "spatial_scale",   "1.0",  "output_dim", "1",    "group_size", "2", "pooled_size", "2",
    "sample_per_part", "4096", "no_trans",   "True", NULL
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const HybOp *op = hyb_op_find (names[i]);
      HybType      data = { hyb_shape_4d (1, 4, 5, 5), HYB_F32 };
      HybType      rois = { hyb_shape_2d (3, 5), HYB_F32 };
      HybType      parts = { hyb_shape_4d (3, 1, 2, 2), HYB_F32 };
      HybType      forward[] = { data, rois, parts, parts };
      HybType      backward[] = { parts, rois, data, data };
      gpointer     params = hyb_params_parse (op->params, op->params_size, attributes, NULL, NULL);
      HybCall      call = { .op = op,
                            .params = params,
                            .n_inputs = i == 0 ? 2 : 3,
                            .n_outputs = i == 0 ? 2 : 1,
                            .input = i == 0 ? forward : backward,
                            .output = i == 0 ? forward + 2 : backward + 3 };
      HybCost      cost = { 0 };

      op->cost (&call, &cost);
      g_assert_cmpfloat (cost.flops, ==, 12. * 12 * 4096 * 4096);
      hyb_params_unref (params);
    }
}

/* Regions that begin at the edge of an image without cells. */
static void
test_images_without_cells_give_zero (void)
{
  static const char *const images[] = { "f32[1,1,0,0]", "f32[1,1,0,3]", "f32[1,1,3,0]" };

  for (guint i = 0; i < G_N_ELEMENTS (images); i++)
    {
      g_autoptr (HybTensor) deformed =
          op_run ("_contrib_DeformablePSROIPooling",
                  "pooled_size=1 output_dim=1 group_size=1 spatial_scale=1.0 no_trans=True",
                  op_tensor (images[i]),
                  op_tensor ("f32[2,5]", 0., 0., 0., 0., 0., 0., 1., 1., 2., 2.), NULL);

      op_assert_near (deformed, 0, 0., 0.);
    }
}

TEST_PROGRAM (test_position_pooling)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("position-pooling", hyb_ops_position_pooling, samples, refusals);
  g_test_add_func ("/engine/ops/position-pooling/a-region-of-no-image-gives-zero",
                   test_a_region_of_no_image_gives_zero);
  g_test_add_func ("/engine/ops/position-pooling/samples-are-work", test_samples_are_work);

  g_test_add_func ("/engine/ops/position-pooling/images-without-cells-give-zero",
                   test_images_without_cells_give_zero);
  return g_test_run ();
}
