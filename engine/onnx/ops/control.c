/* control.c — If, Loop and Scan.
 *
 * An If whose condition follows from shapes is replaced by its branch.  Otherwise types follow from those of the bodies,
 * lowered for the types that their variables get.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/onnx-op.h"

/* At most this many times the body is lowered until the types of its states hold in every step. */
#define MAX_ROUNDS 4

/* --- Bodies --- */

/* Space for types and contents of a body's variables. */
typedef struct
{
  guint       n;
  HybType    *types;
  HybTensor **contents; /* borrowed */
} Variables;

static void
variables_init (HybLowering *lowering, Variables *variables, guint body)
{
  const HybOnnxUse *use = hyb_onnx_use (lowering);

  variables->n = use->n_variables[body];
  variables->types = g_new (HybType, MAX (variables->n, 1));
  variables->contents = g_new0 (HybTensor *, MAX (variables->n, 1));
  for (guint v = 0; v < variables->n; v++)
    {
      guint captured = use->body_inputs[body][v];

      variables->types[v] = HYB_TYPE_UNKNOWN;
      if (captured == G_MAXUINT)
        continue;
      variables->types[v] = *hyb_lowering_input_type (lowering, captured);
      variables->contents[v] = hyb_lowering_input_contents (lowering, captured);
    }
}

static void
variables_clear (Variables *variables)
{
  g_free (variables->types);
  g_free (variables->contents);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Variables, variables_clear)

/* What two types have in common. */
static HybType
common_type (const HybType *a, const HybType *b)
{
  HybType type = *a;

  if (a->dtype != b->dtype)
    type.dtype = a->dtype == HYB_DTYPE_UNKNOWN   ? b->dtype
                 : b->dtype == HYB_DTYPE_UNKNOWN ? a->dtype
                                                 : HYB_DTYPE_UNKNOWN;
  if (a->shape.rank != b->shape.rank)
    type.shape.rank = HYB_UNKNOWN;
  for (int i = 0; i < type.shape.rank; i++)
    if (a->shape.dim[i] != b->shape.dim[i])
      type.shape.dim[i] = HYB_UNKNOWN;
  return type;
}

/* --- If --- */

static void
take_branch (HybLowering *lowering, guint body)
{
  const HybOnnxUse      *use = hyb_onnx_use (lowering);
  guint                  n_variables = use->n_variables[body];
  g_autofree HybValueId *variables = g_new (HybValueId, MAX (n_variables, 1));
  g_autofree HybValueId *heads = NULL;
  guint                  n_heads;
  HybGraph              *graph = hyb_lowering_get_body (lowering, body);

  hyb_graph_get_heads (graph, &n_heads);
  heads = g_new (HybValueId, MAX (n_heads, 1));
  for (guint v = 0; v < n_variables; v++)
    {
      if (use->body_inputs[body][v] == G_MAXUINT)
        {
          hyb_lowering_fail (lowering, NULL, "its branch has an input, which no branch may have");
          return;
        }
      variables[v] = hyb_lowering_input (lowering, use->body_inputs[body][v]);
    }
  if (!hyb_lowering_inline (lowering, body, variables, heads))
    return;
  for (guint h = 0; h < n_heads; h++)
    hyb_lowering_set_output (lowering, h, heads[h]);
}

static HybLoweredBody *
lower_branch (HybLowering *lowering, guint body)
{
  g_auto (Variables) variables = { 0 };

  variables_init (lowering, &variables, body);
  return hyb_lowering_lower_body (lowering, body, variables.types, variables.contents);
}

/* The outputs have what both branches agree upon. */
static void
join_branches (HybLowering *lowering)
{
  g_autoptr (HybLoweredBody) then_branch = lower_branch (lowering, 0);
  g_autoptr (HybLoweredBody) else_branch = lower_branch (lowering, 1);

  if (!then_branch || !else_branch)
    return;
  for (guint h = 0; h < MIN (then_branch->n_heads, else_branch->n_heads); h++)
    {
      HybType type = common_type (&then_branch->head_types[h], &else_branch->head_types[h]);

      hyb_lowering_set_type (lowering, h, &type);
    }
}

static void
lower_if (HybLowering *lowering)
{
  HybTensor *condition = hyb_onnx_contents (lowering, 0);

  if (condition && hyb_tensor_get_size (condition) == 1)
    take_branch (lowering, hyb_tensor_get_value (condition, 0) != 0 ? 0 : 1);
  else
    join_branches (lowering);
}

static guint
if_result (gconstpointer params, guint body, guint head)
{
  return head;
}

/* --- Loop --- */

/* Variables are the counter, the condition and the states; heads are the condition, the states and the rows of a step. */

static guint
loop_formal (const HybOnnxUse *use, guint variable, HybPortKind *port)
{
  *port = variable < 2 ? HYB_PORT_VALUE : HYB_PORT_STATE;
  return variable < 2 ? (variable == 1 ? 1 : G_MAXUINT) : variable;
}

