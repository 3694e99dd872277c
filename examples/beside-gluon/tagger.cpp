// tagger.cpp — an LSTM that gives every word of a sentence one of four tags: trained, exported, opened again.
//
// A word is of the first or of the second half of the dictionary; the tag says of which it and the word before it are.
// SPDX-License-Identifier: LGPL-2.1-or-later
#include "own.hpp"

#include <algorithm>

constexpr int    WORDS = 20, LENGTH = 10, BATCH = 16, TAGS = 4;
constexpr gint64 DIMS[] = { BATCH, LENGTH };

struct Batch
{
  Tensor words{ hyb_tensor_new_float (2, DIMS, nullptr) };
  Tensor tags{ hyb_tensor_new_float (2, DIMS, nullptr) };

  void
  draw (guint64 seed)
  {
    auto word = static_cast<float *> (hyb_tensor_get_data (words.get ()));
    auto tag = static_cast<float *> (hyb_tensor_get_data (tags.get ()));

    for (int i = 0; i < BATCH * LENGTH; i++)
      {
        bool before = i % LENGTH > 0 && word[i - 1] >= WORDS / 2;

        word[i] = float (int (WORDS * hyb_random_uniform (seed, guint64 (i))));
        tag[i] = float (2 * before + (word[i] >= WORDS / 2));
      }
  }
};

static Block
new_tagger ()
{
  Block net (hyb_sequential (nullptr));

  hyb_block_enter_scope (net.get ());
  hyb_append (net.get (), hyb_embedding_new (WORDS, 8, nullptr));
  hyb_append (net.get (), hyb_rnn_layer (.hidden = 16, .layout = "NTC", .input_size = 8));
  hyb_append (net.get (), hyb_dense (.units = TAGS, .no_flatten = TRUE, .in_units = 16));
  hyb_block_leave_scope (net.get ());
  hyb_block_initialize (net.get (), "xavier", 0);
  return net;
}

static bool
train (HybBlock *net, Batch &batch, Error &error)
{
  Block   loss (hyb_loss_new ("softmax-cross-entropy", nullptr));
  Tape    tape (hyb_tape_new ());
  Trainer trainer (hyb_gluon_trainer_new (net, tape.get (), "adam",
                                          HYB_STRINGS ("learning_rate", "0.02"), error));

  for (guint64 step = 0; trainer && step < 150; step++)
    {
      Trace F (hyb_f_new (TRUE, step));

      batch.draw (step);
      hyb_f_set_tape (F.get (), tape.get ());
      hyb_tape_begin (tape.get ());
      HybValue *scores =
          hyb_call (F.get (), net, hyb_value_from_tensor (F.get (), batch.words.get ()));
      HybValue  *tags = hyb_value_from_tensor (F.get (), batch.tags.get ());
      HybTensor *head =
          hyb_value_get_tensor (hyb_call_list (F.get (), loss.get (), scores, tags, nullptr));
      hyb_tape_end (tape.get ());
      if (!hyb_f_check (F.get (), error) ||
          !hyb_tape_backward (tape.get (),
                              HYB_OPTIONS (HybBackwardPass, .n_heads = 1, .heads = &head), error) ||
          !hyb_gluon_trainer_step (trainer.get (), BATCH, error))
        return false;
    }
  return trainer != nullptr;
}

// The share of words with the right tag; −1 and an error if the block cannot run.
static double
accuracy (HybBlock *net, const Batch &batch, Error &error)
{
  Tensor scores (hyb_block_predict (net, batch.words.get (), error));
  int    right = 0;

  if (!scores)
    return -1;
  auto score = static_cast<const float *> (hyb_tensor_get_data (scores.get ()));
  for (int i = 0; i < BATCH * LENGTH; i++, score += TAGS)
    right += std::max_element (score, score + TAGS) - score ==
             hyb_tensor_get_value (batch.tags.get (), i);
  return double (right) / (BATCH * LENGTH);
}

int
main ()
{
  Error error;
  Batch batch;
  Block net = new_tagger ();

  if (!train (net.get (), batch, error) || !hyb_block_hybridize (net.get (), TRUE, nullptr, error))
    return error.report ();
  batch.draw (1000);
  double right = accuracy (net.get (), batch, error);
  if (right < 0 || !hyb_block_export (net.get (), "tagger", 0, error))
    return error.report ();

  Model model (hyb_model_open ("tagger-symbol.json", nullptr, HYB_EPOCH_HIGHEST, error));
  Block loaded (model ? hyb_symbol_block_new (model.get (), HYB_STRINGS ("data"), error) : nullptr);
  double again = loaded ? accuracy (loaded.get (), batch, error) : -1;
  if (again < 0)
    return error.report ();
  std::printf ("right on more than 95 %% of new words: %s\n", right > 0.95 ? "yes" : "no");
  std::printf ("the export is right as often: %s\n", again == right ? "yes" : "no");
  return 0;
}
