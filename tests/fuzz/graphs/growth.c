/* growth.c — adds operators, loops and branches; see growth.h.
 *
 * A body is a scope of its own.  When it is complete, its variables are put into the order in which MXNet lists them, which is
 * the order of a file; variables that no output needs are left out, as there.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/graphs/growth.h"

#include "engine/graph/reach.h"
#include "tests/engine/ops/op-tensor.h"
#include "tests/fuzz/graphs/sample-node.h"

#define MAX_DEPTH  3 /* of bodies */
#define MAX_STATES 2
#define MAX_PORTS  32 /* variables of a body */

/* A complete body. */
typedef struct
{
  HybGraph *graph;
  guint     n;                 /* variables */
  guint     port[MAX_PORTS];   /* by variable: its number among the ports of the scope */
  guint     source[MAX_PORTS]; /* by variable: the value of the outer scope that it reads */
} Body;

static void
body_clear (Body *body)
{
  g_clear_pointer (&body->graph, hyb_graph_unref);
}

/* --- Completing a body --- */

/* Copies the nodes that the heads of a graph need, variables first.  variables: their ids, in order. */
static HybGraph *
copy_needed (HybGraph *from, const guint8 *needed, const GArray *variables)
{
  HybBuilder            *builder = hyb_builder_new ();
  g_autofree HybValueId *to = g_new0 (HybValueId, hyb_graph_n_values (from) + 1);
  guint                  n_heads;
  const HybValueId      *heads = hyb_graph_get_heads (from, &n_heads);

  hyb_builder_set_legacy_shapes (builder, hyb_graph_has_legacy_shapes (from));
  for (guint i = 0; i < variables->len; i++)
    {
      const HybNode *node = hyb_graph_get_node (from, g_array_index (variables, HybNodeId, i));

      to[node->first_output] = hyb_builder_add_variable (builder, node->name, NULL);
    }
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (from); id++)
    {
      const HybNode         *node = hyb_graph_get_node (from, id);
      g_autofree HybValueId *inputs = g_new (HybValueId, node->n_inputs + 1);
      HybValueId             first;

      if (!needed[id] || hyb_node_is_variable (node))
        continue;
      for (guint i = 0; i < node->n_inputs; i++)
        inputs[i] = to[hyb_graph_get_inputs (from, id)[i]];
      first = hyb_builder_copy (builder, from, id, inputs);
      for (guint i = 0; i < node->n_outputs; i++)
        to[node->first_output + i] = first + i;
    }
  for (guint i = 0; i < n_heads; i++)
    hyb_builder_add_head (builder, to[heads[i]]);
  return hyb_builder_freeze (builder);
}

/* Ends a scope whose heads were added.  FALSE if one of the first n_required ports is not needed. */
static gboolean
body_finish (Body *body, Scope *scope, guint n_required)
{
  g_autoptr (HybGraph) whole = hyb_builder_freeze (g_steal_pointer (&scope->builder));
  g_autofree guint8 *needed = hyb_graph_find_needed (whole, NULL);
  g_autoptr (GArray) variables = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  guint            n, n_found = 0;
  const HybNodeId *ports = hyb_graph_get_variables (whole, &n),
                  *ordered = hyb_graph_get_arguments (whole, &n);

  *body = (Body){ 0 };
  for (guint i = 0; i < n && variables->len < MAX_PORTS; i++)
    for (guint port = 0; needed[ordered[i]] && port < n; port++)
      if (ports[port] == ordered[i])
        {
          body->port[body->n] = port;
          body->source[body->n++] = g_array_index (scope->sources, guint, port);
          g_array_append_val (variables, ordered[i]);
          n_found += port < n_required;
        }
  if (n > MAX_PORTS || n_found < n_required)
    return FALSE;
  body->graph = copy_needed (whole, needed, variables);
  return TRUE;
}

/* SCOPE_NOTHING stands for the first variable. */
static void
add_head (Scope *scope, guint index)
{
  hyb_builder_add_head (scope->builder,
                        scope_get (scope, index == SCOPE_NOTHING ? 0 : index)->value);
}

