/* loop-while.c — a Loop whose number of steps is known only while running, as a _while_loop.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/loop.h"

/* Rows that a loop with a condition may have, of all steps it could make. */
#define MAX_ROWS (1 << 20)

/* Rows, then the next value of the counter, the condition and the states. */
static void
arrange_while (HybLowering *inner, const HybValueId *heads, gconstpointer data, GArray *arranged)
{
  const HybOnnxLoop *loop = data;
  HybValueId         next =
      hyb_onnx_binary (inner, "broadcast_add", COUNTER, hyb_onnx_scalar (inner, 1, HYB_I64));
  HybValueId both[] = { CONDITION, hyb_onnx_reshape (inner, heads[0], 0, NULL) };
  /* A step is made only while the condition holds; MXNet's bodies read all their states. */
  HybValueId condition = hyb_lowering_call (inner, "broadcast_logical_and", 2, both, NULL);

  for (guint h = 1 + loop->n_states; h < loop->n_heads; h++)
    hyb_onnx_append_head (inner, heads[h], arranged);
  g_array_append_val (arranged, next);
  g_array_append_val (arranged, condition);
  for (guint h = 1; h <= loop->n_states; h++)
    hyb_onnx_append_head (inner, heads[h], arranged);
}

/* A graph that decides about another step: the condition, and the counter below the limit where that is a value. */
static HybGraph *
build_condition (HybLowering *lowering, gboolean has_limit)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  inputs[2], head;
  HybValueId  condition = hyb_builder_add_variable (builder, "condition", NULL);
  GError     *error = NULL;

  hyb_builder_set_legacy_shapes (builder, FALSE);
  head =
      hyb_builder_call (builder, "_copy",
                        &(HybNodeSpec){ .name = "condition", .n_inputs = 1, .inputs = &condition },
                        &error);
  if (has_limit)
    {
      inputs[0] = hyb_builder_add_variable (builder, "counter", NULL);
      inputs[1] = hyb_builder_add_variable (builder, "limit", NULL);
      inputs[1] =
          hyb_builder_call (builder, "_npi_less",
                            &(HybNodeSpec){ .name = "goes on", .n_inputs = 2, .inputs = inputs },
                            &error);
      inputs[0] = head;
      head = hyb_builder_call (builder, "broadcast_logical_and",
                               &(HybNodeSpec){ .name = "both", .n_inputs = 2, .inputs = inputs },
                               &error);
    }
  g_assert_no_error (error);
  hyb_builder_add_head (builder, head);
  return hyb_builder_freeze (builder);
}

/* Inputs of a _while_loop: values for the variables of the body, then the limit if it is known only while running. */
static GArray *
while_inputs (const HybOnnxLoop *loop, gboolean has_limit)
{
  HybLowering            *lowering = loop->lowering;
  guint                   n = loop->variables.n;
  g_autofree HybOnnxPort *ports = g_new (HybOnnxPort, n);
  GArray                 *inputs = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  HybValueId              limit;

  hyb_onnx_loop_connect (loop, ports);
  ports[COUNTER].value = hyb_onnx_scalar (lowering, 0, HYB_I64);
  ports[CONDITION].value = hyb_onnx_has_input (lowering, 1)
                               ? hyb_onnx_reshape (lowering, hyb_onnx_input (lowering, 1), 0, NULL)
                               : hyb_onnx_scalar (lowering, 1, HYB_BOOL);
  for (guint v = 0; v < n; v++)
    g_array_append_val (inputs, ports[v].value);
  if (has_limit)
    {
      limit = hyb_onnx_reshape (lowering, hyb_onnx_input (lowering, 0), 0, NULL);
      g_array_append_val (inputs, limit);
    }
  return inputs;
}

/* The body as MXNet's files have it.  func_inputs: by its variables, the input of the node; states: by state, its variable.
 * (transfer full) */
static HybGraph *
order_steps (const HybOnnxLoop *loop, HybGraph *body, const char **func_inputs, const char **states)
{
  guint                n = loop->variables.n, n_read;
  g_autofree gint64   *place = g_new (gint64, n);
  g_autofree gint64   *read = g_new (gint64, n);
  g_autofree gboolean *keep = g_new (gboolean, n);
  HybGraph            *ordered;

  for (guint v = 0; v < n; v++)
    keep[v] = v < FIRST_STATE + loop->n_states;
  ordered = hyb_onnx_order_body (body, keep, place);
  hyb_graph_get_variables (ordered, &n_read);
  for (guint v = 0; v < n; v++)
    if (place[v] >= 0)
      read[place[v]] = v;
  *func_inputs = hyb_lowering_text_ints (loop->lowering, n_read, read);
  *states = hyb_lowering_text_ints (loop->lowering, FIRST_STATE + loop->n_states, place);
  return ordered;
}

