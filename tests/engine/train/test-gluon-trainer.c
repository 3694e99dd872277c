/* test-gluon-trainer.c — steps over a tape equal the planned steps of HybTrainer, and what cannot be
 * updated is refused before anything changes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/block/layers.h"
#include "engine/train/gluon-trainer.h"
#include "engine/train/trainer.h"
#include "tests/program.h"

#include <string.h>

static const float inputs[] = { 1, 2, -1, 0.5f, 3, 0 };
static const float labels[] = { 1, -1 };

static HybBlock *
network (void)
{
  HybBlock *dense = hyb_dense (.units = 1, .in_units = 3, .weight_init = "ones");

  hyb_block_initialize (dense, NULL, 0);
  return dense;
}

/* Records half the squared error of the batch and computes the gradients. */
static void
backward (HybBlock *net, HybTape *tape)
{
  g_autoptr (HybF) F = hyb_f_new (TRUE, 0);
  g_autoptr (HybBlock) loss = hyb_loss_new ("l2", NULL);
  g_autoptr (HybTensor) x = hyb_tensor_new_float (2, (const gint64[]){ 2, 3 }, inputs);
  g_autoptr (HybTensor) label = hyb_tensor_new_float (2, (const gint64[]){ 2, 1 }, labels);
  g_autoptr (GError) error = NULL;
  HybTensor *value;

  hyb_f_set_tape (F, tape);
  hyb_tape_begin (tape);
  value =
      hyb_value_get_tensor (hyb_call_list (F, loss, hyb_call (F, net, hyb_value_from_tensor (F, x)),
                                           hyb_value_from_tensor (F, label), NULL));
  hyb_tape_end (tape);
  hyb_f_check (F, &error);
  g_assert_no_error (error);
  hyb_tape_backward (tape, &(HybBackwardPass){ .n_heads = 1, .heads = &value }, &error);
  g_assert_no_error (error);
}

static double
weight (HybBlock *net, gint64 index)
{
  g_autoptr (GPtrArray) parameters = hyb_block_collect_parameters (net);

  return hyb_tensor_get_value (hyb_parameter_get_data (parameters->pdata[0], NULL), index);
}

/* The errors are 2 − 1 = 1 and 3.5 + 1 = 4.5; the gradient of weight i is the mean of error · x[i]. */
static void
test_a_step_of_sgd_by_hand (void)
{
  static const char *const settings[] = { "learning_rate", "0.1", NULL };
  g_autoptr (HybBlock) net = network ();
  g_autoptr (HybTape) tape = hyb_tape_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGluonTrainer) trainer = hyb_gluon_trainer_new (net, tape, "sgd", settings, &error);

  g_assert_no_error (error);
  backward (net, tape);
  g_assert_true (hyb_gluon_trainer_step (trainer, 2, &error));
  g_assert_cmpfloat_with_epsilon (weight (net, 0), 1 - 0.1 * (1 * 1 + 4.5 * 0.5) / 2, 1e-6);
  g_assert_cmpfloat_with_epsilon (weight (net, 1), 1 - 0.1 * (1 * 2 + 4.5 * 3) / 2, 1e-6);
  g_assert_cmpfloat_with_epsilon (weight (net, 2), 1 - 0.1 * (1 * -1 + 4.5 * 0) / 2, 1e-6);
}

