/* test-numpy-reshape.c — tests of operators that give the same elements another shape: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_np_reshape", "inferred", "newshape=(3,-1)", { "f32[2,3]" } },
  { "_np_reshape", "no dimensions", "newshape=()", { "f32[1,1]" } },
  { "_np_reshape", "no element", "newshape=(0,5)", { "f32[2,0]" } },
  { "_npx_reshape", "copied", "newshape=(-2,-1)", { "f32[2,3,1]" } },
  { "_npx_reshape", "dropped", "newshape=(-3,-4)", { "f32[1,3,2]" } },
  { "_npx_reshape", "merged", "newshape=(-5,-4)", { "f32[2,3,2]" } },
  { "_npx_reshape", "split", "newshape=(-6,-1,2,-4)", { "f32[4,3]" } },
  { "_npx_reshape", "from the right", "newshape=(-1,-2) reverse=True", { "f32[4,3,2]" } },
  { "_npx_reshape", "no element", "newshape=(0,-2)", { "f32[0,2]" } },
  { "_np_atleast_1d _np_atleast_2d _np_atleast_3d", "no dimensions", "num_args=1", { "f32[]" } },
  { "_np_atleast_1d _np_atleast_2d _np_atleast_3d",
    "two arrays",
    "num_args=2",
    { "f32[2]", "f32[2,1]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_np_reshape", "two unknown sizes", "newshape=(-1,-1)", { "f32[4]" }, "only one dimension" },
  { "_np_reshape", "another size", "newshape=(5,)", { "f32[4]" }, "5" },
  { "_npx_reshape", "dropping 3", "newshape=(-3,)", { "f32[3]" }, "cannot be left out" },
  { "_npx_reshape", "unknown code", "newshape=(-7,)", { "f32[3]" }, "unknown code" },
  { 0 },
};

TEST_PROGRAM (test_numpy_reshape)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("numpy-reshape", hyb_ops_numpy_reshape, samples, refusals);
  return g_test_run ();
}
