/* test-fully-connected.c — tests of FullyConnected: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "FullyConnected", "matrix", "num_hidden=5", { "f32[3,4]", "f32[5,4]", "f32[5]" } },
  { "FullyConnected", "flattened", "num_hidden=3", { "f32[2,2,3]", "f32[3,6]", "f32[3]" } },
  { "FullyConnected",
    "last axis only",
    "num_hidden=4 flatten=False",
    { "f32[2,3,5]", "f32[4,5]", "f32[4]" } },
  { "FullyConnected", "without bias", "num_hidden=3 no_bias=True", { "f32[4,2]", "f32[3,2]" } },
  { "FullyConnected", "a vector is a column", "num_hidden=2", { "f32[4]", "f32[2,1]", "f32[2]" } },
  { "FullyConnected", "no rows", "num_hidden=2", { "f32[0,3]", "f32[2,3]", "f32[2]" } },
  { "FullyConnected",
    "half floats",
    "num_hidden=2",
    { "f16[2,3]", "f16[2,3]", "f16[2]" },
    OP_SKIP_GRADIENT },
  { "_rectified_fully_connected", "matrix", "num_hidden=5", { "f32[3,4]", "f32[5,4]", "f32[5]" } },
  { "_rectified_fully_connected",
    "half floats without bias",
    "num_hidden=2 no_bias=True",
    { "f16[2,3]", "f16[2,3]" } },
  { "_backward_FullyConnected_data",
    "flattened",
    "num_hidden=3",
    { "f32[2,3]", "f32[3,4]", "f32[2,2,2]" } },
  { "_backward_FullyConnected_weight",
    "last axis only",
    "num_hidden=3 flatten=False",
    { "f32[2,2,3]", "f32[2,2,4]", "f32[3,4]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "FullyConnected",
    "weight of another size",
    "num_hidden=3",
    { "f32[2,4]", "f32[3,5]", "f32[3]" },
    "weight: " },
  { "FullyConnected",
    "bias of another size",
    "num_hidden=3",
    { "f32[2,4]", "f32[3,4]", "f32[4]" },
    "bias: " },
  { "FullyConnected", "no size", NULL, { "f32[2,4]", "f32[3,4]", "f32[3]" }, "num_hidden" },
  { "FullyConnected",
    "size 0",
    "num_hidden=0",
    { "f32[2,4]", "f32[3,4]", "f32[3]" },
    "num_hidden" },
  { 0 },
};

TEST_PROGRAM (test_fully_connected)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("fully-connected", hyb_ops_fully_connected, samples, refusals);

  return g_test_run ();
}
