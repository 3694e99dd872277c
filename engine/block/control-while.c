/* control-while.c — hyb_while_loop() and hyb_cond(): traced into the nodes _while_loop and _cond, or
 * run at once.
 *
 * Both nodes own several bodies, and one list of inputs serves all of them.  As in MXNet's front
 * end, a loop variable (for a branch: a variable of the surrounding graph) is listed once, any
 * other value once for each body that uses it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/control-private.h"

#include <string.h>

/* --- The inputs of a node with several bodies --- */

typedef struct
{
  HybF      *F;
  GPtrArray *inputs; /* of HybValue */
  GPtrArray *keys;   /* of char *, by input: name under which bodies share it; "" if none may */
} NodeInputs;

static void
node_inputs_init (NodeInputs *inputs, HybF *F)
{
  *inputs = (NodeInputs){ F, g_ptr_array_new (), g_ptr_array_new () };
}

static void
node_inputs_clear (NodeInputs *inputs)
{
  g_ptr_array_unref (inputs->inputs);
  g_ptr_array_unref (inputs->keys);
}

/* The number of the input that has this key, or of a new input. */
static int
node_inputs_add (NodeInputs *inputs, HybValue *value, const char *key)
{
  for (guint i = 0; key[0] != '\0' && i < inputs->keys->len; i++)
    if (strcmp (g_ptr_array_index (inputs->keys, i), key) == 0)
      return (int) i;
  g_ptr_array_add (inputs->inputs, value);
  g_ptr_array_add (inputs->keys, (gpointer) key);
  return (int) inputs->inputs->len - 1;
}

/* Adds the inputs of a body; returns their numbers (int) by variable of the body.  loop_values:
 * the values of the placeholders; empty for a branch.  A loop lists an outer variable once for
 * each body that uses it, because MXNet shares only loop variables. */
static GArray *
add_body_inputs (NodeInputs *inputs, TracedBody *body, GPtrArray *loop_values)
{
  gboolean is_loop = loop_values->len > 0;
  GArray  *locations = g_array_new (FALSE, FALSE, sizeof (int));
  guint    n = hyb_body_n_vars (body), n_ids;

  for (guint v = 0; v < n; v++)
    {
      int         placeholder = hyb_body_placeholder_of (body, v);
      const char *name =
          hyb_graph_get_node (body->graph, hyb_graph_get_variables (body->graph, &n_ids)[v])->name;
      gboolean    is_private = hyb_body_is_cut (body, v) || (is_loop && placeholder < 0);
      const char *key = is_private ? "" : hyb_f_text (inputs->F, "%s", name);
      HybValue   *value = placeholder >= 0 ? g_ptr_array_index (loop_values, placeholder)
                                           : hyb_body_outer_value (body, v);
      int         location = node_inputs_add (inputs, value, key);

      g_array_append_val (locations, location);
    }
  return locations;
}

/* Ends the trace with values (of HybValue) as heads. */
static gboolean
close_body (TracedBody *body, GPtrArray *values)
{
  g_autoptr (GPtrArray) heads = g_ptr_array_new ();
  g_autoptr (GHashTable) inputs = NULL;

  if (!hyb_f_check (body->F, NULL))
    return hyb_body_close (body, heads);
  inputs = hyb_body_input_names (body, values);
  for (guint i = 0; i < values->len; i++)
    g_ptr_array_add (heads, hyb_body_head (body, g_ptr_array_index (values, i), inputs, NULL));
  return hyb_body_close (body, heads);
}

/* --- while_loop, traced --- */

typedef struct
{
  HybF           *F;
  const HybWhile *args;
  TracedBody      condition, body;
  HybValue       *outputs;    /* of the body's trace, for their nesting */
  guint           n_out_data; /* arrays in outputs */
  guint           n_outputs;  /* of the node: out data and variables */
} TracedWhile;

