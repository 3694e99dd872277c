/* cell-modifiers.c — cells that wrap one other cell: zoneout, residual, variational dropout.
 *
 * The states of such a cell are those of its base cell.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/rnn/cell-private.h"

/* A cell that wraps base, and takes over the caller's reference to it.  Its prefix is that of base
 * followed by alias, without a “_” in between. */
static HybCell *
modifier_new (const HybCellClass *klass, HybBlock *base, const char *alias)
{
  g_autofree char *prefix = NULL;
  HybCell         *cell;
  HybCellOptions   options = { .style = hyb_cell_from_block (base)->style,
                               .hidden = hyb_cell_from_block (base)->hidden };

  prefix = g_strconcat (hyb_block_get_prefix (base), alias, NULL);
  options.prefix = prefix;
  cell = hyb_cell_new (klass, &options, prefix);
  cell->base = hyb_cell_from_block (base);
  hyb_block_add_child (&cell->parent, base, "base_cell");
  return cell;
}

/* Dropout of ones, shaped like an array: 0 with probability rate. */
static HybValue *
dropout_mask (HybF *F, HybValue *like, double rate)
{
  return HYB_OP (F, "Dropout", .in = { HYB_OP (F, "ones_like", .in = { like }) },
                 .attributes = HYB_WITH ("p", hyb_cell_rate_text (F, rate)));
}

typedef struct
{
  CellMemory memory;
  HybValue  *previous; /* the last output; NULL: there was none */
} ZoneoutMemory;

/* Where the mask is 0 the old value is kept. */
static HybValue *
zoneout_step (HybF *F, HybCell *cell, HybValue *x, HybValue **states)
{
  HybValue             *old = *states;
  guint                 n = hyb_n_items (old);
  g_autofree HybValue **mixed = g_new (HybValue *, MAX (n, 1));
  HybValue             *output = hyb_cell_step (F, &cell->base->parent, x, states);
  ZoneoutMemory        *memory = hyb_cell_get_memory (F, cell, sizeof *memory);
  HybValue             *previous = memory->previous;

  if (hyb_f_get_error (F))
    return output;
  if (!previous)
    previous = cell->style == HYB_STYLE_GLUON
                   ? HYB_OP (F, "zeros_like", .in = { output })
                   : HYB_OP (F, "_zeros", .hint = "_zeros",
                             .attributes = HYB_WITH ("dtype", "float32", "shape", "(0, 0)"));
  if (cell->rate != 0)
    output = hyb_where (F, dropout_mask (F, output, cell->rate), output, previous);
  for (guint i = 0; i < n && cell->state_rate != 0; i++)
    {
      HybValue *new = hyb_item (F, *states, i);

      mixed[i] = hyb_where (F, dropout_mask (F, new, cell->state_rate), new, hyb_item (F, old, i));
    }
  if (cell->state_rate != 0)
    *states = hyb_list (F, n, mixed);
  memory->previous = output;
  return output;
}

static const HybCellClass zoneout_class = {
  .block = { .name = "Zoneout",
             .size = sizeof (HybCell),
             .forward = hyb_cell_forward,
             .finish = hyb_cell_finish },
  .n_states = hyb_cell_states_of_children,
  .step = zoneout_step,
  .begin_state = hyb_cell_begin_children,
};

HybBlock *
hyb_zoneout_cell_new (HybBlock *base, double outputs, double states)
{
  HybCell *cell;

  g_return_val_if_fail (hyb_cell_from_block (base), NULL);
  cell = modifier_new (&zoneout_class, base, "zoneout");
  cell->rate = outputs;
  cell->state_rate = states;
  return &cell->parent;
}

/* output + x.  name: of the node in Gluon's style; mx.rnn derives it from the output's name. */
static HybValue *
add_residual (HybF *F, HybCell *cell, HybValue *output, HybValue *x, const char *name)
{
  if (cell->style == HYB_STYLE_SYMBOLIC && hyb_f_is_tracing (F) && !hyb_value_is_failed (output))
    name = hyb_f_text (F, "%s_plus_residual", hyb_value_get_name (output));
  return HYB_OP (F, "elemwise_add", .name = name, .in = { output, x });
}

static HybValue *
residual_step (HybF *F, HybCell *cell, HybValue *x, HybValue **states)
{
  HybValue *output = hyb_cell_step (F, &cell->base->parent, x, states);

  return add_residual (F, cell, output, x, hyb_cell_name (F, cell, "fwd"));
}

static HybValue *
residual_unroll (HybF *F, HybCell *cell, const HybUnroll *unroll, HybValue **states)
{
  HybValue             *outputs = hyb_cell_unroll (F, &cell->base->parent, unroll, states);
  HybMerge              merge = unroll->merge != HYB_MERGE_NATURAL ? unroll->merge
                                : hyb_is_list (outputs)            ? HYB_MERGE_NO
                                                                   : HYB_MERGE_YES;
  HybValue             *inputs = hyb_format_sequence (F, cell, unroll, unroll->inputs, merge);
  g_autofree HybValue **sums = NULL;

  if (unroll->valid_length)
    inputs = hyb_mask_sequence (F, unroll, inputs, merge == HYB_MERGE_YES);
  if (merge == HYB_MERGE_YES)
    return add_residual (F, cell, outputs, inputs, NULL);

  sums = g_new (HybValue *, unroll->length);
  for (guint t = 0; t < unroll->length; t++)
    sums[t] = add_residual (F, cell, hyb_item (F, outputs, t), hyb_item (F, inputs, t), NULL);
  return hyb_list (F, unroll->length, sums);
}

