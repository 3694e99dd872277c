/* misuse.c — mistakes that users of the library make, compiled from the installed headers alone, in C and in C++.
 *
 * Each ends in an error or in a critical message that names the mistake, and the program goes on.  test-installed.sh
 * runs it, also under valgrind.  Prints TAP.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

#include <stdio.h>
#include <string.h>

/* The last critical message. */
static char *critical;

static HybTensor *
array (HybF *F, gint64 a, gint64 b)
{
  const gint64 dims[] = { a, b };
  HybTensor   *tensor = hyb_tensor_new_float (2, dims, NULL);

  /* A value keeps it for as long as F lives. */
  if (tensor && hyb_value_from_tensor (F, tensor))
    hyb_tensor_unref (tensor);
  return tensor;
}

static HybValue *
value (HybF *F, gint64 a, gint64 b)
{
  return hyb_value_from_tensor (F, array (F, a, b));
}

/* Predicts with a block and frees both. */
static void
predict (HybBlock *block, const char *init, HybTensor *input, GError **error)
{
  if (init)
    hyb_block_initialize (block, init, 0);
  hyb_tensor_unref (hyb_block_predict (block, input, error));
  hyb_block_unref (block);
}

/* --- Layers --- */

static void
uninitialised (HybF *F, GError **error)
{
  predict (hyb_dense (.units = 3), NULL, array (F, 2, 4), error);
}

static void
unknown_activation (HybF *F, GError **error)
{
  predict (hyb_dense (.units = 3, .activation = "rleu"), "xavier", array (F, 2, 4), error);
}

static void
unknown_initialiser (HybF *F, GError **error)
{
  predict (hyb_dense (.units = 3), "xaver", array (F, 2, 4), error);
}

static void
no_units (HybF *F, GError **error)
{
  predict (hyb_dense (.activation = "relu"), "xavier", array (F, 2, 4), error);
}

static void
two_axes_for_a_sequence (HybF *F, GError **error)
{
  predict (hyb_rnn_layer (.hidden = 4), "xavier", array (F, 2, 3), error);
}

static void
one_state_for_an_lstm (HybF *F, GError **error)
{
  HybBlock *cell = hyb_lstm_cell (.hidden = 4);
  HybValue *states = value (F, 2, 4);

  hyb_block_initialize (cell, NULL, 0);
  hyb_cell_step (F, cell, value (F, 2, 3), &states);
  hyb_f_check (F, error);
  hyb_block_unref (cell);
}

static void
step_of_a_dense_layer (HybF *F, GError **error)
{
  HybBlock *dense = hyb_dense (.units = 4);
  HybValue *states = value (F, 2, 4);

  hyb_block_initialize (dense, NULL, 0);
  hyb_cell_step (F, dense, value (F, 2, 3), &states);
  hyb_f_check (F, error);
  hyb_block_unref (dense);
}

static void
unknown_loss (HybF *F G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  hyb_block_unref (hyb_loss_new ("softmax", NULL));
}

/* --- Operators, loops --- */

static void
unknown_operator (HybF *F, GError **error)
{
  HYB_OP (F, "FullyConected", .in = { value (F, 2, 3) });
  hyb_f_check (F, error);
}

static void
unknown_attribute (HybF *F, GError **error)
{
  HYB_OP (F, "Activation", .in = { value (F, 2, 3) }, .attributes = HYB_WITH ("act_typ", "relu"));
  hyb_f_check (F, error);
}

static HybValue *
drop_state (HybF *F, HybValue *slice, HybValue **states, gpointer user G_GNUC_UNUSED)
{
  *states = hyb_list (F, 0, NULL);
  return slice;
}

static void
lost_state (HybF *F, GError **error)
{
  hyb_foreach (F, drop_state, value (F, 2, 3), value (F, 1, 1), NULL);
  hyb_f_check (F, error);
}

static HybValue *
return_nothing (HybF *F           G_GNUC_UNUSED,
                HybValue *slice   G_GNUC_UNUSED,
                HybValue **states G_GNUC_UNUSED,
                gpointer user     G_GNUC_UNUSED)
{
  return NULL;
}

static void
body_without_result (HybF *F, GError **error)
{
  hyb_foreach (F, return_nothing, value (F, 2, 3), value (F, 1, 1), NULL);
  hyb_f_check (F, error);
}

/* --- Training, files --- */

static void
unknown_optimizer (HybF *F G_GNUC_UNUSED, GError **error)
{
  HybBlock *net = hyb_dense (.units = 3, .in_units = 2);
  HybTape  *tape = hyb_tape_new ();

  hyb_block_initialize (net, NULL, 0);
  hyb_gluon_trainer_free (hyb_gluon_trainer_new (net, tape, "Adam2", NULL, error));
  hyb_tape_free (tape);
  hyb_block_unref (net);
}

