/* exports-decoders.c — export tests: decoders that run until the end of a sentence, greedy and with
 * beams.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/control.h"
#include "engine/rnn/cell.h"
#include "tests/engine/block/export-check.h"

static HybValue *
variable (HybF *F, HybValue *const *variables, guint index)
{
  return hyb_item (F, *variables, index);
}

static HybValue *
add_one (HybF *F, HybValue *x)
{
  return with_number (F, "plus", x, "1");
}

static HybValue *
few_tokens (HybF *F, HybValue *variables, gpointer user)
{
  return compare (F, "lesser", hyb_unary (F, "sum", hyb_item (F, variables, 3)), "5");
}

static HybValue *
embed (HybF *F, HybValue *tokens, HybParameter *weight, const char *words, const char *size)
{
  return HYB_OP (F, "Embedding", .in = { tokens, hyb_use (F, weight) },
                 .attributes = HYB_WITH ("input_dim", words, "output_dim", size));
}

static HybValue *
greedy_body (HybF *F, HybValue **variables, gpointer user)
{
  Model    *model = user;
  HybValue *x = embed (F, variable (F, variables, 0), model->w[0], "6", "3");
  HybValue *states = hyb_list_of (F, variable (F, variables, 1), variable (F, variables, 2), NULL);
  HybValue *y = hyb_cell_step (F, model->part[0], x, &states);
  HybValue *scores = product (F, y, model->w[1], NULL, "6");
  HybValue *next = with_axis (F, "argmax", scores, "1");

  *variables = hyb_list_of (F, next, hyb_item (F, states, 0), hyb_item (F, states, 1),
                            add_one (F, variable (F, variables, 3)), NULL);
  return hyb_list_of (F, scores, next, NULL);
}

static HybValue *
greedy (HybF *F, Model *model, HybValue *input)
{
  return hyb_while_loop (F, &(HybWhile){ .condition = few_tokens,
                                         .body = greedy_body,
                                         .variables = input,
                                         .max_iterations = 6,
                                         .user = model });
}

static void
greedy_parts (Model *model)
{
  model->part[0] =
      hyb_block_add_child (&model->parent, hyb_lstm_cell (.hidden = 4, .input_size = 3), "cell");
  model->w[0] = add_weight (model, "e", 6, 3);
  model->w[1] = add_weight (model, "d", 6, 4);
}

static HybValue *
filled (HybF *F, const char *op)
{
  return HYB_OP (F, op, .attributes = HYB_WITH ("dtype", "float32", "shape", "(1,)"));
}

static HybValue *
some_alive (HybF *F, HybValue *variables, gpointer user)
{
  HybValue *done = hyb_unary (F, "sum", hyb_item (F, variables, 3));
  HybValue *all = with_number (F, "mul", filled (F, "_ones"), "3");
  HybValue *some = hyb_broadcast (F, "broadcast_lesser", done, all);

  return hyb_mul (F, some, compare (F, "lesser", hyb_item (F, variables, 4), "6"));
}

/* Log-probability of every continuation: a beam that is done continues with itself only. */
static HybValue *
continuations (HybF *F, HybParameter *table, HybValue *tokens, HybValue *scores, HybValue *done)
{
  HybValue *fresh = hyb_unary (F, "log_softmax", embed (F, tokens, table, "5", "5"));
  HybValue *alive = hyb_expand_dims (F, with_number (F, "rminus", done, "1"), 1);
  HybValue *again, *all;

  fresh = hyb_broadcast (F, "broadcast_mul", fresh, alive);
  again =
      HYB_OP (F, "one_hot", .in = { tokens },
              .attributes = HYB_WITH ("depth", "5", "off_value", "-10000.0", "on_value", "0.0"));
  again = hyb_broadcast (F, "broadcast_mul", again, hyb_expand_dims (F, done, 1));
  all =
      hyb_broadcast (F, "broadcast_add", hyb_add (F, fresh, again), hyb_expand_dims (F, scores, 1));
  return hyb_reshape (F, all, "(1, -1)");
}

static HybValue *
beam_body (HybF *F, HybValue **variables, gpointer user)
{
  Model    *model = user;
  HybValue *all = continuations (F, model->w[0], variable (F, variables, 0),
                                 variable (F, variables, 1), variable (F, variables, 3));
  HybValue *best = HYB_OP (F, "topk", .in = { all },
                           .attributes = HYB_WITH ("axis", "1", "k", "3", "ret_typ", "both"));
  HybValue *scores = hyb_reshape (F, hyb_item (F, best, 0), "(-1,)");
  HybValue *places = hyb_reshape (F, hyb_item (F, best, 1), "(-1,)");
  HybValue *beams = hyb_unary (F, "floor", with_number (F, "div", places, "5"));
  HybValue *tokens = hyb_sub (F, places, with_number (F, "mul", beams, "5"));
  HybValue *history = HYB_OP (F, "take", .in = { variable (F, variables, 2), beams });
  HybValue *done;

  history = hyb_slice_axis (F, history, 1, 1, HYB_NONE);
  history = hyb_concat (F, hyb_list_of (F, history, hyb_expand_dims (F, tokens, 1), NULL), 1);
  done = hyb_broadcast (F, "broadcast_equal", tokens, filled (F, "_zeros"));
  *variables =
      hyb_list_of (F, tokens, scores, history, done, add_one (F, variable (F, variables, 4)), NULL);
  return hyb_list_of (F, tokens, beams, NULL);
}

static HybValue *
beam_search (HybF *F, Model *model, HybValue *input)
{
  return hyb_while_loop (F, &(HybWhile){ .condition = some_alive,
                                         .body = beam_body,
                                         .variables = input,
                                         .max_iterations = 8,
                                         .user = model });
}

static void
beam_parts (Model *model)
{
  model->w[0] = add_weight (model, "e", 5, 5);
}

static const ModelRow rows[] = {
  { "while-beam-search", "Fn", "[0, 0, 0, 0, 0]", beam_search, beam_parts },
  { "while-greedy-decoder", "Fn", "[0, 0, 0, 0]", greedy, greedy_parts },
};

void
exports_add_decoders (void)
{
  export_check_add_models (rows, G_N_ELEMENTS (rows));
}
