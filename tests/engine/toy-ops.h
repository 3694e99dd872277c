/* toy-ops.h — small operators for tests of inference, planning and running, and
 * short ways to make graphs and tensors of them.
 *
 * None of them is in op-list.h: a test names them by their structs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/random.h"
#include "engine/graph/builder.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

static const char *const toy_one[] = { "data", NULL };
static const char *const toy_two[] = { "lhs", "rhs", NULL };
static const char *const toy_none[] = { NULL };

static inline gint64
toy_size (const HybCall *call)
{
  return hyb_shape_size (&call->output[0].shape);
}

/* y = a + 2 b, so that the order of inputs matters. */
static void
toy_add_forward (const HybCall *call, const HybRun *run)
{
  gint64 n = toy_size (call);

  for (gint64 i = 0; i < n; i++)
    if (call->output[0].dtype == HYB_F64)
      ((double *) run->output[0])[i] =
          ((const double *) run->input[0])[i] + 2 * ((const double *) run->input[1])[i];
    else
      ((float *) run->output[0])[i] =
          ((const float *) run->input[0])[i] + 2 * ((const float *) run->input[1])[i];
}

static G_GNUC_UNUSED const HybOp toy_add = {
  .name = "toy_add",
  .category = HYB_CATEGORY_ELEMENTWISE,
  .flags = HYB_OP_IN_PLACE,
  .inputs = toy_two,
  .infer_shape = hyb_rule_same_shape,
  .dtypes = HYB_DTYPES_FLOAT,
  .forward = toy_add_forward,
};

/* y = x + 1 */
static void
toy_step_forward (const HybCall *call, const HybRun *run)
{
  gint64 n = toy_size (call);

  for (gint64 i = 0; i < n; i++)
    ((float *) run->output[0])[i] = ((const float *) run->input[0])[i] + 1.f;
}

static G_GNUC_UNUSED const HybOp toy_step = {
  .name = "toy_step",
  .category = HYB_CATEGORY_ELEMENTWISE,
  .flags = HYB_OP_IN_PLACE,
  .inputs = toy_one,
  .infer_shape = hyb_rule_same_shape,
  .forward = toy_step_forward,
};

/* The sum over everything before, with a workspace that it fills: y[i] = x[0] + … + x[i]. */
static gsize
toy_scan_workspace (const HybCall *call)
{
  return (gsize) toy_size (call) * sizeof (float);
}

static void
toy_scan_forward (const HybCall *call, const HybRun *run)
{
  gint64 n = toy_size (call);
  float *room = run->workspace;
  float  sum = 0.f;

  for (gint64 i = 0; i < n; i++)
    room[i] = sum += ((const float *) run->input[0])[i] * 0.5f;
  memcpy (run->output[0], room, (gsize) n * sizeof (float));
}

static G_GNUC_UNUSED const HybOp toy_scan = {
  .name = "toy_scan",
  .category = HYB_CATEGORY_REDUCTION,
  .inputs = toy_one,
  .infer_shape = hyb_rule_same_shape,
  .forward = toy_scan_forward,
  .workspace = toy_scan_workspace,
};

/* The same memory, flat. */
static gboolean
toy_flat_infer (HybCall *call, GError **error)
{
  HybShape flat = HYB_SHAPE_UNKNOWN;

  if (hyb_shape_is_known (&call->input[0].shape))
    flat = hyb_shape_1d (hyb_shape_size (&call->input[0].shape));
  return hyb_shape_assign (&call->output[0].shape, &flat, error);
}

static void
toy_flat_forward (const HybCall *call, const HybRun *run)
{
  memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
}

static G_GNUC_UNUSED const HybOp toy_flat = {
  .name = "toy_flat",
  .category = HYB_CATEGORY_MOVEMENT,
  .inputs = toy_one,
  .infer_shape = toy_flat_infer,
  .forward = toy_flat_forward,
  .dtypes = HYB_DTYPES_ALL,
  .view = hyb_rule_view_all,
};

/* The second half of the slowest axis. */
static gboolean
toy_tail_infer (HybCall *call, GError **error)
{
  HybShape half = call->input[0].shape;

  if (half.rank > 0 && half.dim[0] > 0)
    half.dim[0] = half.dim[0] - half.dim[0] / 2;
  return hyb_shape_assign (&call->output[0].shape, &half, error);
}

static gboolean
toy_tail_view (const HybCall *call, guint output, guint *input, gsize *offset)
{
  *input = 0;
  *offset = hyb_type_bytes (&call->input[0]) - hyb_type_bytes (&call->output[0]);
  return TRUE;
}

static void
toy_tail_forward (const HybCall *call, const HybRun *run)
{
  gsize offset = hyb_type_bytes (&call->input[0]) - hyb_type_bytes (&call->output[0]);

  memcpy (run->output[0], (const char *) run->input[0] + offset, hyb_type_bytes (&call->output[0]));
}

