/* loop-body.c — copies the nodes of one step of a chain into a graph of its own.
 *
 * Values from outside become variables of the body: the input of the step, its states, and captured
 * values.  Start reading at hyb_loop_body_write().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/loops/loop-body.h"

#include "engine/analysis/depth-first.h"
#include "engine/variants/node-kind.h"
#include "engine/variants/rebuild-value.h"
#include "engine/variants/write-groups.h"

static const HybCellStep *
first_step (const HybLoopBody *body)
{
  return hyb_chain_step (body->cells, body->chain, 0);
}

/* Whether a value is a head or read by a node outside its chain. */
static gboolean
is_read_outside (const HybLoopBody *body, HybValueId value)
{
  HybGraph         *graph = body->cells->graph;
  guint             chain, n;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n);
  const HybNodeId  *users;

  for (guint i = 0; i < n; i++)
    if (heads[i] == value)
      return TRUE;
  chain = body->cells->chain_of_node[hyb_graph_get_producer (graph, value)];
  users = hyb_graph_get_users (graph, value, &n);
  for (guint i = 0; i < n; i++)
    if (body->cells->chain_of_node[users[i]] != chain)
      return TRUE;
  return FALSE;
}

/* Whether a state of some step before the last is read by something other than the next step. */
static gboolean
is_read_between (const HybLoopBody *body, guint state)
{
  for (guint s = 0; s + 1 < body->chain->n_steps; s++)
    if (is_read_outside (body,
                         hyb_step_state (hyb_chain_step (body->cells, body->chain, s), state)))
      return TRUE;
  return FALSE;
}

/* Whether a value is a state that the first step makes. */
static gboolean
is_state (const HybLoopBody *body, HybValueId value)
{
  for (guint s = 0; s < hyb_loop_body_n_states (body); s++)
    if (hyb_step_state (first_step (body), s) == value)
      return TRUE;
  return FALSE;
}

/* Finds values of a repeated body that are not states but are read outside at some step. */
static void
find_other_outputs (HybLoopBody *body)
{
  for (guint e = 0; body->chain->nodes && e < body->chain->nodes->len; e++)
    {
      const HybNodeId *ids = body->chain->nodes->pdata[e];
      const HybNode   *node = hyb_graph_get_node (body->cells->graph, ids[0]);

      for (guint o = 0; o < node->n_outputs; o++)
        {
          HybValueId value = node->first_output + o;
          gboolean   is_read = FALSE;

          for (guint t = 0; !is_read && t < body->chain->n_steps; t++)
            is_read =
                ids[t] != HYB_NO_ID &&
                is_read_outside (body,
                                 hyb_graph_get_node (body->cells->graph, ids[t])->first_output + o);
          if (is_read && !is_state (body, value))
            g_array_append_val (body->other_outputs, value);
        }
    }
}

void
hyb_loop_body_init (HybLoopBody    *body,
                    HybConversion  *conversion,
                    const HybCells *cells,
                    const HybGroup *group)
{
  *body = (HybLoopBody){ .conversion = conversion, .cells = cells };
  body->chain = hyb_group_chain (cells, group, 0);
  body->builder = hyb_builder_new ();
  hyb_builder_set_legacy_shapes (body->builder, hyb_graph_has_legacy_shapes (cells->graph));
  body->values = g_hash_table_new (NULL, NULL);
  body->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  body->variables = g_array_new (FALSE, TRUE, sizeof (HybBodyVariable));
  body->captured = g_array_new (FALSE, TRUE, sizeof (HybValueId));
  for (guint state = 0; state < hyb_loop_body_n_states (body); state++)
    body->outputs_state[state] = is_read_between (body, state);
  body->other_outputs = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  find_other_outputs (body);
}

void
hyb_loop_body_clear (HybLoopBody *body)
{
  g_clear_pointer (&body->builder, hyb_builder_free);
  g_clear_pointer (&body->values, g_hash_table_unref);
  g_clear_pointer (&body->names, g_hash_table_unref);
  g_clear_pointer (&body->variables, g_array_unref);
  g_clear_pointer (&body->captured, g_array_unref);
  g_clear_pointer (&body->other_outputs, g_array_unref);
  g_clear_pointer (&body->graph, hyb_graph_unref);
  g_clear_pointer (&body->order, g_free);
  g_clear_pointer (&body->states, g_free);
}

guint
hyb_loop_body_n_states (const HybLoopBody *body)
{
  return hyb_step_n_states (first_step (body));
}

