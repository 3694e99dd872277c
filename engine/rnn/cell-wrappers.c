/* cell-wrappers.c — cells around or beside cells: stacked, both ways, dropout,
 * zoneout, residual.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/rnn/cell-private.h"

static HybCell *
child (HybCell *cell, guint index)
{
  return HYB_CELL (hyb_block_get_child (&cell->parent, index));
}

static guint
states_of_children (HybCell *cell)
{
  guint n = 0;

  for (guint i = 0; i < hyb_block_n_children (&cell->parent); i++)
    n += hyb_cell_n_states (&child (cell, i)->parent);
  return n;
}

static HybValue *
begin_children (HybF *F, HybCell *cell, const char *op, const char *batch)
{
  HybValue *states = hyb_list (F, 0, NULL);
  gint64    number = g_ascii_strtoll (batch, NULL, 10);

  for (guint i = 0; i < hyb_block_n_children (&cell->parent); i++)
    states =
        hyb_states_join (F, states, hyb_cell_begin_state (F, &child (cell, i)->parent, op, number));
  return states;
}

static HybValue *
given_or_zero_states (HybF *F, HybCell *cell, const HybUnroll *unroll)
{
  return hyb_unroll_begin (F, cell, unroll);
}

/* ---- One on top of the other ---- */

static HybValue *
stack_step (HybF *F, HybCell *cell, HybValue *x, HybValue **states)
{
  HybValue *all = hyb_list (F, 0, NULL);
  guint     from = 0;

  for (guint i = 0; i < hyb_block_n_children (&cell->parent); i++)
    {
      HybBlock *layer = &child (cell, i)->parent;
      guint     n = hyb_cell_n_states (layer);
      HybValue *own = hyb_states_slice (F, *states, from, n);

      from += n;
      x = hyb_cell_step (F, layer, x, &own);
      all = hyb_states_join (F, all, own);
    }
  *states = all;
  return x;
}

static HybValue *
stack_unroll (HybF *F, HybCell *cell, const HybUnroll *given, HybValue **states)
{
  guint     n_layers = hyb_block_n_children (&cell->parent), from = 0;
  HybValue *begin = given_or_zero_states (F, cell, given);
  HybUnroll unroll = *given;

  *states = hyb_list (F, 0, NULL);
  for (guint i = 0; i < n_layers; i++)
    {
      HybBlock *layer = &child (cell, i)->parent;
      guint     n = hyb_cell_n_states (layer);
      HybValue *own;

      unroll.begin_state = hyb_states_slice (F, begin, from, n);
      unroll.merge = i + 1 < n_layers ? HYB_MERGE_NATURAL : given->merge;
      from += n;
      unroll.inputs = hyb_cell_unroll (F, layer, &unroll, &own);
      *states = hyb_states_join (F, *states, own);
    }
  return unroll.inputs;
}

static const HybCellClass stack_class = {
  .block = { .name = "HybridSequentialRNNCell",
             .size = sizeof (HybCell),
             .forward = hyb_cell_forward,
             .finish = hyb_cell_finish },
  .n_states = states_of_children,
  .step = stack_step,
  .unroll = stack_unroll,
  .begin_state = begin_children,
};

HybBlock *
hyb_sequential_cell_new (HybCellStyle style, const char *prefix)
{
  return &hyb_cell_new (&stack_class, &(HybCellOptions){ .style = style, .prefix = prefix }, "")
              ->parent;
}

/* ---- Dropout between layers ---- */

static guint
no_states (HybCell *cell)
{
  return 0;
}

static const char *
rate_text (HybF *F, double rate)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (text, sizeof text, "%.15g", rate);
  return hyb_f_text (F, "%s", text);
}

static HybValue *
dropout (HybF *F, HybCell *cell, HybValue *x, const char *name)
{
  gboolean gluon = cell->style == HYB_STYLE_GLUON;

  if (cell->rate == 0)
    return x;
  return HYB_OP (F,
                 "Dropout",
                 .name = gluon ? name : NULL,
                 .in = { x },
                 .attributes =
                     HYB_WITH ("axes", gluon ? "()" : NULL, "p", rate_text (F, cell->rate)));
}

static HybValue *
dropout_step (HybF *F, HybCell *cell, HybValue *x, HybValue **states)
{
  return dropout (F, cell, x, hyb_cell_name (F, cell, "fwd"));
}

/* A merged sequence is dropped at once, with one mask for all steps. */
static HybValue *
dropout_unroll (HybF *F, HybCell *cell, const HybUnroll *unroll, HybValue **states)
{
  HybValue *inputs =
      hyb_format_sequence (F, cell, unroll->length, unroll->inputs, unroll->layout, unroll->merge);
  g_autofree HybValue **outputs = NULL;
  guint                 n = hyb_n_items (inputs);

  *states = hyb_list (F, 0, NULL);
  if (!hyb_is_list (inputs))
    return dropout (F, cell, inputs, hyb_f_text (F, "t%d_fwd", cell->counter));

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
                                &(HybCellOptions){ .style = style, .prefix = prefix },
                                "dropout_");

  cell->rate = rate;
  return &cell->parent;
}

