/* test-split.c — tests of SliceChannel and _split_v2: samples and refusals for op-check.h, and the
 * sizes of parts that are not all equal.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_npi_hsplit", "vector", "indices=() sections=2", { "f32[4]" } },
  { "_npi_hsplit", "at indices", "indices=(0,1,3)", { "f32[2,4,2]" } },
  { "_npi_dsplit", "third axis", "indices=() sections=2", { "f32[2,1,4]" } },
  { "SliceChannel", "default axis", "num_outputs=2", { "f32[2,4]" } },
  { "SliceChannel", "first axis", "num_outputs=3 axis=0", { "f32[3,2]" } },
  { "SliceChannel", "axis squeezed", "num_outputs=3 axis=1 squeeze_axis=True", { "f32[2,3,4]" } },
  { "SliceChannel", "negative axis", "num_outputs=2 axis=-1", { "f32[2,3,4]" } },
  { "SliceChannel", "one part", "num_outputs=1", { "f32[2,3]" } },
  { "SliceChannel", "gates of one sample", "num_outputs=4", { "f32[1,8]" } },
  { "_split_v2", "sections", "axis=0 indices=() sections=2", { "f32[4,2]" } },
  { "_split_v2", "uneven sections", "axis=0 indices=() sections=3", { "f32[7,2]" } },
  { "_split_v2", "places", "axis=1 indices=(0, 1, 3)", { "f32[2,5]" } },
  { "_split_v2", "an empty part", "axis=1 indices=(0, 1, 1)", { "f32[2,5]" } },
  { "_split_v2",
    "axis squeezed",
    "axis=1 indices=() sections=3 squeeze_axis=True",
    { "f32[2,3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_split_v2", "index outside", "indices=(0, 9)", { "f32[2,4]" }, "indices has 9" },
  { "SliceChannel",
    "does not divide",
    "num_outputs=2",
    { "f32[2,3]" },
    "axis 1 of 3 elements does not divide into 2 parts" },
  { "SliceChannel", "axis outside", "num_outputs=2 axis=2", { "f32[2,4]" }, "axis 2 is outside" },
  { "SliceChannel",
    "parts too long to lose their axis",
    "num_outputs=2 squeeze_axis=True",
    { "f32[2,4]" },
    "cannot remove the axis of a part of 2 elements" },
  { "SliceChannel", "too many parts", "num_outputs=2000000000", { "f32[2,4]" }, "num_outputs" },
  { "_split_v2", "neither given", "axis=0", { "f32[2,4]" }, "neither sections nor indices" },
  { "_split_v2",
    "places fall",
    "axis=0 indices=(0, 3, 1)",
    { "f32[4]" },
    "indices must be in ascending order" },
  { "_split_v2", "the beginning is missing", "axis=0 indices=(1, 3)", { "f32[4]" }, "must be 0" },
  { 0 },
};

static void
test_the_first_sections_are_longer (void)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  g_autoptr (GPtrArray) parts = NULL;

  g_ptr_array_add (inputs, op_tensor ("f32[5]", 0., 1., 2., 3., 4.));
  parts = op_run_all ("_split_v2", "axis=0 indices=() sections=2", FALSE, inputs);
  op_assert_near (parts->pdata[0], 0, 0., 1., 2.);
  op_assert_near (parts->pdata[1], 0, 3., 4.);
}

TEST_PROGRAM (test_split)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("split", hyb_ops_split, samples, refusals);
  g_test_add_func ("/engine/ops/split/the-first-sections-are-longer",
                   test_the_first_sections_are_longer);

  return g_test_run ();
}
