/* training.h — models of the gallery that tests train on the pretend GPU.
 *
 * Batches are made up: whole numbers for tokens and labels, others for what a perceptron reads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/block/plugin.h"
#include "engine/graph/model.h"
#include "engine/train/trainer.h"
#include "tests/engine/cuda/on-pretend-gpu.h"

#define PERCEPTRON "gallery:mlp?inputs=6&hidden=5&classes=3&batch=4"
#define LANGUAGE   "gallery:lstm-lm?hidden=4&length=3&batch=2&layers=2"

/* How a model is trained. */
typedef struct
{
  const char *name, *model, *optimizer;
  const char *settings[9];
  double      clip_global_norm;
} Training;

G_GNUC_UNUSED static HybModel *
open_model (const char *name)
{
  HybModel *model = hyb_model_new ();
  g_autoptr (GError) error = NULL;

  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, FALSE);
  hyb_model_read_plugin (model, name, &error);
  g_assert_no_error (error);
  return model;
}

/* All inputs but the first are states. */
G_GNUC_UNUSED static HybTrainer *
new_trainer (HybModel *model, const Training *how, HybMode mode, HybGpu *gpu, GError **error)
{
  static const HybCarry carry[] = { { "data1", 1 }, { "data2", 2 } };
  gboolean              is_carrying = strstr (how->model, "lstm") != NULL;

  return hyb_trainer_new (model,
                          &(HybTrainerOptions){ .loss = "softmax-cross-entropy",
                                                .optimizer = how->optimizer,
                                                .settings = how->settings,
                                                .clip_global_norm = how->clip_global_norm,
                                                .n_carry = is_carrying ? 2 : 0,
                                                .carry = carry,
                                                .seed = 5,
                                                .mode = &mode,
                                                .gpu = gpu },
                          error);
}

/* The batch of a step. */
G_GNUC_UNUSED static GHashTable *
new_batch (HybModel *model, guint64 step)
{
  GHashTable *batch =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) hyb_tensor_unref);
  const char    *input = hyb_model_get_input_type (model, "data") ? "data" : "data0";
  const HybType *type = hyb_model_get_input_type (model, input);
  gboolean       is_text = g_str_equal (input, "data0");
  HybType        label_type = *type;
  HybTensor     *data = hyb_tensor_new (type, NULL), *label;

  if (!is_text)
    label_type.shape.rank = 1;
  label = hyb_tensor_new (&label_type, NULL);
  for (gint64 i = 0; i < hyb_tensor_get_size (data); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (data), type->dtype, (gsize) i,
                          is_text ? (double) ((i * 5 + (gint64) step) % 7)
                                  : sin ((double) (i + 3 * (gint64) step)));
  for (gint64 i = 0; i < hyb_tensor_get_size (label); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (label), label_type.dtype, (gsize) i,
                          (double) ((i + (gint64) step) % 3));
  g_hash_table_insert (batch, g_strdup (input), data);
  g_hash_table_insert (batch, g_strdup ("label"), label);
  return batch;
}

/* Learning rates that change from step to step. */
G_GNUC_UNUSED static void
set_rate (HybTrainer *trainer, guint64 step)
{
  hyb_optimizer_set_learning_rate (hyb_trainer_get_optimizer (trainer), 0.05 / (1 + (double) step));
}

/* One step; its loss and norm. */
G_GNUC_UNUSED static HybTrainStep
train_step (HybTrainer *trainer, HybModel *model, guint64 step)
{
  g_autoptr (GHashTable) batch = new_batch (model, step);
  g_autoptr (GError) error = NULL;
  HybTrainStep result = { 0 };

  set_rate (trainer, step);
  hyb_trainer_step (trainer, batch, &result, NULL, &error);
  g_assert_no_error (error);
  return result;
}

/* The same with the batch in *next, if there is one, while the next batch is sent, which is then there. */
G_GNUC_UNUSED static gboolean
train_ahead (HybTrainer   *trainer,
             HybModel     *model,
             GHashTable  **next,
             HybTrainStep *result,
             GError      **error)
{
  guint64 step = hyb_trainer_n_steps (trainer);
  g_autoptr (GHashTable) batch = *next ? g_steal_pointer (next) : new_batch (model, step);

  set_rate (trainer, step);
  if (!hyb_trainer_begin_step (trainer, batch, NULL, error))
    return FALSE;
  *next = new_batch (model, step + 1);
  hyb_trainer_send_ahead (trainer, *next);
  return hyb_trainer_end_step (trainer, result, error);
}

G_GNUC_UNUSED static void
read_back (HybTrainer *trainer)
{
  g_autoptr (GError) error = NULL;

  hyb_trainer_read_back (trainer, &error);
  g_assert_no_error (error);
}

/* The largest difference between parameters of two models. */
G_GNUC_UNUSED static double
compare_parameters (HybModel *a, HybModel *b)
{
  double most = 0;

  for (guint i = 0; i < hyb_model_n_parameters (a); i++)
    {
      const char *name = hyb_model_get_parameter_name (a, i);
      HybTensor  *x = hyb_model_get_parameter (a, name), *y = hyb_model_get_parameter (b, name);

      for (gint64 k = 0; k < hyb_tensor_get_size (x); k++)
        most = MAX (most, fabs (hyb_tensor_get_value (x, k) - hyb_tensor_get_value (y, k)));
    }
  return most;
}