/* ---- Modifiers: a cell around one other ---- */

static HybValue *
begin_base (HybF *F, HybCell *cell, const char *op, const char *batch)
{
  return begin_children (F, cell, op, batch);
}

/* A modifier is called like its base and something more: no “_” in between. */
static HybCell *
modifier_new (const HybCellClass *klass, HybBlock *base, const char *alias)
{
  g_autofree char *prefix = NULL;
  HybCell         *cell;
  HybCellOptions   options = { .style = HYB_CELL (base)->style, .hidden = HYB_CELL (base)->hidden };

  prefix = g_strconcat (hyb_block_get_prefix (base), alias, NULL);
  options.prefix = prefix;
  cell = hyb_cell_new (klass, &options, prefix);
  cell->base = HYB_CELL (base);
  hyb_block_add_child (&cell->parent, base, "base_cell");
  return cell;
}

static HybValue *
zoneout_mask (HybF *F, HybValue *like, double rate)
{
  return HYB_OP (F,
                 "Dropout",
                 .in = { HYB_OP (F, "ones_like", .in = { like }) },
                 .attributes = HYB_WITH ("p", rate_text (F, rate)));
}

/* Where the mask is 0 the old value stays. */
static HybValue *
zoneout_step (HybF *F, HybCell *cell, HybValue *x, HybValue **states)
{
  HybValue             *old = *states;
  guint                 n = hyb_n_items (old);
  g_autofree HybValue **mixed = g_new (HybValue *, MAX (n, 1));
  HybValue             *output = hyb_cell_step (F, &cell->base->parent, x, states);
  HybValue             *previous = cell->previous_of == F ? cell->previous : NULL;

  if (hyb_f_get_error (F) != NULL)
    return output;
  if (previous == NULL)
    previous = cell->style == HYB_STYLE_GLUON
                   ? HYB_OP (F, "zeros_like", .in = { output })
                   : HYB_OP (F,
                             "_zeros",
                             .hint = "zeros",
                             .attributes = HYB_WITH ("dtype", "float32", "shape", "(0, 0)"));
  if (cell->rate != 0)
    output = hyb_where (F, zoneout_mask (F, output, cell->rate), output, previous);
  for (guint i = 0; i < n && cell->state_rate != 0; i++)
    {
      HybValue *new = hyb_item (F, *states, i);

      mixed[i] = hyb_where (F, zoneout_mask (F, new, cell->state_rate), new, hyb_item (F, old, i));
    }
  if (cell->state_rate != 0)
    *states = hyb_list (F, n, mixed);
  cell->previous = output;
  cell->previous_of = F;
  return output;
}

static const HybCellClass zoneout_class = {
  .block = { .name = "Zoneout",
             .size = sizeof (HybCell),
             .forward = hyb_cell_forward,
             .finish = hyb_cell_finish },
  .n_states = states_of_children,
  .step = zoneout_step,
  .begin_state = begin_base,
};

HybBlock *
hyb_zoneout_cell_new (HybBlock *base, double outputs, double states)
{
  HybCell *cell = modifier_new (&zoneout_class, base, "zoneout");

  cell->rate = outputs;
  cell->state_rate = states;
  return &cell->parent;
}

static HybValue *
residual_step (HybF *F, HybCell *cell, HybValue *x, HybValue **states)
{
  HybValue *output = hyb_cell_step (F, &cell->base->parent, x, states);

  return HYB_OP (F, "elemwise_add", .name = hyb_cell_name (F, cell, "fwd"), .in = { output, x });
}

static HybValue *
residual_unroll (HybF *F, HybCell *cell, const HybUnroll *unroll, HybValue **states)
{
  HybValue *outputs = hyb_cell_unroll (F, &cell->base->parent, unroll, states);
  HybMerge  merge = unroll->merge != HYB_MERGE_NATURAL ? unroll->merge
                    : hyb_is_list (outputs)            ? HYB_MERGE_NO
                                                       : HYB_MERGE_YES;
  HybValue *inputs =
      hyb_format_sequence (F, cell, unroll->length, unroll->inputs, unroll->layout, merge);
  g_autofree HybValue **sums = NULL;

  if (unroll->valid_length != NULL)
    inputs = hyb_mask_sequence (F,
                                inputs,
                                unroll->length,
                                unroll->valid_length,
                                hyb_layout_axis (unroll->layout, 'T'),
                                merge == HYB_MERGE_YES);
  if (merge == HYB_MERGE_YES)
    return HYB_OP (F, "elemwise_add", .in = { outputs, inputs });

  sums = g_new (HybValue *, unroll->length);
  for (guint t = 0; t < unroll->length; t++)
    sums[t] =
        HYB_OP (F, "elemwise_add", .in = { hyb_item (F, outputs, t), hyb_item (F, inputs, t) });
  return hyb_list (F, unroll->length, sums);
}