static HybValueId
emit_while (const HybOnnxLoop *loop, const HybLoweredBody *body, gboolean has_limit)
{
  HybLowering *lowering = loop->lowering;
  g_autoptr (GArray) inputs = while_inputs (loop, has_limit);
  g_autoptr (HybGraph) condition = build_condition (lowering, has_limit);
  const char *func_inputs, *states;
  g_autoptr (HybGraph) steps = order_steps (loop, body->graph, &func_inputs, &states);
  HybGraph    *bodies[] = { condition, steps };
  const gint64 decides[] = { CONDITION, COUNTER, loop->variables.n };
  const char  *attributes[] = {
     "cond_input_locs",
     hyb_lowering_text_ints (lowering, has_limit ? 3 : 1, decides),
     "func_input_locs",
     func_inputs,
     "func_var_locs",
     states,
     "max_iterations",
     hyb_lowering_text (lowering, "%" G_GINT64_FORMAT,
                       has_limit ? G_MAXINT32 : MIN (loop->limit, G_MAXINT32)),
     "num_args",
     hyb_lowering_text (lowering, "%u", inputs->len + 2),
     "num_out_data",
     hyb_lowering_text (lowering, "%u", loop->n_rows),
     "num_outputs",
     hyb_lowering_text (lowering, "%u", body->n_heads),
     NULL,
  };

  return hyb_lowering_add (lowering, "_while_loop",
                           &(HybNodeSpec){ .n_inputs = inputs->len,
                                           .inputs = (const HybValueId *) (gpointer) inputs->data,
                                           .n_bodies = 2,
                                           .bodies = bodies,
                                           .attributes = attributes });
}

/* The rows of the steps that were made: the engine's loop has one for every step that it could make. */
static HybValueId
take_rows (const HybOnnxLoop *loop, HybValueId rows, HybValueId n_steps)
{
  HybLowering *lowering = loop->lowering;
  HybValueId   inputs[2] = { rows };

  inputs[1] = hyb_onnx_binary (lowering, "_npi_less", hyb_onnx_loop_counter (lowering, loop->limit),
                               n_steps);
  inputs[1] = hyb_onnx_cast (lowering, inputs[1], HYB_F32);
  return hyb_lowering_call (lowering, "_contrib_boolean_mask", 2, inputs, NULL);
}

void
hyb_onnx_lower_while (HybOnnxLoop *loop)
{
  HybLowering  *lowering = loop->lowering;
  HybOnnxStates states = { FIRST_STATE, loop->n_rows + 2, loop->n_states };
  HybBodyUse    use = { .types = loop->variables.types,
                        .contents = loop->variables.contents,
                        .arrange = arrange_while,
                        .data = loop };
  g_autoptr (HybLoweredBody) body = NULL;
  HybValueId first;

  if (loop->n_lists > 0)
    {
      hyb_lowering_fail (lowering, NULL,
                         "its steps append to a list, and neither its limit nor its condition tell "
                         "while planning how many steps it makes");
      return;
    }
  if (loop->n_rows > 0 && (loop->limit == HYB_UNKNOWN || loop->limit > MAX_ROWS))
    {
      hyb_lowering_fail (lowering, NULL,
                         "neither its limit nor its condition tell while planning how many rows "
                         "it has");
      return;
    }
  body = hyb_onnx_settle_states (lowering, &loop->variables, &states, &use);
  if (!body)
    return;
  first = emit_while (loop, body, loop->limit == HYB_UNKNOWN);
  if (first == HYB_NO_ID)
    return;
  for (guint s = 0; s < loop->n_states; s++)
    hyb_lowering_set_output (lowering, s, first + loop->n_rows + 2 + s);
  for (guint r = 0; r < loop->n_rows; r++)
    hyb_lowering_set_output (lowering, loop->n_states + r,
                             take_rows (loop, first + r, first + body->n_heads));
}