/* --- Inputs of loops --- */

static guint
new_numbers (Scope *scope, const HybType *type)
{
  g_autoptr (HybTensor) tensor = hyb_tensor_new_zeros (type, NULL);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), type->dtype, (gsize) i,
                          fuzz_below (scope->random, 2001) / 1000. - 1);
  return scope_add_variable (scope, tensor);
}

/* Floats of this type: computed from others, or a variable. */
static guint
numbers_of_type (Scope *scope, const HybType *type)
{
  guint index = fuzz_once_in (scope->random, 3) ? SCOPE_NOTHING : scope_choose_float (scope);

  if (index != SCOPE_NOTHING)
    index = scope_fit (scope, index, type, -8, 8);
  return index == SCOPE_NOTHING ? new_numbers (scope, type) : index;
}

/* Mostly of float32. */
static HybType
small_type (Scope *scope)
{
  HybType type = { { .rank = (int) fuzz_below (scope->random, 3) + 1 }, HYB_F32 };

  if (fuzz_once_in (scope->random, 6))
    type.dtype = fuzz_once_in (scope->random, 3) ? HYB_F16 : HYB_F64;
  for (int i = 0; i < type.shape.rank; i++)
    type.shape.dim[i] = 1 + fuzz_below (scope->random, 4);
  return type;
}

/* The first row of a tensor; zeros if it has none. */
static HybTensor *
first_row (const Scope *scope, HybTensor *tensor)
{
  HybType type = *hyb_tensor_get_type (tensor);

  if (type.shape.rank == 1 && !scope->has_scalars)
    type.shape.dim[0] = 1;
  else
    {
      type.shape.rank--;
      for (int i = 0; i < type.shape.rank; i++)
        type.shape.dim[i] = type.shape.dim[i + 1];
    }
  return hyb_tensor_get_size (tensor) > 0 ? hyb_tensor_new_view (tensor, &type, 0)
                                          : hyb_tensor_new_zeros (&type, NULL);
}

/* Adds ports that read the same value in every step. */
static void
capture_some (Scope *body)
{
  for (guint n = fuzz_below (body->random, 3); n > 0; n--)
    {
      guint index = scope_choose_float (body->outer);

      if (index != SCOPE_NOTHING)
        scope_add_port (body, index, scope_get (body->outer, index)->tensor);
    }
}

/* The value of a state for the next step, which mostly depends on the last one. */
static guint
next_state (Scope *body, guint state)
{
  const HybType type = *scope_type (body, state);
  guint         next = scope_choose_float (body);

  next = next == SCOPE_NOTHING ? state : scope_fit (body, next, &type, -8, 8);
  if (next == SCOPE_NOTHING)
    next = state;
  if (fuzz_once_in (body->random, 6))
    return next;
  return scope_call (body, "elemwise_add", NULL, next,
                     scope_call (body, "_mul_scalar", "scalar=0.5", state, SCOPE_NOTHING));
}

static void
append_numbers (GString *text, const char *name, const guint *numbers, guint n)
{
  g_string_append_printf (text, " %s=(", name);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, i > 0 ? ",%u" : "%u", numbers[i]);
  g_string_append (text, n == 1 ? ",)" : ")");
}

static guint
add_with_bodies (Scope *scope, const char *op, const char *attributes, const NodeRequest *rest)
{
  g_auto (GStrv) pairs = op_attributes_from_text (attributes);
  NodeRequest request = *rest;

  request.op = hyb_op_find (op);
  request.attributes = pairs;
  return scope_add_node (scope, &request);
}

/* --- Loops over rows --- */

