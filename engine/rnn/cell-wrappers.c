/* cell-wrappers.c — cells of several cells: stacks and bidirectional cells; and dropout between
 * the layers of a stack.
 *
 * The states of such a cell are those of its children, concatenated.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/rnn/cell-private.h"

/* --- Stacks --- */

static HybValue *
stack_step (HybF *F, HybCell *cell, HybValue *x, HybValue **states)
{
  HybValue *all = hyb_list (F, 0, NULL);
  guint     from = 0;

  for (guint i = 0; i < hyb_block_n_children (&cell->parent); i++)
    {
      HybBlock *layer = hyb_block_get_child (&cell->parent, i);
      guint     n = hyb_cell_n_states (layer);
      HybValue *layer_states = hyb_states_slice (F, *states, from, n);

      from += n;
      x = hyb_cell_step (F, layer, x, &layer_states);
      all = hyb_states_join (F, all, layer_states);
    }
  *states = all;
  return x;
}

static HybValue *
stack_unroll (HybF *F, HybCell *cell, const HybUnroll *given, HybValue **states)
{
  guint     n_layers = hyb_block_n_children (&cell->parent), from = 0;
  HybValue *begin = hyb_unroll_get_begin_state (F, cell, given);
  HybUnroll unroll = *given;

  *states = hyb_list (F, 0, NULL);
  for (guint i = 0; i < n_layers; i++)
    {
      HybBlock *layer = hyb_block_get_child (&cell->parent, i);
      guint     n = hyb_cell_n_states (layer);
      HybValue *layer_states;

      unroll.begin_state = hyb_states_slice (F, begin, from, n);
      unroll.merge = i + 1 < n_layers ? HYB_MERGE_NATURAL : given->merge;
      from += n;
      unroll.inputs = hyb_cell_unroll (F, layer, &unroll, &layer_states);
      *states = hyb_states_join (F, *states, layer_states);
    }
  return unroll.inputs;
}

static const HybCellClass stack_class = {
  .block = { .name = "HybridSequentialRNNCell",
             .size = sizeof (HybCell),
             .forward = hyb_cell_forward,
             .finish = hyb_cell_finish },
  .n_states = hyb_cell_states_of_children,
  .step = stack_step,
  .unroll = stack_unroll,
  .begin_state = hyb_cell_begin_children,
};

HybBlock *
hyb_sequential_cell_new (HybCellStyle style, const char *prefix)
{
  return &hyb_cell_new (&stack_class, &(HybCellOptions){ .style = style, .prefix = prefix }, "")
              ->parent;
}

/* --- Dropout between layers --- */

static guint
no_states (HybCell *cell)
{
  return 0;
}

static HybValue *
dropout (HybF *F, HybCell *cell, HybValue *x, const char *name)
{
  gboolean gluon = cell->style == HYB_STYLE_GLUON;

  if (cell->rate == 0)
    return x;
  return HYB_OP (F, "Dropout", .name = gluon ? name : NULL, .in = { x },
                 .attributes = HYB_WITH ("axes", gluon ? "()" : NULL, "p",
                                         hyb_cell_rate_text (F, cell->rate)));
}

static HybValue *
dropout_step (HybF *F, HybCell *cell, HybValue *x, HybValue **states)
{
  return dropout (F, cell, x, hyb_cell_name (F, cell, "fwd"));
}

/* Drops elements of a merged sequence with a single node; of a list, step by step. */
static HybValue *
dropout_unroll (HybF *F, HybCell *cell, const HybUnroll *unroll, HybValue **states)
{
  HybValue *inputs = hyb_format_sequence (F, cell, unroll, unroll->inputs, unroll->merge);
  g_autofree HybValue **outputs = NULL;
  guint                 n = hyb_n_items (inputs);

  *states = hyb_list (F, 0, NULL);
  if (!hyb_is_list (inputs))
    return dropout (F, cell, inputs, hyb_f_text (F, "t%d_fwd", g_atomic_int_get (&cell->counter)));

  outputs = g_new (HybValue *, MAX (n, 1));
  for (guint t = 0; t < n; t++)
    outputs[t] = hyb_cell_step (F, &cell->parent, hyb_item (F, inputs, t), states);
  return hyb_list (F, n, outputs);
}

