/* recurrent-steps.c — LSTM, GRU and RNN step by step: a _foreach for each direction, whose body is written here.
 *
 * Products with the input are computed for all steps at once; a step adds the products with the state.  Gates lie in ONNX's
 * order, [batch, gates × hidden].
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/recurrent.h"

#include "engine/onnx/ops/bodies.h"
#include "engine/onnx/ops/pieces.h"
#include "engine/onnx/ops/quantise.h"

#include <string.h>

HybValueId
onnx_recurrent_state (HybLowering *lowering, const OnnxRecurrentSizes *sizes, guint input)
{
  static const gint64 swapped[] = { 1, 0, 2 };
  HybShape            shape = hyb_shape_3d (sizes->directions, sizes->batch, sizes->hidden);
  HybValueId          state;

  if (!hyb_onnx_has_input (lowering, input))
    return onnx_fill (lowering, &shape, hyb_onnx_type (lowering, ONNX_RECURRENT_X)->dtype, 0);
  state = hyb_onnx_input (lowering, input);
  return sizes->has_batch_first ? hyb_onnx_transpose (lowering, state, 3, swapped) : state;
}

HybValueId
onnx_recurrent_reverse (HybLowering *lowering, HybValueId x)
{
  gboolean   has_lengths = hyb_onnx_has_input (lowering, ONNX_RECURRENT_LENGTHS);
  HybValueId inputs[] = { x, HYB_NO_ID };

  if (has_lengths)
    inputs[1] = hyb_onnx_input (lowering, ONNX_RECURRENT_LENGTHS);
  return hyb_lowering_emit (lowering, "SequenceReverse", has_lengths ? 2 : 1, inputs,
                            "use_sequence_length", has_lengths ? "True" : "False", NULL);
}

HybValueId
onnx_recurrent_final (HybLowering *lowering, HybValueId state)
{
  HybValueId lengths, has_steps;

  if (!hyb_onnx_has_input (lowering, ONNX_RECURRENT_LENGTHS))
    return state;
  lengths = hyb_onnx_cast (lowering, hyb_onnx_input (lowering, ONNX_RECURRENT_LENGTHS), HYB_I64);
  lengths = hyb_onnx_reshape (lowering, lengths, 3, (gint64[]){ 1, -1, 1 });
  has_steps = hyb_onnx_with_scalar (lowering, "_npi_greater_scalar", lengths, 0);
  return onnx_where (lowering, has_steps, state, hyb_onnx_unary (lowering, "zeros_like", state));
}

/* --- One step --- */

/* Variables of the body. */
enum
{
  STEP_GATES, /* products with the input, and biases: [batch, gates × hidden] */
  STEP_H,
  STEP_R, /* [hidden, gates × hidden] */
  STEP_OPTIONAL,
  MAX_STEP = STEP_OPTIONAL + 4,
};

typedef struct
{
  const OnnxRecurrentSizes    *sizes;
  const OnnxRecurrentFunction *functions;
  double                       clip; /* 0: none */
  gboolean                     couples_input_forget, has_late_reset;
  int                          cell, peephole, bias, is_inside; /* variables; −1: left out */
} Step;

/* x rounded to 8 bits. */
static HybValueId
round_to_bytes (HybLowering *lowering, HybValueId x)
{
  HybValueId scale, zero;

  x = onnx_quantise_dynamically (lowering, x, &scale, &zero);
  return onnx_dequantise (lowering, x, scale, zero);
}

/* The products of the state with all gates. */
static HybValueId
recur (HybLowering *inner, const Step *step)
{
  HybValueId h = step->sizes->is_quantised ? round_to_bytes (inner, STEP_H) : STEP_H;

  return onnx_matmul (inner, h, STEP_R);
}

static HybValueId
gate (HybLowering *inner, const Step *step, HybValueId x, gint64 i)
{
  gint64 hidden = step->sizes->hidden;

  return hyb_onnx_slice (inner, x, 1, i * hidden, (i + 1) * hidden);
}

/* A function of a limited value. */
static HybValueId
activate (HybLowering *inner, const Step *step, guint function, HybValueId x)
{
  if (step->clip > 0)
    x = onnx_clamp (inner, x, -step->clip, step->clip);
  return onnx_recurrent_apply (inner, &step->functions[function], x);
}

/* The gate plus a diagonal weight times the cell. */
static HybValueId
look (HybLowering *inner, const Step *step, HybValueId x, HybValueId cell, gint64 i)
{
  if (step->peephole < 0)
    return x;
  return onnx_add (inner, x,
                   onnx_multiply (inner, gate (inner, step, (guint) step->peephole, i), cell));
}

