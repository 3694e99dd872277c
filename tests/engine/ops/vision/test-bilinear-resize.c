/* test-bilinear-resize.c — BilinearResize2D: the checks of op-check.h on samples and refusals.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "*", "larger", "height=4 width=6", { "f32[1,2,3,3]" } },
  { "*", "smaller", "height=2 width=3", { "f32[1,1,5,6]" } },
  { "*", "cell centres", "height=4 width=5 align_corners=False", { "f32[1,1,2,3]" } },
  { "*", "factors", "scale_height=2.0 scale_width=1.5", { "f32[1,1,3,4]" } },
  { "*", "odd factors", "mode=odd_scale scale_height=2.0 scale_width=2.0", { "f32[1,1,3,4]" } },
  { "*", "one cell", "height=1 width=1", { "f32[1,2,3,3]" } },
  { "*", "like another", "mode=like", { "f32[1,2,3,3]", "f32[1,1,4,2]" } },
  { "*", "next even", "mode=to_even_up", { "f32[1,1,3,4]" } },
  { "*", "last odd", "mode=to_odd_down", { "f32[1,1,3,4]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_contrib_BilinearResize2D", "factor 0", "scale_height=0", { "f32[1,1,3,4]" }, "scale_height" },
  { "_contrib_BilinearResize2D",
    "nothing left",
    "mode=to_even_down",
    { "f32[1,1,1,4]" },
    "would become 0" },
  { 0 },
};

TEST_PROGRAM (test_bilinear_resize)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("bilinear-resize", hyb_ops_bilinear_resize, samples, refusals);

  return g_test_run ();
}
