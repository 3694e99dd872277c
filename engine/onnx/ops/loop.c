/* loop.c — Loop.
 *
 * The lowering depends on the contents known while planning.  If the number of steps follows from the limit or from
 * contents (a counter that is compared with a number), it is a _foreach over the counter; if a state also changes its
 * shape from step to step, or a shape depends on the counter, the steps are written one after the other.  Otherwise it
 * is a _while_loop.  Start with lower_loop().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/loop.h"
#include "engine/analysis/subgraph-types.h"
#include "engine/graph/reach.h"
#include "engine/onnx/ops/lists.h"

/* Steps that are tried one by one while planning, to see where the condition ends the loop. */
#define MAX_TRIED_STEPS 4096
/* Nodes that are written for a loop whose steps differ. */
#define MAX_UNROLLED_NODES 50000

static guint
loop_formal (const HybOnnxUse *use, guint variable, HybPortKind *port)
{
  *port = variable < FIRST_STATE ? HYB_PORT_VALUE : HYB_PORT_STATE;
  return variable == COUNTER ? G_MAXUINT : variable;
}

/* States that the file gives: inputs behind the limit and the condition. */
static guint
loop_n_states (const HybOnnxUse *use)
{
  return use->n_slots > FIRST_STATE ? use->n_slots - FIRST_STATE : 0;
}

static guint
loop_next (gconstpointer params, guint body, guint head)
{
  return head == 0 ? CONDITION : head <= loop_n_states (params) ? head + 1 : G_MAXUINT;
}

static guint
loop_result (gconstpointer params, guint body, guint head)
{
  return head == 0 ? G_MAXUINT : head - 1;
}

/* --- Known facts of the loop --- */

static void
loop_clear (HybOnnxLoop *loop)
{
  hyb_onnx_variables_clear (&loop->variables);
  g_clear_pointer (&loop->yes, hyb_tensor_unref);
  g_clear_pointer (&loop->is_list, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HybOnnxLoop, loop_clear)

static HybTensor *
scalar_new (HybDType dtype, gint64 value)
{
  HybType    type = { .dtype = dtype };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);

  if (tensor)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), dtype, 0, (double) value);
  return tensor;
}

/* The largest number of steps. */
static gint64
find_limit (HybLowering *lowering)
{
  HybTensor *contents = hyb_onnx_contents (lowering, 0);

  if (!hyb_onnx_has_input (lowering, 0))
    return G_MAXINT64;
  if (!contents || hyb_tensor_get_size (contents) != 1)
    return HYB_UNKNOWN;
  return MAX (hyb_dtype_get_int (hyb_tensor_get_data (contents), hyb_tensor_get_dtype (contents),
                                 0),
              0);
}

/* Finds states that begin as empty lists and to which each step appends an array. */
static void
find_lists (HybOnnxLoop *loop, HybLowering *lowering)
{
  HybGraph         *body = hyb_lowering_get_body (lowering, 0);
  guint             n, n_heads;
  const HybNodeId  *variables = hyb_graph_get_variables (body, &n);
  const HybValueId *heads = hyb_graph_get_heads (body, &n_heads);

  loop->is_list = g_new0 (gboolean, MAX (loop->n_states, 1));
  for (guint s = 0; s < loop->n_states; s++)
    {
      loop->is_list[s] =
          hyb_onnx_is_empty_list (hyb_onnx_type (lowering, FIRST_STATE + s)) &&
          hyb_onnx_find_appended (body, variables[FIRST_STATE + s], heads[1 + s]) != HYB_NO_ID;
      loop->n_lists += loop->is_list[s];
    }
}

