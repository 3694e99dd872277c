/* recurrent.c — LSTM, GRU and RNN.
 *
 * The engine's RNN takes all weights as one vector, gates in another order, and returns [time, batch, directions ×
 * hidden].  Weights are usually parameters, so that reordering them costs nothing after planning.  Forms that RNN does not
 * have (other activations, peepholes, clipping, a GRU whose reset gate comes first) are _rnn_form where a graph of floats only
 * runs, and otherwise written step by step, which has a gradient and conversions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/recurrent.h"
#include "engine/onnx/ops/pieces.h"

#include <math.h>
#include <string.h>

#define MAX_INPUTS 6 /* of RNN and _rnn_form */

static const OnnxRecurrentKind lstm = {
  "lstm", 4, { 0, 2, 3, 1 }, TRUE, FALSE, 3, { "Sigmoid", "Tanh", "Tanh" }
};
static const OnnxRecurrentKind gru = {
  "gru", 3, { 1, 0, 2 }, FALSE, TRUE, 2, { "Sigmoid", "Tanh", NULL }
};
static const OnnxRecurrentKind vanilla = {
  NULL, 1, { 0 }, FALSE, FALSE, 1, { "Tanh", NULL, NULL }
};

/* --- Reading --- */

static gboolean
read_sizes (HybLowering *lowering, const OnnxRecurrentKind *kind, OnnxRecurrentSizes *sizes)
{
  const HybShape *x = &hyb_onnx_type (lowering, ONNX_RECURRENT_X)->shape;
  const HybShape *r = &hyb_onnx_type (lowering, ONNX_RECURRENT_R)->shape;
  const char     *direction = hyb_onnx_string (lowering, "direction", "forward");

  *sizes = (OnnxRecurrentSizes){ .kind = kind, .mode = kind->mode };
  sizes->is_reverse = strcmp (direction, "reverse") == 0;
  sizes->directions = strcmp (direction, "bidirectional") == 0 ? 2 : 1;
  sizes->has_batch_first = hyb_onnx_int (lowering, "layout", 0) == 1;
  sizes->hidden = hyb_onnx_int (lowering, "hidden_size", r->rank == 3 ? r->dim[2] : HYB_UNKNOWN);
  if (x->rank != 3)
    {
      hyb_lowering_fail (lowering, NULL, "its input has %d dimensions instead of 3", x->rank);
      return FALSE;
    }
  if (sizes->hidden < 1 || sizes->hidden > G_MAXINT32)
    {
      hyb_lowering_fail (lowering, NULL, "its hidden size is not known");
      return FALSE;
    }
  sizes->time = x->dim[sizes->has_batch_first ? 1 : 0];
  sizes->batch = x->dim[sizes->has_batch_first ? 0 : 1];
  sizes->input = x->dim[2];
  return TRUE;
}

/* TRUE if the activation number i of a list has this name; without a list the default counts. */
static gboolean
has_activation (const HybOnnxAttribute *list, guint i, const char *name, const char *fallback)
{
  if (!list || i >= list->n)
    return g_ascii_strcasecmp (fallback, name) == 0;
  return list->strings[i].length == strlen (name) &&
         g_ascii_strncasecmp ((const char *) list->strings[i].data, name, strlen (name)) == 0;
}

/* TRUE if the engine's RNN computes this node. */
static gboolean
is_plain (HybLowering *lowering, OnnxRecurrentSizes *sizes)
{
  const HybOnnxAttribute *list = hyb_onnx_attribute (lowering, "activations");
  guint                   n_functions = sizes->kind->n_functions;

  if (list && list->kind != HYB_ONNX_ATTRIBUTE_STRINGS)
    return FALSE;
  if (!sizes->kind->mode)
    {
      gboolean is_relu = has_activation (list, 0, "Relu", "Tanh");

      sizes->mode = is_relu ? "rnn_relu" : "rnn_tanh";
      for (guint d = 0; d < sizes->directions; d++)
        if (!has_activation (list, d, is_relu ? "Relu" : "Tanh", "Tanh"))
          return FALSE;
    }
  for (guint i = 0; sizes->kind->mode && i < n_functions * sizes->directions; i++)
    {
      const char *name = sizes->kind->activations[i % n_functions];

      if (!has_activation (list, i, name, name))
        return FALSE;
    }
  return !hyb_onnx_attribute (lowering, "clip") && !hyb_onnx_int (lowering, "input_forget", 0) &&
         !hyb_onnx_has_input (lowering, ONNX_RECURRENT_P) &&
         (sizes->kind != &gru || hyb_onnx_int (lowering, "linear_before_reset", 0) != 0);
}