static const HybCellClass residual_class = {
  .block = { .name = "Residual",
             .size = sizeof (HybCell),
             .forward = hyb_cell_forward,
             .finish = hyb_cell_finish },
  .n_states = hyb_cell_states_of_children,
  .step = residual_step,
  .unroll = residual_unroll,
  .begin_state = hyb_cell_begin_children,
};

HybBlock *
hyb_residual_cell_new (HybBlock *base)
{
  g_return_val_if_fail (hyb_cell_from_block (base), NULL);
  return &modifier_new (&residual_class, base, "residualcell")->parent;
}

/* --- Variational dropout: one mask for all steps --- */

typedef struct
{
  HybCell cell;
  double  inputs, states, outputs; /* rates */
} Variational;

/* Of the current sequence; NULL: not made yet. */
typedef struct
{
  CellMemory memory;
  HybValue  *input, *state, *output;
} Masks;

static HybValue *
masked (HybF *F, HybValue *x, double rate, HybValue **mask)
{
  if (rate == 0)
    return x;
  if (!*mask)
    *mask = dropout_mask (F, x, rate);
  return hyb_mul (F, x, *mask);
}

static HybValue *
variational_step (HybF *F, HybCell *cell, HybValue *x, HybValue **states)
{
  Variational          *self = (Variational *) cell;
  Masks                *masks = hyb_cell_get_memory (F, cell, sizeof *masks);
  guint                 n = hyb_n_items (*states);
  g_autofree HybValue **items = g_new (HybValue *, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    items[i] = hyb_item (F, *states, i);
  /* In Gluon's order, which decides the numbers in names: masks of states, then of inputs; then
   * the products with them. */
  if (n > 0 && self->states != 0 && !masks->state)
    masks->state = dropout_mask (F, items[0], self->states);
  if (self->inputs != 0 && !masks->input)
    masks->input = dropout_mask (F, x, self->inputs);
  if (n > 0)
    items[0] = masked (F, items[0], self->states, &masks->state);
  x = masked (F, x, self->inputs, &masks->input);
  *states = hyb_list (F, n, items);
  x = hyb_cell_step (F, &cell->base->parent, x, states);
  return masked (F, x, self->outputs, &masks->output);
}

/* Dropout of a merged sequence with the same mask for all steps. */
static HybValue *
drop_steps (HybF *F, HybValue *x, double rate, int axis)
{
  if (rate == 0)
    return x;
  return HYB_OP (F, "Dropout", .in = { x },
                 .attributes = HYB_WITH ("axes", hyb_f_text (F, "(%d,)", axis), "p",
                                         hyb_cell_rate_text (F, rate)));
}

/* Without dropout of states, inputs and outputs are dropped as whole sequences. */
static HybValue *
variational_unroll (HybF *F, HybCell *cell, const HybUnroll *given, HybValue **states)
{
  Variational *self = (Variational *) cell;
  int          axis = hyb_layout_axis (given->layout, 'T');
  HybUnroll    unroll = *given;
  HybValue    *outputs;

  if (self->states != 0)
    return hyb_cell_unroll_steps (F, cell, given, states);

  unroll.inputs = hyb_format_sequence (F, cell, given, given->inputs, HYB_MERGE_YES);
  unroll.begin_state = hyb_unroll_get_begin_state (F, cell, given);
  unroll.inputs = drop_steps (F, unroll.inputs, self->inputs, axis);
  unroll.merge = HYB_MERGE_YES;
  outputs = hyb_cell_unroll (F, &cell->base->parent, &unroll, states);
  outputs = drop_steps (F, outputs, self->outputs, axis);
  outputs = hyb_format_sequence (F, cell, given, outputs,
                                 given->merge == HYB_MERGE_NATURAL ? HYB_MERGE_YES : given->merge);
  if (!given->valid_length)
    return outputs;
  return hyb_mask_sequence (F, given, outputs, given->merge != HYB_MERGE_NO);
}

static const HybCellClass variational_class = {
  .block = { .name = "VariationalDropout",
             .size = sizeof (Variational),
             .forward = hyb_cell_forward,
             .finish = hyb_cell_finish },
  .n_states = hyb_cell_states_of_children,
  .step = variational_step,
  .unroll = variational_unroll,
  .begin_state = hyb_cell_begin_children,
};

HybBlock *
hyb_variational_dropout_cell_new (HybBlock *base, double inputs, double states, double outputs)
{
  HybCell     *cell;
  Variational *self;

  g_return_val_if_fail (hyb_cell_from_block (base), NULL);
  cell = modifier_new (&variational_class, base, "vardrop");
  self = (Variational *) cell;
  self->inputs = inputs;
  self->states = states;
  self->outputs = outputs;
  return &cell->parent;
}
