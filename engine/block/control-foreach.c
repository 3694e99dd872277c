/* control-foreach.c — hyb_foreach(), a loop over axis 0: traced into the node _foreach, or run step
 * by step.
 *
 * Order and names of the node's inputs are those of mx.sym.contrib.foreach.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/control-private.h"

/* --- Traced --- */

/* Which variable of the body gets which input of the node. */
typedef struct
{
  GArray    *data, *states, *remain; /* of int: numbers of variables of the body */
  GPtrArray *inputs;                 /* of HybValue: data, states, captured values */
} Wiring;

static void
wire (TracedBody *body, guint n_data, HybValue *data, HybValue *states, Wiring *wiring)
{
  guint           n = hyb_body_n_vars (body), n_placeholders = body->placeholders->len;
  g_autofree int *variable = g_new (int, MAX (n_placeholders, 1)); /* by placeholder */
  g_autoptr (GPtrArray) captured = g_ptr_array_new ();

  for (guint i = 0; i < n_placeholders; i++)
    variable[i] = -1;
  hyb_flatten_into (data, wiring->inputs);
  hyb_flatten_into (states, wiring->inputs);
  for (guint v = 0; v < n; v++)
    {
      int placeholder = hyb_body_placeholder_of (body, v);

      if (placeholder >= 0)
        variable[placeholder] = (int) v;
      else
        {
          g_array_append_val (wiring->remain, v);
          g_ptr_array_add (captured, hyb_body_outer_value (body, v));
        }
    }
  for (guint i = 0; i < n_placeholders; i++)
    {
      if (variable[i] < 0)
        hyb_f_fail (body->outer, "the %s “%s” is not used in the loop body; every %s must be",
                    i < n_data ? "data array" : "state",
                    hyb_f_text (body->F, "%u", i < n_data ? i : i - n_data),
                    i < n_data ? "one" : "state");
      g_array_append_val (i < n_data ? wiring->data : wiring->states, variable[i]);
    }
  g_ptr_array_extend (wiring->inputs, captured, NULL, NULL);
}

static HybValue *
emit (TracedBody *body, const Wiring *wiring, guint n_out_data, guint n_outputs)
{
  HybF *F = body->outer;

  return HYB_OP (F, "_foreach", .inputs = (HybValue *const *) wiring->inputs->pdata,
                 .n_inputs = wiring->inputs->len, .bodies = &body->graph, .n_bodies = 1,
                 .attributes = HYB_WITH ("in_data_locs", hyb_locations (F, wiring->data),
                                         "in_state_locs", hyb_locations (F, wiring->states),
                                         "num_args", hyb_f_text (F, "%u", wiring->inputs->len + 1),
                                         "num_out_data", hyb_f_text (F, "%u", n_out_data),
                                         "num_outputs", hyb_f_text (F, "%u", n_outputs),
                                         "remain_locs", hyb_locations (F, wiring->remain)));
}

/* Ends the trace.  As in MXNet, outputs that are inputs or outer values get a node of their own,
 * and so do states that are outputs as well. */
static gboolean
close_body (TracedBody *body, HybValue *outputs, HybValue *states, guint *n_out_data)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  g_autoptr (GPtrArray) heads = g_ptr_array_new ();
  g_autoptr (GHashTable) inputs = NULL;
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);

  hyb_flatten_into (outputs, all);
  *n_out_data = all->len;
  hyb_flatten_into (states, all);
  if (!hyb_f_check (body->F, NULL))
    return hyb_body_close (body, heads);

  inputs = hyb_body_input_names (body, all);
  for (guint i = 0; i < *n_out_data; i++)
    g_hash_table_add (names, (gpointer) hyb_body_node_name (body, g_ptr_array_index (all, i)));
  for (guint i = 0; i < all->len; i++)
    g_ptr_array_add (heads, hyb_body_head (body, g_ptr_array_index (all, i), inputs,
                                           i < *n_out_data ? NULL : names));
  return hyb_body_close (body, heads);
}

static HybValue *
foreach_traced (HybF *F, HybForeachBody function, HybValue *data, HybValue *states, gpointer user)
{
  TracedBody body;
  Wiring     wiring = { .data = g_array_new (FALSE, FALSE, sizeof (int)),
                        .states = g_array_new (FALSE, FALSE, sizeof (int)),
                        .remain = g_array_new (FALSE, FALSE, sizeof (int)),
                        .inputs = g_ptr_array_new () };
  HybValue  *slices, *inner_states, *outputs, *result = hyb_list (F, 0, NULL), *all;
  guint      n_out_data, n_data;

  hyb_body_open (&body, F, "foreach");
  slices = hyb_body_placeholders (&body, data);
  n_data = body.placeholders->len;
  inner_states = hyb_body_placeholders (&body, states);
  outputs =
      hyb_value_or_fail (body.F, function (body.F, slices, &inner_states, user), "a loop body");
  hyb_loop_check_step (body.F, states, inner_states, "states");
  if (close_body (&body, outputs, inner_states, &n_out_data))
    {
      g_autoptr (GPtrArray) arrays = g_ptr_array_new ();
      guint n_outputs;

      hyb_graph_get_heads (body.graph, &n_outputs);
      wire (&body, n_data, data, states, &wiring);
      all = emit (&body, &wiring, n_out_data, n_outputs);
      hyb_flatten_into (all, arrays);
      if (!hyb_value_is_failed (all) && arrays->len == n_outputs)
        result = hyb_list_of (F, hyb_restructure (F, outputs, (HybValue *const *) arrays->pdata),
                              hyb_restructure (F, states,
                                               (HybValue *const *) arrays->pdata + n_out_data),
                              NULL);
    }
  hyb_body_clear (&body);
  g_array_unref (wiring.data);
  g_array_unref (wiring.states);
  g_array_unref (wiring.remain);
  g_ptr_array_unref (wiring.inputs);
  return result;
}

