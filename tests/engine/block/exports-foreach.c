/* exports-foreach.c — export tests: models with a foreach loop.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/control.h"
#include "engine/block/layers.h"
#include "engine/rnn/layer.h"
#include "tests/engine/block/export-check.h"

static HybValue *
unary_tanh (HybF *F, HybValue *x)
{
  return hyb_unary (F, "tanh", x);
}

static HybValue *
reversed (HybF *F, HybValue *x)
{
  return with_axis (F, "reverse", x, "0");
}

/* The loop over input 0 with input 1 as state, as a list (outputs, states). */
static HybValue *
loop (HybF *F, HybForeachBody body, HybValue *input, gpointer user)
{
  return hyb_foreach (F, body, hyb_item (F, input, 0), hyb_item (F, input, 1), user);
}

/* A forward that is one loop with this body. */
static HybValue *
one_loop (HybF *F, Model *model, HybValue *input)
{
  HybForeachBody body = *(const HybForeachBody *) model->row->data;

  if (!hyb_is_list (input))
    return hyb_foreach (F, body, input, hyb_list (F, 0, NULL), model);
  return loop (F, body, input, model);
}

/* --- Values and weights from outside --- */

typedef struct
{
  Model    *model;
  HybValue *a, *b;
} Outer;

static HybValue *
attention_body (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  const Outer *outer = user;
  HybValue    *query = hyb_concat (F, hyb_list_of (F, x, *state, NULL), 1);
  HybValue    *scores, *weights, *context;

  query = hyb_expand_dims (F, product (F, query, outer->model->w[0], NULL, "4"), 2);
  scores = hyb_squeeze (F, hyb_broadcast (F, "batch_dot", outer->a, query), 2);
  weights = hyb_unary (F, "softmax", scores);
  context = hyb_broadcast (F, "batch_dot", hyb_expand_dims (F, weights, 1), outer->a);
  *state = unary_tanh (F, hyb_add (F, hyb_squeeze (F, context, 1), *state));
  return hyb_list_of (F, *state, weights, NULL);
}

static HybValue *
attention (HybF *F, Model *model, HybValue *input)
{
  Outer outer = { model, hyb_item (F, input, 2), NULL };

  return loop (F, attention_body, input, &outer);
}

static void
attention_parts (Model *model)
{
  model->w[0] = add_weight (model, "w", 4, 7);
}

static HybValue *
one_way_body (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  Model *model = user;

  return *state = unary_tanh (F, hyb_add (F, product (F, x, model->w[0], NULL, "4"), *state));
}

static HybValue *
both_ways (HybF *F, Model *model, HybValue *input)
{
  HybValue *x = hyb_item (F, input, 0), *state = hyb_item (F, input, 1);
  HybValue *there = hyb_foreach (F, one_way_body, x, state, model);
  HybValue *back = hyb_foreach (F, one_way_body, reversed (F, x), state, model);

  back = reversed (F, hyb_item (F, back, 0));
  return hyb_concat (F, hyb_list_of (F, hyb_item (F, there, 0), back, NULL), 2);
}

static void
both_ways_parts (Model *model)
{
  model->w[0] = add_weight (model, "w", 4, 3);
}

static HybValue *
second_output_body (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  const Outer *outer = user;

  *state = hyb_add (F, hyb_mul (F, x, outer->b), *state);
  return hyb_add (F, *state, outer->a);
}

static HybValue *
second_output (HybF *F, Model *model, HybValue *input)
{
  HybValue *halves = HYB_OP (F, "SliceChannel", .in = { hyb_item (F, input, 1) },
                             .attributes = HYB_WITH ("axis", "1", "num_outputs", "2"));
  Outer     outer = { model, hyb_item (F, halves, 0), hyb_item (F, halves, 1) };

  return hyb_foreach (F, second_output_body, hyb_item (F, input, 0), outer.a, &outer);
}

static HybValue *
captured_values_body (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  const Outer *outer = user;
  HybValue    *scaled = hyb_mul (F, x, outer->a);
  HybValue    *y = hyb_add (F, scaled, hyb_mul (F, *state, outer->b));

  *state = hyb_unary (F, "relu", y);
  return y;
}