guint
hyb_loop_body_n_outputs (const HybLoopBody *body)
{
  guint n = body->other_outputs->len;

  for (guint state = 0; state < HYB_MAX_STATES; state++)
    n += (guint) body->outputs_state[state];
  return n;
}

HybValueId
hyb_loop_body_initial_state (const HybLoopBody *body, guint state)
{
  return hyb_step_state_in (first_step (body), state);
}

HybSequence *
hyb_loop_body_inputs (HybLoopBody *body)
{
  guint                  n = body->chain->n_steps;
  g_autofree HybValueId *x = g_new (HybValueId, n);

  for (guint s = 0; s < n; s++)
    x[s] = hyb_chain_step (body->cells, body->chain, s)->x;
  return hyb_rebuild_gather (&body->conversion->rebuild, n, x);
}

char *
hyb_loop_body_name (const HybLoopBody *body, const char *what)
{
  HybGraph          *graph = body->cells->graph;
  const HybCellStep *step = first_step (body);
  HybValueId         value = step->n_gates > 0 ? step->gate[0].hidden.weight : step->h;
  const char        *name = hyb_graph_get_node (graph, hyb_graph_get_producer (graph, value))->name;
  const char        *end = g_strrstr (name, step->n_gates > 0 ? "h2h" : "t0_");

  return g_strdup_printf ("%.*s%s", end ? (int) (end - name) : 0, name, what);
}

/* --- Nodes of the body --- */

HybValueId
hyb_loop_body_add_variable (HybLoopBody *body, const char *name, HybBodyRole role, guint index)
{
  HybBodyVariable variable = { role, index };
  char           *unique = g_strdup (name);

  for (guint i = 0; g_hash_table_contains (body->names, unique); i++)
    {
      g_free (unique);
      unique = g_strdup_printf ("%s-%u", name, i);
    }
  g_array_append_val (body->variables, variable);
  g_hash_table_insert (body->names, unique, GUINT_TO_POINTER (body->variables->len));
  return hyb_builder_add_variable (body->builder, unique, NULL);
}

static void
set_value (HybLoopBody *body, HybValueId old, HybValueId value)
{
  g_hash_table_insert (body->values, GUINT_TO_POINTER (old), GUINT_TO_POINTER (value + 1));
}

/* Adds a variable for an outer value that is the same in every step. */
static HybValueId
capture (HybLoopBody *body, HybValueId old)
{
  g_autofree char *name = hyb_graph_dup_value_name (body->cells->graph, old);
  HybValueId       value =
      hyb_loop_body_add_variable (body, name, HYB_BODY_CAPTURED, body->captured->len);

  g_array_append_val (body->captured, old);
  set_value (body, old, value);
  return value;
}

/* The value of the body for an old value. */
static HybValueId
body_value (HybLoopBody *body, HybValueId old)
{
  guint value = GPOINTER_TO_UINT (g_hash_table_lookup (body->values, GUINT_TO_POINTER (old)));

  return value == 0 ? capture (body, old) : value - 1;
}

/* The old value of a later step that corresponds to a value of step 0; HYB_NO_ID if its node is
 * missing there. */
static HybValueId
value_at_step (const HybLoopBody *body, HybValueId value, guint step)
{
  HybGraph *graph = body->cells->graph;
  HybNodeId id = hyb_graph_get_producer (graph, value);

  for (guint e = 0; e < body->chain->nodes->len; e++)
    {
      const HybNodeId *ids = body->chain->nodes->pdata[e];

      if (ids[0] == id && ids[step] == HYB_NO_ID)
        return HYB_NO_ID;
      if (ids[0] == id)
        return hyb_graph_get_node (graph, ids[step])->first_output +
               hyb_graph_get_output_index (graph, value);
    }
  return value;
}

/* TRUE if two states begin as the same value, so that in step 0 the value does not show which of them a node reads. */
static gboolean
is_shared_state (HybLoopBody *body, HybValueId value)
{
  guint n = 0;

  for (guint s = 0; s < hyb_loop_body_n_states (body); s++)
    n += hyb_loop_body_initial_state (body, s) == value;
  return n > 1;
}

/* Which of the states that begin alike an input of a node of step 0 is.  Later steps decide this for bodies that are not a
 * known cell; of known cells only an LSTM has two states, and it multiplies its second one. */