/* FALSE and a failure if the body does not fit the node. */
static gboolean
loop_init (HybOnnxLoop *loop, HybLowering *lowering)
{
  HybGraph *body = hyb_lowering_get_body (lowering, 0);

  loop->lowering = lowering;
  loop->n_states = loop_n_states (hyb_onnx_use (lowering));
  loop->limit = find_limit (lowering);
  loop->yes = scalar_new (HYB_BOOL, 1);
  hyb_onnx_variables_init (lowering, &loop->variables, 0);
  hyb_graph_get_heads (body, &loop->n_heads);
  if (loop->variables.n < FIRST_STATE + loop->n_states || loop->n_heads < 1 + loop->n_states)
    {
      hyb_lowering_fail (lowering, NULL, "its body has too few inputs or outputs for its states");
      return FALSE;
    }
  loop->n_rows = loop->n_heads - 1 - loop->n_states;
  find_lists (loop, lowering);
  loop->variables.types[COUNTER] = (HybType){ .dtype = HYB_I64 };
  loop->variables.types[CONDITION] = (HybType){ .dtype = HYB_BOOL };
  for (guint s = 0; s < loop->n_states; s++)
    loop->variables.types[FIRST_STATE + s] = *hyb_onnx_type (lowering, FIRST_STATE + s);
  return TRUE;
}

/* --- The number of steps --- */

/* FALSE if the contents are unknown. */
static gboolean
get_truth (HybTensor *contents, gboolean *truth)
{
  if (!contents || hyb_tensor_get_size (contents) != 1)
    return FALSE;
  *truth = hyb_tensor_get_value (contents, 0) != 0;
  return TRUE;
}

/* Whether the body leaves the condition as it is, whatever the counter and the states are. */
static gboolean
always_goes_on (const HybOnnxLoop *loop, HybOnnxVariables *variables)
{
  HybBodyUse use = { .types = variables->types, .contents = variables->contents, .may_fail = TRUE };
  gboolean   truth;
  g_autoptr (HybLoweredBody) body = NULL;

  variables->contents[CONDITION] = loop->yes;
  body = hyb_lowering_lower_body (loop->lowering, 0, &use);
  return body && get_truth (body->head_contents[0], &truth) && truth;
}

/* Gives the states the types and contents that they have after a step.  *held owns the contents. */
static void
take_states (const HybOnnxLoop *loop, HybOnnxVariables *variables, HybLoweredBody *body)
{
  for (guint s = 0; s < loop->n_states; s++)
    {
      variables->types[FIRST_STATE + s] = body->head_types[1 + s];
      variables->contents[FIRST_STATE + s] = body->head_contents[1 + s];
    }
}

/* By head of the body: TRUE for the condition, and for the states that it depends on at later steps.  (transfer full) */
static guint8 *
find_deciding_heads (const HybOnnxLoop *loop)
{
  HybGraph          *body = hyb_lowering_get_body (loop->lowering, 0);
  guint              n;
  const HybNodeId   *variables = hyb_graph_get_variables (body, &n);
  HybSteps           steps = { loop->n_states, 1, variables + FIRST_STATE };
  guint8            *deciding = g_new0 (guint8, loop->n_heads);
  g_autofree guint8 *needed = NULL;

  deciding[0] = TRUE;
  needed = hyb_graph_find_needed_later (body, &steps, deciding);
  return deciding;
}

/* Evaluates what decides about the end of the loop, from known contents until the condition ends it.  FALSE if the condition is
 * unknown at some step. */
static gboolean
try_steps (const HybOnnxLoop *loop, HybOnnxVariables *variables, gint64 *n_steps)
{
  g_autofree guint8 *deciding = find_deciding_heads (loop);
  g_autoptr (HybLoweredBody) before = NULL; /* owns the contents of the states */

  for (guint s = 0; s < loop->n_states; s++)
    variables->contents[FIRST_STATE + s] = hyb_onnx_contents (loop->lowering, FIRST_STATE + s);
  for (*n_steps = 0; *n_steps < MIN (loop->limit, MAX_TRIED_STEPS);)
    {
      HybBodyUse use = {
        .types = variables->types,
        .contents = variables->contents,
        .by_head = deciding,
        .may_fail = TRUE,
      };
      g_autoptr (HybTensor) counter = scalar_new (HYB_I64, *n_steps);
      HybLoweredBody *body;
      gboolean        truth;

      variables->contents[COUNTER] = counter;
      body = hyb_lowering_lower_body (loop->lowering, 0, &use);
      hyb_lowered_body_free (before);
      before = body;
      if (!body || !get_truth (body->head_contents[0], &truth))
        return FALSE;
      (*n_steps)++;
      if (!truth)
        return TRUE;
      take_states (loop, variables, body);
    }
  return *n_steps == loop->limit;
}

