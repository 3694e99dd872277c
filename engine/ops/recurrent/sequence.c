/* sequence.c — SequenceMask, SequenceLast and SequenceReverse: operators on sequences of different
 * lengths in one array, and their gradients.
 *
 * data is (steps, samples, …), or (samples, steps, …) with axis=1.  sequence_length, an input only
 * with use_sequence_length=True, has one length per sample.  Start at find_sequences(): all
 * kernels move whole blocks, the elements of one step of one sample.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-operands.h"
#include "engine/gradient/gradient.h"
#include "engine/kernels/move.h"
#include "engine/kernels/moving/copy-rows.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

typedef struct
{
  gboolean use_sequence_length;
  double   value; /* SequenceMask only */
  gint64   axis;
} SequenceParams;

#define USE_FIELD                                                             \
  {                                                                           \
    HYB_FIELD (SequenceParams, use_sequence_length), HYB_PARAM_BOOL, "False", \
        .doc = "an input gives the length of each sequence"                   \
  }
#define AXIS_FIELD(last, text)                                                           \
  {                                                                                      \
    HYB_FIELD (SequenceParams, axis), HYB_PARAM_INT, "0", .low = last - 1, .high = last, \
                                                          .doc = text                    \
  }

static const HybParam mask_params[] = {
  USE_FIELD,
  { HYB_FIELD (SequenceParams, value), HYB_PARAM_FLOAT, "0.0",
    .doc = "value of the steps past the end of a sequence" },
  AXIS_FIELD (1, "axis of time: 0 or 1"),
  { 0 },
};

static const HybParam last_params[] = {
  USE_FIELD,
  AXIS_FIELD (1, "axis of time: 0 or 1"),
  { 0 },
};

static const HybParam reverse_params[] = {
  USE_FIELD,
  { HYB_FIELD (SequenceParams, axis), HYB_PARAM_INT, "0", .doc = "axis of time: only 0" },
  { 0 },
};

#undef USE_FIELD
#undef AXIS_FIELD

static void
sequence_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = ((const SequenceParams *) values)->use_sequence_length ? 2 : 1;
  *n_outputs = 1;
}

static gboolean
reverse_check (gconstpointer values, GError **error)
{
  return ((const SequenceParams *) values)->axis == 0 ||
         hyb_refuse_attribute (error, "Swap the axes first",
                               "SequenceReverse supports axis 0 only");
}

static gboolean
except_lengths_dtype (HybCall *call, GError **error)
{
  return hyb_rule_dtype_except (call, 1 << 1, error);
}

/* Checks data and unifies its number of samples with that of the lengths, input number `at` (if
 * there is one). */
static gboolean
infer_lengths (HybCall *call, HybShape *data, guint at, GError **error)
{
  const SequenceParams *params = call->params;
  HybShape              ranked = hyb_shape_make (1, NULL);

  if (data->rank != HYB_UNKNOWN && data->rank < 2)
    return hyb_refuse_types (error, "It must be (steps, samples, …)",
                             "data has %d dimensions but needs at least 2", data->rank);
  if (at >= call->n_inputs || data->rank == HYB_UNKNOWN)
    return TRUE;

  return hyb_shape_assign (&call->input[at].shape, &ranked, error) &&
         hyb_dim_unify (&data->dim[1 - params->axis], &call->input[at].shape.dim[0],
                        "the numbers of samples and of lengths", error);
}

static gboolean
same_infer_shape (HybCall *call, GError **error)
{
  return hyb_rule_unary (call, error) && infer_lengths (call, &call->input[0].shape, 1, error) &&
         hyb_rule_unary (call, error);
}

static gboolean
last_infer_shape (HybCall *call, GError **error)
{
  const SequenceParams *params = call->params;
  HybShape             *data = &call->input[0].shape;
  HybShape             *output = &call->output[0].shape;
  HybShape              out;

  if (!infer_lengths (call, data, 1, error))
    return FALSE;
  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  if (data->dim[params->axis] == 0)
    return hyb_refuse_types (error, NULL, "data has 0 steps, so there is no last one");

  out = hyb_dims_without (data, (int) params->axis);
  if (!hyb_shape_unify (output, &out, error))
    return FALSE;
  *data = hyb_dims_with (output, (int) params->axis, data->dim[params->axis]);
  return TRUE;
}

