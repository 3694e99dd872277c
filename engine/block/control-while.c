/* control-while.c — a loop that lasts as long as a condition holds, and a branch.
 *
 * Both own several bodies whose inputs are united: loop variables (of a branch, outer
 * variables) once, other values once for each body, as MXNet's front end does.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/control-private.h"

#include <string.h>

/* --- Inputs of several bodies, united --- */

typedef struct
{
  HybF      *F;
  GPtrArray *inputs; /* of HybValue */
  GPtrArray *keys;   /* of char *: what makes an input shared; "" for cut edges */
} United;

static void
united_init (United *united, HybF *F)
{
  *united = (United){ F, g_ptr_array_new (), g_ptr_array_new () };
}

static void
united_clear (United *united)
{
  g_ptr_array_unref (united->inputs);
  g_ptr_array_unref (united->keys);
}

static int
united_add (United *united, HybValue *value, const char *key)
{
  for (guint i = 0; key[0] != '\0' && i < united->keys->len; i++)
    if (strcmp (g_ptr_array_index (united->keys, i), key) == 0)
      return (int) i;
  g_ptr_array_add (united->inputs, value);
  g_ptr_array_add (united->keys, (gpointer) key);
  return (int) united->inputs->len - 1;
}

/* Where every variable of body finds its value; loop_values: what placeholders stand for.
 * A loop gets an outer variable once for each body that reads it (MXNet unites loop
 * variables only), a branch once. */
static GArray *
unite (United *united, TracedBody *body, GPtrArray *loop_values)
{
  gboolean is_loop = loop_values->len > 0;
  GArray  *locations = g_array_new (FALSE, FALSE, sizeof (int));
  guint    n = hyb_body_n_vars (body), n_ids;

  for (guint v = 0; v < n; v++)
    {
      int         placeholder = hyb_body_placeholder_of (body, v);
      const char *name =
          hyb_graph_get_node (body->graph, hyb_graph_get_variables (body->graph, &n_ids)[v])->name;
      gboolean    own = hyb_body_is_cut (body, v) || (is_loop && placeholder < 0);
      const char *key = own ? "" : hyb_f_text (united->F, "%s", name);
      HybValue   *value = placeholder >= 0 ? g_ptr_array_index (loop_values, placeholder)
                                           : hyb_body_outer_value (body, v);
      int         location = united_add (united, value, key);

      g_array_append_val (locations, location);
    }
  return locations;
}

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
  HybF      *F;
  TracedBody condition, body;
  HybValue  *variables; /* outer */
  HybValue  *outputs;   /* of the body's trace, for their nesting */
  guint      n_out_data, n_outputs;
} TracedWhile;

static gboolean
trace_bodies (TracedWhile *loop, HybWhileCondition condition, HybWhileBody body, gpointer user)
{
  g_autoptr (GPtrArray) one = g_ptr_array_new ();
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  HybValue *inner;
  guint     n_variables;

  inner = hyb_body_placeholders (&loop->condition, loop->variables);
  g_ptr_array_add (one,
                   hyb_item (loop->condition.F, condition (loop->condition.F, inner, user), 0));
  if (!close_body (&loop->condition, one))
    return FALSE;

  hyb_body_open (&loop->body, loop->F, "while_loop_func");
  inner = hyb_body_placeholders (&loop->body, loop->variables);
  n_variables = loop->body.placeholders->len;
  loop->outputs = body (loop->body.F, &inner, user);
  hyb_flatten_into (loop->outputs, all);
  loop->n_out_data = all->len;
  hyb_flatten_into (inner, all);
  loop->n_outputs = all->len;
  if (hyb_f_check (loop->body.F, NULL) && loop->n_outputs - loop->n_out_data != n_variables)
    hyb_f_fail (loop->body.F,
                "the loop body gave %u variables for %u; their number must stay the same",
                loop->n_outputs - loop->n_out_data,
                n_variables);
  return close_body (&loop->body, all);
}