static gboolean
trace_bodies (TracedWhile *loop)
{
  const HybWhile *args = loop->args;
  g_autoptr (GPtrArray) one = g_ptr_array_new ();
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  HybValue *inner;
  guint     n_variables;

  inner = hyb_body_placeholders (&loop->condition, args->variables);
  g_ptr_array_add (one, hyb_item (loop->condition.F,
                                  args->condition (loop->condition.F, inner, args->user), 0));
  if (!close_body (&loop->condition, one))
    return FALSE;

  hyb_body_open (&loop->body, loop->F, "while_loop_func");
  inner = hyb_body_placeholders (&loop->body, args->variables);
  n_variables = loop->body.placeholders->len;
  loop->outputs = hyb_value_or_fail (loop->body.F, args->body (loop->body.F, &inner, args->user),
                                     "a loop body");
  hyb_flatten_into (loop->outputs, all);
  loop->n_out_data = all->len;
  hyb_flatten_into (inner, all);
  loop->n_outputs = all->len;
  if (hyb_f_check (loop->body.F, NULL) && loop->n_outputs - loop->n_out_data != n_variables)
    hyb_f_fail (loop->body.F,
                "the loop body gave %u variables for %u; their number must stay the same",
                loop->n_outputs - loop->n_out_data, n_variables);
  return close_body (&loop->body, all);
}

/* Adds the node _while_loop.  Returns its outputs: out data, then variables. */
static HybValue *
emit_while (TracedWhile *loop)
{
  HybF     *F = loop->F;
  HybGraph *bodies[] = { loop->condition.graph, loop->body.graph };
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  g_autoptr (GArray) condition_locations = NULL;
  g_autoptr (GArray) body_locations = NULL;
  g_autoptr (GArray) variable_locations = g_array_new (FALSE, FALSE, sizeof (int));
  NodeInputs inputs;
  HybValue  *result;

  node_inputs_init (&inputs, F);
  hyb_flatten_into (loop->args->variables, values);
  condition_locations = add_body_inputs (&inputs, &loop->condition, values);
  body_locations = add_body_inputs (&inputs, &loop->body, values);
  for (guint i = 0; i < values->len; i++)
    {
      int at = -1;

      for (guint v = 0; v < hyb_body_n_vars (&loop->body); v++)
        if (hyb_body_placeholder_of (&loop->body, v) == (int) i)
          at = (int) v;
      if (at < 0)
        hyb_f_fail (F, "loop variable %u is not used in the loop body; every one must be", i);
      g_array_append_val (variable_locations, at);
    }
  result =
      HYB_OP (F, "_while_loop", .inputs = (HybValue *const *) inputs.inputs->pdata,
              .n_inputs = inputs.inputs->len, .bodies = bodies, .n_bodies = 2,
              .attributes =
                  HYB_WITH ("cond_input_locs", hyb_locations (F, condition_locations),
                            "func_input_locs", hyb_locations (F, body_locations), "func_var_locs",
                            hyb_locations (F, variable_locations), "max_iterations",
                            hyb_f_text (F, "%" G_GINT64_FORMAT, loop->args->max_iterations),
                            "num_args", hyb_f_text (F, "%u", inputs.inputs->len + 2),
                            "num_out_data", hyb_f_text (F, "%u", loop->n_out_data), "num_outputs",
                            hyb_f_text (F, "%u", loop->n_outputs)));
  node_inputs_clear (&inputs);
  return result;
}

static HybValue *
while_traced (HybF *F, const HybWhile *args)
{
  TracedWhile loop = { .F = F, .args = args };
  HybValue   *result = hyb_list (F, 0, NULL);

  hyb_body_open (&loop.condition, F, "while_loop_cond");
  if (trace_bodies (&loop))
    {
      g_autoptr (GPtrArray) arrays = g_ptr_array_new ();

      hyb_flatten_into (emit_while (&loop), arrays);
      if (arrays->len == loop.n_outputs)
        result =
            hyb_list_of (F, hyb_restructure (F, loop.outputs, (HybValue *const *) arrays->pdata),
                         hyb_restructure (F, args->variables,
                                          (HybValue *const *) arrays->pdata + loop.n_out_data),
                         NULL);
    }
  hyb_body_clear (&loop.condition);
  if (loop.body.F)
    hyb_body_clear (&loop.body);
  return result;
}