static const HybCellClass dropout_class = {
  .block = { .name = "Dropout",
             .size = sizeof (HybCell),
             .forward = hyb_cell_forward,
             .finish = hyb_cell_finish },
  .n_states = no_states,
  .step = dropout_step,
  .unroll = dropout_unroll,
};

HybBlock *
hyb_dropout_cell_new (double rate, HybCellStyle style, const char *prefix)
{
  HybCell *cell = hyb_cell_new (&dropout_class,
                                &(HybCellOptions){ .style = style, .prefix = prefix }, "dropout_");

  cell->rate = rate;
  return &cell->parent;
}

/* --- Bidirectional cells --- */

/* A list of steps in reverse order; with valid_length, each sample's valid steps are reversed and
 * the others stay where they are. */
static HybValue *
reversed (HybF *F, HybValue *steps, guint length, HybValue *valid_length)
{
  g_autofree HybValue **items = NULL;
  HybValue             *whole;

  if (!valid_length)
    {
      items = g_new (HybValue *, MAX (length, 1));
      for (guint t = 0; t < length; t++)
        items[t] = hyb_item (F, steps, length - 1 - t);
      return hyb_list (F, length, items);
    }
  whole = HYB_OP (F, "SequenceReverse", .in = { hyb_stack (F, steps, 0), valid_length },
                  .attributes = HYB_WITH ("use_sequence_length", "True"));
  return hyb_split (F, whole, length, 0, TRUE);
}

/* Concatenates the features of two merged sequences. */
static HybValue *
join_merged (HybF *F, HybCell *cell, HybValue *left, HybValue *right)
{
  return HYB_OP (F, "Concat", .name = hyb_f_text (F, "%sout", cell->output_prefix),
                 .in = { left, right }, .attributes = HYB_WITH ("dim", "2", "num_args", "2"));
}

/* Concatenates the features of two lists of steps, step by step. */
static HybValue *
join_steps (HybF *F, HybCell *cell, HybValue *left, HybValue *right, guint length)
{
  g_autofree HybValue **joined = g_new (HybValue *, MAX (length, 1));

  for (guint t = 0; t < length; t++)
    joined[t] = HYB_OP (F, "Concat", .name = hyb_f_text (F, "%st%u", cell->output_prefix, t),
                        .in = { hyb_item (F, left, t), hyb_item (F, right, t) },
                        .attributes = HYB_WITH ("dim", "1", "num_args", "2"));
  return hyb_list (F, length, joined);
}

static HybValue *
bidirectional_unroll_gluon (HybF *F, HybCell *cell, const HybUnroll *given, HybValue **states)
{
  HybBlock *left = hyb_block_get_child (&cell->parent, 0);
  HybBlock *right = hyb_block_get_child (&cell->parent, 1);
  HybValue *inputs = hyb_format_sequence (F, cell, given, given->inputs, HYB_MERGE_NO);
  HybValue *backwards = reversed (F, inputs, given->length, given->valid_length);
  HybValue *begin = hyb_unroll_get_begin_state (F, cell, given);
  HybValue *left_states, *right_states, *left_outputs, *right_outputs, *outputs;
  HybUnroll unroll = *given;
  gboolean  merge;

  unroll.inputs = inputs;
  unroll.begin_state = hyb_states_slice (F, begin, 0, hyb_cell_n_states (left));
  left_outputs = hyb_cell_unroll (F, left, &unroll, &left_states);

  unroll.inputs = backwards;
  unroll.begin_state =
      hyb_states_slice (F, begin, hyb_cell_n_states (left), hyb_cell_n_states (right));
  unroll.merge = HYB_MERGE_NO;
  right_outputs = hyb_cell_unroll (F, right, &unroll, &right_states);
  right_outputs = reversed (F, right_outputs, given->length, given->valid_length);

  merge = given->merge == HYB_MERGE_YES ||
          (given->merge == HYB_MERGE_NATURAL && !hyb_is_list (left_outputs));
  if (merge)
    right_outputs = hyb_stack (F, right_outputs, hyb_layout_axis (given->layout, 'T'));
  outputs = merge ? join_merged (F, cell, left_outputs, right_outputs)
                  : join_steps (F, cell, left_outputs, right_outputs, given->length);
  if (given->valid_length)
    outputs = hyb_mask_sequence (F, given, outputs, merge);
  *states = hyb_states_join (F, left_states, right_states);
  return outputs;
}

