/* exports-symbols.c — export tests: symbols without blocks, whose weights are implicit variables;
 * with mx.rnn's cells, control flow and groups.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/control.h"
#include "engine/block/layers.h"
#include "engine/rnn/layer.h"
#include "tests/engine/block/export-check.h"

typedef HybValue *(*Compose) (HybF *F);

static HybGraph *
compose (gconstpointer data)
{
  g_autoptr (HybF) F = hyb_f_new_trace (FALSE);
  g_autoptr (GError) error = NULL;
  HybGraph *graph;

  hyb_names_reset ();
  graph = hyb_f_finish (F, (*(const Compose *) data) (F), &error);
  g_assert_no_error (error);
  return graph;
}

static HybValue *
symbol (HybF *F, const char *name)
{
  return hyb_value_variable (F, name, NULL);
}

static HybValue *
fully_connected (HybF *F, HybValue *x, const char *name, const char *units)
{
  return HYB_COMPOSE (F, "FullyConnected", .name = name, .in = { x },
                      .attributes = HYB_WITH ("num_hidden", units));
}

/* --- Networks --- */

static HybValue *
mlp (HybF *F)
{
  HybValue *x = fully_connected (F, symbol (F, "data"), "fc1", "7");

  x = hyb_activation (F, x, "relu", "relu1");
  x = fully_connected (F, x, "fc2", "4");
  x = HYB_OP (F, "Dropout", .in = { x }, .attributes = HYB_WITH ("p", "0.0"));
  return HYB_COMPOSE (F, "SoftmaxOutput", .name = "softmax", .in = { x });
}

static HybValue *
conv_unit (HybF *F, HybValue *x, const char *name, const char *filters, gboolean wide)
{
  HybValue *y =
      HYB_COMPOSE (F, "Convolution", .name = name, .in = { x },
                   .attributes = HYB_WITH ("kernel", wide ? "(3, 3)" : "(1, 1)", "num_filter",
                                           filters, "pad", wide ? "(1, 1)" : "(0, 0)"));

  y = HYB_COMPOSE (F, "BatchNorm", .name = hyb_f_text (F, "%s_bn", name), .in = { y },
                   .attributes = HYB_WITH ("fix_gamma", "False"));
  return hyb_activation (F, y, "relu", NULL);
}

static HybValue *
inception (HybF *F)
{
  HybValue *data = symbol (F, "data");
  HybValue *first = conv_unit (F, data, "b1", "3", FALSE);
  HybValue *second = conv_unit (F, conv_unit (F, data, "b2r", "2", FALSE), "b2", "3", TRUE);
  HybValue *third =
      HYB_OP (F, "Pooling", .in = { data },
              .attributes = HYB_WITH ("kernel", "(3, 3)", "pad", "(1, 1)", "pool_type", "max"));
  HybValue *joined;

  third = conv_unit (F, third, "b3", "2", FALSE);
  joined = hyb_concat (F, hyb_list_of (F, first, second, third, NULL), 1);
  joined = HYB_OP (F, "Pooling", .in = { joined },
                   .attributes =
                       HYB_WITH ("global_pool", "True", "kernel", "(1, 1)", "pool_type", "avg"));
  return fully_connected (F, joined, "out", "3");
}

/* --- Groups --- */

static HybValue *
group_with_variable (HybF *F)
{
  HybValue *a = symbol (F, "a");
  HybValue *both = hyb_concat (F, hyb_list_of (F, a, symbol (F, "b"), NULL), 1);
  HybValue *fc = fully_connected (F, both, "fc", "5");

  return hyb_list_of (F, hyb_activation (F, fc, "tanh", "act"), a, fc, NULL);
}

static HybValue *
traced_group (HybF *F)
{
  g_autoptr (HybBlock) net = hyb_sequential ("g_");
  HybValue *y, *scaled;

  hyb_block_enter_scope (net);
  hyb_append (net, hyb_dense (.units = 6, .activation = "relu"));
  hyb_append (net, hyb_dense (.units = 4));
  hyb_block_leave_scope (net);
  y = hyb_call (F, net, symbol (F, "data"));
  scaled = with_number (F, "plus", with_number (F, "mul", y, "2"), "1");
  return hyb_list_of (F, y, hyb_softmax (F, y, -1), hyb_unary (F, "BlockGrad", scaled), NULL);
}

/* --- mx.rnn in a network --- */

static HybValue *
embed (HybF *F, const char *data, const char *words, const char *size)
{
  return HYB_COMPOSE (F, "Embedding", .name = "embed", .in = { symbol (F, data) },
                      .attributes = HYB_WITH ("input_dim", words, "output_dim", size));
}