/* --- while_loop, step by step --- */

/* TRUE if value is one element that is not zero; fails if it has several. */
static gboolean
condition_is_true (HybF *F, HybValue *value)
{
  HybTensor *tensor = hyb_value_get_tensor (hyb_item (F, value, 0));

  if (!tensor)
    return FALSE;
  if (hyb_tensor_get_size (tensor) != 1)
    {
      hyb_f_fail (F, "a condition must be one number, not an array of %" G_GINT64_FORMAT,
                  hyb_tensor_get_size (tensor));
      return FALSE;
    }
  return hyb_tensor_get_value (tensor, 0) != 0;
}

/* Every output stacked over the steps, with rows of zeros up to max_iterations.  steps: of
 * HybValue, the outputs of each step. */
static HybValue *
stack_padded (HybF *F, GPtrArray *steps, gint64 max_iterations)
{
  HybValue *first = g_ptr_array_index (steps, 0);
  g_autoptr (GPtrArray) flat = g_ptr_array_new ();
  g_autofree HybValue **column = g_new (HybValue *, max_iterations);

  hyb_flatten_into (first, flat);
  for (guint i = 0; i < flat->len; i++)
    {
      HybValue *zeros = NULL;

      for (gint64 t = 0; t < max_iterations; t++)
        if (t < steps->len)
          {
            g_autoptr (GPtrArray) step = g_ptr_array_new ();

            hyb_flatten_into (g_ptr_array_index (steps, (guint) t), step);
            column[t] = g_ptr_array_index (step, i);
          }
        else
          {
            if (!zeros)
              zeros = HYB_OP (F, "zeros_like", .in = { column[0] });
            column[t] = zeros;
          }
      flat->pdata[i] = hyb_stack (F, hyb_list (F, (guint) max_iterations, column), 0);
    }
  return hyb_restructure (F, first, (HybValue *const *) flat->pdata);
}

static HybValue *
while_imperative (HybF *F, const HybWhile *args)
{
  g_autoptr (GPtrArray) steps = g_ptr_array_new ();
  HybValue *variables = args->variables, *outputs;

  for (gint64 t = 0; t < args->max_iterations; t++)
    {
      HybValue *step;

      if (!condition_is_true (F, args->condition (F, variables, args->user)))
        break;
      step = hyb_value_or_fail (F, args->body (F, &variables, args->user), "a loop body");
      g_ptr_array_add (steps, step);
      hyb_loop_check_step (F, g_ptr_array_index (steps, 0), step, "outputs");
      hyb_loop_check_step (F, args->variables, variables, "variables");
      if (!hyb_f_check (F, NULL))
        return hyb_list (F, 0, NULL);
    }
  outputs = steps->len > 0 ? stack_padded (F, steps, args->max_iterations) : hyb_list (F, 0, NULL);
  return hyb_list_of (F, outputs, variables, NULL);
}

HybValue *
hyb_while_loop (HybF *F, const HybWhile *loop)
{
  gint64 max;

  g_return_val_if_fail (F && loop, NULL);
  max = loop->max_iterations;
  if (!loop->condition || !loop->body)
    hyb_f_fail (F, "a loop needs a condition and a body; one of them is NULL");
  if (max < 1 || max > G_MAXINT32)
    hyb_f_fail (F, "max_iterations must be at least 1, not %" G_GINT64_FORMAT, max);
  if (!hyb_f_check (F, NULL))
    return hyb_list (F, 0, NULL);
  return F->tracing ? while_traced (F, loop) : while_imperative (F, loop);
}

/* --- cond --- */

