/* scan.c — Scan: a _foreach over rows that may lie along any axis and in either direction.
 *
 * Version 8 has one more axis, the batch, in everything outside its body; each element of the batch is lowered by itself.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/compute.h"
#include "engine/onnx/ops/bodies.h"
#include "engine/onnx/ops/pieces.h"

#include <string.h>

/* Elements of a batch that version 8 is lowered for one by one. */
#define MAX_BATCH 64

/* Variables of the body are the states and the slices; heads are the states and the rows. */
typedef struct
{
  HybLowering     *lowering;
  guint            first_input; /* of the node: the first state */
  guint            n_states, n_data, n_heads;
  gboolean         has_batch;
  gint64           batch, length; /* HYB_UNKNOWN: not known */
  HybOnnxVariables variables;
} Scan;

static void
scan_clear (Scan *scan)
{
  hyb_onnx_variables_clear (&scan->variables);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Scan, scan_clear)

/* --- Roles of variables --- */

static guint
scan_formal (const HybOnnxUse *use, guint variable, HybPortKind *port)
{
  *port = variable < hyb_onnx_scan_n_states (use, 0) ? HYB_PORT_STATE : HYB_PORT_DATA;
  return variable;
}

static guint
scan_next (gconstpointer params, guint body, guint head)
{
  return head < hyb_onnx_scan_n_states (params, 0) ? head : G_MAXUINT;
}

/* Version 8 has lengths as its first input. */
static guint
scan_8_formal (const HybOnnxUse *use, guint variable, HybPortKind *port)
{
  *port = variable < hyb_onnx_scan_n_states (use, 1) ? HYB_PORT_STATE : HYB_PORT_DATA;
  return variable + 1;
}

static guint
scan_8_next (gconstpointer params, guint body, guint head)
{
  return head < hyb_onnx_scan_n_states (params, 1) ? head : G_MAXUINT;
}

static guint
scan_result (gconstpointer params, guint body, guint head)
{
  return head;
}

/* --- Types --- */

static void
drop_axis (HybShape *shape, int axis, gint64 *size)
{
  if (shape->rank < 1)
    return;
  axis = axis < 0 ? axis + shape->rank : axis;
  if (axis < 0 || axis >= shape->rank)
    return;
  if (*size == HYB_UNKNOWN)
    *size = shape->dim[axis];
  shape->rank--;
  for (int i = axis; i < shape->rank; i++)
    shape->dim[i] = shape->dim[i + 1];
}

/* Element i of a list of axes or directions; 0 if the list is not given. */
static int
listed (HybLowering *lowering, const char *name, guint i)
{
  guint         n;
  const gint64 *list;

  hyb_onnx_ints (lowering, name, &n, &list);
  return i < n ? (int) CLAMP (list[i], -HYB_MAX_RANK, HYB_MAX_RANK) : 0;
}

static int
input_axis (const Scan *scan, guint i)
{
  return scan->has_batch ? 0 : listed (scan->lowering, "scan_input_axes", i);
}

static int
output_axis (const Scan *scan, guint i)
{
  return scan->has_batch ? 0 : listed (scan->lowering, "scan_output_axes", i);
}

/* FALSE and a failure if the body does not fit the node. */
static gboolean
scan_init (Scan *scan, HybLowering *lowering, guint first_input)
{
  const HybOnnxUse *use = hyb_onnx_use (lowering);

  scan->lowering = lowering;
  scan->first_input = first_input;
  scan->has_batch = first_input == 1;
  scan->batch = scan->length = HYB_UNKNOWN;
  scan->n_states = hyb_onnx_scan_n_states (use, first_input);
  scan->n_data = use->n_slots > first_input ? use->n_slots - first_input - scan->n_states : 0;
  hyb_onnx_variables_init (lowering, &scan->variables, 0);
  hyb_graph_get_heads (hyb_lowering_get_body (lowering, 0), &scan->n_heads);
  if (scan->n_data == 0 || scan->variables.n < scan->n_states + scan->n_data ||
      scan->n_heads < scan->n_states)
    {
      hyb_lowering_fail (lowering, NULL, "its inputs do not fit its body");
      return FALSE;
    }
  for (guint v = 0; v < scan->n_states + scan->n_data; v++)
    {
      HybType *type = &scan->variables.types[v];

      *type = *hyb_onnx_type (lowering, first_input + v);
      if (scan->has_batch)
        drop_axis (&type->shape, 0, &scan->batch);
      if (v >= scan->n_states)
        drop_axis (&type->shape, input_axis (scan, v - scan->n_states), &scan->length);
    }
  return !hyb_lowering_has_failed (lowering);
}