/* From merged outputs to a loss over all steps. */
static HybValue *
predict (HybF *F, HybValue *outputs, const char *units, const char *words, gboolean ignore)
{
  HybValue *rows = hyb_reshape (F, outputs, units);
  HybValue *scores = fully_connected (F, rows, "pred", words);
  HybValue *label = hyb_reshape (F, symbol (F, "softmax_label"), "(-1,)");

  return HYB_OP (F, "SoftmaxOutput", .name = "softmax", .in = { scores, label },
                 .attributes = HYB_WITH ("ignore_label", ignore ? "0" : NULL, "use_ignore",
                                         ignore ? "True" : NULL));
}

static HybValue *
unrolled (HybF *F, HybBlock *cell, guint length, HybValue *inputs)
{
  return hyb_unroll (F, cell, NULL, .length = length, .inputs = inputs, .layout = "NTC",
                     .merge = HYB_MERGE_YES);
}

static HybBlock *
lstm (const char *prefix, gint64 hidden)
{
  return hyb_lstm_cell (.hidden = hidden, .prefix = prefix, .style = HYB_STYLE_SYMBOLIC);
}

static HybBlock *
gru (const char *prefix, gint64 hidden)
{
  return hyb_gru_cell (.hidden = hidden, .prefix = prefix, .style = HYB_STYLE_SYMBOLIC);
}

static HybBlock *
stack_of (HybBlock *first, HybBlock *second)
{
  HybBlock *stack = hyb_sequential_cell_new (HYB_STYLE_SYMBOLIC, NULL);

  hyb_append (stack, first);
  hyb_append (stack, second);
  return stack;
}

static HybValue *
bucket_fused (HybF *F)
{
  g_autoptr (HybBlock) cell = hyb_fused_cell (.mode = "lstm", .hidden = 4, .layers = 2);

  return predict (F, unrolled (F, cell, 5, embed (F, "data", "9", "5")), "(-1, 4)", "9", TRUE);
}

static HybValue *
bucket_stack (HybF *F, guint length)
{
  HybBlock *first = lstm ("lstm_l0_", 4);
  g_autoptr (HybBlock) cell = stack_of (first, lstm ("lstm_l1_", 4));

  return predict (F, unrolled (F, cell, length, embed (F, "data", "9", "5")), "(-1, 4)", "9", TRUE);
}

static HybValue *
bucket_stack_five (HybF *F)
{
  return bucket_stack (F, 5);
}

static HybValue *
bucket_stack_eight (HybF *F)
{
  return bucket_stack (F, 8);
}

static HybValue *
checkpoint (HybF *F, HybBlock *cell, const char *units)
{
  return predict (F, unrolled (F, cell, 5, embed (F, "data", "11", "6")), units, "11", FALSE);
}

static HybValue *
checkpoint_lstm (HybF *F)
{
  g_autoptr (HybBlock) cell = hyb_fused_cell (.mode = "lstm", .hidden = 4, .layers = 2);

  return checkpoint (F, cell, "(-1, 4)");
}

static HybValue *
checkpoint_gru (HybF *F)
{
  g_autoptr (HybBlock) cell =
      hyb_fused_cell (.mode = "gru", .hidden = 4, .layers = 2, .bidirectional = TRUE);

  return checkpoint (F, cell, "(-1, 8)");
}

static HybValue *
checkpoint_tanh (HybF *F)
{
  g_autoptr (HybBlock) cell = hyb_fused_cell (.mode = "rnn_tanh", .hidden = 4);

  return checkpoint (F, cell, "(-1, 4)");
}

static HybValue *
checkpoint_stack (HybF *F)
{
  HybBlock *first = lstm ("lstm_l0_", 4);
  g_autoptr (HybBlock) cell = stack_of (first, gru ("gru_l1_", 4));

  return checkpoint (F, cell, "(-1, 4)");
}

static HybValue *
large (HybF *F, guint length)
{
  HybBlock *first = lstm ("lstm_l0_", 200);
  g_autoptr (HybBlock) cell = stack_of (first, lstm ("lstm_l1_", 200));
  HybValue *outputs = unrolled (F, cell, length, embed (F, "data", "10000", "200"));

  return predict (F, outputs, "(-1, 200)", "10000", FALSE);
}

static HybValue *
large_short (HybF *F)
{
  return large (F, 200);
}

static HybValue *
large_long (HybF *F)
{
  return large (F, 2000);
}

/* --- The cell API's document --- */

static HybValue *
document_step (HybF *F)
{
  g_autoptr (HybBlock) cell = lstm (NULL, 4);
  HybValue *states = hyb_cell_begin_state (F, cell, "_zeros", 0);
  HybValue *y = hyb_cell_step (F, cell, embed (F, "step_data", "9", "3"), &states);

  return hyb_list_of (F, y, states, NULL);
}