/* TRUE if _rnn_form computes this node; reads its functions. */
static gboolean
read_form (HybLowering *lowering, const OnnxRecurrentSizes *sizes, OnnxRecurrentFunction *functions)
{
  guint n = sizes->kind->n_functions * (guint) sizes->directions;

  if (!hyb_lowering_is_for_run (lowering) ||
      hyb_onnx_type (lowering, ONNX_RECURRENT_X)->dtype != HYB_F32 ||
      !isfinite (hyb_onnx_float (lowering, "clip", 0)) ||
      !onnx_recurrent_read_functions (lowering, sizes, functions))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!isfinite (functions[i].alpha) || !isfinite (functions[i].beta))
      return FALSE;
  return TRUE;
}

static gboolean
has_peepholes (HybLowering *lowering, const OnnxRecurrentSizes *sizes)
{
  return sizes->kind->has_cell && hyb_onnx_has_input (lowering, ONNX_RECURRENT_P);
}

static void
set_types (HybLowering *lowering, const OnnxRecurrentSizes *sizes)
{
  HybDType dtype = hyb_onnx_type (lowering, ONNX_RECURRENT_X)->dtype;
  HybType y = { hyb_shape_4d (sizes->time, sizes->directions, sizes->batch, sizes->hidden), dtype };
  HybType h = { hyb_shape_3d (sizes->directions, sizes->batch, sizes->hidden), dtype };

  if (sizes->has_batch_first)
    {
      y.shape = hyb_shape_4d (sizes->batch, sizes->time, sizes->directions, sizes->hidden);
      h.shape = hyb_shape_3d (sizes->batch, sizes->directions, sizes->hidden);
    }
  hyb_lowering_set_type (lowering, 0, &y);
  hyb_lowering_set_type (lowering, 1, &h);
  hyb_lowering_set_type (lowering, 2, &h);
}

/* --- Writing --- */

/* The rows of x, which is one direction of a weight [1, n × hidden, …], with gates in the engine's order, appended as
 * vectors.  first: the gate block that they begin at. */
static void
append_gates (HybLowering              *lowering,
              const OnnxRecurrentSizes *sizes,
              GArray                   *parts,
              HybValueId                x,
              guint                     first)
{
  const gint64 flat[] = { -1 };

  for (guint g = 0; g < sizes->kind->n_gates; g++)
    {
      gint64     begin = (first + sizes->kind->gates[g]) * sizes->hidden;
      HybValueId rows =
          hyb_onnx_reshape (lowering, hyb_onnx_slice (lowering, x, 1, begin, begin + sizes->hidden),
                            1, flat);

      g_array_append_val (parts, rows);
    }
}

/* All weights as one vector: for each direction the weights of the input and of the state, then all
 * biases. */
static HybValueId
pack_weights (HybLowering *lowering, const OnnxRecurrentSizes *sizes)
{
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  HybValueId w = hyb_onnx_input (lowering, ONNX_RECURRENT_W),
             r = hyb_onnx_input (lowering, ONNX_RECURRENT_R);
  gint64 n_biases = 2 * sizes->directions * sizes->kind->n_gates * sizes->hidden;

  for (gint64 d = 0; d < sizes->directions; d++)
    {
      append_gates (lowering, sizes, parts, hyb_onnx_slice (lowering, w, 0, d, d + 1), 0);
      append_gates (lowering, sizes, parts, hyb_onnx_slice (lowering, r, 0, d, d + 1), 0);
    }
  if (hyb_onnx_has_input (lowering, ONNX_RECURRENT_B))
    for (gint64 d = 0; d < sizes->directions; d++)
      {
        HybValueId b =
            hyb_onnx_slice (lowering, hyb_onnx_input (lowering, ONNX_RECURRENT_B), 0, d, d + 1);

        append_gates (lowering, sizes, parts, b, 0);
        append_gates (lowering, sizes, parts, b, sizes->kind->n_gates);
      }
  else
    {
      HybShape   shape = hyb_shape_1d (n_biases);
      HybValueId none =
          onnx_fill (lowering, &shape, hyb_onnx_type (lowering, ONNX_RECURRENT_W)->dtype, 0);

      g_array_append_val (parts, none);
    }
  return hyb_onnx_concat (lowering, parts->len, (const HybValueId *) (gpointer) parts->data, 0);
}

