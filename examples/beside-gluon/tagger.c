/* tagger.c — an LSTM that gives every word of a sentence one of four tags: trained, exported, opened again.
 *
 * A word is of the first or of the second half of the dictionary; the tag says of which it and the word before it are.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

#include <stdio.h>

#define WORDS  20
#define LENGTH 10
#define BATCH  16
#define TAGS   4

static HybBlock *
new_tagger (void)
{
  HybBlock *net = hyb_sequential (NULL);

  hyb_block_enter_scope (net);
  hyb_append (net, hyb_embedding_new (WORDS, 8, NULL));
  hyb_append (net, hyb_rnn_layer (.hidden = 16, .input_size = 8, .layout = "NTC"));
  hyb_append (net, hyb_dense (.units = TAGS, .in_units = 16, .no_flatten = TRUE));
  hyb_block_leave_scope (net);
  hyb_block_initialize (net, "xavier", 0);
  return net;
}

static void
draw_sentences (guint64 seed, HybTensor *words, HybTensor *tags)
{
  float *word = hyb_tensor_get_data (words), *tag = hyb_tensor_get_data (tags);

  for (guint64 i = 0; i < BATCH * LENGTH; i++)
    {
      int before = i % LENGTH > 0 && word[i - 1] >= WORDS / 2;

      word[i] = (float) (int) (WORDS * hyb_random_uniform (seed, i));
      tag[i] = (float) (2 * before + (word[i] >= WORDS / 2));
    }
}

static gboolean
train (HybBlock *net, HybTensor *words, HybTensor *tags, GError **error)
{
  g_autoptr (HybBlock) loss = hyb_loss_new ("softmax-cross-entropy", NULL);
  g_autoptr (HybTape) tape = hyb_tape_new ();
  g_autoptr (HybGluonTrainer) trainer =
      hyb_gluon_trainer_new (net, tape, "adam", HYB_STRINGS ("learning_rate", "0.02"), error);

  for (guint64 step = 0; trainer && step < 150; step++)
    {
      g_autoptr (HybF) F = hyb_f_new (TRUE, step);
      HybTensor *head;
      HybValue  *scores;

      draw_sentences (step, words, tags);
      hyb_f_set_tape (F, tape);
      hyb_tape_begin (tape);
      scores = hyb_call (F, net, hyb_value_from_tensor (F, words));
      head = hyb_value_get_tensor (
          hyb_call_list (F, loss, scores, hyb_value_from_tensor (F, tags), NULL));
      hyb_tape_end (tape);
      if (!hyb_f_check (F, error) ||
          !hyb_tape_backward (tape, HYB_OPTIONS (HybBackwardPass, .n_heads = 1, .heads = &head),
                              error) ||
          !hyb_gluon_trainer_step (trainer, BATCH, error))
        return FALSE;
    }
  return trainer != NULL;
}

/* The share of words with the right tag; −1 and an error if the block cannot run. */
static double
accuracy (HybBlock *net, HybTensor *words, HybTensor *tags, GError **error)
{
  g_autoptr (HybTensor) scores = hyb_block_predict (net, words, error);
  int right = 0;

  for (gint64 i = 0; scores && i < BATCH * LENGTH; i++)
    {
      gint64 best = 0;

      for (gint64 k = 1; k < TAGS; k++)
        if (hyb_tensor_get_value (scores, TAGS * i + k) >
            hyb_tensor_get_value (scores, TAGS * i + best))
          best = k;
      right += best == (gint64) hyb_tensor_get_value (tags, i);
    }
  return scores ? (double) right / (BATCH * LENGTH) : -1;
}

int
main (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybBlock) net = new_tagger ();
  g_autoptr (HybTensor) words = hyb_tensor_new_float (2, (gint64[]){ BATCH, LENGTH }, NULL);
  g_autoptr (HybTensor) tags = hyb_tensor_new_float (2, (gint64[]){ BATCH, LENGTH }, NULL);
  g_autoptr (HybModel) model = NULL;
  g_autoptr (HybBlock) loaded = NULL;
  double right, again;

  if (train (net, words, tags, &error) && hyb_block_hybridize (net, TRUE, NULL, &error))
    {
      draw_sentences (1000, words, tags);
      right = accuracy (net, words, tags, &error);
      if (right >= 0 && hyb_block_export (net, "tagger", 0, &error))
        model = hyb_model_open ("tagger-symbol.json", NULL, HYB_EPOCH_HIGHEST, &error);
    }
  loaded = model ? hyb_symbol_block_new (model, HYB_STRINGS ("data"), &error) : NULL;
  again = loaded ? accuracy (loaded, words, tags, &error) : -1;
  if (error)
    {
      fprintf (stderr, "%s\n", error->message);
      return 1;
    }
  printf ("right on more than 95 %% of new words: %s\n", right > 0.95 ? "yes" : "no");
  printf ("the export is right as often: %s\n", again == right ? "yes" : "no");
  return 0;
}
