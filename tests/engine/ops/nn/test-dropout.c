/* test-dropout.c — Dropout: the checks of op-check.h on samples and refusals; scaling of the
 * elements that stay, shared axes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "Dropout", "half", "p=0.5", { "f32[4,5]" } },
  { "Dropout", "nothing", "p=0", { "f32[4,5]" } },
  { "Dropout", "everything", "p=1", { "f32[4,5]" } },
  { "Dropout", "at inference too", "p=0.3 mode=always", { "f32[4,5]" } },
  { "Dropout", "one draw for an axis", "p=0.5 axes=(1,)", { "f32[3,4,2]" } },
  { "Dropout", "half floats", "p=0.5", { "f16[4,5]" }, OP_SKIP_GRADIENT },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "Dropout", "share above 1", "p=1.5", { "f32[3]" }, "p" },
  { "Dropout", "axis out of range", "axes=(2,)", { "f32[3,4]" }, "axis 2 is outside" },
  { 0 },
};

static GPtrArray *
drop (const char *attributes, const char *shape)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);

  g_ptr_array_add (inputs, op_tensor_from_text (shape, 0));
  return op_run_all ("Dropout", attributes, TRUE, inputs);
}

static void
test_kept_elements_are_scaled_up (void)
{
  g_autoptr (GPtrArray) outputs = drop ("p=0.25", "f32[4000] = 3");
  guint kept = 0;

  for (gint64 i = 0; i < 4000; i++)
    {
      double value = hyb_tensor_get_value (outputs->pdata[0], i);

      g_assert_true (value == 0 || value == 4);
      g_assert_cmpfloat (hyb_tensor_get_value (outputs->pdata[1], i), ==, (float) (value / 3));
      kept += value != 0;
    }
  g_assert_cmpuint (kept, >, 2900);
  g_assert_cmpuint (kept, <, 3100);
}

static void
test_an_axis_shares_one_draw (void)
{
  g_autoptr (GPtrArray) outputs = drop ("p=0.5 axes=(1,)", "f32[30,3] = 1");
  gboolean differ = FALSE;

  op_assert_type (outputs->pdata[1], "float32 (30, 1)");
  for (gint64 i = 0; i < 90; i++)
    {
      g_assert_cmpfloat (hyb_tensor_get_value (outputs->pdata[0], i), ==,
                         hyb_tensor_get_value (outputs->pdata[0], i / 3 * 3));
      differ = differ || hyb_tensor_get_value (outputs->pdata[0], i) !=
                             hyb_tensor_get_value (outputs->pdata[0], 0);
    }
  g_assert_true (differ);
}

TEST_PROGRAM (test_dropout)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("dropout", hyb_ops_dropout, samples, refusals);
  g_test_add_func ("/engine/ops/dropout/kept-elements-are-scaled-up",
                   test_kept_elements_are_scaled_up);
  g_test_add_func ("/engine/ops/dropout/an-axis-shares-one-draw", test_an_axis_shares_one_draw);

  return g_test_run ();
}
