/* unroll.c — a cell laid out over many steps, and sequences in both their forms:
 * one array with a time axis, or a list of one array a step.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/rnn/cell-private.h"

#include <string.h>

int
hyb_layout_axis (const char *layout, char axis)
{
  const char *at = strchr (layout, axis);

  return at != NULL ? (int) (at - layout) : -1;
}

/* mx.rnn merges by expand_dims and Concat, Gluon by stack. */
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

static HybValue *
split_steps (HybF *F, HybValue *sequence, guint length, int axis, const char *squeeze)
{
  HybValue *steps = HYB_OP (F,
                            "SliceChannel",
                            .hint = "split",
                            .in = { sequence },
                            .attributes = HYB_WITH ("axis",
                                                    hyb_f_text (F, "%d", axis),
                                                    "num_outputs",
                                                    hyb_f_text (F, "%u", length),
                                                    "squeeze_axis",
                                                    squeeze));

  return hyb_is_list (steps) ? steps : hyb_list (F, 1, &steps);
}

HybValue *
hyb_format_sequence (HybF       *F,
                     HybCell    *cell,
                     guint       length,
                     HybValue   *inputs,
                     const char *layout,
                     HybMerge    merge)
{
  int axis = hyb_layout_axis (layout, 'T');

  if (hyb_is_list (inputs))
    {
      if (length > 0 && hyb_n_items (inputs) != length)
        hyb_f_fail (F,
                    "%u inputs were given to unroll %u steps; give one a step",
                    hyb_n_items (inputs),
                    length);
      return merge == HYB_MERGE_YES ? merge_steps (F, cell, inputs, axis) : inputs;
    }
  return merge == HYB_MERGE_NO ? split_steps (F, inputs, length, axis, "1") : inputs;
}

HybValue *
hyb_mask_sequence (HybF     *F,
                   HybValue *data,
                   guint     length,
                   HybValue *valid_length,
                   int       axis,
                   gboolean  merge)
{
  if (hyb_is_list (data))
    data = hyb_stack (F, data, axis);
  data = HYB_OP (F,
                 "SequenceMask",
                 .in = { data, valid_length },
                 .attributes =
                     HYB_WITH ("axis", hyb_f_text (F, "%d", axis), "use_sequence_length", "True"));
  return merge ? data : split_steps (F, data, length, axis, "True");
}

/* The state of every item of the batch at its own last step. */
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
      last[s] = HYB_OP (F,
                        "SequenceLast",
                        .in = { stacked, valid_length },
                        .attributes = HYB_WITH ("axis", "0", "use_sequence_length", "True"));
    }
  return hyb_list (F, n, last);
}

/* How many sequences run together; a traced array does not know yet. */
static gint64
batch_of (HybF *F, const HybUnroll *unroll)
{
  gboolean       is_list = hyb_is_list (unroll->inputs);
  const HybType *type;
  int            axis = is_list ? 0 : hyb_layout_axis (unroll->layout, 'N');

  if (hyb_f_is_tracing (F) || hyb_value_is_failed (unroll->inputs))
    return 0;
  type = hyb_value_get_type (hyb_item (F, unroll->inputs, 0));
  return axis >= 0 && type->shape.rank > axis ? type->shape.dim[axis] : 0;
}

HybValue *
hyb_unroll_begin (HybF *F, HybCell *cell, const HybUnroll *unroll)
{
  if (unroll->begin_state != NULL)
    return unroll->begin_state;
  return hyb_cell_begin_state (F, &cell->parent, "_zeros", batch_of (F, unroll));
}

static HybValue *
unroll_steps (HybF *F, HybCell *cell, const HybUnroll *unroll, HybValue **states)
{
  HybValue *inputs =
      hyb_format_sequence (F, cell, unroll->length, unroll->inputs, unroll->layout, HYB_MERGE_NO);
  g_autoptr (GPtrArray) history = g_ptr_array_new ();
  g_autofree HybValue **outputs = g_new (HybValue *, MAX (unroll->length, 1));
  int                   axis = hyb_layout_axis (unroll->layout, 'T');
  HybValue             *all;

  *states = hyb_unroll_begin (F, cell, unroll);
  for (guint t = 0; t < unroll->length; t++)
    {
      outputs[t] = hyb_cell_step (F, &cell->parent, hyb_item (F, inputs, t), states);
      if (hyb_f_get_error (F) != NULL)
        return hyb_list (F, 0, NULL);
      g_ptr_array_add (history, *states);
    }
  all = hyb_list (F, unroll->length, outputs);
  if (unroll->valid_length != NULL)
    {
      *states = last_valid_states (F, history, unroll->valid_length);
      all = hyb_mask_sequence (F, all, unroll->length, unroll->valid_length, axis, TRUE);
    }
  return hyb_format_sequence (F, cell, unroll->length, all, unroll->layout, unroll->merge);
}

HybValue *
hyb_cell_unroll (HybF *F, HybBlock *block, const HybUnroll *given, HybValue **states)
{
  HybCell            *cell = HYB_CELL (block);
  const HybCellClass *klass = (const HybCellClass *) block->klass;
  HybUnroll           unroll = *given;
  HybValue           *ignored;

  if (unroll.layout == NULL)
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

  hyb_cell_reset (block);
  return (klass->unroll != NULL
              ? klass->unroll
              : unroll_steps) (F, cell, &unroll, states != NULL ? states : &ignored);
}
