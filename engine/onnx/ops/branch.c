/* branch.c — If.
 *
 * An If whose condition follows from shapes is replaced by its branch, any other is a _cond.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/bodies.h"

enum
{
  THEN,
  ELSE,
};

/* --- A condition that is known --- */

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
    variables[v] = hyb_onnx_captured (lowering, body, v);
  if (!hyb_lowering_inline (lowering, body, variables, heads))
    return;
  for (guint h = 0; h < n_heads; h++)
    hyb_lowering_set_output (lowering, h, heads[h]);
}

/* --- A condition that is known only while running --- */

static void
arrange (HybLowering *inner, const HybValueId *heads, gconstpointer data, GArray *arranged)
{
  const guint *n = data;

  for (guint h = 0; h < *n; h++)
    hyb_onnx_append_head (inner, heads[h], arranged);
}

static HybLoweredBody *
lower_branch (HybLowering *lowering, guint body, gboolean may_fail)
{
  g_auto (HybOnnxVariables) variables = { 0 };
  guint      n_heads;
  HybBodyUse use = { .arrange = arrange, .data = &n_heads, .may_fail = may_fail };

  hyb_onnx_variables_init (lowering, &variables, body);
  hyb_graph_get_heads (hyb_lowering_get_body (lowering, body), &n_heads);
  use.types = variables.types;
  use.contents = variables.contents;
  return hyb_lowering_lower_body (lowering, body, &use);
}

/* A graph that returns its only variable. */
static HybGraph *
build_predicate (void)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  condition = hyb_builder_add_variable (builder, "condition", NULL);

  hyb_builder_set_legacy_shapes (builder, FALSE);
  hyb_builder_add_head (builder, hyb_builder_call (builder, "_copy",
                                                   &(HybNodeSpec){ .name = "condition",
                                                                   .n_inputs = 1,
                                                                   .inputs = &condition },
                                                   NULL));
  return hyb_builder_freeze (builder);
}

/* A branch as MXNet's files have it, and which inputs of the node its variables are.  (transfer full) */
static HybGraph *
order_branch (HybLowering *lowering, guint body, HybGraph *graph, const char **inputs)
{
  const HybOnnxUse  *use = hyb_onnx_use (lowering);
  guint              n = use->n_variables[body], n_read;
  g_autofree gint64 *place = g_new (gint64, MAX (n, 1));
  g_autofree gint64 *read = g_new (gint64, MAX (n, 1));
  HybGraph          *ordered = hyb_onnx_order_body (graph, NULL, place);

  hyb_graph_get_variables (ordered, &n_read);
  for (guint v = 0; v < n; v++)
    if (place[v] >= 0)
      read[place[v]] = use->body_inputs[body][v];
  *inputs = hyb_lowering_text_ints (lowering, n_read, read);
  return ordered;
}

static HybValueId
emit_cond (HybLowering *lowering, const HybLoweredBody *const branches[2])
{
  const HybOnnxUse      *use = hyb_onnx_use (lowering);
  g_autofree HybValueId *inputs = g_new (HybValueId, use->n_inputs);
  g_autoptr (HybGraph) predicate = build_predicate ();
  const char *of_then, *of_else;
  g_autoptr (HybGraph) then_branch = order_branch (lowering, THEN, branches[THEN]->graph, &of_then);
  g_autoptr (HybGraph) else_branch = order_branch (lowering, ELSE, branches[ELSE]->graph, &of_else);
  HybGraph    *bodies[] = { predicate, then_branch, else_branch };
  const gint64 condition = use->slots[0];
  const char  *attributes[] = {
     "cond_input_locs",
     hyb_lowering_text_ints (lowering, 1, &condition),
     "then_input_locs",
     of_then,
     "else_input_locs",
     of_else,
     "num_args",
     hyb_lowering_text (lowering, "%u", use->n_inputs + 3),
     "num_outputs",
     hyb_lowering_text (lowering, "%u", branches[THEN]->n_heads),
     NULL,
  };

  for (guint i = 0; i < use->n_inputs; i++)
    inputs[i] = hyb_lowering_input (lowering, i);
  return hyb_lowering_add (lowering, "_cond",
                           &(HybNodeSpec){ .n_inputs = use->n_inputs,
                                           .inputs = inputs,
                                           .n_bodies = 3,
                                           .bodies = bodies,
                                           .attributes = attributes });
}