/* Sequences as blocks of `rest` elements, one for each step and sample. */
typedef struct
{
  gint64        steps, samples, rest;
  gint64        step_stride, sample_stride; /* in blocks */
  gsize         block;                      /* bytes */
  gconstpointer lengths;                    /* one per sample; NULL: all have `steps` steps */
  HybDType      length_dtype;
} Sequences;

/* The blocks of `data` and the lengths, which are input number lengths_at (if there is one). */
static Sequences
find_sequences (const HybCall *call, const HybRun *run, const HybType *data, guint lengths_at)
{
  const SequenceParams *params = call->params;
  const HybShape       *shape = &data->shape;
  Sequences             found = {
                .steps = shape->dim[params->axis],
                .samples = shape->dim[1 - params->axis],
                .rest = hyb_shape_count (shape, 2, shape->rank),
  };

  found.step_stride = params->axis == 0 ? found.samples : 1;
  found.sample_stride = params->axis == 0 ? 1 : found.steps;
  found.block = (gsize) found.rest * hyb_dtype_size (data->dtype);
  if (lengths_at < call->n_inputs)
    {
      found.lengths = run->input[lengths_at];
      found.length_dtype = call->input[lengths_at].dtype;
    }
  return found;
}

static gint64
length_of (const Sequences *sequences, gint64 sample)
{
  if (!sequences->lengths)
    return sequences->steps;

  return CLAMP (hyb_dtype_get_int (sequences->lengths, sequences->length_dtype, (gsize) sample), 0,
                sequences->steps);
}

/* Offset in bytes of the block of a step and a sample. */
static gsize
block_at (const Sequences *sequences, gint64 step, gint64 sample)
{
  return (gsize) (step * sequences->step_stride + sample * sequences->sample_stride) *
         sequences->block;
}

/* --- SequenceMask --- */

static void
fill (gpointer to, HybDType dtype, gint64 n, double value)
{
  gsize item = hyb_dtype_size (dtype);

  if (value == 0)
    memset (to, 0, (gsize) n * item);
  else
    for (gint64 i = 0; i < n; i++)
      hyb_dtype_set_double (to, dtype, (gsize) i, value);
}

static void
mask_forward (const HybCall *call, const HybRun *run)
{
  const SequenceParams *params = call->params;
  Sequences             sequences = find_sequences (call, run, &call->input[0], 1);

  if (run->output[0] != run->input[0])
    memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
  if (!sequences.lengths)
    return;

  for (gint64 sample = 0; sample < sequences.samples; sample++)
    for (gint64 step = length_of (&sequences, sample); step < sequences.steps; step++)
      fill ((char *) run->output[0] + block_at (&sequences, step, sample), call->output[0].dtype,
            sequences.rest, params->value);
}

static gboolean
mask_view (const HybCall *call, guint output, guint *input, gsize *offset)
{
  *input = 0;
  *offset = 0;
  return call->n_inputs == 1;
}

/* The gradient is masked with 0, as masked elements do not depend on the data. */
static void
mask_gradient (HybGrad *grad)
{
  const SequenceParams *params = hyb_grad_params (grad);
  HybValueId            inputs[2] = { hyb_grad_incoming (grad, 0) };
  const char *const     attributes[] = { "use_sequence_length", "True", "axis",
                                     params->axis == 0 ? "0" : "1", NULL };

  if (hyb_grad_n_inputs (grad) == 1)
    {
      hyb_grad_set_input (grad, 0, inputs[0]);
      return;
    }
  inputs[1] = hyb_grad_input (grad, 1);
  hyb_grad_set_input (grad, 0, hyb_grad_emit_with (grad, "SequenceMask", attributes, 2, inputs));
}

/* --- SequenceLast --- */

/* An empty sequence gives its first step. */

static void
last_forward (const HybCall *call, const HybRun *run)
{
  Sequences sequences = find_sequences (call, run, &call->input[0], 1);

  for (gint64 sample = 0; sample < sequences.samples; sample++)
    {
      gint64 step = MAX (0, length_of (&sequences, sample) - 1);

      memcpy ((char *) run->output[0] + (gsize) sample * sequences.block,
              (const char *) run->input[0] + block_at (&sequences, step, sample), sequences.block);
    }
}

/* Inputs: gradient, data, lengths. */

static void
backward_last_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  sequence_arity (values, n_inputs, n_outputs);
  *n_inputs += 1;
}

static gboolean
backward_last_infer_dtype (HybCall *call, GError **error)
{
  return hyb_rule_dtype_except (call, 1 << 2, error);
}