/* The locations of variables by kind, and the inputs of the loop: rows, states, captured values. */
static guint
add_foreach (Scope *scope, const Body *body, guint n_rows, guint n_states, guint n_outputs)
{
  guint locations[3][MAX_PORTS], counts[3] = { 0 }, inputs[MAX_PORTS], n = 0;
  g_autoptr (GString) text = g_string_new (NULL);

  /* Ports are numbered by kind, and states by their place among the outputs. */
  for (guint port = 0; port < MAX_PORTS; port++)
    for (guint i = 0; i < body->n; i++)
      if (body->port[i] == port)
        {
          guint kind = port < n_rows ? 0 : port < n_rows + n_states ? 1 : 2;

          locations[kind][counts[kind]++] = i;
          inputs[n++] = body->source[i];
        }
  g_string_printf (text, "num_args=%u num_outputs=%u num_out_data=%u", n + 1, n_outputs + n_states,
                   n_outputs);
  append_numbers (text, "in_data_locs", locations[0], counts[0]);
  append_numbers (text, "in_state_locs", locations[1], counts[1]);
  append_numbers (text, "remain_locs", locations[2], counts[2]);
  return add_with_bodies (scope, "_foreach", text->str,
                          &(NodeRequest){ .n_inputs = n,
                                          .inputs = inputs,
                                          .n_bodies = 1,
                                          .bodies = &body->graph });
}

static void
grow_foreach (Scope *scope)
{
  guint n_rows = 1 + fuzz_below (scope->random, 2),
        n_states = fuzz_below (scope->random, MAX_STATES + 1), n_outputs, states[MAX_STATES],
        rows[2];
  gint64   length = scope->has_scalars && fuzz_once_in (scope->random, 12)
                        ? 0
                        : 1 + fuzz_below (scope->random, 5);
  Scope    inner;
  Body     body;
  gboolean is_good;

  for (guint i = 0; i < n_rows; i++)
    {
      HybType type = small_type (scope);

      type.shape.dim[0] = length;
      rows[i] = length > 0 ? numbers_of_type (scope, &type) : new_numbers (scope, &type);
    }
  for (guint i = 0; i < n_states; i++)
    {
      HybType type = small_type (scope);

      states[i] = numbers_of_type (scope, &type);
    }
  scope_init (&inner, scope);
  for (guint i = 0; i < n_rows; i++)
    {
      g_autoptr (HybTensor) row = first_row (scope, scope_get (scope, rows[i])->tensor);

      scope_add_port (&inner, rows[i], row);
    }
  for (guint i = 0; i < n_states; i++)
    states[i] = scope_add_port (&inner, states[i], scope_get (scope, states[i])->tensor);
  capture_some (&inner);
  growth_add (&inner, 1 + fuzz_below (scope->random, 4));

  n_outputs = n_states == 0 ? 1 : fuzz_below (scope->random, 3);
  for (guint i = 0; i < n_outputs; i++)
    add_head (&inner, scope_choose_float (&inner));
  for (guint i = 0; i < n_rows; i++) /* rows must be read */
    add_head (&inner, scope_call (&inner, "tanh", NULL, i, SCOPE_NOTHING));
  n_outputs += n_rows;
  for (guint i = 0; i < n_states; i++)
    add_head (&inner, next_state (&inner, states[i]));
  is_good = body_finish (&body, &inner, n_rows + n_states);
  scope_clear (&inner);
  if (is_good)
    add_foreach (scope, &body, n_rows, n_states, n_outputs);
  body_clear (&body);
}

/* --- Loops with a condition --- */

/* The places in a list of inputs that the variables of a body read; sources are added to the list. */
static void
place_inputs (const Body *body, guint *inputs, guint *n, guint *places)
{
  for (guint i = 0; i < body->n; i++)
    {
      guint at = 0;

      while (at < *n && inputs[at] != body->source[i])
        at++;
      if (at == *n)
        inputs[(*n)++] = body->source[i];
      places[i] = at;
    }
}

