/* test-sequence.c — SequenceMask, SequenceLast and SequenceReverse: the checks of op-check.h on
 * samples and refusals; padding, invalid lengths, axis 1.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "SequenceMask", "lengths", "use_sequence_length=True", { "f32[4,3]", "f32[3] = 1,4,2" } },
  { "SequenceMask",
    "value",
    "use_sequence_length=True value=-1.5",
    { "f32[3,2,2]", "i32[2] = 0,3" } },
  { "SequenceMask",
    "time second",
    "use_sequence_length=True axis=1",
    { "f32[2,4,2]", "f32[2] = 3,1" } },
  { "SequenceMask SequenceLast SequenceReverse", "without lengths", NULL, { "f32[3,2,2]" } },
  { "SequenceLast", "lengths", "use_sequence_length=True", { "f32[4,3,2]", "f32[3] = 1,4,2" } },
  { "SequenceLast",
    "time second",
    "use_sequence_length=True axis=1",
    { "f32[2,4,2]", "i64[2] = 3,1" } },
  { "SequenceLast", "matrix", "axis=1", { "f32[2,4]" } },
  { "SequenceReverse", "lengths", "use_sequence_length=True", { "f32[4,3,2]", "f32[3] = 1,4,2" } },
  { "SequenceReverse", "matrix", "use_sequence_length=True", { "f32[4,2]", "i32[2] = 0,3" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "SequenceMask", "one dimension", NULL, { "f32[3]" }, "needs at least 2" },
  { "SequenceMask",
    "another number of lengths",
    "use_sequence_length=True",
    { "f32[4,3]", "f32[4]" },
    "the numbers of samples and of lengths" },
  { "SequenceLast", "axis outside", "axis=2", { "f32[3,2,2]" }, "axis" },
  { "SequenceReverse", "time second", "axis=1", { "f32[3,2,2]" }, "supports axis 0 only" },
  { "SequenceLast", "no step", NULL, { "f32[0,2]" }, "there is no last one" },
  { 0 },
};

static void
test_padding_stays_behind_a_reversed_sequence (void)
{
  g_autoptr (HybTensor) y = op_run ("SequenceReverse", "use_sequence_length=True",
                                    op_tensor ("f32[3,2]", 1., 10., 2., 20., 3., 30.),
                                    op_tensor ("f32[2]", 2., 3.), NULL);

  op_assert_near (y, 0, 2., 30., 1., 20., 3., 10.);
}

static void
test_time_may_be_the_second_axis (void)
{
  g_autoptr (HybTensor) x = op_tensor ("f32[2,3]", 1., 2., 3., 4., 5., 6.);
  g_autoptr (HybTensor) lengths = op_tensor ("i32[2]", 1., 2.);
  g_autoptr (HybTensor) mask = op_run ("SequenceMask", "use_sequence_length=True axis=1",
                                       hyb_tensor_ref (x), hyb_tensor_ref (lengths), NULL);
  g_autoptr (HybTensor) last = op_run ("SequenceLast", "use_sequence_length=True axis=1",
                                       hyb_tensor_ref (x), hyb_tensor_ref (lengths), NULL);

  op_assert_near (mask, 0, 1., 0., 0., 4., 5., 0.);
  op_assert_near (last, 0, 1., 5.);
}

static void
test_lengths_outside_are_cut (void)
{
  g_autoptr (HybTensor) y = op_run ("SequenceMask", "use_sequence_length=True value=9",
                                    op_tensor ("f32[2,3]", 1., 2., 3., 4., 5., 6.),
                                    op_tensor ("f32[3]", -4., 1.9, 77.), NULL);

  op_assert_near (y, 0, 9., 2., 3., 9., 9., 6.);
}

TEST_PROGRAM (test_sequence)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("sequence", hyb_ops_sequence, samples, refusals);
  g_test_add_func ("/engine/ops/sequence/padding-stays-behind-a-reversed-sequence",
                   test_padding_stays_behind_a_reversed_sequence);
  g_test_add_func ("/engine/ops/sequence/lengths-outside-are-cut", test_lengths_outside_are_cut);

  g_test_add_func ("/engine/ops/sequence/time-may-be-the-second-axis",
                   test_time_may_be_the_second_axis);

  return g_test_run ();
}