static void
last_backward (const HybCall *call, const HybRun *run)
{
  Sequences sequences = find_sequences (call, run, &call->output[0], 2);

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  for (gint64 sample = 0; sample < sequences.samples; sample++)
    {
      gint64 step = MAX (0, length_of (&sequences, sample) - 1);

      memcpy ((char *) run->output[0] + block_at (&sequences, step, sample),
              (const char *) run->input[0] + (gsize) sample * sequences.block, sequences.block);
    }
}

/* --- SequenceReverse --- */

/* Samples whose lengths are read before their blocks are moved. */
#define SAMPLES 256

/* Reverses n samples; from and to are the blocks of the first one at step 0. */
static void
reverse_samples (const Sequences *sequences,
                 const gint64    *lengths,
                 gint64           n,
                 const char      *from,
                 char            *to)
{
  gsize block = sequences->block;

  for (gint64 step = 0; step < sequences->steps; step++)
    for (gint64 i = 0; i < n; i++)
      {
        gint64      at = step < lengths[i] ? lengths[i] - 1 - step : step;
        const char *x = from + block_at (sequences, at, i);
        char       *y = to + block_at (sequences, step, i);

        if (block >= 4 && block <= HYB_MOVE_SHORT)
          hyb_move_short (x, y, block);
        else
          memcpy (y, x, block);
      }
}

static void
reverse_forward (const HybCall *call, const HybRun *run)
{
  Sequences sequences = find_sequences (call, run, &call->input[0], 1);
  gint64    lengths[SAMPLES];

  for (gint64 first = 0; first < sequences.samples; first += SAMPLES)
    {
      gint64 n = MIN (SAMPLES, sequences.samples - first);
      gsize  offset = block_at (&sequences, 0, first);

      for (gint64 i = 0; i < n; i++)
        lengths[i] = length_of (&sequences, first + i);
      reverse_samples (&sequences, lengths, n, (const char *) run->input[0] + offset,
                       (char *) run->output[0] + offset);
    }
}

static void
reverse_gradient (HybGrad *grad)
{
  guint      n = hyb_grad_n_inputs (grad);
  HybValueId inputs[2] = { hyb_grad_incoming (grad, 0) };

  if (n == 2)
    inputs[1] = hyb_grad_input (grad, 1);
  hyb_grad_set_input (grad, 0, hyb_grad_emit_same (grad, "SequenceReverse", n, inputs));
}

static const char *const sequence_inputs[] = { "data", "sequence_length", NULL };
static const char *const backward_inputs[] = { "gradient", "data", "sequence_length", NULL };

const HybOp hyb_ops_sequence[] = {
  {
      .name = "SequenceMask",
      .doc = "Sets the steps past the end of each sequence to one value.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_IN_PLACE,
      .inputs = sequence_inputs,
      .constant_inputs = 1 << 1,
      HYB_PARAMS (mask_params, SequenceParams),
      .arity = sequence_arity,
      .infer_shape = same_infer_shape,
      .infer_dtype = except_lengths_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = mask_forward,
      .view = mask_view,
      .gradient = mask_gradient,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "SequenceLast",
      .doc = "The last step of each sequence.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = sequence_inputs,
      .constant_inputs = 1 << 1,
      HYB_PARAMS (last_params, SequenceParams),
      .arity = sequence_arity,
      .infer_shape = last_infer_shape,
      .infer_dtype = except_lengths_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = last_forward,
      .gradient = hyb_gradient_by_operands,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_backward_SequenceLast",
      .doc = "Gradient of SequenceLast: zero except at the last steps.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "SequenceLast",
      .operands = "g0 i* > i0",
      .inputs = backward_inputs,
      .constant_inputs = 1 << 2,
      HYB_PARAMS (last_params, SequenceParams),
      .arity = backward_last_arity,
      .infer_dtype = backward_last_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = last_backward,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "SequenceReverse",
      .doc = "Reverses the steps of each sequence; steps past its end stay.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = sequence_inputs,
      .constant_inputs = 1 << 1,
      HYB_PARAMS (reverse_params, SequenceParams),
      .arity = sequence_arity,
      .check = reverse_check,
      .infer_shape = same_infer_shape,
      .infer_dtype = except_lengths_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = reverse_forward,
      .gradient = reverse_gradient,
      .cost = hyb_rule_cost_move,
  },
  { 0 },
};
