/* test-bilinear-sampler.c — BilinearSampler, GridGenerator and SpatialTransformer: the checks of
 * op-check.h on samples and refusals; grid positions that are NaN.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "BilinearSampler", "inside", NULL, { "f32[2,2,4,4]", "f32[2,2,3,3] -0.9..0.9" } },
  { "BilinearSampler", "partly outside", NULL, { "f32[1,1,3,3]", "f32[1,2,3,4] -1.7..1.7" } },
  { "GridGenerator", "matrix", "transform_type=affine target_shape=(3, 4)", { "f32[2,6]" } },
  { "GridGenerator", "flow", "transform_type=warp", { "f32[1,2,3,4]" } },
  { "SpatialTransformer",
    "matrix",
    "transform_type=affine sampler_type=bilinear target_shape=(3, 3)",
    { "f32[1,2,4,4]", "f32[1,6] = 0.83,0.11,0.07,-0.12,0.77,0.05" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "BilinearSampler", "grid of three planes", NULL, { "f32[1,1,3,3]", "f32[1,3,2,2]" }, "grid: " },
  { "GridGenerator", "no size", "transform_type=affine", { "f32[2,6]" }, "target_shape" },
  { "GridGenerator",
    "matrix of another size",
    "transform_type=affine target_shape=(3, 4)",
    { "f32[2,5]" },
    "data: " },
  { "SpatialTransformer",
    "unknown transform",
    "transform_type=warp sampler_type=bilinear target_shape=(3, 3)",
    { "f32[1,2,4,4]", "f32[1,6]" },
    "transform_type" },
  { 0 },
};

static void
test_positions_that_are_no_numbers_read_zero (void)
{
  g_autoptr (HybTensor) y = op_run ("BilinearSampler", NULL, op_tensor ("f32[1,1,1,2]", 3., 5.),
                                    op_tensor ("f32[1,2,1,3]", NAN, 1e30, -1., 0., 0., -1.), NULL);

  op_assert_near (y, 0, 0., 0., 3.);
}

TEST_PROGRAM (test_bilinear_sampler)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("bilinear-sampler", hyb_ops_bilinear_sampler, samples, refusals);
  g_test_add_func ("/engine/ops/bilinear-sampler/positions-that-are-no-numbers-read-zero",
                   test_positions_that_are_no_numbers_read_zero);

  return g_test_run ();
}