static HybValue *
captured_values (HybF *F, Model *model, HybValue *input)
{
  HybValue *third = hyb_item (F, input, 2), *mean, *result;
  Outer     outer = { .model = model };

  outer.a = hyb_unary (F, "exp", with_number (F, "mul", third, "0.3"));
  mean =
      HYB_OP (F, "mean", .in = { third }, .attributes = HYB_WITH ("axis", "0", "keepdims", "True"));
  outer.b = hyb_broadcast (F, "broadcast_add", outer.a, mean);
  result = loop (F, captured_values_body, input, &outer);
  return hyb_list_of (F, hyb_item (F, result, 0), hyb_item (F, result, 1), outer.b, NULL);
}

static HybValue *
captured_weights_body (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  Model    *model = user;
  HybValue *fresh = product (F, x, model->w[0], model->w[1], "4");
  HybValue *kept = hyb_dot (F, *state, hyb_use (F, model->w[2]), FALSE);

  *state = unary_tanh (F, hyb_add (F, fresh, kept));
  return with_number (F, "mul", *state, "2");
}
static const HybForeachBody captured_weights = captured_weights_body;

static void
captured_weights_parts (Model *model)
{
  model->w[0] = add_weight (model, "w", 4, 3);
  model->w[1] = add_weight (model, "b", 4, 0);
  model->w[2] = add_weight (model, "u", 4, 4);
}

/* --- Layers in the body --- */

static HybValue *
conv_body (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  Model    *model = user;
  HybValue *y = x;

  for (guint i = 0; i < 3; i++)
    y = hyb_call (F, model->part[i], y);
  *state = hyb_add (F, *state, hyb_mean (F, y, "(0, 2, 3)"));
  return y;
}
static const HybForeachBody conv = conv_body;

static void
conv_parts (Model *model)
{
  HybBlock *block = &model->parent;

  model->part[0] =
      hyb_append (block, hyb_conv (.channels = 3, .kernel = hyb_shape_2d (3, 3),
                                   .pad = hyb_shape_2d (1, 1), .no_bias = TRUE, .in_channels = 2));
  model->part[1] = hyb_append (block, hyb_batch_norm (.in_channels = 3));
  model->part[2] = hyb_append (block, hyb_activation_new ("relu", NULL));
}

static HybValue *
layer_body (HybF *F, HybValue *x, HybValue **states, gpointer user)
{
  Model    *model = user;
  HybValue *result = hyb_call_list (F, model->part[0], x, *states, NULL);

  *states = hyb_item (F, result, 1);
  return hyb_item (F, result, 0);
}
static const HybForeachBody layer = layer_body;

static void
layer_parts (Model *model)
{
  model->part[0] =
      hyb_append (&model->parent, hyb_rnn_layer (.mode = "gru", .hidden = 4, .input_size = 3));
}

static HybValue *
language (HybF *F, Model *model, HybValue *input)
{
  HybValue *x = hyb_call (F, model->part[0], hyb_item (F, input, 0));
  HybValue *result = hyb_foreach_cell (F, model->part[1], x, hyb_item (F, input, 1));
  HybValue *y = hyb_call (F, model->part[2], hyb_item (F, result, 0));

  return hyb_list_of (F, y, hyb_item (F, result, 1), NULL);
}

static void
language_parts (Model *model)
{
  HybBlock *block = &model->parent;

  model->part[0] = hyb_append (block, hyb_embedding_new (9, 3, NULL));
  model->part[1] = hyb_append (block, hyb_lstm_cell (.hidden = 4, .input_size = 3));
  model->part[2] = hyb_append (block, hyb_dense (.units = 9, .no_flatten = TRUE, .in_units = 4));
}

/* --- Small bodies --- */

static HybValue *
cumsum_body (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  HybValue *y = hyb_add (F, x, *state);

  *state = hyb_add (F, x, *state);
  return y;
}
static const HybForeachBody cumsum = cumsum_body;

static HybValue *
shapes_body (HybF *F, HybValue *x, HybValue **states, gpointer user)
{
  HybValue *rows = hyb_sum (F, x, "1");
  HybValue *square = hyb_dot (F, x, x, TRUE);

  return hyb_list_of (F, rows, square, hyb_unary (F, "mean", x), NULL);
}
static const HybForeachBody shapes = shapes_body;

static HybValue *
dropout_body (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  HybValue *y =
      HYB_OP (F, "Dropout", .in = { hyb_add (F, x, *state) }, .attributes = HYB_WITH ("p", "0.5"));

  *state = unary_tanh (F, hyb_add (F, *state, x));
  return y;
}
static const HybForeachBody dropout = dropout_body;