static guint
find_state (HybLoopBody *body, HybNodeId id, guint input)
{
  HybGraph      *graph = body->cells->graph;
  const HybNode *node = hyb_graph_get_node (graph, id);
  HybValueId     later = body->chain->nodes && body->chain->n_steps > 1
                             ? value_at_step (body, node->first_output, 1)
                             : HYB_NO_ID;

  if (!body->chain->nodes)
    return hyb_node_kind (node) == HYB_KIND_MUL ? 1 : 0;
  for (guint s = 0; s < hyb_loop_body_n_states (body) && later != HYB_NO_ID; s++)
    if (hyb_graph_get_inputs (graph, hyb_graph_get_producer (graph, later))[input] ==
        hyb_step_state (first_step (body), s))
      return s;
  return 0;
}

/* The value of the body that a node of step 0 reads. */
static HybValueId
input_value (HybLoopBody *body, HybNodeId id, guint input)
{
  HybValueId old = hyb_graph_get_inputs (body->cells->graph, id)[input];

  if (is_shared_state (body, old))
    return body->states[find_state (body, id, input)];
  return body_value (body, old);
}

/* Copies the nodes of the first step. */
static void
copy_nodes (HybLoopBody *body)
{
  const HybCells *cells = body->cells;
  HybNodeId       last = 0;
  guint chain = cells->chain_of_node[hyb_graph_get_producer (cells->graph, first_step (body)->h)];

  for (guint s = 0; s < hyb_loop_body_n_states (body); s++)
    last = MAX (last, hyb_graph_get_producer (cells->graph, hyb_step_state (first_step (body), s)));
  for (HybNodeId id = 0; id <= last; id++)
    {
      const HybNode         *node = hyb_graph_get_node (cells->graph, id);
      g_autofree HybValueId *values = NULL;
      HybValueId             first;

      if (cells->chain_of_node[id] != chain || cells->step_of_node[id] != 0)
        continue;
      values = g_new (HybValueId, MAX (node->n_inputs, 1));
      for (guint i = 0; i < node->n_inputs; i++)
        values[i] = input_value (body, id, i);
      first = hyb_builder_copy (body->builder, cells->graph, id, values);
      for (guint i = 0; i < node->n_outputs; i++)
        set_value (body, node->first_output + i, first + i);
    }
}

/* Fills order: the variables of the frozen body may be in another order, and some may be gone. */
static void
find_order (HybLoopBody *body)
{
  const HybNodeId *variables = hyb_graph_get_variables (body->graph, &body->n_variables);

  body->order = g_new (HybBodyVariable, MAX (body->n_variables, 1));
  for (guint v = 0; v < body->n_variables; v++)
    {
      const char *name = hyb_graph_get_node (body->graph, variables[v])->name;
      guint       made = GPOINTER_TO_UINT (g_hash_table_lookup (body->names, name));

      body->order[v] = g_array_index (body->variables, HybBodyVariable, made - 1);
    }
}

gboolean
hyb_loop_body_write (HybLoopBody *body, HybValueId x, HybValueId counter, GError **error)
{
  const HybCellStep *step = first_step (body);
  guint              n_states = hyb_loop_body_n_states (body);
  g_autoptr (HybGraph) graph = NULL;

  set_value (body, step->x, x);
  body->states = g_new (HybValueId, MAX (n_states, 1));
  for (guint s = 0; s < n_states; s++)
    {
      HybValueId       old = hyb_loop_body_initial_state (body, s);
      g_autofree char *name = g_strdup_printf ("state%u-0", s);

      body->states[s] = hyb_loop_body_add_variable (body, name, HYB_BODY_STATE, s);
      set_value (body, old, body->states[s]);
    }
  copy_nodes (body);
  for (guint s = 0; s < n_states; s++)
    if (body->outputs_state[s])
      hyb_builder_add_head (body->builder, body_value (body, hyb_step_state (step, s)));
  for (guint i = 0; i < body->other_outputs->len; i++)
    hyb_builder_add_head (body->builder,
                          body_value (body, g_array_index (body->other_outputs, HybValueId, i)));
  if (counter != HYB_NO_ID)
    hyb_builder_add_head (body->builder, counter);
  for (guint s = 0; s < n_states; s++)
    {
      HybValueId value = body_value (body, hyb_step_state (step, s));

      /* A value that is an output as well as a state needs two arrays. */
      if (body->outputs_state[s])
        value =
            hyb_builder_call (body->builder, "_copy",
                              &(HybNodeSpec){ .name = "identity", .n_inputs = 1, .inputs = &value },
                              error);
      if (value == HYB_NO_ID)
        return FALSE;
      hyb_builder_add_head (body->builder, value);
    }
  graph = hyb_builder_freeze (g_steal_pointer (&body->builder));
  body->graph = hyb_graph_depth_first (graph, NULL);
  find_order (body);
  return TRUE;
}

