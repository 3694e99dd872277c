/* dropout.c — Dropout: while training, sets random elements to 0 and scales the others by
 * 1 / (1 − p), which keeps the mean.
 *
 * The mask (0 or 1 / (1 − p)) is a hidden output that the gradient reuses.  Element i of the
 * mask comes from number i of the node's random stream, whatever the number of threads.
 * Start at dropout_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/base/random.h"
#include "engine/gradient/by-operands.h"
#include "engine/kernels/each.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

#include "engine/kernels/vectorise.h"

typedef enum
{
  MODE_TRAINING,
  MODE_ALWAYS,
} DropoutMode;

typedef struct
{
  double   p;
  int      mode;
  HybShape axes;
  gboolean cudnn_off;
} DropoutParams;

static const char *const mode_names[] = { "training", "always", NULL };

static const HybParam dropout_params[] = {
  { HYB_FIELD (DropoutParams, p), HYB_PARAM_FLOAT, "0.5", .low = 0, .high = 1,
    .doc = "probability that an element is dropped" },
  { HYB_FIELD (DropoutParams, mode), HYB_PARAM_ENUM, "training", .choices = mode_names,
    .doc = "when elements are dropped" },
  { HYB_FIELD (DropoutParams, axes), HYB_PARAM_SHAPE, "()",
    .doc = "axes along which all elements share one random draw" },
  { HYB_FIELD (DropoutParams, cudnn_off), HYB_PARAM_OPTIONAL_BOOL, "False",
    .doc = "has no effect" },
  { 0 },
};

static gboolean
is_active (const HybCall *call, gboolean training)
{
  const DropoutParams *params = call->params;

  return params->p > 0 && (training || params->mode == MODE_ALWAYS);
}

/* The mask has size 1 along shared axes. */
static gboolean
dropout_infer_shape (HybCall *call, GError **error)
{
  const DropoutParams *params = call->params;
  HybShape            *data = &call->input[0].shape;
  HybShape             want;

  if (!hyb_shape_unify (data, &call->output[0].shape, error))
    return FALSE;
  if (data->rank == HYB_UNKNOWN)
    return TRUE;

  want = *data;
  for (int i = 0; i < params->axes.rank; i++)
    {
      int axis = hyb_shape_axis (data, params->axes.dim[i], error);

      if (axis < 0)
        return FALSE;
      want.dim[axis] = 1;
    }

  return hyb_layer_expect (&call->output[1].shape, "mask", &want, error);
}

/* If nothing is dropped, the output is the input. */
static gboolean
dropout_view (const HybCall *call, guint output, guint *input, gsize *offset)
{
  if (output != 0 || is_active (call, call->training))
    return FALSE;

  *input = 0;
  *offset = 0;
  return TRUE;
}

/* Arguments of draw_slice (which writes the mask to `to`), multiply_slice and multiply_row. */
typedef struct
{
  double        p;
  guint64       seed;
  gconstpointer x, mask;
  gpointer      to;
} DropoutArgs;

#define REAL_KERNEL "engine/ops/nn/dropout-kernel.h"
#include "engine/kernels/each-real.h"

/* to = x · mask, where the mask is broadcast to the shape of x. */
static void
multiply (const HybCall *call, const HybShape *mask, DropoutArgs *args)
{
  const HybShape *shape = &call->output[0].shape;
  const HybShape *shapes[] = { shape, mask };
  HybEach         each;

  if (hyb_shape_size (shape) == 0)
    return;

  if (hyb_shape_equal (shape, mask))
    {
      hyb_parallel_for (hyb_shape_size (shape), 16384,
                        call->output[0].dtype == HYB_F64 ? multiply_slice_f64 : multiply_slice_f32,
                        args);
      return;
    }

  hyb_each_init (&each, shape, 2, shapes);
  hyb_each_rows (&each, call->output[0].dtype == HYB_F64 ? multiply_row_f64 : multiply_row_f32,
                 args);
}

static void
copy_input (const HybCall *call, const HybRun *run)
{
  if (run->output[0] != run->input[0])
    memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
}

static void
dropout_forward (const HybCall *call, const HybRun *run)
{
  const DropoutParams *params = call->params;
  gint64               n = hyb_shape_size (&call->output[1].shape);
  DropoutArgs          args = { .p = is_active (call, run->training) ? params->p : 0.0,
                                .seed = hyb_run_random_seed (run),
                                .x = run->input[0],
                                .mask = run->output[1],
                                .to = run->output[1] };

  hyb_parallel_for (n, 4096, call->output[0].dtype == HYB_F64 ? draw_slice_f64 : draw_slice_f32,
                    &args);
  if (!is_active (call, run->training))
    {
      copy_input (call, run);
      return;
    }

  args.to = run->output[0];
  multiply (call, &call->output[1].shape, &args);
}

/* Inputs: gradient, mask. */
static void
dropout_backward (const HybCall *call, const HybRun *run)
{
  DropoutArgs args = { .x = run->input[0], .mask = run->input[1], .to = run->output[0] };

  if (is_active (call, run->training))
    multiply (call, &call->input[1].shape, &args);
  else
    copy_input (call, run);
}

static void
dropout_cost (const HybCall *call, HybCost *cost)
{
  hyb_rule_cost_elementwise (call, is_active (call, call->training) ? 2 : 0, cost);
}

static const char *const dropout_inputs[] = { "data", NULL };
static const char *const dropout_outputs[] = { "output", "_mask", NULL };
static const char *const backward_inputs[] = { "gradient", "mask", NULL };

const HybOp hyb_ops_dropout[] = {
  {
      .name = "Dropout",
      .doc = "While training, sets elements to 0 at random and scales the rest up.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .flags = HYB_OP_RANDOM | HYB_OP_TRAINING_DEPENDENT | HYB_OP_IN_PLACE,
      .inputs = dropout_inputs,
      .outputs = dropout_outputs,
      HYB_PARAMS (dropout_params, DropoutParams),
      .infer_shape = dropout_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = dropout_forward,
      .view = dropout_view,
      .gradient = hyb_gradient_by_operands,
      .cost = dropout_cost,
  },
  {
      .name = "_backward_Dropout",
      .doc = "Gradient of Dropout: multiplies by the mask of the forward pass.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .flags = HYB_OP_INTERNAL | HYB_OP_TRAINING_DEPENDENT | HYB_OP_IN_PLACE,
      .gradient_of = "Dropout",
      .operands = "g0 o1 > i0",
      .inputs = backward_inputs,
      HYB_PARAMS (dropout_params, DropoutParams),
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = dropout_backward,
      .view = dropout_view,
      .cost = dropout_cost,
  },
  { 0 },
};