/* --- Writing --- */

static void
arrange (HybLowering *inner, const HybValueId *heads, gconstpointer data, GArray *arranged)
{
  const Scan *scan = data;

  for (guint h = scan->n_states; h < scan->n_heads; h++)
    hyb_onnx_append_head (inner, heads[h], arranged);
  for (guint h = 0; h < scan->n_states; h++)
    hyb_onnx_append_head (inner, heads[h], arranged);
}

/* x with axis `from` at place `to`; negative axes count from the last. */
static HybValueId
move_axis (HybLowering *lowering, HybValueId x, int from, int to)
{
  int    rank = hyb_lowering_get_type (lowering, x)->shape.rank;
  gint64 axes[HYB_MAX_RANK];
  guint  n = 0;

  if (rank < 1)
    return x;
  from = hyb_onnx_axis (lowering, from, rank);
  to = hyb_onnx_axis (lowering, to, rank);
  if (from == to || from < 0 || to < 0)
    return x;
  for (int i = 0; i < rank; i++)
    if (i != from)
      axes[n++] = i;
  memmove (axes + to + 1, axes + to, (gsize) (rank - 1 - to) * sizeof *axes);
  axes[to] = from;
  return hyb_onnx_transpose (lowering, x, (guint) rank, axes);
}

static HybValueId
reverse (HybLowering *lowering, HybValueId x, gboolean is_reversed)
{
  return is_reversed ? onnx_reverse (lowering, x, 0) : x;
}

static gboolean
is_reversed (const Scan *scan, const char *list, guint i)
{
  return listed (scan->lowering, list, i) != 0;
}

/* One element of the batch. */
static HybValueId
take_element (HybLowering *lowering, HybValueId x, gint64 element)
{
  HybValueId row = hyb_onnx_slice (lowering, x, 0, element, element + 1);

  return hyb_lowering_emit (lowering, "_np_squeeze", 1, &row, "axis", "0", NULL);
}

/* Where the value of a variable comes from.  element: of the batch. */
static HybOnnxPort
connect (const Scan *scan, guint variable, gint64 element)
{
  HybLowering *lowering = scan->lowering;
  HybOnnxPort  port = { .kind = HYB_PORT_CAPTURED };
  guint        data = variable - scan->n_states;

  if (variable >= scan->n_states + scan->n_data)
    {
      port.value = hyb_onnx_captured (lowering, 0, variable);
      return port;
    }
  port.kind = variable < scan->n_states ? HYB_PORT_STATE : HYB_PORT_DATA;
  port.value = hyb_onnx_input (lowering, scan->first_input + variable);
  if (scan->has_batch)
    port.value = take_element (lowering, port.value, element);
  if (port.kind == HYB_PORT_DATA)
    {
      const char *directions = scan->has_batch ? "directions" : "scan_input_directions";

      port.value = move_axis (lowering, port.value, input_axis (scan, data), 0);
      port.value = reverse (lowering, port.value, is_reversed (scan, directions, data));
    }
  return port;
}

/* The loop over the rows of one element of the batch.  outputs: states, then rows. */
static void
emit_loop (const Scan *scan, const HybLoweredBody *body, gint64 element, HybValueId *outputs)
{
  HybLowering            *lowering = scan->lowering;
  guint                   n_rows = scan->n_heads - scan->n_states;
  g_autofree HybOnnxPort *ports = g_new (HybOnnxPort, scan->variables.n);
  HybValueId              first;

  for (guint v = 0; v < scan->variables.n; v++)
    ports[v] = connect (scan, v, element);
  first = hyb_onnx_foreach (lowering, body, scan->variables.n, ports, n_rows);
  for (guint s = 0; s < scan->n_states; s++)
    outputs[s] = first == HYB_NO_ID ? first : first + n_rows + s;
  for (guint r = 0; r < n_rows; r++)
    outputs[scan->n_states + r] =
        first == HYB_NO_ID ? first
                           : move_axis (lowering,
                                        reverse (lowering, first + r,
                                                 is_reversed (scan, "scan_output_directions", r)),
                                        0, output_axis (scan, r));
}

/* All elements of the batch as one array. */
static HybValueId
stack (HybLowering *lowering, guint n, const HybValueId *elements)
{
  return hyb_lowering_emit (lowering, "stack", n, elements, "axis", "0", "num_args",
                            hyb_lowering_text (lowering, "%u", n), NULL);
}