/* Gates i o f c. */
static HybValueId
write_lstm (HybLowering *inner, const Step *step, HybValueId *cell)
{
  HybValueId all = onnx_add (inner, STEP_GATES, recur (inner, step));
  HybValueId old = (guint) step->cell, input, forget, output, fresh;

  input = activate (inner, step, 0, look (inner, step, gate (inner, step, all, 0), old, 0));
  forget = step->couples_input_forget
               ? hyb_onnx_with_scalar (inner, "_rminus_scalar", input, 1)
               : activate (inner, step, 0, look (inner, step, gate (inner, step, all, 2), old, 2));
  fresh = activate (inner, step, 1, gate (inner, step, all, 3));
  *cell = onnx_add (inner, onnx_multiply (inner, forget, old), onnx_multiply (inner, input, fresh));
  output = activate (inner, step, 0, look (inner, step, gate (inner, step, all, 1), *cell, 1));
  /* As in ONNX Runtime, the cell is not limited. */
  return onnx_multiply (inner, output, onnx_recurrent_apply (inner, &step->functions[2], *cell));
}

/* Gates z r h. */
static HybValueId
write_gru (HybLowering *inner, const Step *step)
{
  gint64     hidden = step->sizes->hidden;
  HybValueId gates = hyb_onnx_slice (inner, STEP_R, 1, 0, 2 * hidden);
  HybValueId last = hyb_onnx_slice (inner, STEP_R, 1, 2 * hidden, 3 * hidden), update, reset, fresh;

  gates = onnx_add (inner, hyb_onnx_slice (inner, STEP_GATES, 1, 0, 2 * hidden),
                    onnx_matmul (inner, STEP_H, gates));
  update = activate (inner, step, 0, gate (inner, step, gates, 0));
  reset = activate (inner, step, 0, gate (inner, step, gates, 1));
  if (step->has_late_reset)
    {
      fresh = onnx_matmul (inner, STEP_H, last);
      if (step->bias >= 0)
        fresh = onnx_add (inner, fresh, (guint) step->bias);
      fresh = onnx_multiply (inner, reset, fresh);
    }
  else
    fresh = onnx_matmul (inner, onnx_multiply (inner, reset, STEP_H), last);
  fresh = onnx_add (inner, gate (inner, step, STEP_GATES, 2), fresh);
  fresh = activate (inner, step, 1, fresh);
  return onnx_add (inner,
                   onnx_multiply (inner, hyb_onnx_with_scalar (inner, "_rminus_scalar", update, 1),
                                  fresh),
                   onnx_multiply (inner, update, STEP_H));
}

/* The new value inside of a sequence, the old one behind its end. */
static HybValueId
keep_outside (HybLowering *inner, const Step *step, HybValueId fresh, HybValueId old)
{
  return step->is_inside < 0 ? fresh : onnx_where (inner, (guint) step->is_inside, fresh, old);
}

static void
write_step (HybLowering *inner, const HybValueId *heads, gconstpointer data, GArray *arranged)
{
  const Step *step = data;
  HybValueId  h, cell = HYB_NO_ID, y;

  if (step->sizes->kind->has_cell)
    h = write_lstm (inner, step, &cell);
  else if (step->sizes->kind->has_reset)
    h = write_gru (inner, step);
  else
    h = activate (inner, step, 0,
                  onnx_add (inner, STEP_GATES, onnx_matmul (inner, STEP_H, STEP_R)));
  y = keep_outside (inner, step, h, hyb_onnx_unary (inner, "zeros_like", h));
  hyb_onnx_append_head (inner, y, arranged);
  hyb_onnx_append_head (inner, keep_outside (inner, step, h, STEP_H), arranged);
  if (step->cell >= 0)
    hyb_onnx_append_head (inner, keep_outside (inner, step, cell, (guint) step->cell), arranged);
}

/* --- One direction --- */

/* One direction of an input [directions, …] without that axis. */
static HybValueId
take_direction (HybLowering *lowering, HybValueId x, gint64 direction)
{
  x = hyb_onnx_slice (lowering, x, 0, direction, direction + 1);
  return hyb_lowering_emit (lowering, "_np_squeeze", 1, &x, "axis", "0", NULL);
}

/* The transposed weights of one direction, [input, gates × hidden].  Quantised ones are stored so, as integers with scales
 * and zero points, one for all or one for each column. */
