/* beam-search.c — a decoder with beam search in the graph: a while loop around an LSTM cell, which
 * keeps the best continuations with topk and follows them with take.
 *
 * Outputs: log-probability of each beam, tokens and parents of each step, number of steps.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

typedef struct
{
  gint64 vocabulary, hidden, beams, steps;
} Options;

static const HybParam options[] = {
  { HYB_FIELD (Options, vocabulary), HYB_PARAM_INT, "50", 2, 1 << 22,
    .doc = "size of the vocabulary; token 0 ends a sentence" },
  { HYB_FIELD (Options, hidden), HYB_PARAM_INT, "32", 1, 65536, .doc = "units of the cell" },
  { HYB_FIELD (Options, beams), HYB_PARAM_INT, "4", 1, 4096, .doc = "continuations that are kept" },
  { HYB_FIELD (Options, steps), HYB_PARAM_INT, "10", 1, 65536, .doc = "maximum number of tokens" },
  { 0 },
};

typedef struct
{
  HybBlock  parent;
  Options   options;
  HybBlock *embedding, *cell, *decoder;
} BeamSearch;

/* Continues until the best beam has ended.  Variables: tokens, scores, h, c, steps. */
static HybValue *
continues (HybF *F, HybValue *variables, gpointer self)
{
  HybValue *best = hyb_slice_axis (F, hyb_item (F, variables, 0), 0, 0, 1);

  return hyb_compare_scalar (F, best, HYB_NOT_EQUAL, 0);
}

static HybValue *
follow (HybF *F, HybValue *x, HybValue *parents)
{
  return HYB_OP (F, "take", .in = { x, parents });
}

static HybValue *
one_step (HybF *F, HybValue **variables, gpointer user)
{
  BeamSearch *self = user;
  gint64      vocabulary = self->options.vocabulary;
  HybValue   *tokens = hyb_item (F, *variables, 0);
  HybValue   *states =
      hyb_list_of (F, hyb_item (F, *variables, 2), hyb_item (F, *variables, 3), NULL);
  HybValue *h = hyb_cell_step (F, self->cell, hyb_call (F, self->embedding, tokens), &states);
  HybValue *all = hyb_log_softmax (F, hyb_call (F, self->decoder, h), -1);
  HybValue *scores = hyb_expand_dims (F, hyb_item (F, *variables, 1), 1), *best, *parents;

  all = hyb_reshape (F, hyb_broadcast (F, "broadcast_add", all, scores), "(-1,)");
  best = HYB_OP (F, "topk", .in = { all },
                 .attributes =
                     HYB_WITH ("axis", "0", "k", hyb_f_text (F, "%d", (int) self->options.beams),
                               "ret_typ", "both"));
  parents =
      hyb_unary (F, "floor", hyb_mul_scalar (F, hyb_item (F, best, 1), 1 / (double) vocabulary));
  tokens = hyb_sub (F, hyb_item (F, best, 1), hyb_mul_scalar (F, parents, (double) vocabulary));
  *variables =
      hyb_list_of (F, tokens, hyb_item (F, best, 0), follow (F, hyb_item (F, states, 0), parents),
                   follow (F, hyb_item (F, states, 1), parents),
                   hyb_add_scalar (F, hyb_item (F, *variables, 4), 1), NULL);
  return hyb_list_of (F, tokens, parents, NULL);
}

static HybValue *
beam_search_forward (HybF *F, HybBlock *block, HybValue *input)
{
  BeamSearch   *self = (BeamSearch *) block;
  HybValue     *none = hyb_zeros (F, "(1,)");
  HybValue     *states = hyb_item (F, input, 2), *result;
  HybLoopResult loop;

  hyb_cell_reset (self->cell);
  result = hyb_while_loop (F, &(HybWhile){ .condition = continues,
                                           .body = one_step,
                                           .variables =
                                               hyb_list_of (F, hyb_item (F, input, 0),
                                                            hyb_item (F, input, 1),
                                                            hyb_item (F, states, 0),
                                                            hyb_item (F, states, 1), none, NULL),
                                           .max_iterations = self->options.steps,
                                           .user = self });
  loop = hyb_loop_result (F, result);
  return hyb_list_of (F, hyb_item (F, loop.states, 1), loop.outputs, hyb_item (F, loop.states, 4),
                      NULL);
}

static const HybBlockClass beam_search_class = {
  .name = "BeamSearch",
  .size = sizeof (BeamSearch),
  .forward = beam_search_forward,
};

static HybBlock *
build (gconstpointer data)
{
  const Options *given = data;
  HybBlock      *block = hyb_block_new (&beam_search_class, NULL);
  BeamSearch    *self = (BeamSearch *) block;

  self->options = *given;
  hyb_block_enter_scope (block);
  self->embedding = hyb_append (block, hyb_embedding_new (given->vocabulary, given->hidden, NULL));
  self->cell =
      hyb_append (block, hyb_lstm_cell (.hidden = given->hidden, .input_size = given->hidden));
  self->decoder =
      hyb_append (block, hyb_dense (.units = given->vocabulary, .in_units = given->hidden));
  hyb_block_leave_scope (block);
  return block;
}

/* The first beam starts at a random token, the others with a score that excludes them.  Training
 * raises the score of what the search finds. */
static void
fill (gconstpointer data, const HybBatch *batch)
{
  const Options *given = data;
  guint64        draw = hyb_random_mix (batch->seed, batch->step);
  float         *tokens = hyb_tensor_get_data (batch->inputs[0]);
  float         *scores = hyb_tensor_get_data (batch->inputs[1]);

  for (gint64 i = 0; i < given->beams; i++)
    {
      tokens[i] = (float) (1 + hyb_random_word (draw, 0) % (given->vocabulary - 1));
      scores[i] = i == 0 ? 0 : -20;
    }
}

HYB_MODEL (.name = "beam-search",
           .doc = "Beam search over an LSTM decoder, inside the graph",
           .options = options,
           .options_size = sizeof (Options),
           .inputs = "[float32(beams), float32(beams), [float32(beams, hidden),"
                     " float32(beams, hidden)]]",
           .build = build,
           .task = { .loss = "l1",
                     .label = "float32(beams)",
                     .settings = "learning_rate=0.05",
                     .clip_global_norm = 1,
                     .steps = 50,
                     .fill = fill });
