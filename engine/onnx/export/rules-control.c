/* rules-control.c — loops and conditions.
 *
 * Bodies of ONNX read values of the surrounding graph by name, so captured values of a body of the engine need no
 * input.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/export/export.h"

/* Variables of a body and its heads, by their role. */
typedef struct
{
  GArray *states;      /* of guint: variables that are carried from step to step */
  GArray *next;        /* of guint: the head of each that is its next value */
  GArray *data;        /* of guint: variables that read rows */
  GArray *rows;        /* of guint: heads that are stacked */
  GArray *row_outputs; /* of guint: the outputs of the node that these become */
} Ports;

static GArray *
list_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (guint));
}

static void
ports_clear (Ports *ports)
{
  g_array_unref (ports->states);
  g_array_unref (ports->next);
  g_array_unref (ports->data);
  g_array_unref (ports->rows);
  g_array_unref (ports->row_outputs);
}

static guint
at (const GArray *list, guint i)
{
  return g_array_index (list, guint, i);
}

static Ports
find_ports (OnnxExport *export, OnnxExport *body, guint index)
{
  const HybNode *node = onnx_node (export);
  guint          n_variables = onnx_body_n_variables (body), n_heads = onnx_body_n_heads (body);
  Ports          ports = { list_new (), list_new (), list_new (), list_new (), list_new () };

  for (guint head = 0; head < n_heads; head++)
    {
      guint variable = node->op->body_next (node->params, index, head);
      guint output = node->op->body_result (node->params, index, head);

      if (variable != G_MAXUINT)
        {
          g_array_append_val (ports.states, variable);
          g_array_append_val (ports.next, head);
        }
      else
        {
          g_array_append_val (ports.rows, head);
          g_array_append_val (ports.row_outputs, output);
        }
    }
  for (guint i = 0; i < n_variables; i++)
    if (node->op->body_port (node->params, node->n_inputs, index, i) == HYB_PORT_DATA)
      g_array_append_val (ports.data, i);
  return ports;
}

/* The input of the node that feeds a variable. */
static OnnxValue
feeding (OnnxExport *export, guint body, guint variable)
{
  const HybNode *node = onnx_node (export);

  return onnx_input (export,
                     node->op->body_variable (node->params, node->n_inputs, body, variable));
}

/* Variables that no step changes read values of the surrounding graph. */
static void
capture (OnnxExport *export, OnnxExport *body, guint index)
{
  const HybNode *node = onnx_node (export);

  for (guint i = 0; i < onnx_body_n_variables (body); i++)
    {
      HybPortKind kind = node->op->body_port (node->params, node->n_inputs, index, i);

      if (kind == HYB_PORT_CAPTURED || kind == HYB_PORT_VALUE)
        onnx_body_set_variable (body, i, feeding (export, index, i));
    }
}

/* Sets the outputs of the node that are final states, from number `first` on. */
static void
set_states (OnnxExport *export, const Ports *ports, guint body, OnnxValue first)
{
  const HybNode *node = onnx_node (export);

  for (guint i = 0; i < ports->states->len; i++)
    onnx_set_output (export, node->op->body_result (node->params, body, at (ports->next, i)),
                     first + i);
}

/* Adds a head as an output of the body. */
static void
add_output (OnnxExport *body, guint head)
{
  HybType type = onnx_body_head_type (body, head);

  onnx_body_add_output (body, onnx_body_head (body, head), &type);
}

/* The rows of an input that is scanned.  A number of an array of one dimension is an array of one number where MXNet's
 * legacy rules hold. */
static OnnxValue
scanned (OnnxExport *export, OnnxExport *body, guint variable)
{
  const HybNode *node = onnx_node (export);
  guint          input = node->op->body_variable (node->params, node->n_inputs, 0, variable);
  OnnxValue      x = onnx_input (export, input);

  if (onnx_input_type (export, input).shape.rank == 1 &&
      onnx_body_variable_type (body, variable).shape.rank == 1)
    return onnx_reshape (export, x, 2, (const gint64[]){ -1, 1 });
  return x;
}

static void
write_foreach (OnnxExport *export)
{
  OnnxExport           *body = onnx_body_new (export, 0);
  Ports                 ports = find_ports (export, body, 0);
  guint                 n = ports.states->len + ports.data->len;
  g_autofree OnnxValue *inputs = g_new (OnnxValue, MAX (n, 1));
  OnnxValue             first;

  capture (export, body, 0);
  for (guint i = 0; i < ports.states->len; i++)
    {
      inputs[i] = feeding (export, 0, at (ports.states, i));
      onnx_body_add_variable (body, at (ports.states, i));
    }
  for (guint i = 0; i < ports.data->len; i++)
    {
      inputs[ports.states->len + i] = scanned (export, body, at (ports.data, i));
      onnx_body_add_variable (body, at (ports.data, i));
    }
  for (guint i = 0; i < ports.states->len; i++)
    add_output (body, at (ports.next, i));
  for (guint i = 0; i < ports.rows->len; i++)
    add_output (body, at (ports.rows, i));
  first =
      onnx_emit_many (export, &(OnnxEmission){
                                  "Scan", n, inputs, ports.states->len + ports.rows->len,
                                  ONNX_ATTRIBUTES (ONNX_INT ("num_scan_inputs", ports.data->len),
                                                   ONNX_GRAPH ("body", body)) });
  set_states (export, &ports, 0, first);
  for (guint i = 0; i < ports.rows->len; i++)
    onnx_set_output (export, at (ports.row_outputs, i), first + ports.states->len + i);
  ports_clear (&ports);
}

/* --- while --- */

enum
{
  BODY_CONDITION,
  BODY_STEP,
};