static HybValueId
read_weights (HybLowering *lowering, const Step *step, guint input, gint64 direction)
{
  static const gint64 swapped[] = { 1, 0 };
  HybValueId          w = take_direction (lowering, hyb_onnx_input (lowering, input), direction);
  guint      scale = input == ONNX_RECURRENT_W ? ONNX_RECURRENT_W_SCALE : ONNX_RECURRENT_R_SCALE;
  HybValueId zero;

  if (!step->sizes->is_quantised)
    return hyb_onnx_transpose (lowering, w, 2, swapped);
  w = hyb_onnx_cast (lowering, w, HYB_F32);
  if (hyb_onnx_has_input (lowering, scale + 1))
    {
      zero = take_direction (lowering, hyb_onnx_input (lowering, scale + 1), direction);
      w = onnx_subtract (lowering, w, hyb_onnx_cast (lowering, zero, HYB_F32));
    }
  return onnx_multiply (lowering, w,
                        take_direction (lowering, hyb_onnx_input (lowering, scale), direction));
}

/* x wᵀ with the biases that do not depend on the state, [time, batch, gates × hidden]. */
static HybValueId
project (HybLowering *lowering, const Step *step, HybValueId x, gint64 direction)
{
  gint64     hidden = step->sizes->hidden, n = step->sizes->kind->n_gates;
  HybValueId b, own, other;

  if (step->sizes->is_quantised)
    x = round_to_bytes (lowering, x);
  x = onnx_matmul (lowering, x, read_weights (lowering, step, ONNX_RECURRENT_W, direction));
  if (!hyb_onnx_has_input (lowering, ONNX_RECURRENT_B))
    return x;
  b = take_direction (lowering, hyb_onnx_input (lowering, ONNX_RECURRENT_B), direction);
  own = hyb_onnx_slice (lowering, b, 0, 0, n * hidden);
  x = onnx_add (lowering, x, own);
  other = hyb_onnx_slice (lowering, b, 0, n * hidden, 2 * n * hidden);
  if (step->has_late_reset)
    other = onnx_extend (lowering, hyb_onnx_slice (lowering, other, 0, 0, 2 * hidden), 0,
                         (gint64[]){ 0, hidden }, 0);
  return onnx_add (lowering, x, other);
}

/* Which steps are inside of each sequence, [time, batch, 1]. */
static HybValueId
find_inside (HybLowering *lowering, const OnnxRecurrentSizes *sizes)
{
  HybValueId lengths =
      hyb_onnx_cast (lowering, hyb_onnx_input (lowering, ONNX_RECURRENT_LENGTHS), HYB_I64);

  return hyb_onnx_binary (lowering, "_npi_less", onnx_count (lowering, sizes->time, 0, 3),
                          hyb_onnx_reshape (lowering, lengths, 3, (gint64[]){ 1, -1, 1 }));
}

/* Adds a variable and returns its number. */
static int
add_port (HybOnnxPort *ports, guint *n, HybPortKind kind, HybValueId value)
{
  ports[*n] = (HybOnnxPort){ .kind = kind, .value = value };
  return (int) (*n)++;
}

/* The values that feed each variable; returns their number. */
static guint
connect (HybLowering *lowering, Step *step, HybValueId x, gint64 direction, HybOnnxPort *ports)
{
  const OnnxRecurrentSizes *sizes = step->sizes;
  guint                     n = 0;

  add_port (ports, &n, HYB_PORT_DATA, project (lowering, step, x, direction));
  add_port (ports, &n, HYB_PORT_STATE,
            take_direction (lowering, onnx_recurrent_state (lowering, sizes, ONNX_RECURRENT_H),
                            direction));
  add_port (ports, &n, HYB_PORT_CAPTURED,
            read_weights (lowering, step, ONNX_RECURRENT_R, direction));
  if (sizes->kind->has_cell)
    step->cell = add_port (ports, &n, HYB_PORT_STATE,
                           take_direction (lowering,
                                           onnx_recurrent_state (lowering, sizes, ONNX_RECURRENT_C),
                                           direction));
  if (sizes->kind->has_cell && hyb_onnx_has_input (lowering, ONNX_RECURRENT_P))
    step->peephole =
        add_port (ports, &n, HYB_PORT_CAPTURED,
                  hyb_onnx_slice (lowering, hyb_onnx_input (lowering, ONNX_RECURRENT_P), 0,
                                  direction, direction + 1));
  if (step->has_late_reset && hyb_onnx_has_input (lowering, ONNX_RECURRENT_B))
    step->bias =
        add_port (ports, &n, HYB_PORT_CAPTURED,
                  hyb_onnx_slice (lowering,
                                  take_direction (lowering,
                                                  hyb_onnx_input (lowering, ONNX_RECURRENT_B),
                                                  direction),
                                  0, 5 * sizes->hidden, 6 * sizes->hidden));
  if (hyb_onnx_has_input (lowering, ONNX_RECURRENT_LENGTHS))
    step->is_inside = add_port (ports, &n, HYB_PORT_DATA, find_inside (lowering, sizes));
  return n;
}