/* FALSE if the number of steps is known only while running. */
static gboolean
count_steps (const HybOnnxLoop *loop, gint64 *n_steps)
{
  g_auto (HybOnnxVariables) variables = { 0 };
  gboolean truth = TRUE;

  *n_steps = 0;
  if (loop->limit == 0)
    return TRUE;
  if (hyb_onnx_has_input (loop->lowering, 1) &&
      !get_truth (hyb_onnx_contents (loop->lowering, 1), &truth))
    return FALSE;
  if (!truth)
    return TRUE;
  hyb_onnx_variables_init (loop->lowering, &variables, 0);
  for (guint v = 0; v < variables.n; v++)
    variables.types[v] = loop->variables.types[v];
  if (always_goes_on (loop, &variables))
    {
      *n_steps = loop->limit;
      return loop->limit != HYB_UNKNOWN && loop->limit != G_MAXINT64;
    }
  return loop->limit != HYB_UNKNOWN && try_steps (loop, &variables, n_steps);
}

/* --- As many steps as rows of the counter --- */

/* Rows first, as _foreach has them; without the condition.  Elements appended to lists are rows,
 * too. */
static void
arrange_foreach (HybLowering *inner, const HybValueId *heads, gconstpointer data, GArray *arranged)
{
  const HybOnnxLoop *loop = data;

  for (guint h = 1 + loop->n_states; h < loop->n_heads; h++)
    hyb_onnx_append_head (inner, heads[h], arranged);
  for (guint h = 1; h <= loop->n_states; h++)
    if (loop->is_list[h - 1])
      hyb_onnx_append_head (inner, heads[h], arranged);
  for (guint h = 1; h <= loop->n_states; h++)
    if (!loop->is_list[h - 1])
      hyb_onnx_append_head (inner, heads[h], arranged);
}

/* The same with one head for each state: the list itself where there is one. */
static void
arrange_all_states (HybLowering      *inner,
                    const HybValueId *heads,
                    gconstpointer     data,
                    GArray           *arranged)
{
  const HybOnnxLoop *loop = data;

  for (guint h = 1 + loop->n_states; h < loop->n_heads; h++)
    hyb_onnx_append_head (inner, heads[h], arranged);
  for (guint s = 0; s < loop->n_states; s++)
    hyb_onnx_append_head (inner, loop->is_list[s] ? FIRST_STATE + s : heads[1 + s], arranged);
}

/* The body for every step, NULL if there is none. */
static HybLoweredBody *
lower_foreach_body (HybOnnxLoop *loop)
{
  HybOnnxStates states = { FIRST_STATE, loop->n_rows, loop->n_states };
  HybBodyUse    use = { .types = loop->variables.types,
                        .contents = loop->variables.contents,
                        .arrange = arrange_all_states,
                        .data = loop,
                        .may_fail = TRUE };
  g_autoptr (HybLoweredBody) body = NULL;

  loop->variables.contents[CONDITION] = loop->yes;
  body = hyb_onnx_settle_states (loop->lowering, &loop->variables, &states, &use);
  if (body && loop->n_lists > 0)
    {
      use.arrange = arrange_foreach;
      hyb_lowered_body_free (body);
      body = hyb_lowering_lower_body (loop->lowering, 0, &use);
    }
  if (!body || !hyb_types_are_known (body->head_types, body->n_heads) ||
      !hyb_types_are_known (loop->variables.types + FIRST_STATE, loop->n_states))
    return NULL;
  return g_steal_pointer (&body);
}

/* Outputs from the values of states, rows and lists. */
static void
set_outputs (const HybOnnxLoop *loop, HybValueId states, HybValueId rows)
{
  HybValueId lists = rows + loop->n_rows;

  for (guint s = 0; s < loop->n_states; s++)
    hyb_lowering_set_output (loop->lowering, s, loop->is_list[s] ? lists++ : states++);
  for (guint r = 0; r < loop->n_rows; r++)
    hyb_lowering_set_output (loop->lowering, loop->n_states + r, rows + r);
}