/* Peepholes, [directions, 3 × hidden], in the engine's order: i, f, o. */
static HybValueId
pack_peepholes (HybLowering *lowering, const OnnxRecurrentSizes *sizes)
{
  static const gint64 order[] = { 0, 2, 1 };
  HybValueId          parts[G_N_ELEMENTS (order)];

  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    parts[i] = hyb_onnx_slice (lowering, hyb_onnx_input (lowering, ONNX_RECURRENT_P), 1,
                               order[i] * sizes->hidden, (order[i] + 1) * sizes->hidden);
  return hyb_onnx_concat (lowering, G_N_ELEMENTS (order), parts, 1);
}

/* The inputs of RNN and _rnn_form; returns their number. */
static guint
pack_inputs (HybLowering              *lowering,
             const OnnxRecurrentSizes *sizes,
             HybValueId                x,
             HybValueId               *inputs)
{
  guint n = 0;

  inputs[n++] = x;
  inputs[n++] = pack_weights (lowering, sizes);
  inputs[n++] = onnx_recurrent_state (lowering, sizes, ONNX_RECURRENT_H);
  if (sizes->kind->has_cell)
    inputs[n++] = onnx_recurrent_state (lowering, sizes, ONNX_RECURRENT_C);
  if (hyb_onnx_has_input (lowering, ONNX_RECURRENT_LENGTHS))
    inputs[n++] = hyb_onnx_input (lowering, ONNX_RECURRENT_LENGTHS);
  if (has_peepholes (lowering, sizes))
    inputs[n++] = pack_peepholes (lowering, sizes);
  return n;
}

static const char *
word (gboolean is_true)
{
  return is_true ? "True" : "False";
}

/* The functions of a node as text: their names with commas between them, or their numbers as a tuple. */
static const char *
list_names (HybLowering *lowering, guint n, const OnnxRecurrentFunction *functions)
{
  g_autoptr (GString) text = g_string_new (functions[0].cell);

  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, ",%s", functions[i].cell);
  return hyb_lowering_text (lowering, "%s", text->str);
}

static const char *
list_numbers (HybLowering *lowering, guint n, const OnnxRecurrentFunction *functions, gboolean beta)
{
  g_autoptr (GString) text = g_string_new ("(");
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < n; i++)
    {
      g_ascii_dtostr (number, sizeof number, beta ? functions[i].beta : functions[i].alpha);
      g_string_append_printf (text, "%s,", number);
    }
  return hyb_lowering_text (lowering, "%s)", text->str);
}

/* RNN, or with functions _rnn_form. */
static HybValueId
emit_layer (HybLowering                 *lowering,
            const OnnxRecurrentSizes    *sizes,
            const OnnxRecurrentFunction *functions,
            HybValueId                   x)
{
  HybValueId  inputs[MAX_INPUTS];
  guint       n = pack_inputs (lowering, sizes, x, inputs);
  guint       n_functions = sizes->kind->n_functions * (guint) sizes->directions;
  double      clip = hyb_onnx_float (lowering, "clip", 0);
  char        limit[G_ASCII_DTOSTR_BUF_SIZE];
  const char *attributes[40] = {
    "mode",
    sizes->mode,
    "state_size",
    hyb_lowering_text (lowering, "%" G_GINT64_FORMAT, sizes->hidden),
    "num_layers",
    "1",
    "bidirectional",
    word (sizes->directions == 2),
    "state_outputs",
    "True",
    "use_sequence_length",
    word (hyb_onnx_has_input (lowering, ONNX_RECURRENT_LENGTHS)),
    NULL,
  };
  const char **more = attributes + 12;

  if (!functions)
    return hyb_lowering_call (lowering, "RNN", n, inputs, attributes);
  *more++ = "functions";
  *more++ = list_names (lowering, n_functions, functions);
  *more++ = "alpha";
  *more++ = list_numbers (lowering, n_functions, functions, FALSE);
  *more++ = "beta";
  *more++ = list_numbers (lowering, n_functions, functions, TRUE);
  *more++ = "clip";
  *more++ = g_ascii_dtostr (limit, sizeof limit, clip > 0 ? clip : 0);
  *more++ = "couples_input_forget";
  *more++ = word (sizes->kind->has_cell && hyb_onnx_int (lowering, "input_forget", 0) != 0);
  *more++ = "resets_first";
  *more++ = word (sizes->kind->has_reset && !hyb_onnx_int (lowering, "linear_before_reset", 0));
  *more++ = "has_peepholes";
  *more++ = word (has_peepholes (lowering, sizes));
  *more = NULL;
  return hyb_lowering_call (lowering, "_rnn_form", n, inputs, attributes);
}