static G_GNUC_UNUSED const HybOp toy_tail = {
  .name = "toy_tail",
  .category = HYB_CATEGORY_MOVEMENT,
  .inputs = toy_one,
  .infer_shape = toy_tail_infer,
  .forward = toy_tail_forward,
  .dtypes = HYB_DTYPES_ALL,
  .view = toy_tail_view,
};

/* y = x + number from the run's generator */
static void
toy_noise_forward (const HybCall *call, const HybRun *run)
{
  gint64  n = toy_size (call);
  guint64 seed = hyb_run_random_seed (run);

  for (gint64 i = 0; i < n; i++)
    ((float *) run->output[0])[i] =
        ((const float *) run->input[0])[i] + (float) hyb_random_uniform (seed, (guint64) i);
}

static G_GNUC_UNUSED const HybOp toy_noise = {
  .name = "toy_noise",
  .category = HYB_CATEGORY_ELEMENTWISE,
  .flags = HYB_OP_RANDOM,
  .inputs = toy_one,
  .infer_shape = hyb_rule_same_shape,
  .forward = toy_noise_forward,
};

/* Counts its runs in the state, and gives data plus that count. */
static void
toy_count_forward (const HybCall *call, const HybRun *run)
{
  gint64 n = toy_size (call);
  float *state = (float *) run->input[1];

  state[0] += 1.f;
  for (gint64 i = 0; i < n; i++)
    ((float *) run->output[0])[i] = ((const float *) run->input[0])[i] + state[0];
}

static gboolean
toy_count_infer (HybCall *call, GError **error)
{
  HybShape one = hyb_shape_1d (1);

  return hyb_shape_assign (&call->input[1].shape, &one, error) &&
         hyb_shape_unify (&call->input[0].shape, &call->output[0].shape, error);
}

static const char *const toy_count_inputs[] = { "data", "state", NULL };

static G_GNUC_UNUSED const HybOp toy_count = {
  .name = "toy_count",
  .category = HYB_CATEGORY_NORMALISATION,
  .inputs = toy_count_inputs,
  .mutates = 1u << 1,
  .infer_shape = toy_count_infer,
  .forward = toy_count_forward,
};

/* The positive elements: how many shows only while running. */
static gboolean
toy_positive_infer (HybCall *call, GError **error)
{
  HybShape row = hyb_shape_make (1, NULL);

  return hyb_shape_assign (&call->output[0].shape, &row, error);
}

static gboolean
toy_positive_compute (HybCall          *call,
                      const HybRun     *run,
                      HybTensor *const *inputs,
                      HybTensor       **outputs,
                      GError          **error)
{
  const float *x = hyb_tensor_get_data (inputs[0]);
  gint64       n = hyb_tensor_get_size (inputs[0]);
  gint64       count = 0;
  float       *kept = g_new (float, MAX (n, 1));

  for (gint64 i = 0; i < n; i++)
    if (x[i] > 0)
      kept[count++] = x[i];
  outputs[0] = hyb_tensor_new_float (1, &count, kept);
  g_free (kept);
  return TRUE;
}

static G_GNUC_UNUSED const HybOp toy_positive = {
  .name = "toy_positive",
  .category = HYB_CATEGORY_MOVEMENT,
  .inputs = toy_one,
  .infer_shape = toy_positive_infer,
  .compute = toy_positive_compute,
};

/* A loss: gives its input, wants a label of the same shape. */
static G_GNUC_UNUSED const HybOp toy_loss = {
  .name = "toy_loss",
  .category = HYB_CATEGORY_LOSS,
  .inputs = (const char *const[]){ "data", "label", NULL },
  .constant_inputs = 1u << 1,
  .infer_shape = hyb_rule_same_shape,
  .forward = toy_add_forward,
};

/* Zeros whose shape only the readers know. */
static gboolean
toy_nothing_follows (HybCall *call, GError **error)
{
  return TRUE;
}

static void
toy_zeros_forward (const HybCall *call, const HybRun *run)
{
  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
}

static G_GNUC_UNUSED const HybOp toy_zeros = {
  .name = "toy_zeros",
  .category = HYB_CATEGORY_DATA,
  .inputs = toy_none,
  .infer_shape = toy_nothing_follows,
  .forward = toy_zeros_forward,
};

/* --- Making graphs and tensors --- */

static inline HybValueId
toy_node (HybBuilder *builder, const HybOp *op, const char *name, HybValueId a, HybValueId b)
{
  HybValueId  inputs[2] = { a, b };
  HybNodeSpec spec = { .op = op, .name = name, .inputs = inputs };
  HybNodeId   id;

  spec.n_inputs = a == HYB_NO_ID ? 0 : b == HYB_NO_ID ? 1 : 2;
  id = hyb_builder_add (builder, &spec, NULL);
  g_assert_cmpuint (id, !=, HYB_NO_ID);
  return hyb_builder_output (builder, id, 0);
}

static inline HybTensor *
toy_row (gint64 n, float first)
{
  HybType    type = { hyb_shape_1d (n), HYB_F32 };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);
  float     *x = hyb_tensor_get_data (tensor);

  for (gint64 i = 0; i < n; i++)
    x[i] = first + (float) i;
  return tensor;
}