/* A condition: the counter is below a limit, and mostly the sum of a state as well. */
static gboolean
make_condition (Scope *scope, Body *body, const guint *states)
{
  Scope            inner;
  gboolean         is_good;
  guint            counter, less;
  g_autofree char *limit = g_strdup_printf ("scalar=%u", fuzz_below (scope->random, 6));

  scope_init (&inner, scope);
  counter = scope_add_port (&inner, states[0], scope_get (scope, states[0])->tensor);
  less = scope_call (&inner, "_lesser_scalar", limit, counter, SCOPE_NOTHING);
  if (fuzz_once_in (scope->random, 3))
    {
      guint state = scope_add_port (&inner, states[1], scope_get (scope, states[1])->tensor);
      guint sum = scope_call (&inner, "sum", "axis=() keepdims=False", state, SCOPE_NOTHING);

      sum = scope_call (&inner, "Reshape", "shape=(1,)", sum, SCOPE_NOTHING);
      sum = scope_call (&inner, "Cast", "dtype=float32", sum, SCOPE_NOTHING);
      less = scope_call (&inner, "elemwise_mul", NULL, less,
                         scope_call (&inner, "_lesser_scalar", "scalar=1.7", sum, SCOPE_NOTHING));
    }
  if (less != SCOPE_NOTHING)
    add_head (&inner, less);
  is_good = less != SCOPE_NOTHING && body_finish (body, &inner, 1);
  scope_clear (&inner);
  return is_good;
}

static gboolean
make_step (Scope *scope, Body *body, const guint *states, guint n_states, guint n_outputs)
{
  Scope    inner;
  guint    ports[1 + MAX_STATES];
  gboolean is_good;

  scope_init (&inner, scope);
  for (guint i = 0; i < n_states; i++)
    ports[i] = scope_add_port (&inner, states[i], scope_get (scope, states[i])->tensor);
  capture_some (&inner);
  growth_add (&inner, 1 + fuzz_below (scope->random, 4));
  for (guint i = 0; i < n_outputs; i++)
    add_head (&inner, scope_choose_float (&inner));
  add_head (&inner, scope_call (&inner, "_plus_scalar", "scalar=1", ports[0], SCOPE_NOTHING));
  for (guint i = 1; i < n_states; i++)
    add_head (&inner, next_state (&inner, ports[i]));
  is_good = body_finish (body, &inner, n_states);
  scope_clear (&inner);
  return is_good;
}

static void
grow_while (Scope *scope)
{
  guint n_states = 2 + fuzz_below (scope->random, MAX_STATES),
        n_outputs = fuzz_below (scope->random, 3), states[1 + MAX_STATES] = { 0 };
  guint inputs[3 * MAX_PORTS], n = 0, condition[MAX_PORTS], step[MAX_PORTS],
                               locations[1 + MAX_STATES];
  Body bodies[2] = { { 0 } };
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (HybTensor) zero = hyb_tensor_new_scalar (0);

  states[0] = scope_add_variable (scope, zero);
  for (guint i = 1; i < n_states; i++)
    {
      HybType type = small_type (scope);

      states[i] = numbers_of_type (scope, &type);
    }
  /* Two states with the same source would be one input, and it is not defined which of them the condition reads. */
  if (states[0] != states[1] &&
      (n_states < 3 || (states[0] != states[2] && states[1] != states[2])) &&
      make_condition (scope, &bodies[0], states) &&
      make_step (scope, &bodies[1], states, n_states, n_outputs))
    {
      place_inputs (&bodies[0], inputs, &n, condition);
      place_inputs (&bodies[1], inputs, &n, step);
      for (guint i = 0; i < bodies[1].n; i++)
        if (bodies[1].port[i] < n_states)
          locations[bodies[1].port[i]] = i;
      g_string_printf (text, "num_args=%u num_outputs=%u num_out_data=%u max_iterations=%u", n + 2,
                       n_outputs + n_states, n_outputs, 1 + fuzz_below (scope->random, 5));
      append_numbers (text, "cond_input_locs", condition, bodies[0].n);
      append_numbers (text, "func_input_locs", step, bodies[1].n);
      append_numbers (text, "func_var_locs", locations, n_states);
      add_with_bodies (scope, "_while_loop", text->str,
                       &(NodeRequest){ .n_inputs = n,
                                       .inputs = inputs,
                                       .n_bodies = 2,
                                       .bodies =
                                           (HybGraph *[]){ bodies[0].graph, bodies[1].graph } });
    }
  body_clear (&bodies[0]);
  body_clear (&bodies[1]);
}

