/* test-optimizer.c — updates of one weight, compared with numbers computed by MXNet 1.9.1.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/train/optimizer.h"
#include "tests/program.h"

#include <string.h>

/* Gradients 0.5, 1, 1.5, 2 on a weight that starts at 1. */
static void
check_updates (const char *name, const char *const *settings, const double *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybOptimizer) optimizer = hyb_optimizer_new (name, settings, &error);
  float     weight = 1, gradient, state[HYB_MAX_OPTIMIZER_STATES] = { 0 };
  HybUpdate update = { .n = 1, .weight = &weight, .gradient = &gradient };

  g_assert_no_error (error);
  for (guint i = 0; i < HYB_MAX_OPTIMIZER_STATES; i++)
    update.state[i] = &state[i];
  for (update.t = 1; update.t <= 4; update.t++)
    {
      gradient = 0.5f * (float) update.t;
      hyb_optimizer_apply (optimizer, &update, 1, 1);
      g_assert_cmpfloat_with_epsilon ((double) weight, expected[update.t - 1], 1e-6);
    }
}

static void
test_nag_keeps_the_decay_of_the_new_weight (void)
{
  static const char *const settings[] = {
    "learning_rate", "0.1", "momentum", "0.9", "wd", "0.3", NULL,
  };
  static const double expected[] = { 0.848, 0.5485576, 0.08296406, -0.559674 };

  check_updates ("nag", settings, expected);
}

static void
test_settings_of_sparse_and_half_arrays_change_nothing (void)
{
  static const char *const settings[] = {
    "learning_rate", "0.1", "lazy_update", "False", "multi_precision", "True", NULL,
  };
  static const double expected[] = { 0.95, 0.85, 0.7, 0.5 };

  check_updates ("sgd", settings, expected);
}

/* The program appends the settings of --set to those of a model's task. */
static void
test_the_last_of_equal_settings_counts (void)
{
  static const char *const settings[] = {
    "momentum", "0.9", "learning_rate", "7", "momentum", "0", "learning_rate", "0.1", NULL,
  };
  static const double expected[] = { 0.95, 0.85, 0.7, 0.5 };

  check_updates ("sgd", settings, expected);
}

static void
test_a_rate_that_is_no_number_is_refused (void)
{
  static const char *const settings[] = { "learning_rate", "nan", NULL };
  g_autoptr (GError) error = NULL;

  g_assert_null (hyb_optimizer_new ("sgd", settings, &error));
  g_assert_nonnull (strstr (error->message, "learning_rate is “nan”"));
}

TEST_PROGRAM (test_optimizer)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/train/optimizer/nag-keeps-the-decay-of-the-new-weight",
                   test_nag_keeps_the_decay_of_the_new_weight);
  g_test_add_func ("/engine/train/optimizer/settings-of-sparse-and-half-arrays-change-nothing",
                   test_settings_of_sparse_and_half_arrays_change_nothing);
  g_test_add_func ("/engine/train/optimizer/the-last-of-equal-settings-counts",
                   test_the_last_of_equal_settings_counts);
  g_test_add_func ("/engine/train/optimizer/a-rate-that-is-no-number-is-refused",
                   test_a_rate_that_is_no_number_is_refused);
  return g_test_run ();
}