/* Several steps with states (momentum, running means) follow the trainer that plans the whole step. */
static void
test_steps_equal_those_of_a_planned_trainer (gconstpointer optimizer)
{
  static const char *const data[] = { "data", NULL };
  static const char *const settings[] = { "learning_rate", "0.05", "wd", "0.01", NULL };
  g_autoptr (HybBlock) net = network ();
  g_autoptr (HybBlock) same = network ();
  g_autoptr (HybTape) tape = hyb_tape_new ();
  g_autoptr (HybTensor) x = hyb_tensor_new_float (2, (const gint64[]){ 2, 3 }, inputs);
  g_autoptr (HybTensor) label = hyb_tensor_new_float (2, (const gint64[]){ 2, 1 }, labels);
  g_autoptr (GHashTable) batch = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybTensor) first = NULL;
  g_autoptr (HybTrainer) planned = NULL;
  g_autoptr (HybGluonTrainer) trainer = NULL;

  hyb_block_hybridize (same, TRUE, NULL, NULL);
  first = hyb_block_predict (same, x, &error);
  g_assert_no_error (error);
  planned = hyb_trainer_new_for_block (same,
                                       &(HybTrainerOptions){ .loss = "l2",
                                                             .optimizer = optimizer,
                                                             .settings = settings,
                                                             .data = data },
                                       &error);
  g_assert_no_error (error);
  trainer = hyb_gluon_trainer_new (net, tape, optimizer, settings, &error);
  g_assert_no_error (error);
  g_hash_table_insert (batch, (gpointer) "data", x);
  g_hash_table_insert (batch, (gpointer) "label", label);
  for (guint step = 0; step < 4; step++)
    {
      HybTrainStep result;

      g_assert_true (hyb_trainer_step (planned, batch, &result, NULL, &error));
      backward (net, tape);
      g_assert_true (hyb_gluon_trainer_step (trainer, 2, &error));
      for (gint64 i = 0; i < 3; i++)
        g_assert_cmpfloat_with_epsilon (weight (net, i), weight (same, i), 1e-5);
    }
  g_assert_cmpfloat (weight (net, 0), !=, 1);
}

static void
test_a_step_without_gradients_changes_nothing (void)
{
  g_autoptr (HybBlock) net = network ();
  g_autoptr (HybTape) tape = hyb_tape_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGluonTrainer) trainer = hyb_gluon_trainer_new (net, tape, "sgd", NULL, &error);

  g_assert_false (hyb_gluon_trainer_step (trainer, 1, &error));
  g_assert_nonnull (strstr (error->message, "no gradient yet"));
  g_assert_cmpfloat (weight (net, 0), ==, 1);
}

static void
test_parameters_that_do_not_learn_stay (void)
{
  g_autoptr (HybBlock) net = network ();
  g_autoptr (HybTape) tape = hyb_tape_new ();
  g_autoptr (GPtrArray) parameters = hyb_block_collect_parameters (net);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGluonTrainer) trainer = NULL;

  hyb_parameter_set_request (parameters->pdata[0], HYB_GRAD_NULL);
  trainer = hyb_gluon_trainer_new (net, tape, "sgd", NULL, &error);
  backward (net, tape);
  g_assert_true (hyb_gluon_trainer_step (trainer, 2, &error));
  g_assert_cmpfloat (weight (net, 1), ==, 1);
  g_assert_cmpfloat (hyb_tensor_get_value (hyb_parameter_get_data (parameters->pdata[1], NULL), 0),
                     !=, 0);
}

static void
test_an_unknown_optimizer_is_refused (void)
{
  g_autoptr (HybBlock) net = network ();
  g_autoptr (HybTape) tape = hyb_tape_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (hyb_gluon_trainer_new (net, tape, "fast", NULL, &error));
  g_assert_nonnull (strstr (error->message, "“fast”"));
}

TEST_PROGRAM (test_gluon_trainer)
{
  g_test_init (&argc, &argv, NULL);
#define PATH "/engine/train/gluon-trainer/"
  g_test_add_func (PATH "a-step-of-sgd-by-hand", test_a_step_of_sgd_by_hand);
  for (const HybOptimizerClass *const *klass = hyb_optimizers (); *klass; klass++)
    {
      g_autofree char *path =
          g_strdup_printf (PATH "steps-equal-those-of-a-planned-trainer/%s", (*klass)->name);

      g_test_add_data_func (path, (*klass)->name, test_steps_equal_those_of_a_planned_trainer);
    }
  g_test_add_func (PATH "a-step-without-gradients-changes-nothing",
                   test_a_step_without_gradients_changes_nothing);
  g_test_add_func (PATH "parameters-that-do-not-learn-stay",
                   test_parameters_that_do_not_learn_stay);
  g_test_add_func (PATH "an-unknown-optimizer-is-refused", test_an_unknown_optimizer_is_refused);
  return g_test_run ();
}