/* Whether a step follows, for these values of the step's states.  graph: where it is computed. */
static OnnxValue
predicate (OnnxExport *export, OnnxExport *graph, const Ports *ports, const OnnxValue *states)
{
  const HybNode *node = onnx_node (export);
  g_autoptr (OnnxExport) condition = onnx_body_new_inline (export, graph, BODY_CONDITION);
  HybType   type;
  OnnxValue holds;

  for (guint i = 0; i < onnx_body_n_variables (condition); i++)
    {
      guint     input = node->op->body_variable (node->params, node->n_inputs, BODY_CONDITION, i);
      OnnxValue value = onnx_input (export, input);

      for (guint k = 0; k < ports->states->len; k++)
        if (node->op->body_variable (node->params, node->n_inputs, BODY_STEP,
                                     at (ports->states, k)) == input)
          value = states[k];
      onnx_body_set_variable (condition, i, value);
    }
  holds = onnx_body_head (condition, 0);
  type = onnx_body_head_type (condition, 0);
  holds = onnx_cast (condition, holds, type.dtype, HYB_BOOL);
  return type.shape.rank == 0 ? holds : onnx_reshape (condition, holds, 0, NULL);
}

/* The engine's result has room for all steps that are allowed, with zeros behind the last one. */
static OnnxValue
pad_rows (OnnxExport *export, OnnxValue rows, guint output)
{
  HybType   type = onnx_output_type (export, output);
  gint64    limit = onnx_param_int (export, "max_iterations", 0);
  OnnxValue zeros = onnx_binary (export, "Expand", onnx_number (export, 0, type.dtype),
                                 onnx_output_shape (export, output));

  rows = onnx_concat (export, 2, (OnnxValue[]){ rows, zeros }, 0);
  return onnx_slice (export, rows, 0, 0, limit);
}

static void
write_while (OnnxExport *export)
{
  OnnxExport           *body = onnx_body_new (export, BODY_STEP);
  Ports                 ports = find_ports (export, body, BODY_STEP);
  guint                 n = ports.states->len;
  g_autofree OnnxValue *inputs = g_new (OnnxValue, n + 2);
  g_autofree OnnxValue *next = g_new (OnnxValue, MAX (n, 1));
  HybType               truth = { .shape.rank = 0, .dtype = HYB_BOOL };
  OnnxValue             first;

  for (guint i = 0; i < n; i++)
    inputs[i + 2] = feeding (export, BODY_STEP, at (ports.states, i));
  inputs[0] = onnx_reshape (export, onnx_param_size (export, "max_iterations"), 0, NULL);
  inputs[1] = predicate (export, export, &ports, inputs + 2);

  capture (export, body, BODY_STEP);
  onnx_body_add_scalar (body, "step", HYB_I64);
  onnx_body_add_scalar (body, "goes_on", HYB_BOOL);
  for (guint i = 0; i < n; i++)
    onnx_body_add_variable (body, at (ports.states, i));
  for (guint i = 0; i < n; i++)
    next[i] = onnx_body_head (body, at (ports.next, i));
  onnx_body_add_output (body, predicate (export, body, &ports, next), &truth);
  for (guint i = 0; i < n; i++)
    add_output (body, at (ports.next, i));
  for (guint i = 0; i < ports.rows->len; i++)
    add_output (body, at (ports.rows, i));
  first = onnx_emit_many (export, &(OnnxEmission){ "Loop", n + 2, inputs, n + ports.rows->len,
                                                   ONNX_ATTRIBUTES (ONNX_GRAPH ("body", body)) });
  set_states (export, &ports, BODY_STEP, first);
  for (guint i = 0; i < ports.rows->len; i++)
    {
      guint     output = at (ports.row_outputs, i);
      OnnxValue rows = first + n + i;

      /* A limit that follows from the size of an input is the number of its rows, and all are computed. */
      if (onnx_is_read (export, output) && !onnx_param_varies (export, "max_iterations"))
        rows = pad_rows (export, rows, output);
      onnx_set_output (export, output, rows);
    }
  ports_clear (&ports);
}

/* --- cond --- */

static OnnxExport *
branch (OnnxExport *export, guint index)
{
  OnnxExport *body = onnx_body_new (export, index);

  capture (export, body, index);
  for (guint head = 0; head < onnx_body_n_heads (body); head++)
    add_output (body, head);
  return body;
}

static void
write_cond (OnnxExport *export)
{
  g_autoptr (OnnxExport) condition = onnx_body_new_inline (export, export, 0);
  OnnxExport *then = branch (export, 1), *otherwise = branch (export, 2);
  guint       n = onnx_body_n_heads (then);
  HybType     type;
  OnnxValue   holds, first;

  capture (export, condition, 0);
  holds = onnx_body_head (condition, 0);
  type = onnx_body_head_type (condition, 0);
  holds = onnx_cast (condition, holds, type.dtype, HYB_BOOL);
  if (type.shape.rank != 0)
    holds = onnx_reshape (condition, holds, 0, NULL);
  first =
      onnx_emit_many (export,
                      &(OnnxEmission){ "If", 1, &holds, n,
                                       ONNX_ATTRIBUTES (ONNX_GRAPH ("then_branch", then),
                                                        ONNX_GRAPH ("else_branch", otherwise)) });
  for (guint i = 0; i < n; i++)
    onnx_set_output (export, i, first + i);
}

const HybOnnxRule hyb_onnx_rules_control[] = {
  { .op = "_foreach", .write = write_foreach },
  { .op = "_while_loop", .write = write_while, .varying = "max_iterations" },
  { .op = "_cond", .write = write_cond },
  { .op = NULL },
};
