/* test-ctc-loss.c — CTCLoss: the checks of op-check.h on samples and refusals; losses computed by
 * hand, labels that are invalid or too long.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

static const OpSample samples[] = {
  { "CTCLoss", "padded labels", NULL, { "f32[4,2,3]", "f32[2,2] = 1,2,2,0" } },
  { "CTCLoss", "a repeated label", NULL, { "f32[4,1,3]", "f32[1,2] = 1,1" } },
  { "CTCLoss", "blank last", "blank_label=last", { "f32[4,2,3]", "i32[2,2] = 0,1,1,-1" } },
  { "CTCLoss",
    "both lengths",
    "use_data_lengths=True use_label_lengths=True",
    { "f32[5,2,3]", "f32[2,2] = 1,2,2,1", "f32[2] = 5,3", "f32[2] = 2,1" } },
  { "CTCLoss", "empty labels", NULL, { "f32[3,1,3]", "f32[1,2] = 0" } },
  { "CTCLoss",
    "no step counts",
    "use_data_lengths=True",
    { "f32[3,1,3]", "f32[1,1] = 1", "f32[1] = 0" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "CTCLoss", "more labels than steps", NULL, { "f32[2,1,3]", "f32[1,3]" }, "only 2 steps" },
  { "CTCLoss", "labels of another number", NULL, { "f32[4,2,3]", "f32[3,2]" }, "data: " },
  { 0 },
};

static void
test_a_single_label_in_a_single_step_is_its_probability (void)
{
  g_autoptr (HybTensor) y =
      op_run ("CTCLoss", NULL, op_tensor ("f32[1,1,2]", 0., 0.), op_tensor ("f32[1,1]", 1.), NULL);

  op_assert_near (y, 1e-6, 0.69314718);
}

static void
test_a_label_outside_the_alphabet_has_no_loss (void)
{
  g_autoptr (HybTensor) y = op_run ("CTCLoss", NULL, op_tensor ("f32[2,1,2]", 0., 0., 0., 0.),
                                    op_tensor ("f32[1,1]", 7.), NULL);

  g_assert_true (isnan (hyb_tensor_get_value (y, 0)));
}

static void
test_a_label_too_long_counts_nothing (void)
{
  g_autoptr (HybTensor) y = op_run ("CTCLoss", NULL, op_tensor ("f32[2,1,2]", 0., 0., 0., 0.),
                                    op_tensor ("f32[1,2]", 1., 1.), NULL);

  op_assert_near (y, 0, 0.);
}

static void
test_the_loss_counts_all_ways_to_spell (void)
{
  g_autoptr (HybTensor) y = op_run ("CTCLoss", NULL,
                                    op_tensor ("f32[3,2,3]", 0., 0., 0., 0., 0., 0., 0., 0., 0., 0.,
                                               0., 0., 0., 0., 0., 0., 0., 0.),
                                    op_tensor ("f32[2,2]", 1., 2., 1., 1.), NULL);

  /* Of 27 sequences of three steps five spell 1 2, and one spells 1 1. */
  op_assert_near (y, 1e-6, 1.6863990, 3.2958369);
}

TEST_PROGRAM (test_ctc_loss)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("ctc-loss", hyb_ops_ctc_loss, samples, refusals);
  g_test_add_func ("/engine/ops/ctc-loss/a-single-label-in-a-single-step-is-its-probability",
                   test_a_single_label_in_a_single_step_is_its_probability);
  g_test_add_func ("/engine/ops/ctc-loss/a-label-outside-the-alphabet-has-no-loss",
                   test_a_label_outside_the_alphabet_has_no_loss);
  g_test_add_func ("/engine/ops/ctc-loss/a-label-too-long-counts-nothing",
                   test_a_label_too_long_counts_nothing);
  g_test_add_func ("/engine/ops/ctc-loss/the-loss-counts-all-ways-to-spell",
                   test_the_loss_counts_all_ways_to_spell);

  return g_test_run ();
}