/* --- Step by step --- */

/* array[index] */
static HybValue *
row (HybF *F, HybValue *array, gint64 index)
{
  return hyb_squeeze (F, hyb_slice_axis (F, array, 0, index, index + 1), 0);
}

/* row() of every array of data. */
static HybValue *
rows (HybF *F, HybValue *data, gint64 index)
{
  g_autoptr (GPtrArray) arrays = g_ptr_array_new ();

  hyb_flatten_into (data, arrays);
  for (guint i = 0; i < arrays->len; i++)
    arrays->pdata[i] = row (F, g_ptr_array_index (arrays, i), index);
  return hyb_restructure (F, data, (HybValue *const *) arrays->pdata);
}

/* steps: of HybValue, the outputs of each step.  Every output is stacked over the steps. */
static HybValue *
stack_outputs (HybF *F, GPtrArray *steps)
{
  HybValue *first = g_ptr_array_index (steps, 0);
  g_autoptr (GPtrArray) flat = g_ptr_array_new ();
  g_autofree HybValue **column = g_new (HybValue *, steps->len);
  g_autofree HybValue **stacked = NULL;

  hyb_flatten_into (first, flat);
  stacked = g_new (HybValue *, MAX (flat->len, 1));
  for (guint i = 0; i < flat->len; i++)
    {
      for (guint t = 0; t < steps->len; t++)
        {
          g_autoptr (GPtrArray) step = g_ptr_array_new ();

          hyb_flatten_into (g_ptr_array_index (steps, t), step);
          column[t] = g_ptr_array_index (step, i);
        }
      stacked[i] = hyb_stack (F, hyb_list (F, steps->len, column), 0);
    }
  return hyb_restructure (F, first, stacked);
}

static HybValue *
foreach_imperative (HybF          *F,
                    HybForeachBody function,
                    HybValue      *data,
                    HybValue      *states,
                    gpointer       user)
{
  g_autoptr (GPtrArray) arrays = g_ptr_array_new ();
  g_autoptr (GPtrArray) steps = g_ptr_array_new ();
  gint64 length = 0;

  hyb_flatten_into (data, arrays);
  for (guint i = 0; i < arrays->len; i++)
    {
      const HybType *type = hyb_value_get_type (g_ptr_array_index (arrays, i));
      gint64         rows_here = type->shape.rank > 0 ? type->shape.dim[0] : 0;

      if (i > 0 && rows_here != length)
        hyb_f_fail (F,
                    "the data arrays of a loop differ in length: %" G_GINT64_FORMAT
                    " and %" G_GINT64_FORMAT " steps",
                    length, rows_here);
      length = rows_here;
    }
  if (length == 0)
    hyb_f_fail (F, "a loop over no steps has no outputs; give data with at least one row");
  for (gint64 t = 0; t < length && hyb_f_check (F, NULL); t++)
    {
      HybValue *before = states;
      HybValue *step = function (F, rows (F, data, t), &states, user);

      step = hyb_value_or_fail (F, step, "a loop body");
      g_ptr_array_add (steps, step);
      hyb_loop_check_step (F, g_ptr_array_index (steps, 0), step, "outputs");
      hyb_loop_check_step (F, before, states, "states");
    }
  if (!hyb_f_check (F, NULL))
    return hyb_list (F, 0, NULL);
  return hyb_list_of (F, stack_outputs (F, steps), states, NULL);
}

HybValue *
hyb_foreach (HybF *F, HybForeachBody body, HybValue *data, HybValue *states, gpointer user)
{
  g_return_val_if_fail (F && body, NULL);
  if (!hyb_f_check (F, NULL))
    return hyb_list (F, 0, NULL);
  return (F->tracing ? foreach_traced : foreach_imperative) (F, body, data, states, user);
}

HybLoopResult
hyb_loop_result (HybF *F, HybValue *result)
{
  g_return_val_if_fail (F, ((HybLoopResult){ NULL, NULL }));
  return (HybLoopResult){ hyb_item (F, result, 0), hyb_item (F, result, 1) };
}