/* The outputs have the types on which both branches agree. */
static void
set_common_types (HybLowering *lowering, const HybLoweredBody *const branches[2])
{
  for (guint h = 0; h < branches[THEN]->n_heads; h++)
    {
      HybType type =
          hyb_onnx_common_type (&branches[THEN]->head_types[h], &branches[ELSE]->head_types[h]);

      hyb_lowering_set_type (lowering, h, &type);
    }
}

static gboolean
have_as_many (HybLowering *lowering, const HybLoweredBody *const branches[2])
{
  if (branches[THEN]->n_heads == branches[ELSE]->n_heads)
    return TRUE;
  hyb_lowering_fail (lowering, NULL, "one branch has %u outputs, the other one has %u",
                     branches[THEN]->n_heads, branches[ELSE]->n_heads);
  return FALSE;
}

/* Only types are known if a branch cannot be computed. */
static void
join_branches (HybLowering *lowering)
{
  g_autoptr (HybLoweredBody) then_branch = lower_branch (lowering, THEN, FALSE);
  g_autoptr (HybLoweredBody) else_branch = lower_branch (lowering, ELSE, FALSE);
  const HybLoweredBody *const branches[2] = { then_branch, else_branch };

  if (then_branch && else_branch && have_as_many (lowering, branches))
    set_common_types (lowering, branches);
}

static void
choose_while_running (HybLowering *lowering)
{
  g_autoptr (HybLoweredBody) then_branch = lower_branch (lowering, THEN, TRUE);
  g_autoptr (HybLoweredBody) else_branch = then_branch ? lower_branch (lowering, ELSE, TRUE) : NULL;
  const HybLoweredBody *const branches[2] = { then_branch, else_branch };
  HybValueId                  first;

  if (!else_branch)
    {
      join_branches (lowering);
      return;
    }
  if (!have_as_many (lowering, branches))
    return;
  first = emit_cond (lowering, branches);
  for (guint h = 0; first != HYB_NO_ID && h < then_branch->n_heads; h++)
    hyb_lowering_set_output (lowering, h, first + h);
  set_common_types (lowering, branches);
}

/* --- The node --- */

/* A branch must not have inputs of its own. */
static gboolean
check_branch (HybLowering *lowering, guint body)
{
  const HybOnnxUse *use = hyb_onnx_use (lowering);

  for (guint v = 0; v < use->n_variables[body]; v++)
    if (use->body_inputs[body][v] == G_MAXUINT)
      {
        hyb_lowering_fail (lowering, NULL, "its branch has an input, which no branch may have");
        return FALSE;
      }
  return TRUE;
}

static void
lower_if (HybLowering *lowering)
{
  HybTensor *condition = hyb_onnx_contents (lowering, 0);

  if (!check_branch (lowering, THEN) || !check_branch (lowering, ELSE))
    return;
  if (!hyb_onnx_has_input (lowering, 0))
    hyb_lowering_fail (lowering, NULL, "its condition is left out");
  else if (condition && hyb_tensor_get_size (condition) == 1)
    take_branch (lowering, hyb_tensor_get_value (condition, 0) != 0 ? THEN : ELSE);
  else
    choose_while_running (lowering);
}

static guint
if_result (gconstpointer params, guint body, guint head)
{
  return head;
}

static const char *const inputs[] = { "cond", "captured", NULL };
static const char *const outputs[] = { "outputs", NULL };
static const char *const bodies[] = { "then_branch", "else_branch" };

const HybOnnxOp hyb_onnx_ops_branch[] = {
  { .op = { HYB_ONNX_BODIES_ROW, .compute = hyb_onnx_compute_if, .category = HYB_CATEGORY_CONTROL,
            .body_variable = hyb_onnx_body_variable, .body_port = hyb_onnx_body_port, .name = "If",
            .doc = "Runs one of two graphs.", .inputs = inputs, .outputs = outputs, .n_bodies = 2,
            .body_names = bodies, .body_next = hyb_onnx_no_head, .body_result = if_result,
            .lower = lower_if },
    .since = 1 },
  { .since = 0 },
};