static const HybCellClass residual_class = {
  .block = { .name = "Residual",
             .size = sizeof (HybCell),
             .forward = hyb_cell_forward,
             .finish = hyb_cell_finish },
  .n_states = states_of_children,
  .step = residual_step,
  .unroll = residual_unroll,
  .begin_state = begin_base,
};

HybBlock *
hyb_residual_cell_new (HybBlock *base)
{
  return &modifier_new (&residual_class, base, "residual")->parent;
}

/* ---- Both ways ---- */

static HybValue *
reversed (HybF *F, HybValue *steps, guint length, HybValue *valid_length)
{
  g_autofree HybValue **turned = NULL;
  HybValue             *whole;

  if (valid_length == NULL)
    {
      turned = g_new (HybValue *, MAX (length, 1));
      for (guint t = 0; t < length; t++)
        turned[t] = hyb_item (F, steps, length - 1 - t);
      return hyb_list (F, length, turned);
    }
  whole = HYB_OP (F,
                  "SequenceReverse",
                  .in = { hyb_stack (F, steps, 0), valid_length },
                  .attributes = HYB_WITH ("use_sequence_length", "True"));
  return hyb_split (F, whole, length, 0, TRUE);
}

static HybValue *
join_directions (HybF     *F,
                 HybCell  *cell,
                 HybValue *left,
                 HybValue *right,
                 guint     length,
                 int       axis,
                 gboolean  merge)
{
  g_autofree HybValue **joined = NULL;

  if (merge)
    return HYB_OP (F,
                   "Concat",
                   .name = hyb_f_text (F, "%sout", cell->output_prefix),
                   .in = { left, hyb_stack (F, right, axis) },
                   .attributes = HYB_WITH ("dim", "2", "num_args", "2"));

  joined = g_new (HybValue *, MAX (length, 1));
  for (guint t = 0; t < length; t++)
    joined[t] = HYB_OP (F,
                        "Concat",
                        .name = hyb_f_text (F, "%st%u", cell->output_prefix, t),
                        .in = { hyb_item (F, left, t), hyb_item (F, right, t) },
                        .attributes = HYB_WITH ("dim", "1", "num_args", "2"));
  return hyb_list (F, length, joined);
}

static HybValue *
bidirectional_unroll (HybF *F, HybCell *cell, const HybUnroll *given, HybValue **states)
{
  HybBlock *left = &child (cell, 0)->parent, *right = &child (cell, 1)->parent;
  HybValue *inputs =
      hyb_format_sequence (F, cell, given->length, given->inputs, given->layout, HYB_MERGE_NO);
  HybValue *turned = reversed (F, inputs, given->length, given->valid_length);
  HybValue *begin = given_or_zero_states (F, cell, given);
  HybValue *left_states, *right_states, *left_outputs, *right_outputs, *outputs;
  HybUnroll unroll = *given;
  int       axis = hyb_layout_axis (given->layout, 'T');
  gboolean  merge;

  unroll.inputs = inputs;
  unroll.begin_state = hyb_states_slice (F, begin, 0, hyb_cell_n_states (left));
  left_outputs = hyb_cell_unroll (F, left, &unroll, &left_states);

  unroll.inputs = turned;
  unroll.begin_state =
      hyb_states_slice (F, begin, hyb_cell_n_states (left), hyb_cell_n_states (right));
  unroll.merge = HYB_MERGE_NO;
  right_outputs = hyb_cell_unroll (F, right, &unroll, &right_states);
  right_outputs = reversed (F, right_outputs, given->length, given->valid_length);

  merge = given->merge == HYB_MERGE_YES ||
          (given->merge == HYB_MERGE_NATURAL && !hyb_is_list (left_outputs));
  outputs = join_directions (F, cell, left_outputs, right_outputs, given->length, axis, merge);
  if (given->valid_length != NULL)
    outputs = hyb_mask_sequence (F, outputs, given->length, given->valid_length, axis, merge);
  *states = hyb_states_join (F, left_states, right_states);
  return outputs;
}

static const HybCellClass bidirectional_class = {
  .block = { .name = "Bidirectional",
             .size = sizeof (HybCell),
             .forward = hyb_cell_forward,
             .finish = hyb_cell_finish },
  .n_states = states_of_children,
  .unroll = bidirectional_unroll,
  .begin_state = begin_children,
  .no_step = "a bidirectional cell cannot be stepped: its second half begins at the end. Unroll it",
};

HybBlock *
hyb_bidirectional_cell_new (HybBlock    *left,
                            HybBlock    *right,
                            const char  *output_prefix,
                            HybCellStyle style)
{
  HybCell *cell =
      hyb_cell_new (&bidirectional_class, &(HybCellOptions){ .style = style, .prefix = "" }, "");

  cell->output_prefix = g_strdup (output_prefix != NULL ? output_prefix : "bi_");
  hyb_block_add_child (&cell->parent, left, "l_cell");
  hyb_block_add_child (&cell->parent, right, "r_cell");
  return &cell->parent;
}