static void
lower_recurrent (HybLowering *lowering, const OnnxRecurrentKind *kind)
{
  static const gint64   swapped[] = { 1, 0, 2 };
  static const gint64   apart[] = { 0, 2, 1, 3 }, batch_first[] = { 1, 0, 2, 3 };
  OnnxRecurrentFunction functions[ONNX_RECURRENT_MAX_FUNCTIONS];
  OnnxRecurrentSizes    sizes;
  gboolean              is_form;
  HybValueId            x, y, outputs;

  if (!read_sizes (lowering, kind, &sizes))
    return;
  set_types (lowering, &sizes);
  if (sizes.time < 0 || sizes.batch < 0)
    return;
  is_form = !is_plain (lowering, &sizes);
  if (is_form && !read_form (lowering, &sizes, functions))
    {
      onnx_recurrent_steps (lowering, &sizes);
      return;
    }
  x = hyb_onnx_input (lowering, ONNX_RECURRENT_X);
  if (sizes.has_batch_first)
    x = hyb_onnx_transpose (lowering, x, 3, swapped);
  if (sizes.is_reverse)
    x = onnx_recurrent_reverse (lowering, x);
  outputs = emit_layer (lowering, &sizes, is_form ? functions : NULL, x);
  if (outputs == HYB_NO_ID)
    return;
  y = sizes.is_reverse ? onnx_recurrent_reverse (lowering, outputs) : outputs;
  y = hyb_onnx_reshape (lowering, y, 4,
                        (gint64[]){ sizes.time, sizes.batch, sizes.directions, sizes.hidden });
  y = hyb_onnx_transpose (lowering, y, 4, sizes.has_batch_first ? batch_first : apart);
  hyb_lowering_set_output (lowering, 0, y);
  for (guint i = 1; i < (kind->has_cell ? 3u : 2u); i++)
    {
      HybValueId state = onnx_recurrent_final (lowering, outputs + i);

      hyb_lowering_set_output (lowering, i,
                               sizes.has_batch_first
                                   ? hyb_onnx_transpose (lowering, state, 3, swapped)
                                   : state);
    }
}

static void
lower_lstm (HybLowering *lowering)
{
  lower_recurrent (lowering, &lstm);
}

/* Weights are 8-bit integers with the inputs as rows; the other factors are rounded to 8 bits in each step. */
static void
lower_quantised (HybLowering *lowering)
{
  OnnxRecurrentSizes sizes;

  if (!read_sizes (lowering, &lstm, &sizes))
    return;
  sizes.is_quantised = TRUE;
  set_types (lowering, &sizes);
  if (sizes.time >= 0 && sizes.batch >= 0)
    onnx_recurrent_steps (lowering, &sizes);
}

static void
lower_gru (HybLowering *lowering)
{
  lower_recurrent (lowering, &gru);
}

static void
lower_rnn (HybLowering *lowering)
{
  lower_recurrent (lowering, &vanilla);
}

static const char *const inputs[] = { "X",         "W",         "R", "B", "sequence_lens",
                                      "initial_h", "initial_c", "P", NULL };
static const char *const quantised_inputs[] = { "X",
                                                "W",
                                                "R",
                                                "B",
                                                "sequence_lens",
                                                "initial_h",
                                                "initial_c",
                                                "P",
                                                "W_scale",
                                                "W_zero_point",
                                                "R_scale",
                                                "R_zero_point",
                                                NULL };
static const char *const outputs[] = { "Y", "Y_h", "Y_c", NULL };

#define RECURRENT \
  HYB_ONNX_ROW, .category = HYB_CATEGORY_RECURRENT, .inputs = inputs, .outputs = outputs

const HybOnnxOp hyb_onnx_ops_recurrent[] = {
  { .op = { RECURRENT, .name = "LSTM", .doc = "A layer of LSTM cells.", .lower = lower_lstm },
    .since = 1 },
  { .op = { RECURRENT, .name = "GRU", .doc = "A layer of GRU cells.", .lower = lower_gru },
    .since = 1 },
  { .op = { RECURRENT, .name = "RNN", .doc = "A layer of plain recurrent cells.",
            .lower = lower_rnn },
    .since = 1 },
  { .op = { HYB_ONNX_ROW, .name = "DynamicQuantizeLSTM",
            .doc = "A layer of LSTM cells with weights of 8 bits.",
            .category = HYB_CATEGORY_RECURRENT, .inputs = quantised_inputs, .outputs = outputs,
            .lower = lower_quantised },
    .domain = "com.microsoft",
    .since = 1 },
  { .since = 0 },
};