static void
emit_foreach (const HybOnnxLoop *loop, const HybLoweredBody *body, gint64 n_steps)
{
  HybLowering            *lowering = loop->lowering;
  g_autofree HybOnnxPort *ports = g_new (HybOnnxPort, loop->variables.n);
  HybValueId              first;

  hyb_onnx_loop_connect (loop, ports);
  ports[COUNTER] = (HybOnnxPort){ HYB_PORT_DATA, hyb_onnx_loop_counter (lowering, n_steps) };
  ports[CONDITION] = (HybOnnxPort){ HYB_PORT_CAPTURED, hyb_onnx_scalar (lowering, 1, HYB_BOOL) };
  first = hyb_onnx_foreach (lowering, body, loop->variables.n, ports, loop->n_rows + loop->n_lists);
  if (first != HYB_NO_ID)
    set_outputs (loop, first + loop->n_rows + loop->n_lists, first);
}

/* --- No steps, or steps that differ --- */

/* Rows of a loop without steps. */
static HybValueId
emit_no_rows (const HybOnnxLoop *loop, const HybType *row)
{
  HybType type = hyb_onnx_stacked_type (row, 0, 0);

  return hyb_lowering_constant (loop->lowering,
                                hyb_type_is_known (&type) ? hyb_tensor_new (&type, NULL) : NULL);
}

static void
emit_nothing (HybOnnxLoop *loop)
{
  HybBodyUse use = { .types = loop->variables.types, .contents = loop->variables.contents };
  g_autoptr (HybLoweredBody) body = hyb_lowering_lower_body (loop->lowering, 0, &use);

  for (guint s = 0; s < loop->n_states; s++)
    hyb_lowering_set_output (loop->lowering, s, hyb_onnx_input (loop->lowering, FIRST_STATE + s));
  for (guint r = 0; body && r < loop->n_rows; r++)
    hyb_lowering_set_output (loop->lowering, loop->n_states + r,
                             emit_no_rows (loop, &body->head_types[1 + loop->n_states + r]));
}

/* A known array without elements: appending to it makes a list. */
static HybValueId
emit_empty_list (const HybOnnxLoop *loop, guint state)
{
  return hyb_lowering_constant (loop->lowering,
                                hyb_tensor_new (hyb_onnx_type (loop->lowering, FIRST_STATE + state),
                                                NULL));
}

/* The rows of all steps as one array. */
static HybValueId
stack (HybLowering *lowering, const GArray *rows)
{
  return hyb_lowering_emit (lowering, "stack", rows->len,
                            (const HybValueId *) (gpointer) rows->data, "axis", "0", "num_args",
                            hyb_lowering_text (lowering, "%u", rows->len), NULL);
}

/* The lists that all steps return, each of one array, as one list. */
static HybValueId
join (HybLowering *lowering, const GArray *lists)
{
  return hyb_onnx_concat (lowering, lists->len, (const HybValueId *) (gpointer) lists->data, 0);
}

/* Writes all steps one after the other. */
static void
unroll (HybOnnxLoop *loop, gint64 n_steps)
{
  HybLowering            *lowering = loop->lowering;
  guint                   n = loop->variables.n;
  g_autofree HybOnnxPort *ports = g_new (HybOnnxPort, n);
  g_autofree HybValueId  *values = g_new (HybValueId, n);
  g_autofree HybValueId  *heads = g_new (HybValueId, loop->n_heads);
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);

  hyb_onnx_loop_connect (loop, ports);
  for (guint v = FIRST_STATE; v < n; v++)
    values[v] = ports[v].value;
  for (guint s = 0; s < loop->n_states; s++)
    if (loop->is_list[s])
      values[FIRST_STATE + s] = emit_empty_list (loop, s);
  for (guint r = 0; r < loop->n_rows + loop->n_states; r++)
    g_ptr_array_add (rows, g_array_new (FALSE, FALSE, sizeof (HybValueId)));
  for (gint64 i = 0; i < n_steps; i++)
    {
      values[COUNTER] = hyb_onnx_scalar (lowering, (double) i, HYB_I64);
      values[CONDITION] = hyb_onnx_scalar (lowering, 1, HYB_BOOL);
      if (!hyb_lowering_inline (lowering, 0, values, heads))
        return;
      for (guint s = 0; s < loop->n_states; s++)
        if (loop->is_list[s])
          g_array_append_val (rows->pdata[loop->n_rows + s], heads[1 + s]);
        else
          values[FIRST_STATE + s] = heads[1 + s];
      for (guint r = 0; r < loop->n_rows; r++)
        g_array_append_val (rows->pdata[r], heads[1 + loop->n_states + r]);
    }
  for (guint s = 0; s < loop->n_states; s++)
    hyb_lowering_set_output (lowering, s,
                             loop->is_list[s] ? join (lowering, rows->pdata[loop->n_rows + s])
                                              : values[FIRST_STATE + s]);
  for (guint r = 0; r < loop->n_rows; r++)
    hyb_lowering_set_output (lowering, loop->n_states + r, stack (lowering, rows->pdata[r]));
}