static HybValue *
emit_while (TracedWhile *loop, gint64 max_iterations)
{
  HybF     *F = loop->F;
  HybGraph *bodies[] = { loop->condition.graph, loop->body.graph };
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  g_autoptr (GArray) condition_locations = NULL;
  g_autoptr (GArray) body_locations = NULL;
  g_autoptr (GArray) variable_locations = g_array_new (FALSE, FALSE, sizeof (int));
  United    united;
  HybValue *result;

  united_init (&united, F);
  hyb_flatten_into (loop->variables, values);
  condition_locations = unite (&united, &loop->condition, values);
  body_locations = unite (&united, &loop->body, values);
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
  result = HYB_OP (F,
                   "_while_loop",
                   .inputs = (HybValue *const *) united.inputs->pdata,
                   .n_inputs = united.inputs->len,
                   .bodies = bodies,
                   .n_bodies = 2,
                   .attributes = HYB_WITH ("cond_input_locs",
                                           hyb_locations (F, condition_locations),
                                           "func_input_locs",
                                           hyb_locations (F, body_locations),
                                           "func_var_locs",
                                           hyb_locations (F, variable_locations),
                                           "max_iterations",
                                           hyb_f_text (F, "%" G_GINT64_FORMAT, max_iterations),
                                           "num_args",
                                           hyb_f_text (F, "%u", united.inputs->len + 2),
                                           "num_out_data",
                                           hyb_f_text (F, "%u", loop->n_out_data),
                                           "num_outputs",
                                           hyb_f_text (F, "%u", loop->n_outputs)));
  united_clear (&united);
  return result;
}

static HybValue *
while_traced (HybF             *F,
              HybWhileCondition condition,
              HybWhileBody      body,
              HybValue         *variables,
              gint64            max_iterations,
              gpointer          user)
{
  TracedWhile loop = { .F = F, .variables = variables };
  HybValue   *result = hyb_list (F, 0, NULL);

  hyb_body_open (&loop.condition, F, "while_loop_cond");
  if (trace_bodies (&loop, condition, body, user))
    {
      g_autoptr (GPtrArray) arrays = g_ptr_array_new ();

      hyb_flatten_into (emit_while (&loop, max_iterations), arrays);
      if (arrays->len == loop.n_outputs)
        result = hyb_list_of (F,
                              hyb_restructure (F, loop.outputs, (HybValue *const *) arrays->pdata),
                              hyb_restructure (F,
                                               variables,
                                               (HybValue *const *) arrays->pdata + loop.n_out_data),
                              NULL);
    }
  hyb_body_clear (&loop.condition);
  if (loop.body.F)
    hyb_body_clear (&loop.body);
  return result;
}

/* --- while_loop, at once --- */

static gboolean
holds (HybF *F, HybValue *value)
{
  HybTensor *tensor = hyb_value_get_tensor (hyb_item (F, value, 0));

  if (!tensor)
    return FALSE;
  if (hyb_tensor_get_size (tensor) != 1)
    {
      hyb_f_fail (F,
                  "a condition must be one number, not an array of %" G_GINT64_FORMAT,
                  hyb_tensor_get_size (tensor));
      return FALSE;
    }
  return hyb_tensor_get_value (tensor, 0) != 0;
}

/* Outputs of the steps taken, and zeros for the rest. */
static HybValue *
padded (HybF *F, GPtrArray *steps, gint64 max_iterations)
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
while_at_once (HybF             *F,
               HybWhileCondition condition,
               HybWhileBody      body,
               HybValue         *variables,
               gint64            max_iterations,
               gpointer          user)
{
  g_autoptr (GPtrArray) steps = g_ptr_array_new ();

  for (gint64 t = 0; t < max_iterations && holds (F, condition (F, variables, user)); t++)
    {
      g_ptr_array_add (steps, body (F, &variables, user));
      if (!hyb_f_check (F, NULL))
        return hyb_list (F, 0, NULL);
    }
  return hyb_list_of (F,
                      steps->len > 0 ? padded (F, steps, max_iterations) : hyb_list (F, 0, NULL),
                      variables,
                      NULL);
}