/* Traces a branch; returns its outputs, or NULL if that failed. */
static HybValue *
trace_branch (TracedBody *body, HybF *F, const char *kind, HybBranch branch, gpointer user)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  HybValue *outputs;

  hyb_body_open (body, F, kind);
  outputs = hyb_value_or_fail (body->F, branch (body->F, user), "a branch");
  hyb_flatten_into (outputs, values);
  return close_body (body, values) ? outputs : NULL;
}

/* The predicate as a branch: MXNet gives it a body of its own. */
static HybValue *
predicate_branch (HybF *F, gpointer predicate)
{
  return hyb_item (F, predicate, 0);
}

/* Adds the node _cond.  bodies: predicate, then, else. */
static HybValue *
emit_cond (HybF *F, TracedBody bodies[3], guint n_outputs)
{
  HybGraph *graphs[] = { bodies[0].graph, bodies[1].graph, bodies[2].graph };
  g_autoptr (GPtrArray) no_loop_values = g_ptr_array_new ();
  g_autoptr (GArray) predicate = NULL;
  g_autoptr (GArray) then_part = NULL;
  g_autoptr (GArray) else_part = NULL;
  NodeInputs inputs;
  HybValue  *result;

  node_inputs_init (&inputs, F);
  predicate = add_body_inputs (&inputs, &bodies[0], no_loop_values);
  then_part = add_body_inputs (&inputs, &bodies[1], no_loop_values);
  else_part = add_body_inputs (&inputs, &bodies[2], no_loop_values);
  result = HYB_OP (F, "_cond", .inputs = (HybValue *const *) inputs.inputs->pdata,
                   .n_inputs = inputs.inputs->len, .bodies = graphs, .n_bodies = 3,
                   .attributes = HYB_WITH ("cond_input_locs", hyb_locations (F, predicate),
                                           "else_input_locs", hyb_locations (F, else_part),
                                           "num_args", hyb_f_text (F, "%u", inputs.inputs->len + 3),
                                           "num_outputs", hyb_f_text (F, "%u", n_outputs),
                                           "then_input_locs", hyb_locations (F, then_part)));
  node_inputs_clear (&inputs);
  return result;
}

static HybValue *
cond_traced (HybF     *F,
             HybValue *predicate,
             HybBranch then_branch,
             HybBranch else_branch,
             gpointer  user)
{
  TracedBody bodies[3] = { { 0 } };
  HybValue  *result = hyb_list (F, 0, NULL), *then_outputs;

  if (trace_branch (&bodies[0], F, "cond_pred", predicate_branch, predicate) &&
      (then_outputs = trace_branch (&bodies[1], F, "cond_then", then_branch, user)) &&
      trace_branch (&bodies[2], F, "cond_else", else_branch, user))
    {
      g_autoptr (GPtrArray) arrays = g_ptr_array_new ();
      guint n_then, n_else;

      hyb_graph_get_heads (bodies[1].graph, &n_then);
      hyb_graph_get_heads (bodies[2].graph, &n_else);
      if (n_then != n_else)
        hyb_f_fail (F,
                    "the branches of a condition give %u and %u arrays; they must give equally "
                    "many",
                    n_then, n_else);
      else
        {
          hyb_flatten_into (emit_cond (F, bodies, n_then), arrays);
          if (arrays->len == n_then)
            result = hyb_restructure (F, then_outputs, (HybValue *const *) arrays->pdata);
        }
    }
  for (guint i = 0; i < G_N_ELEMENTS (bodies); i++)
    if (bodies[i].F)
      hyb_body_clear (&bodies[i]);
  return result;
}

HybValue *
hyb_cond (HybF *F, HybValue *predicate, HybBranch then_branch, HybBranch else_branch, gpointer user)
{
  HybValue *outputs;

  g_return_val_if_fail (F && then_branch && else_branch, NULL);
  if (!hyb_f_check (F, NULL))
    return hyb_list (F, 0, NULL);
  if (F->tracing)
    return cond_traced (F, predicate, then_branch, else_branch, user);
  outputs = condition_is_true (F, predicate) ? then_branch (F, user) : else_branch (F, user);
  return hyb_value_or_fail (F, outputs, "a branch");
}