static void
lower_steps (HybOnnxLoop *loop, gint64 n_steps)
{
  g_autoptr (HybLoweredBody) body = NULL;
  guint n_nodes = hyb_graph_n_nodes (hyb_lowering_get_body (loop->lowering, 0));

  if (n_steps == 0)
    {
      emit_nothing (loop);
      return;
    }
  body = lower_foreach_body (loop);
  if (body)
    emit_foreach (loop, body, n_steps);
  else if (n_steps <= MAX_UNROLLED_NODES / MAX (n_nodes, 1))
    unroll (loop, n_steps);
  else
    hyb_lowering_fail (loop->lowering, NULL,
                       "types inside its body change from step to step, and %" G_GINT64_FORMAT
                       " steps are too many to be planned one by one",
                       n_steps);
}

/* --- The node --- */

/* All heads in their order, with lists as they were before the step. */
static void
arrange_kept_lists (HybLowering      *inner,
                    const HybValueId *heads,
                    gconstpointer     data,
                    GArray           *arranged)
{
  const HybOnnxLoop *loop = data;

  for (guint h = 0; h < loop->n_heads; h++)
    {
      gboolean is_list = h > 0 && h <= loop->n_states && loop->is_list[h - 1];

      hyb_onnx_append_head (inner, is_list ? FIRST_STATE + h - 1 : heads[h], arranged);
    }
}

/* Sets the known types of outputs that have no value. */
static void
set_types (HybOnnxLoop *loop)
{
  HybOnnxStates states = { FIRST_STATE, 1, loop->n_states };
  HybBodyUse    use = { .types = loop->variables.types,
                        .contents = loop->variables.contents,
                        .arrange = loop->n_lists > 0 ? arrange_kept_lists : NULL,
                        .data = loop };
  g_autoptr (HybLoweredBody) body =
      hyb_onnx_settle_states (loop->lowering, &loop->variables, &states, &use);

  for (guint s = 0; body && s < loop->n_states; s++)
    if (!loop->is_list[s])
      hyb_lowering_set_type (loop->lowering, s, &loop->variables.types[FIRST_STATE + s]);
  for (guint h = 1 + loop->n_states; body && h < loop->n_heads; h++)
    {
      HybType type = hyb_onnx_stacked_type (&body->head_types[h], HYB_UNKNOWN, 0);

      hyb_lowering_set_type (loop->lowering, h - 1, &type);
    }
}

static void
lower_loop (HybLowering *lowering)
{
  g_auto (HybOnnxLoop) loop = { 0 };
  gint64 n_steps;

  if (!loop_init (&loop, lowering))
    return;
  if (hyb_lowering_is_tolerant (lowering))
    set_types (&loop);
  if (count_steps (&loop, &n_steps))
    lower_steps (&loop, n_steps);
  else
    hyb_onnx_lower_while (&loop);
}

static const char *const inputs[] = { "M", "cond", "v_initial", NULL };
static const char *const outputs[] = { "v_final_and_scan_outputs", NULL };
static const char *const bodies[] = { "body" };

const HybOnnxOp hyb_onnx_ops_loop[] = {
  { .op = { HYB_ONNX_BODIES_ROW, .compute = hyb_onnx_compute_loop, .category = HYB_CATEGORY_CONTROL,
            .body_variable = hyb_onnx_body_variable, .body_port = hyb_onnx_body_port,
            .name = "Loop",
            .doc = "Runs a graph as long as a condition holds, at most a number of times.",
            .inputs = inputs, .outputs = outputs, .n_bodies = 1, .body_names = bodies,
            .body_next = loop_next, .body_result = loop_result, .lower = lower_loop },
    .since = 1,
    .formal_input = loop_formal },
  { .since = 0 },
};