static HybValue *
embedding_body (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  Model    *model = user;
  HybValue *row = HYB_OP (F, "Embedding", .in = { x, hyb_use (F, model->w[0]) },
                          .attributes = HYB_WITH ("input_dim", "7", "output_dim", "3"));

  *state = unary_tanh (F, hyb_add (F, row, *state));
  return with_axis (F, "argmax", *state, "1");
}
static const HybForeachBody embedding = embedding_body;

static void
embedding_parts (Model *model)
{
  model->w[0] = add_weight (model, "w", 7, 3);
}

static HybValue *
double_body (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  HybValue *y = hyb_mul (F, hyb_unary (F, "sin", x), *state);

  *state = hyb_add (F, *state, hyb_mul (F, x, x));
  return y;
}
static const HybForeachBody double_precision = double_body;

static HybValue *
first_body (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  HybValue *y = unary_tanh (F, hyb_add (F, x, *state));

  *state = hyb_add (F, with_number (F, "mul", *state, "0.5"), x);
  return y;
}

static HybValue *
second_body (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  HybValue *y = hyb_mul (F, x, *state);

  *state = hyb_sub (F, *state, x);
  return y;
}

static HybValue *
in_sequence (HybF *F, Model *model, HybValue *input)
{
  HybValue *first = loop (F, first_body, input, NULL);
  HybValue *second = loop (F, second_body, first, NULL);

  return hyb_list_of (F, hyb_item (F, second, 0), hyb_item (F, second, 1), hyb_item (F, first, 0),
                      NULL);
}

static HybValue *
sum_product_body (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  HybValue *y = hyb_add (F, x, *state);

  *state = hyb_mul (F, x, *state);
  return y;
}
static const HybForeachBody sum_product = sum_product_body;

static HybValue *
product_sum_body (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  HybValue *y = hyb_mul (F, x, *state);

  *state = hyb_add (F, *state, x);
  return y;
}
static const HybForeachBody product_sum = product_sum_body;

static HybValue *
pass_through_body (HybF *F, HybValue *x, HybValue **states, gpointer user)
{
  HybValue *a = hyb_item (F, *states, 0), *b = hyb_item (F, *states, 1);
  HybValue *y = hyb_mul (F, a, x);

  *states = hyb_list_of (F, a, hyb_add (F, b, x), NULL);
  return hyb_list_of (F, x, y, NULL);
}
static const HybForeachBody pass_through = pass_through_body;

static HybValue *
stateless_body (HybF *F, HybValue *x, HybValue **states, gpointer user)
{
  return with_number (F, "plus", with_number (F, "mul", x, "2"), "1");
}
static const HybForeachBody stateless = stateless_body;

/* --- Lists --- */

static HybValue *
only_states_body (HybF *F, HybValue *x, HybValue **states, gpointer user)
{
  HybValue *a = hyb_add (F, hyb_item (F, *states, 0), x);

  *states =
      hyb_list_of (F, a, hyb_mul (F, hyb_item (F, *states, 1), hyb_unary (F, "sigmoid", x)), NULL);
  return hyb_list (F, 0, NULL);
}

static HybValue *
only_states (HybF *F, Model *model, HybValue *input)
{
  HybValue *second = hyb_item (F, input, 1);
  HybValue *states = hyb_list_of (F, second, with_number (F, "plus", second, "1"), NULL);

  return hyb_foreach (F, only_states_body, hyb_item (F, input, 0), states, NULL);
}

static HybValue *
nested_lists_body (HybF *F, HybValue *x, HybValue **states, gpointer user)
{
  HybValue *inner = hyb_item (F, *states, 1);
  HybValue *b = hyb_item (F, inner, 0), *c = hyb_item (F, inner, 1);
  HybValue *y = hyb_unary (F, "sigmoid", hyb_add (F, x, hyb_item (F, *states, 0)));
  HybValue *scaled = hyb_mul (F, b, x);
  HybValue *next = hyb_add (F, b, with_number (F, "mul", x, "0.1"));

  *states = hyb_list_of (F, y, hyb_list_of (F, next, hyb_mul (F, c, y), NULL), NULL);
  return hyb_list_of (F, y, hyb_list_of (F, scaled, c, NULL), NULL);
}
static const HybForeachBody nested_lists = nested_lists_body;

