/* unroll.c — runs a cell over a sequence: written out step by step, or in a loop.
 *
 * A sequence has two forms: one array with a time axis (merged), or a list with one array per
 * step.  Start at hyb_cell_unroll() and hyb_cell_dynamic_unroll().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/control.h"
#include "engine/rnn/cell-private.h"

#include <string.h>

int
hyb_layout_axis (const char *layout, char axis)
{
  const char *at = strchr (layout, axis);

  return at ? (int) (at - layout) : -1;
}

/* A list of steps as one array.  mx.rnn writes expand_dims and Concat, Gluon writes stack. */
static HybValue *
merge_steps (HybF *F, HybCell *cell, HybValue *steps, int axis)
{
  guint                 n = hyb_n_items (steps);
  g_autofree HybValue **expanded = NULL;

  if (cell->style == HYB_STYLE_GLUON)
    return hyb_stack (F, steps, axis);
  expanded = g_new (HybValue *, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    expanded[i] = hyb_expand_dims (F, hyb_item (F, steps, i), axis);
  return hyb_concat (F, hyb_list (F, n, expanded), axis);
}

/* One array as a list of steps.  squeeze: the attribute squeeze_axis as the front end spells it. */
static HybValue *
split_steps (HybF *F, HybValue *sequence, guint length, int axis, const char *squeeze)
{
  HybValue *steps =
      HYB_OP (F, "SliceChannel", .hint = "split", .in = { sequence },
              .attributes = HYB_WITH ("axis", hyb_f_text (F, "%d", axis), "num_outputs",
                                      hyb_f_text (F, "%u", length), "squeeze_axis", squeeze));

  return hyb_is_list (steps) ? steps : hyb_list (F, 1, &steps);
}

HybValue *
hyb_format_sequence (HybF            *F,
                     HybCell         *cell,
                     const HybUnroll *unroll,
                     HybValue        *inputs,
                     HybMerge         merge)
{
  int   axis = hyb_layout_axis (unroll->layout, 'T');
  guint length = unroll->length;

  if (hyb_is_list (inputs))
    {
      if (length > 0 && hyb_n_items (inputs) != length)
        hyb_f_fail (F, "%u inputs were given to unroll %u steps; give one a step",
                    hyb_n_items (inputs), length);
      return merge == HYB_MERGE_YES ? merge_steps (F, cell, inputs, axis) : inputs;
    }
  return merge == HYB_MERGE_NO ? split_steps (F, inputs, length, axis, "1") : inputs;
}

HybValue *
hyb_mask_sequence (HybF *F, const HybUnroll *unroll, HybValue *data, gboolean merge)
{
  int axis = hyb_layout_axis (unroll->layout, 'T');

  if (hyb_is_list (data))
    data = hyb_stack (F, data, axis);
  data = HYB_OP (F, "SequenceMask", .in = { data, unroll->valid_length },
                 .attributes =
                     HYB_WITH ("axis", hyb_f_text (F, "%d", axis), "use_sequence_length", "True"));
  return merge ? data : split_steps (F, data, unroll->length, axis, "True");
}

/* For each sample of the batch the states at its last valid step.  history: of HybValue, the
 * states after each step. */
static HybValue *
last_valid_states (HybF *F, GPtrArray *history, HybValue *valid_length)
{
  guint                 n = hyb_n_items (g_ptr_array_index (history, 0));
  g_autofree HybValue **last = g_new (HybValue *, MAX (n, 1));
  g_autofree HybValue **steps = g_new (HybValue *, history->len);

  for (guint s = 0; s < n; s++)
    {
      HybValue *stacked;

      for (guint t = 0; t < history->len; t++)
        steps[t] = hyb_item (F, g_ptr_array_index (history, t), s);
      stacked = hyb_stack (F, hyb_list (F, history->len, steps), 0);
      last[s] = HYB_OP (F, "SequenceLast", .in = { stacked, valid_length },
                        .attributes = HYB_WITH ("axis", "0", "use_sequence_length", "True"));
    }
  return hyb_list (F, n, last);
}

/* The batch size of the inputs; 0 while tracing, when it is not known. */
static gint64
batch_of (HybF *F, HybValue *inputs, const char *layout)
{
  int            axis = hyb_layout_axis (layout, 'N');
  const HybType *type;

  if (hyb_f_is_tracing (F) || hyb_value_is_failed (inputs))
    return 0;
  if (hyb_is_list (inputs)) /* arrays of a list have no time axis */
    axis -= axis > hyb_layout_axis (layout, 'T');
  type = hyb_value_get_type (hyb_item (F, inputs, 0));
  return type->shape.rank > axis ? MAX (type->shape.dim[axis], 0) : 0;
}

HybValue *
hyb_unroll_get_begin_state (HybF *F, HybCell *cell, const HybUnroll *unroll)
{
  if (unroll->begin_state)
    return unroll->begin_state;
  return hyb_cell_begin_state (F, &cell->parent, "_zeros",
                               batch_of (F, unroll->inputs, unroll->layout));
}

HybValue *
hyb_cell_unroll_steps (HybF *F, HybCell *cell, const HybUnroll *unroll, HybValue **states)
{
  HybValue *inputs = hyb_format_sequence (F, cell, unroll, unroll->inputs, HYB_MERGE_NO);
  g_autoptr (GPtrArray) history = g_ptr_array_new ();
  g_autofree HybValue **outputs = g_new (HybValue *, MAX (unroll->length, 1));
  HybValue             *all;

  *states = hyb_unroll_get_begin_state (F, cell, unroll);
  for (guint t = 0; t < unroll->length; t++)
    {
      outputs[t] = hyb_cell_step (F, &cell->parent, hyb_item (F, inputs, t), states);
      if (hyb_f_get_error (F))
        return hyb_list (F, 0, NULL);
      g_ptr_array_add (history, *states);
    }
  all = hyb_list (F, unroll->length, outputs);
  if (unroll->valid_length)
    {
      *states = last_valid_states (F, history, unroll->valid_length);
      all = hyb_mask_sequence (F, unroll, all, TRUE);
    }
  return hyb_format_sequence (F, cell, unroll, all, unroll->merge);
}

/* The result of an unroll that failed: empty outputs and states. */
static HybValue *
fail_unroll (HybF *F, HybValue **states)
{
  if (states)
    *states = hyb_list (F, 0, NULL);
  return hyb_list (F, 0, NULL);
}

HybValue *
hyb_cell_unroll (HybF *F, HybBlock *block, const HybUnroll *given, HybValue **states)
{
  HybCell            *cell = hyb_cell_or_fail (F, block);
  const HybCellClass *klass;
  HybUnroll           unroll;
  HybValue           *ignored;

  g_return_val_if_fail (given, NULL);
  if (!cell)
    return fail_unroll (F, states);
  klass = (const HybCellClass *) block->klass;
  unroll = *given;
  if (!unroll.layout)
    unroll.layout = "NTC";
  if (hyb_layout_axis (unroll.layout, 'T') < 0 || hyb_layout_axis (unroll.layout, 'N') < 0)
    {
      hyb_f_fail (F, "layout “%s” lacks T (time) or N (batch); use NTC, TNC or NCT", unroll.layout);
      return hyb_list (F, 0, NULL);
    }
  if (unroll.length == 0 && hyb_is_list (unroll.inputs))
    unroll.length = hyb_n_items (unroll.inputs);
  if (unroll.length == 0)
    {
      hyb_f_fail (F, "unrolling needs the number of steps");
      return hyb_list (F, 0, NULL);
    }

  if (unroll.begin_state)
    {
      unroll.begin_state = hyb_cell_flat_states (F, cell, unroll.begin_state);
      if (!unroll.begin_state)
        return fail_unroll (F, states);
    }
  hyb_cell_reset (block);
  return (klass->unroll ? klass->unroll : hyb_cell_unroll_steps) (F, cell, &unroll,
                                                                  states ? states : &ignored);
}

/* --- In a loop --- */

typedef struct
{
  HybBlock *cell;
  HybValue *valid_length; /* (batch); NULL: all steps count */
} DynamicStep;

/* The body of the loop.  With valid_length the last state is the number of the step, and states
 * keep their value in steps past it. */
static HybValue *
dynamic_step (HybF *F, HybValue *x, HybValue **states, gpointer user)
{
  const DynamicStep    *step = user;
  guint                 n = hyb_cell_n_states (step->cell);
  HybValue             *old = *states, *output, *number;
  g_autofree HybValue **next = g_new (HybValue *, n + 1);

  if (!step->valid_length)
    return hyb_cell_step (F, step->cell, x, states);

  *states = hyb_states_slice (F, old, 0, n);
  output = hyb_cell_step (F, step->cell, x, states);
  number = hyb_item (F, old, n);
  for (guint i = 0; i < n; i++)
    next[i] = hyb_where (F, hyb_broadcast (F, "broadcast_greater", step->valid_length, number),
                         hyb_item (F, *states, i), hyb_item (F, old, i));
  next[n] = HYB_OP (F, "_plus_scalar", .hint = "_plusscalar", .in = { number },
                    .attributes = HYB_WITH ("scalar", "1"));
  *states = hyb_list (F, n + 1, next);
  return output;
}

/* Exchanges axis with axis 0; the attribute is spelled as a Python list. */
static HybValue *
to_front (HybF *F, HybValue *x, int axis, int rank)
{
  g_autoptr (GString) text = g_string_new ("[");

  for (int i = 0; i < rank; i++)
    g_string_append_printf (text, "%s%d", i > 0 ? ", " : "", i == 0 ? axis : i == axis ? 0 : i);
  g_string_append_c (text, ']');
  return axis == 0 ? x : hyb_transpose (F, x, hyb_f_text (F, "%s", text->str));
}

HybValue *
hyb_cell_dynamic_unroll (HybF *F, HybBlock *cell, const HybUnroll *unroll, HybValue **states)
{
  DynamicStep step = { .cell = cell };
  const char *layout;
  int         axis, rank;
  guint       n;
  HybValue   *begin, *result, *outputs;

  g_return_val_if_fail (unroll && states, NULL);
  if (!hyb_cell_or_fail (F, cell))
    return fail_unroll (F, states);
  step.valid_length = unroll->valid_length;
  layout = unroll->layout ? unroll->layout : "TNC";
  axis = hyb_layout_axis (layout, 'T');
  rank = (int) strlen (layout);
  n = hyb_cell_n_states (cell);
  begin = unroll->begin_state;
  if (axis < 0 || hyb_is_list (unroll->inputs))
    {
      hyb_f_fail (F, "a dynamic unroll takes one array with a time axis, in layout TNC or NTC");
      return hyb_list (F, 0, NULL);
    }
  hyb_cell_reset (cell);
  outputs = to_front (F, unroll->inputs, axis, rank);
  if (unroll->valid_length)
    {
      HybValue *zero = HYB_OP (F, "_zeros", .hint = "_zeros",
                               .attributes = HYB_WITH ("dtype", "float32", "shape", "1"));

      begin = hyb_states_join (F, begin, zero);
    }
  result = hyb_foreach (F, dynamic_step, outputs, begin, &step);
  if (hyb_n_items (result) != 2)
    return hyb_list (F, 0, NULL);
  outputs = to_front (F, hyb_item (F, result, 0), axis, rank);
  *states = hyb_states_slice (F, hyb_item (F, result, 1), 0, n);
  if (unroll->valid_length)
    outputs =
        hyb_mask_sequence (F,
                           &(HybUnroll){ .layout = layout, .valid_length = unroll->valid_length },
                           outputs, TRUE);
  return outputs;
}

static HybValue *
cell_body (HybF *F, HybValue *slices, HybValue **states, gpointer cell)
{
  return hyb_cell_step (F, cell, slices, states);
}

HybValue *
hyb_foreach_cell (HybF *F, HybBlock *cell, HybValue *data, HybValue *states)
{
  g_return_val_if_fail (F, NULL);
  return hyb_foreach (F, cell_body, data, states, cell);
}