static void
step_without_backward (HybF *F G_GNUC_UNUSED, GError **error)
{
  HybBlock        *net = hyb_dense (.units = 3, .in_units = 2);
  HybTape         *tape = hyb_tape_new ();
  HybGluonTrainer *trainer;

  hyb_block_initialize (net, NULL, 0);
  trainer = hyb_gluon_trainer_new (net, tape, "sgd", NULL, NULL);
  hyb_gluon_trainer_step (trainer, 2, error);
  hyb_gluon_trainer_free (trainer);
  hyb_tape_free (tape);
  hyb_block_unref (net);
}

static void
export_before_hybridizing (HybF *F G_GNUC_UNUSED, GError **error)
{
  HybBlock *net = hyb_dense (.units = 3, .in_units = 2);

  hyb_block_initialize (net, NULL, 0);
  hyb_block_export (net, "net", 0, error);
  hyb_block_unref (net);
}

static void
missing_file (HybF *F G_GNUC_UNUSED, GError **error)
{
  hyb_model_unref (hyb_model_open ("missing-symbol.json", NULL, HYB_EPOCH_HIGHEST, error));
}

static void
input_that_the_model_lacks (HybF *F, GError **error)
{
  HybModel      *model = hyb_model_open ("gallery:mlp", NULL, HYB_EPOCH_HIGHEST, error);
  HybTensorList *inputs = hyb_tensor_list_new ();

  hyb_tensor_list_set (inputs, "date", array (F, 1, 512));
  hyb_tensor_list_unref (model ? hyb_model_predict (model, inputs, error) : NULL);
  hyb_tensor_list_unref (inputs);
  hyb_model_unref (model);
}

static void
block_that_is_null (HybF *F, GError **error)
{
  hyb_tensor_unref (hyb_block_predict (NULL, array (F, 1, 1), error));
}

/* --- All of them --- */

static const struct
{
  const char *name;
  void (*run) (HybF *F, GError **error);
  const char *wanted; /* part of the message */
} mistakes[] = {
  { "a-layer-that-is-not-initialised", uninitialised, "initiali" },
  { "an-unknown-activation", unknown_activation, "rleu" },
  { "an-unknown-initialiser", unknown_initialiser, "xaver" },
  { "a-layer-without-units", no_units, "num_hidden is 0, outside 1 to 2147483647" },
  { "two-axes-for-a-sequence", two_axes_for_a_sequence, "3" },
  { "one-state-for-an-lstm", one_state_for_an_lstm, "state" },
  { "a-step-of-a-dense-layer", step_of_a_dense_layer, "is stepped like a recurrent cell" },
  { "an-unknown-loss", unknown_loss, "softmax" },
  { "an-unknown-operator", unknown_operator, "FullyConected" },
  { "an-unknown-attribute", unknown_attribute, "act_type" },
  { "a-loop-that-loses-its-state", lost_state, "states" },
  { "a-loop-body-without-result", body_without_result, "NULL" },
  { "an-unknown-optimizer", unknown_optimizer, "Adam2" },
  { "a-step-without-a-backward-pass", step_without_backward, "gradient" },
  { "an-export-before-hybridizing", export_before_hybridizing, "hybridize" },
  { "a-missing-file", missing_file, "missing-symbol.json" },
  { "an-input-that-the-model-lacks", input_that_the_model_lacks, "date" },
  { "a-block-that-is-null", block_that_is_null, "block" },
};

static void
keep_critical (const char *domain   G_GNUC_UNUSED,
               GLogLevelFlags level G_GNUC_UNUSED,
               const char          *message,
               gpointer user        G_GNUC_UNUSED)
{
  g_free (critical);
  critical = g_strdup (message);
}

int
main (void)
{
  int status = 0;

  g_log_set_default_handler (keep_critical, NULL);
  printf ("1..%d\n", (int) G_N_ELEMENTS (mistakes));
  for (guint i = 0; i < G_N_ELEMENTS (mistakes); i++)
    {
      HybF       *F = hyb_f_new (FALSE, 0);
      GError     *error = NULL;
      const char *message;
      gboolean    is_named;

      g_clear_pointer (&critical, g_free);
      mistakes[i].run (F, &error);
      message = error ? error->message : critical;
      is_named = message && strstr (message, mistakes[i].wanted);
      printf ("%s %u /misuse/%s\n# %s\n", is_named ? "ok" : "not ok", i + 1, mistakes[i].name,
              message ? message : "(no message)");
      status |= !is_named;
      g_clear_error (&error);
      hyb_f_free (F);
    }
  g_clear_pointer (&critical, g_free);
  return status;
}