static HybValue *
two_of_each_body (HybF *F, HybValue *x, HybValue **states, gpointer user)
{
  HybValue *a = hyb_item (F, x, 0), *b = hyb_item (F, x, 1);
  HybValue *s = hyb_item (F, *states, 0), *t = hyb_item (F, *states, 1);
  HybValue *first = hyb_add (F, hyb_mul (F, a, s), b);
  HybValue *second = hyb_sub (F, a, t);
  HybValue *squashed = unary_tanh (F, first);

  *states = hyb_list_of (F, squashed, hyb_add (F, with_number (F, "mul", t, "0.5"), b), NULL);
  return hyb_list_of (F, first, second, NULL);
}
static const HybForeachBody two_of_each = two_of_each_body;

/* --- Loops in loops --- */

static HybValue *
inner_body (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  Model *model = user;

  return *state = hyb_add (F, *state, hyb_mul (F, x, hyb_use (F, model->w[0])));
}

static HybValue *
nested_body (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  HybValue *result = hyb_foreach (F, inner_body, x, *state, user);
  HybValue *y = with_number (F, "mul", hyb_item (F, result, 0), "2");

  *state = unary_tanh (F, hyb_item (F, result, 1));
  return y;
}
static const HybForeachBody nested = nested_body;

static void
nested_parts (Model *model)
{
  model->w[0] = add_weight (model, "w", 3, 0);
}

static HybValue *
middle_body (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  HybValue *result = hyb_foreach (F, product_sum_body, x, *state, user);
  HybValue *y = with_number (F, "plus", hyb_item (F, result, 0), "1");

  *state = with_number (F, "mul", hyb_item (F, result, 1), "0.5");
  return y;
}

static HybValue *
outermost_body (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  HybValue *result = hyb_foreach (F, middle_body, x, *state, user);

  *state = hyb_unary (F, "sin", hyb_item (F, result, 1));
  return hyb_item (F, result, 0);
}
static const HybForeachBody nested_three = outermost_body;

static const ModelRow rows[] = {
  { "foreach-attention", "Fn", "[0, 0, 0]", attention, attention_parts },
  { "foreach-bidirectional", "Fn", "[0, 0]", both_ways, both_ways_parts },
  { "foreach-captured-output-1", "Fn", "[0, 0]", second_output },
  { "foreach-captured-values", "Fn", "[0, 0, 0]", captured_values },
  { "foreach-captured-weights", "Fn", "[0, 0]", one_loop, captured_weights_parts,
    &captured_weights },
  { "foreach-conv-batchnorm", "Fn", "[0, 0]", one_loop, conv_parts, &conv },
  { "foreach-cumsum", "Fn", "[0, 0]", one_loop, NULL, &cumsum },
  { "foreach-different-shapes", "Fn", "0", one_loop, NULL, &shapes },
  { "foreach-dropout", "Fn", "[0, 0]", one_loop, NULL, &dropout },
  { "foreach-embedding", "Fn", "[0, 0]", one_loop, embedding_parts, &embedding },
  { "foreach-float64", "Fn", "[0, 0]", one_loop, NULL, &double_precision },
  { "foreach-in-sequence", "Fn", "[0, 0]", in_sequence },
  { "foreach-length-one", "Fn", "[0, 0]", one_loop, NULL, &sum_product },
  { "foreach-lm", "LM", "[0, [0, 0]]", language, language_parts },
  { "foreach-nested", "Fn", "[0, 0]", one_loop, nested_parts, &nested },
  { "foreach-nested-lists", "Fn", "[0, [0, [0, 0]]]", one_loop, NULL, &nested_lists },
  { "foreach-nested-three", "Fn", "[0, 0]", one_loop, NULL, &nested_three },
  { "foreach-one-dimension", "Fn", "[0, 0]", one_loop, NULL, &product_sum },
  { "foreach-only-states", "Fn", "[0, 0]", only_states },
  { "foreach-pass-through", "Fn", "[0, [0, 0]]", one_loop, NULL, &pass_through },
  { "foreach-rnn-layer-inside", "Fn", "[0, [0]]", one_loop, layer_parts, &layer },
  { "foreach-stateless", "Fn", "0", one_loop, NULL, &stateless },
  { "foreach-two-data-two-states", "Fn", "[[0, 0], [0, 0]]", one_loop, NULL, &two_of_each },
};

void
exports_add_foreach (void)
{
  export_check_add_models (rows, G_N_ELEMENTS (rows));
}