static HybValue *
document_unroll (HybF *F, HybMerge merge)
{
  g_autoptr (HybBlock) cell = lstm (NULL, 4);
  HybValue *states;
  HybValue *y =
      hyb_unroll (F, cell, &states, .length = 4, .inputs = embed (F, "seq_data", "9", "3"),
                  .layout = "NTC", .merge = merge);

  return hyb_list_of (F, y, states, NULL);
}

static HybValue *
document_unroll_list (HybF *F)
{
  return document_unroll (F, HYB_MERGE_NO);
}

static HybValue *
document_unroll_merged (HybF *F)
{
  return document_unroll (F, HYB_MERGE_YES);
}

/* --- Control flow --- */

static HybValue *
sum_and_double (HybF *F, HybValue *x, HybValue **state, gpointer user)
{
  HybValue *y = hyb_add (F, x, *state);

  *state = with_number (F, "mul", *state, "2");
  return y;
}

static HybValue *
foreach_document (HybF *F)
{
  return hyb_foreach (F, sum_and_double, symbol (F, "data"), symbol (F, "state"), NULL);
}

static HybValue *
step_and_memory (HybF *F, HybValue *x, HybValue **states, gpointer cell)
{
  return hyb_cell_step (F, cell, x, states);
}

static HybValue *
foreach_cells (HybF *F)
{
  HybBlock *first = lstm ("l0_", 4);
  g_autoptr (HybBlock) cell = stack_of (first, gru ("l1_", 4));
  HybValue *states = hyb_list_of (F, symbol (F, "s0"), symbol (F, "s1"), symbol (F, "s2"), NULL);

  return hyb_foreach (F, step_and_memory, symbol (F, "data"), states, cell);
}

static HybValue *
at_most_five (HybF *F, HybValue *variables, gpointer user)
{
  return compare (F, "lesser_equal", hyb_item (F, variables, 0), "5");
}

static HybValue *
count (HybF *F, HybValue **variables, gpointer user)
{
  HybValue *i = hyb_item (F, *variables, 0), *s = hyb_item (F, *variables, 1);
  HybValue *y = hyb_add (F, i, s), *next = with_number (F, "plus", i, "1");

  *variables = hyb_list_of (F, next, hyb_add (F, s, i), NULL);
  return y;
}

static HybValue *
while_document (HybF *F)
{
  HybValue *variables = hyb_list_of (F, symbol (F, "i"), symbol (F, "s"), NULL);

  return hyb_while_loop (F, &(HybWhile){ .condition = at_most_five,
                                         .body = count,
                                         .variables = variables,
                                         .max_iterations = 10 });
}

static HybValue *
both_and (HybF *F, HybValue *const *operands, const char *op)
{
  HybValue *a = with_number (F, op, operands[0], "5");

  return hyb_mul (F, a, with_number (F, op, operands[1], "5"));
}

static HybValue *
both_plus (HybF *F, gpointer operands)
{
  return both_and (F, operands, "plus");
}

static HybValue *
both_minus (HybF *F, gpointer operands)
{
  return both_and (F, operands, "minus");
}

static HybValue *
cond_document (HybF *F)
{
  HybValue *operands[] = { symbol (F, "a"), symbol (F, "b") };
  HybValue *small = compare (F, "lesser", hyb_mul (F, operands[0], operands[1]), "5");

  return hyb_cond (F, small, both_plus, both_minus, operands);
}

static const struct
{
  const char *folder;
  Compose     compose;
} rows[] = {
  { "bucket-fused-t5", bucket_fused },
  { "bucket-fused-t8", bucket_fused }, /* a fused operator does not know its length */
  { "bucket-stack-t5", bucket_stack_five },
  { "bucket-stack-t8", bucket_stack_eight },
  { "gluon-traced-group", traced_group },
  { "group-with-variable", group_with_variable },
  { "inception-block", inception },
  { "large-lstm-t200", large_short },
  { "large-lstm-t2000", large_long },
  { "mlp-softmax-output", mlp },
  { "rnn-checkpoint-fused-gru-bi", checkpoint_gru },
  { "rnn-checkpoint-fused-lstm", checkpoint_lstm },
  { "rnn-checkpoint-stack", checkpoint_stack },
  { "rnn-checkpoint-tanh", checkpoint_tanh },
  { "rnn-document-step", document_step },
  { "rnn-document-unroll-false", document_unroll_list },
  { "rnn-document-unroll-true", document_unroll_merged },
  { "sym-cond-document", cond_document },
  { "sym-foreach-document", foreach_document },
  { "sym-foreach-mxrnn", foreach_cells },
  { "sym-while-document", while_document },
};

void
exports_add_symbols (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    export_check_add_graph (rows[i].folder, compose, &rows[i].compose);
}