static void
emit_batch (const Scan *scan, const HybLoweredBody *body)
{
  guint                  n = (guint) scan->batch, n_heads = scan->n_heads;
  g_autofree HybValueId *outputs = g_new (HybValueId, (gsize) n * n_heads);
  g_autofree HybValueId *elements = g_new (HybValueId, n);

  for (guint b = 0; b < n; b++)
    emit_loop (scan, body, b, outputs + (gsize) b * n_heads);
  for (guint h = 0; h < n_heads && !hyb_lowering_has_failed (scan->lowering); h++)
    {
      for (guint b = 0; b < n; b++)
        elements[b] = outputs[(gsize) b * n_heads + h];
      hyb_lowering_set_output (scan->lowering, h, stack (scan->lowering, n, elements));
    }
}

static void
emit (const Scan *scan, const HybLoweredBody *body)
{
  g_autofree HybValueId *outputs = NULL;

  if (scan->has_batch)
    {
      emit_batch (scan, body);
      return;
    }
  outputs = g_new (HybValueId, scan->n_heads);
  emit_loop (scan, body, 0, outputs);
  for (guint h = 0; h < scan->n_heads; h++)
    hyb_lowering_set_output (scan->lowering, h, outputs[h]);
}

/* Only types are known. */
static void
set_types (const Scan *scan, const HybLoweredBody *body)
{
  guint n_rows = scan->n_heads - scan->n_states;

  for (guint h = 0; h < scan->n_heads; h++)
    {
      HybType type =
          h < scan->n_states
              ? scan->variables.types[h]
              : hyb_onnx_stacked_type (&body->head_types[h - scan->n_states], scan->length,
                                       output_axis (scan, h - scan->n_states));

      if (scan->has_batch)
        type = hyb_onnx_stacked_type (&type, scan->batch, 0);
      hyb_lowering_set_type (scan->lowering, h, &type);
    }
  g_assert (body->n_heads == n_rows + scan->n_states);
}

/* Fails with the unsupported feature.  Returns FALSE. */
static gboolean
may_run (const Scan *scan)
{
  if (scan->has_batch && hyb_onnx_has_input (scan->lowering, 0))
    hyb_lowering_fail (scan->lowering, NULL, "Scan of opset 8 with lengths is not supported");
  else if (scan->has_batch && (scan->batch < 1 || scan->batch > MAX_BATCH))
    hyb_lowering_fail (scan->lowering, NULL, "Scan of opset 8 is computed for batches of 1 to %u",
                       MAX_BATCH);
  else
    return TRUE;
  return FALSE;
}

static void
lower (HybLowering *lowering, guint first_input)
{
  g_auto (Scan) scan = { 0 };
  g_autoptr (HybLoweredBody) body = NULL;
  HybOnnxStates states = { .first_variable = 0 };
  HybBodyUse    use = { .arrange = arrange, .data = &scan };

  if (!scan_init (&scan, lowering, first_input))
    return;
  states.first_head = scan.n_heads - scan.n_states;
  states.n = scan.n_states;
  use.types = scan.variables.types;
  use.contents = scan.variables.contents;
  body = hyb_onnx_settle_states (lowering, &scan.variables, &states, &use);
  if (!body)
    return;
  if (hyb_lowering_is_tolerant (lowering))
    set_types (&scan, body);
  if (hyb_graph_has_opaque (body->graph) || !may_run (&scan))
    return;
  emit (&scan, body);
}

static void
lower_scan (HybLowering *lowering)
{
  lower (lowering, 0);
}

static void
lower_scan_8 (HybLowering *lowering)
{
  lower (lowering, 1);
}

static const char *const inputs[] = { "initial_state_and_scan_inputs", NULL };
static const char *const outputs[] = { "final_state_and_scan_outputs", NULL };
static const char *const bodies[] = { "body", NULL };

#define SCAN(...)                                                                                 \
  HYB_ONNX_BODIES_ROW, .category = HYB_CATEGORY_CONTROL, .body_variable = hyb_onnx_body_variable, \
                       .body_port = hyb_onnx_body_port, .name = "Scan",                           \
                       .doc = "Runs a graph for every slice of its inputs.", .inputs = inputs,    \
                       .outputs = outputs, .n_bodies = 1, .body_names = bodies,                   \
                       .body_result = scan_result, __VA_ARGS__

const HybOnnxOp hyb_onnx_ops_scan[] = {
  { .op = { SCAN (.body_next = scan_8_next, .lower = lower_scan_8, .compute = hyb_onnx_compute) },
    .since = 8,
    .formal_input = scan_8_formal },
  { .op = { SCAN (.body_next = scan_next, .lower = lower_scan, .compute = hyb_onnx_compute_scan) },
    .since = 9,
    .formal_input = scan_formal },
  { .since = 0 },
};