/* States that the file gives: inputs behind the limit and the condition. */
static guint
loop_n_states (const HybOnnxUse *use)
{
  return use->n_slots > 2 ? use->n_slots - 2 : 0;
}

static guint
loop_next (gconstpointer params, guint body, guint head)
{
  return head == 0 ? 1 : head <= loop_n_states (params) ? head + 1 : G_MAXUINT;
}

static guint
loop_result (gconstpointer params, guint body, guint head)
{
  return head == 0 ? G_MAXUINT : head - 1;
}

/* Sets the types of states to what holds in every step.  (transfer full) */
static HybLoweredBody *
settle_states (HybLowering *lowering,
               Variables   *variables,
               guint        first_variable,
               guint        first_head,
               guint        n)
{
  HybLoweredBody *body = NULL;

  for (guint round = 0; round < MAX_ROUNDS; round++)
    {
      gboolean has_changed = FALSE;

      hyb_lowered_body_free (body);
      body = hyb_lowering_lower_body (lowering, 0, variables->types, variables->contents);
      if (!body)
        return NULL;
      for (guint s = 0; s < n && first_head + s < body->n_heads; s++)
        {
          HybType *before = &variables->types[first_variable + s];
          HybType  after = common_type (before, &body->head_types[first_head + s]);

          has_changed |=
              after.dtype != before->dtype || !hyb_shape_equal (&after.shape, &before->shape);
          *before = after;
        }
      if (!has_changed)
        break;
    }
  return body;
}

/* The type of the rows of all steps, stacked at axis 0. */
static HybType
stack_rows (const HybType *row, gint64 n, int axis)
{
  HybType type = *row;

  if (row->shape.rank < 0 || row->shape.rank >= HYB_MAX_RANK)
    {
      type.shape.rank = HYB_UNKNOWN;
      return type;
    }
  type.shape.rank++;
  axis = axis < 0 ? axis + type.shape.rank : axis;
  if (axis < 0 || axis >= type.shape.rank)
    axis = 0;
  for (int i = type.shape.rank - 1; i > axis; i--)
    type.shape.dim[i] = type.shape.dim[i - 1];
  type.shape.dim[axis] = n;
  return type;
}

static void
lower_loop (HybLowering *lowering)
{
  const HybOnnxUse *use = hyb_onnx_use (lowering);
  guint             n_states = loop_n_states (use);
  g_auto (Variables) variables = { 0 };
  g_autoptr (HybLoweredBody) body = NULL;

  variables_init (lowering, &variables, 0);
  if (variables.n > 0)
    variables.types[0] = (HybType){ .dtype = HYB_I64 };
  if (variables.n > 1)
    variables.types[1] = (HybType){ .dtype = HYB_BOOL };
  for (guint s = 0; s < n_states && 2 + s < variables.n; s++)
    variables.types[2 + s] = *hyb_onnx_type (lowering, 2 + s);
  body = settle_states (lowering, &variables, 2, 1, n_states);
  if (!body)
    return;
  for (guint h = 1; h < body->n_heads; h++)
    {
      HybType type = h <= n_states && h + 1 < variables.n
                         ? variables.types[h + 1]
                         : stack_rows (&body->head_types[h], HYB_UNKNOWN, 0);

      hyb_lowering_set_type (lowering, h - 1, &type);
    }
}

/* --- Scan --- */

/* Variables are states and slices; heads are states and rows. */

static gint64
attribute_int (const HybOnnxUse *use, const char *name, gint64 fallback)
{
  for (guint i = 0; i < use->node->n_attributes; i++)
    if (g_str_equal (use->node->attributes[i].name, name) &&
        use->node->attributes[i].kind == HYB_ONNX_ATTRIBUTE_INT)
      return use->node->attributes[i].i;
  return fallback;
}

static guint
scan_n_states (const HybOnnxUse *use, guint n_inputs)
{
  gint64 n_data = attribute_int (use, "num_scan_inputs", 0);

  return n_data >= 0 && n_data <= n_inputs ? n_inputs - (guint) n_data : 0;
}

static guint
scan_formal (const HybOnnxUse *use, guint variable, HybPortKind *port)
{
  *port = variable < scan_n_states (use, use->n_slots) ? HYB_PORT_STATE : HYB_PORT_DATA;
  return variable;
}

static guint
scan_next (gconstpointer params, guint body, guint head)
{
  const HybOnnxUse *use = params;

  return head < scan_n_states (use, use->n_slots) ? head : G_MAXUINT;
}

/* Version 8 has lengths as its first input and a batch as the first axis of everything. */
static guint
scan_8_formal (const HybOnnxUse *use, guint variable, HybPortKind *port)
{
  guint n_inputs = use->n_slots > 0 ? use->n_slots - 1 : 0;

  *port = variable < scan_n_states (use, n_inputs) ? HYB_PORT_STATE : HYB_PORT_DATA;
  return variable + 1;
}

static guint
scan_8_next (gconstpointer params, guint body, guint head)
{
  const HybOnnxUse *use = params;

  return head < scan_n_states (use, use->n_slots > 0 ? use->n_slots - 1 : 0) ? head : G_MAXUINT;
}