guint
hyb_loop_body_position (const HybLoopBody *body, HybBodyRole role, guint index)
{
  for (guint v = 0; v < body->n_variables; v++)
    if (body->order[v].role == role && body->order[v].index == index)
      return v;
  return G_MAXUINT;
}

char *
hyb_loop_body_positions (const HybLoopBody *body, HybBodyRole role)
{
  GString *text = g_string_new ("[");

  for (guint i = 0;; i++)
    {
      guint place = hyb_loop_body_position (body, role, i);

      if (place == G_MAXUINT)
        break;
      g_string_append_printf (text, "%s%u", i > 0 ? ", " : "", place);
    }
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

/* Adds a finding for dropout, which MXNet treats differently in a loop. */
static void
report_dropout (HybLoopBody *body)
{
  for (guint e = 0; body->chain->nodes && e < body->chain->nodes->len; e++)
    {
      const HybNodeId *ids = body->chain->nodes->pdata[e];
      const HybNode   *node = hyb_graph_get_node (body->cells->graph, ids[0]);

      if (hyb_node_kind (node) != HYB_KIND_DROPOUT || hyb_node_double (node, "p", 0.5) == 0)
        continue;
      hyb_model_add_finding (body->conversion->to,
                             hyb_finding_new ("dropout-in-loop", HYB_SEVERITY_WARNING,
                                              "“%s” is inside a loop now, where MXNet applies no "
                                              "dropout when it trains "
                                              "a bound symbol. Keep its cell unrolled to train it "
                                              "with MXNet.",
                                              node->name));
    }
}

/* Places the outputs that are not states; first is the first of them. */
static void
place_other_outputs (HybLoopBody *body, HybValueId first)
{
  HybRebuild *rebuild = &body->conversion->rebuild;
  guint       n = body->chain->n_steps;

  for (guint i = 0; i < body->other_outputs->len; i++)
    {
      HybSequence *sequence = hyb_sequence_of_whole (rebuild, n, first + i, 0);

      for (guint t = 0; t < n; t++)
        hyb_rebuild_set_place (rebuild,
                               value_at_step (body,
                                              g_array_index (body->other_outputs, HybValueId, i),
                                              t),
                               (HybSequencePlace){ HYB_SEQUENCE_STEP, 0, t, sequence });
    }
}

void
hyb_loop_body_place_outputs (HybLoopBody *body, HybValueId first, guint first_state)
{
  HybRebuild *rebuild = &body->conversion->rebuild;
  guint       n = body->chain->n_steps, n_outputs = 0;

  for (guint state = 0; state < hyb_loop_body_n_states (body); state++)
    {
      HybSequence       *sequence = NULL;
      const HybCellStep *step = NULL;

      if (body->outputs_state[state])
        {
          sequence = hyb_sequence_of_whole (rebuild, n, first + n_outputs++, 0);
          hyb_sequence_set_last (sequence, first + first_state + state);
        }
      for (guint s = 0; s < n; s++)
        {
          step = hyb_chain_step (body->cells, body->chain, s);
          if (sequence && hyb_step_state (step, state) != HYB_NO_ID)
            hyb_rebuild_set_place (rebuild, hyb_step_state (step, state),
                                   (HybSequencePlace){ HYB_SEQUENCE_STEP, 0, s, sequence });
        }
      if (hyb_step_state (step, state) != HYB_NO_ID)
        hyb_rebuild_set_value (rebuild, hyb_step_state (step, state), first + first_state + state);
    }
  place_other_outputs (body, first + n_outputs);
  report_dropout (body);
}

char *
hyb_loop_check_group (HybConversion *conversion, const HybCells *cells, const HybGroup *group)
{
  HybValueId       leak = hyb_group_find_missing_output (cells, group, TRUE);
  g_autofree char *name = NULL;

  if (hyb_chain_step (cells, hyb_group_chain (cells, group, 0), 0)->x == HYB_NO_ID)
    return g_strdup ("its steps read no sequence to loop over");
  if (leak == HYB_NO_ID)
    return NULL;
  name = hyb_value_describe (cells->graph, leak);
  return g_strdup_printf ("%s of step %u is used outside", name,
                          cells->step_of_node[hyb_graph_get_producer (cells->graph, leak)]);
}