/* The type of a variable in one step. */
static HybType
step_type (const HybLowering *lowering, const HybOnnxPort *port)
{
  HybType type = *hyb_lowering_get_type (lowering, port->value);

  if (port->kind == HYB_PORT_DATA && type.shape.rank > 0)
    memmove (type.shape.dim, type.shape.dim + 1,
             (gsize) --type.shape.rank * sizeof *type.shape.dim);
  return type;
}

/* Rows, then the states: the values of the loop's outputs.  HYB_NO_ID after a failure. */
static HybValueId
run_direction (HybLowering *lowering, Step *step, HybValueId x, gint64 direction)
{
  HybOnnxPort ports[MAX_STEP];
  HybType     types[MAX_STEP];
  HybBodyUse  use = { .types = types, .arrange = write_step, .data = step };
  guint       n;
  g_autoptr (HybLoweredBody) body = NULL;

  step->cell = step->peephole = step->bias = step->is_inside = -1;
  n = connect (lowering, step, x, direction, ports);
  for (guint i = 0; i < n; i++)
    types[i] = step_type (lowering, &ports[i]);
  body = hyb_lowering_write_body (lowering, n, &use);
  return body ? hyb_onnx_foreach (lowering, body, n, ports, 1) : HYB_NO_ID;
}

/* --- The node --- */

/* Values of all directions along a new axis. */
static HybValueId
join (HybLowering *lowering, const OnnxRecurrentSizes *sizes, const HybValueId *values, int axis)
{
  HybValueId parts[2];

  for (gint64 d = 0; d < sizes->directions; d++)
    parts[d] = hyb_lowering_emit (lowering, "expand_dims", 1, &values[d], "axis",
                                  hyb_lowering_text (lowering, "%d", axis), NULL);
  return hyb_onnx_concat (lowering, (guint) sizes->directions, parts, axis);
}

static void
set_outputs (HybLowering *lowering, const OnnxRecurrentSizes *sizes, HybValueId (*values)[2])
{
  static const gint64 rows[] = { 2, 0, 1, 3 }, states[] = { 1, 0, 2 };
  HybValueId          y = join (lowering, sizes, values[0], 1);

  if (sizes->has_batch_first)
    y = hyb_onnx_transpose (lowering, y, 4, rows);
  hyb_lowering_set_output (lowering, 0, y);
  for (guint i = 1; i < (sizes->kind->has_cell ? 3u : 2u); i++)
    {
      y = onnx_recurrent_final (lowering, join (lowering, sizes, values[i], 0));
      if (sizes->has_batch_first)
        y = hyb_onnx_transpose (lowering, y, 3, states);
      hyb_lowering_set_output (lowering, i, y);
    }
}

void
onnx_recurrent_steps (HybLowering *lowering, const OnnxRecurrentSizes *sizes)
{
  static const gint64   swapped[] = { 1, 0, 2 };
  OnnxRecurrentFunction functions[ONNX_RECURRENT_MAX_FUNCTIONS];
  HybValueId            x = hyb_onnx_input (lowering, ONNX_RECURRENT_X), values[3][2];
  Step                  step = {
                     .sizes = sizes,
                     .clip = hyb_onnx_float (lowering, "clip", 0),
                     .couples_input_forget = hyb_onnx_int (lowering, "input_forget", 0) != 0,
                     .has_late_reset =
                         sizes->kind->has_reset && hyb_onnx_int (lowering, "linear_before_reset", 0) != 0,
  };

  if (!onnx_recurrent_read_functions (lowering, sizes, functions))
    return;
  if (sizes->has_batch_first)
    x = hyb_onnx_transpose (lowering, x, 3, swapped);
  for (gint64 d = 0; d < sizes->directions; d++)
    {
      gboolean   is_reverse = sizes->is_reverse || d == 1;
      HybValueId first;

      step.functions = functions + d * sizes->kind->n_functions;
      first =
          run_direction (lowering, &step, is_reverse ? onnx_recurrent_reverse (lowering, x) : x, d);
      if (first == HYB_NO_ID)
        return;
      values[0][d] = is_reverse ? onnx_recurrent_reverse (lowering, first) : first;
      values[1][d] = first + 1;
      values[2][d] = first + 2;
    }
  set_outputs (lowering, sizes, values);
}