/* mx.rnn unrolls both directions in the same way, and reverses a merged sequence with one node. */
static HybValue *
bidirectional_unroll_symbolic (HybF *F, HybCell *cell, const HybUnroll *given, HybValue **states)
{
  HybBlock *left = hyb_block_get_child (&cell->parent, 0);
  HybBlock *right = hyb_block_get_child (&cell->parent, 1);
  HybValue *inputs = hyb_format_sequence (F, cell, given, given->inputs, HYB_MERGE_NO);
  HybValue *begin = hyb_unroll_get_begin_state (F, cell, given);
  HybValue *left_states, *right_states, *left_outputs, *right_outputs;
  HybUnroll unroll = *given;

  unroll.inputs = inputs;
  unroll.begin_state = hyb_states_slice (F, begin, 0, hyb_cell_n_states (left));
  left_outputs = hyb_cell_unroll (F, left, &unroll, &left_states);

  unroll.inputs = reversed (F, inputs, given->length, NULL);
  unroll.begin_state =
      hyb_states_slice (F, begin, hyb_cell_n_states (left), hyb_cell_n_states (right));
  right_outputs = hyb_cell_unroll (F, right, &unroll, &right_states);
  *states = hyb_states_join (F, left_states, right_states);

  if (!hyb_is_list (left_outputs) && !hyb_is_list (right_outputs))
    {
      int axis = hyb_layout_axis (given->layout, 'T');

      right_outputs = HYB_OP (F, "reverse", .in = { right_outputs },
                              .attributes = HYB_WITH ("axis", hyb_f_text (F, "%d", axis)));
      return join_merged (F, cell, left_outputs, right_outputs);
    }
  left_outputs = hyb_format_sequence (F, cell, given, left_outputs, HYB_MERGE_NO);
  right_outputs = hyb_format_sequence (F, cell, given, right_outputs, HYB_MERGE_NO);
  right_outputs = reversed (F, right_outputs, given->length, NULL);
  return join_steps (F, cell, left_outputs, right_outputs, given->length);
}

static HybValue *
bidirectional_unroll (HybF *F, HybCell *cell, const HybUnroll *given, HybValue **states)
{
  return (cell->style == HYB_STYLE_SYMBOLIC ? bidirectional_unroll_symbolic
                                            : bidirectional_unroll_gluon) (F, cell, given, states);
}

static const HybCellClass bidirectional_class = {
  .block = { .name = "Bidirectional",
             .size = sizeof (HybCell),
             .forward = hyb_cell_forward,
             .finish = hyb_cell_finish },
  .n_states = hyb_cell_states_of_children,
  .unroll = bidirectional_unroll,
  .begin_state = hyb_cell_begin_children,
  .no_step = "a bidirectional cell cannot be stepped: its second half begins at the end. Unroll it",
};

HybBlock *
hyb_bidirectional_cell_new (HybBlock    *left,
                            HybBlock    *right,
                            const char  *output_prefix,
                            HybCellStyle style)
{
  HybCell *cell;

  g_return_val_if_fail (hyb_cell_from_block (left) && hyb_cell_from_block (right), NULL);
  cell = hyb_cell_new (&bidirectional_class, &(HybCellOptions){ .style = style, .prefix = "" }, "");
  cell->output_prefix = g_strdup (output_prefix ? output_prefix : "bi_");
  hyb_block_add_child (&cell->parent, left, "l_cell");
  hyb_block_add_child (&cell->parent, right, "r_cell");
  return &cell->parent;
}