/* --- Branches --- */

static gboolean
make_predicate (Scope *scope, Body *body)
{
  guint    source = scope_choose_float (scope), index;
  Scope    inner;
  gboolean is_good;

  if (source == SCOPE_NOTHING)
    return FALSE;
  scope_init (&inner, scope);
  index = scope_add_port (&inner, source, scope_get (scope, source)->tensor);
  index = scope_call (&inner, "sum", "axis=() keepdims=False", index, SCOPE_NOTHING);
  index = scope_call (&inner, "Reshape", "shape=(1,)", index, SCOPE_NOTHING);
  index = scope_call (&inner, "_greater_scalar", "scalar=0.3", index, SCOPE_NOTHING);
  if (index != SCOPE_NOTHING)
    add_head (&inner, index);
  is_good = index != SCOPE_NOTHING && body_finish (body, &inner, 1);
  scope_clear (&inner);
  return is_good;
}

static gboolean
make_branch (Scope *scope, Body *body, const HybType *types, guint n_outputs)
{
  Scope    inner;
  gboolean is_good = TRUE;
  guint    source = scope_choose_float (scope);

  if (source == SCOPE_NOTHING)
    return FALSE;
  scope_init (&inner, scope);
  scope_add_port (&inner, source, scope_get (scope, source)->tensor);
  capture_some (&inner);
  growth_add (&inner, fuzz_below (scope->random, 4));
  for (guint i = 0; is_good && i < n_outputs; i++)
    {
      guint index = scope_choose_float (&inner);

      index = index == SCOPE_NOTHING ? index : scope_fit (&inner, index, &types[i], -8, 8);
      is_good = index != SCOPE_NOTHING;
      if (is_good)
        add_head (&inner, index);
    }
  is_good = is_good && body_finish (body, &inner, 0) && body->n > 0;
  scope_clear (&inner);
  return is_good;
}

static void
grow_cond (Scope *scope)
{
  static const char *const names[] = { "cond_input_locs", "then_input_locs", "else_input_locs" };
  guint   n_outputs = 1 + fuzz_below (scope->random, 2), inputs[3 * MAX_PORTS], n = 0;
  HybType types[2] = { small_type (scope), small_type (scope) };
  Body    bodies[3] = { { 0 } };
  g_autoptr (GString) locations = g_string_new (NULL);

  if (make_predicate (scope, &bodies[0]) && make_branch (scope, &bodies[1], types, n_outputs) &&
      make_branch (scope, &bodies[2], types, n_outputs))
    {
      g_autofree char *text = NULL;

      for (guint i = 0; i < 3; i++)
        {
          guint places[MAX_PORTS];

          place_inputs (&bodies[i], inputs, &n, places);
          append_numbers (locations, names[i], places, bodies[i].n);
        }
      text = g_strdup_printf ("num_args=%u num_outputs=%u%s", n + 3, n_outputs, locations->str);
      add_with_bodies (scope, "_cond", text,
                       &(NodeRequest){ .n_inputs = n,
                                       .inputs = inputs,
                                       .n_bodies = 3,
                                       .bodies = (HybGraph *[]){ bodies[0].graph, bodies[1].graph,
                                                                 bodies[2].graph } });
    }
  for (guint i = 0; i < 3; i++)
    body_clear (&bodies[i]);
}

void
growth_add (Scope *scope, guint n)
{
  static void (*const with_bodies[]) (Scope *) = { grow_foreach, grow_while, grow_cond };

  for (guint i = 0; i < n; i++)
    if (scope_depth (scope) < MAX_DEPTH && fuzz_once_in (scope->random, 8))
      with_bodies[fuzz_below (scope->random, G_N_ELEMENTS (with_bodies))](scope);
    else
      sample_node_add (scope);
}