HybValue *
hyb_while_loop (HybF             *F,
                HybWhileCondition condition,
                HybWhileBody      body,
                HybValue         *variables,
                gint64            max_iterations,
                gpointer          user)
{
  if (max_iterations < 1 || max_iterations > G_MAXINT32)
    hyb_f_fail (F, "max_iterations must be at least 1, not %" G_GINT64_FORMAT, max_iterations);
  if (!hyb_f_check (F, NULL))
    return hyb_list (F, 0, NULL);
  return (F->tracing ? while_traced
                     : while_at_once) (F, condition, body, variables, max_iterations, user);
}

/* --- cond --- */

static gboolean
trace_branch (TracedBody *body,
              HybF       *F,
              const char *kind,
              HybBranch   branch,
              gpointer    user,
              HybValue  **result)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new ();

  hyb_body_open (body, F, kind);
  *result = branch (body->F, user);
  hyb_flatten_into (*result, values);
  return close_body (body, values);
}

static HybValue *
given_predicate (HybF *F, gpointer predicate)
{
  return hyb_item (F, predicate, 0);
}

static HybValue *
emit_cond (HybF *F, TracedBody bodies[3], guint n_outputs)
{
  HybGraph *graphs[] = { bodies[0].graph, bodies[1].graph, bodies[2].graph };
  g_autoptr (GPtrArray) nothing = g_ptr_array_new ();
  g_autoptr (GArray) predicate = NULL;
  g_autoptr (GArray) then_part = NULL;
  g_autoptr (GArray) else_part = NULL;
  United    united;
  HybValue *result;

  united_init (&united, F);
  predicate = unite (&united, &bodies[0], nothing);
  then_part = unite (&united, &bodies[1], nothing);
  else_part = unite (&united, &bodies[2], nothing);
  result = HYB_OP (F,
                   "_cond",
                   .inputs = (HybValue *const *) united.inputs->pdata,
                   .n_inputs = united.inputs->len,
                   .bodies = graphs,
                   .n_bodies = 3,
                   .attributes = HYB_WITH ("cond_input_locs",
                                           hyb_locations (F, predicate),
                                           "else_input_locs",
                                           hyb_locations (F, else_part),
                                           "num_args",
                                           hyb_f_text (F, "%u", united.inputs->len + 3),
                                           "num_outputs",
                                           hyb_f_text (F, "%u", n_outputs),
                                           "then_input_locs",
                                           hyb_locations (F, then_part)));
  united_clear (&united);
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
  HybValue  *result = hyb_list (F, 0, NULL), *ignored, *nesting;

  if (trace_branch (&bodies[0], F, "cond_pred", given_predicate, predicate, &ignored) &&
      trace_branch (&bodies[1], F, "cond_then", then_branch, user, &nesting) &&
      trace_branch (&bodies[2], F, "cond_else", else_branch, user, &ignored))
    {
      g_autoptr (GPtrArray) arrays = g_ptr_array_new ();
      guint n_then, n_else;

      hyb_graph_get_heads (bodies[1].graph, &n_then);
      hyb_graph_get_heads (bodies[2].graph, &n_else);
      if (n_then != n_else)
        hyb_f_fail (F,
                    "the branches of a condition give %u and %u arrays; they must give equally "
                    "many",
                    n_then,
                    n_else);
      else
        {
          hyb_flatten_into (emit_cond (F, bodies, n_then), arrays);
          if (arrays->len == n_then)
            result = hyb_restructure (F, nesting, (HybValue *const *) arrays->pdata);
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
  if (!hyb_f_check (F, NULL))
    return hyb_list (F, 0, NULL);
  if (F->tracing)
    return cond_traced (F, predicate, then_branch, else_branch, user);
  return holds (F, predicate) ? then_branch (F, user) : else_branch (F, user);
}
