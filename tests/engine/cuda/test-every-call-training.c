/* test-every-call-training.c — training a language model on the pretend GPU, where any call fails or memory is
 * short.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "tests/engine/cuda/every-call.h"
#include "tests/engine/cuda/training.h"
#include "tests/program.h"

/* The first step computes, the second one records, the third one replays. */
#define STEPS 3

static const Training how = { "", LANGUAGE, "adam", { NULL }, 0.5 };

/* What the processor computes. */
typedef struct
{
  HybModel *model;
  gboolean  evaluates; /* with memory of its own for products */
  double    losses[STEPS], evaluated;
} Expected;

/* Trains, and evaluates unless evaluated is NULL. */
static gboolean
train (HybTrainer *trainer, HybModel *model, double *losses, double *evaluated, GError **error)
{
  g_autoptr (GHashTable) other = new_batch (model, 50);
  g_autoptr (GHashTable) next = NULL;

  for (guint i = 0; i < STEPS; i++)
    {
      HybTrainStep result;

      if (!train_ahead (trainer, model, &next, &result, error))
        return FALSE;
      losses[i] = result.loss;
    }
  return (!evaluated || hyb_trainer_evaluate (trainer, other, TRUE, evaluated, error)) &&
         hyb_trainer_read_back (trainer, error);
}

static void
expect (Expected *expected)
{
  g_autoptr (HybTrainer) trainer = NULL;
  g_autoptr (GError) error = NULL;

  expected->model = open_model (how.model);
  trainer = new_trainer (expected->model, &how, HYB_MODE_STATIC, NULL, &error);
  g_assert_no_error (error);
  train (trainer, expected->model, expected->losses, &expected->evaluated, &error);
  g_assert_no_error (error);
}

static gboolean
try (gconstpointer data, const char *settings)
{
  const Expected *expected = data;
  g_autoptr (HybModel) model = open_model (how.model);
  g_autoptr (HybTrainer) trainer = NULL;
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (GError) error = NULL;
  double losses[STEPS] = { 0 }, evaluated = expected->evaluated;

  configure (settings);
  gpu = hyb_gpu_open ("gpu", &error);
  if (gpu)
    trainer = new_trainer (model, &how, HYB_MODE_STATIC, gpu, &error);
  if (!trainer || !train (trainer, model, losses, expected->evaluates ? &evaluated : NULL, &error))
    {
      g_assert_nonnull (error);
      return is_explained (settings, error);
    }
  for (guint i = 0; i < STEPS; i++)
    g_assert_cmpfloat_with_epsilon (losses[i], expected->losses[i], 2e-5);
  g_assert_cmpfloat_with_epsilon (evaluated, expected->evaluated, 2e-5);
  g_assert_cmpfloat (compare_parameters (model, expected->model), <, 5e-5);
  return TRUE;
}

static void
test_calls (void)
{
  Expected expected = { .evaluates = TRUE };

  if (!set_up (""))
    return;
  expect (&expected);
  fail_every_call (try, &expected);
  hyb_model_unref (expected.model);
}

static void
test_memory (void)
{
  Expected expected = { .evaluates = FALSE };

  if (!set_up (""))
    return;
  expect (&expected);
  shorten_memory (try, &expected, 1);
  hyb_model_unref (expected.model);
}

TEST_PROGRAM (test_every_call_training)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/every-call/training/any-call-may-fail", test_calls);
  g_test_add_func ("/engine/cuda/every-call/training/memory-may-be-short", test_memory);
  return g_test_run ();
}