static void
drop_axis (HybShape *shape, int axis, gint64 *size)
{
  if (shape->rank < 1)
    return;
  axis = axis < 0 ? axis + shape->rank : axis;
  if (axis < 0 || axis >= shape->rank)
    return;
  if (size)
    *size = shape->dim[axis];
  shape->rank--;
  for (int i = axis; i < shape->rank; i++)
    shape->dim[i] = shape->dim[i + 1];
}

/* Element i of a list of axes. */
static int
listed_axis (HybLowering *lowering, const char *name, guint i)
{
  guint         n;
  const gint64 *axes;

  hyb_onnx_ints (lowering, name, &n, &axes);
  return i < n ? (int) CLAMP (axes[i], -HYB_MAX_RANK, HYB_MAX_RANK) : 0;
}

static void
scan (HybLowering *lowering, guint first_input, gboolean has_batch)
{
  const HybOnnxUse *use = hyb_onnx_use (lowering);
  guint             n_inputs = use->n_slots > first_input ? use->n_slots - first_input : 0;
  guint             n_states = scan_n_states (use, n_inputs);
  gint64            length = HYB_UNKNOWN, batch = HYB_UNKNOWN;
  g_auto (Variables) variables = { 0 };
  g_autoptr (HybLoweredBody) body = NULL;

  variables_init (lowering, &variables, 0);
  for (guint v = 0; v < MIN (n_inputs, variables.n); v++)
    {
      HybShape *shape = &variables.types[v].shape;

      variables.types[v] = *hyb_onnx_type (lowering, first_input + v);
      if (has_batch)
        drop_axis (shape, 0, &batch);
      if (v >= n_states)
        drop_axis (shape,
                   has_batch ? 0 : listed_axis (lowering, "scan_input_axes", v - n_states),
                   &length);
    }
  body = settle_states (lowering, &variables, 0, 0, n_states);
  if (!body)
    return;
  for (guint h = 0; h < body->n_heads; h++)
    {
      HybType type =
          h < n_states && h < variables.n
              ? variables.types[h]
              : stack_rows (&body->head_types[h],
                            length,
                            has_batch ? 0
                                      : listed_axis (lowering, "scan_output_axes", h - n_states));

      if (has_batch)
        type = stack_rows (&type, batch, 0);
      hyb_lowering_set_type (lowering, h, &type);
    }
}

static void
lower_scan (HybLowering *lowering)
{
  scan (lowering, 0, FALSE);
}

static void
lower_scan_8 (HybLowering *lowering)
{
  scan (lowering, 1, TRUE);
}

static const char *const if_inputs[] = { "cond", "captured", NULL };
static const char *const loop_inputs[] = { "M", "cond", "v_initial", NULL };
static const char *const scan_inputs[] = { "initial_state_and_scan_inputs", NULL };
static const char *const if_outputs[] = { "outputs", NULL };
static const char *const loop_outputs[] = { "v_final_and_scan_outputs", NULL };
static const char *const scan_outputs[] = { "final_state_and_scan_outputs", NULL };
static const char *const branches[] = { "then_branch", "else_branch" };
static const char *const bodies[] = { "body" };

#define CONTROL                                                                            \
  HYB_ONNX_ROW, .category = HYB_CATEGORY_CONTROL, .body_variable = hyb_onnx_body_variable, \
                .body_port = hyb_onnx_body_port

const HybOnnxOp hyb_onnx_ops_control[] = {
  { .op = { CONTROL,
            .name = "If",
            .doc = "Runs one of two graphs.",
            .inputs = if_inputs,
            .outputs = if_outputs,
            .n_bodies = 2,
            .body_names = branches,
            .body_next = hyb_onnx_no_head,
            .body_result = if_result,
            .lower = lower_if },
    .since = 1 },
  { .op = { CONTROL,
            .name = "Loop",
            .doc = "Runs a graph as long as a condition holds, at most a number of times.",
            .inputs = loop_inputs,
            .outputs = loop_outputs,
            .n_bodies = 1,
            .body_names = bodies,
            .body_next = loop_next,
            .body_result = loop_result,
            .lower = lower_loop },
    .since = 1,
    .formal_input = loop_formal },
  { .op = { CONTROL,
            .name = "Scan",
            .doc = "Runs a graph for every slice of its inputs.",
            .inputs = scan_inputs,
            .outputs = scan_outputs,
            .n_bodies = 1,
            .body_names = bodies,
            .body_next = scan_8_next,
            .body_result = if_result,
            .lower = lower_scan_8 },
    .since = 8,
    .formal_input = scan_8_formal },
  { .op = { CONTROL,
            .name = "Scan",
            .doc = "Runs a graph for every slice of its inputs.",
            .inputs = scan_inputs,
            .outputs = scan_outputs,
            .n_bodies = 1,
            .body_names = bodies,
            .body_next = scan_next,
            .body_result = if_result,
            .lower = lower_scan },
    .since = 9,
    .formal_input = scan_formal },
  { .since = 0 },
};
