/* group-norm.c — GroupNorm, InstanceNorm and their gradients, as engine/ops/nn/group-norm.c defines them.
 *
 * A line is one group of one sample, whose elements lie side by side.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/lines.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/types.h"

/* The groups of a sample: in InstanceNorm, which has no such attribute, its channels. */
static gint64
count_groups (const HybCall *call, const HybShape *data)
{
  return hyb_cuda_get_int (call, "num_groups", data->dim[1]);
}

static void
lay_groups (HybLines *lines, const HybCall *call, const HybShape *data)
{
  gint64 groups = count_groups (call, data), n = data->dim[0] * groups;

  hyb_lines_lay (lines, n, n > 0 ? hyb_shape_size (data) / n : 0, 1);
  lines->cycle = groups;
}

static gpointer
forward_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  HybLines lines = {
    .computed = hyb_cuda_computed_type (call->op, call->output[0].dtype),
    .pass = { HYB_LINES_SUM ("x0"),
              HYB_LINES_SUM ("((double) x0 - r0 / n) * ((double) x0 - r0 / n)") },
    .then = "const double deviation = sqrt (r1 / n + a.s[0]);"
            " const T mean = (T) (r0 / n), scale = (T) (1 / deviation) * x1;",
    .number = { hyb_cuda_get_double (call, "eps") },
  };

  lay_groups (&lines, call, &call->input[0].shape);
  hyb_lines_add_input (&lines, call->input[0].dtype, HYB_LINES_FULL, NULL);
  hyb_lines_add_input (&lines, call->input[1].dtype, HYB_LINES_CYCLE, NULL);
  hyb_lines_add_input (&lines, call->input[2].dtype, HYB_LINES_CYCLE, NULL);
  hyb_lines_add_output (&lines, call->output[0].dtype, HYB_LINES_FULL, "(x0 - mean) * scale + x2");
  hyb_lines_add_output (&lines, call->output[1].dtype, HYB_LINES_LINE, "mean");
  hyb_lines_add_output (&lines, call->output[2].dtype, HYB_LINES_LINE, "deviation");
  return hyb_lines_new (device, &lines, error);
}

/* --- Gradients.  Inputs: gradient, data, gamma, mean, deviation --- */

typedef struct
{
  HybLinesKernel *data; /* and for each line the sums of dy x̂ and dy, to the workspace */
  HybLinesKernel *parameters;
  gint64          lines;
} Prepared;

static void
backward_release (gpointer data)
{
  Prepared *prepared = data;

  g_free (prepared->data);
  g_free (prepared->parameters);
  g_free (prepared);
}

static HybLinesKernel *
prepare_data (HybDevice *device, const HybCall *call, GError **error)
{
  HybLines lines = {
    .computed = hyb_cuda_computed_type (call->op, call->output[0].dtype),
    .first = "const T inverse = 1 / x4;",
    .pass = { HYB_LINES_SUM ("x0"), HYB_LINES_SUM ("(double) x0 * (double) (x1 - x3)") },
    .then = "const double product = r1 * (double) inverse;"
            " const T mean = (T) (r0 / n), mean_product = (T) (product / n);",
  };

  lay_groups (&lines, call, &call->input[1].shape);
  hyb_lines_add_input (&lines, call->input[0].dtype, HYB_LINES_FULL, NULL);
  hyb_lines_add_input (&lines, call->input[1].dtype, HYB_LINES_FULL, NULL);
  hyb_lines_add_input (&lines, call->input[2].dtype, HYB_LINES_CYCLE, NULL);
  hyb_lines_add_input (&lines, call->input[3].dtype, HYB_LINES_LINE, NULL);
  hyb_lines_add_input (&lines, call->input[4].dtype, HYB_LINES_LINE, NULL);
  hyb_lines_add_output (&lines, call->output[0].dtype, HYB_LINES_FULL,
                        "x2 * inverse * (x0 - mean - (x1 - x3) * inverse * mean_product)");
  hyb_lines_add_output (&lines, HYB_F64, HYB_LINES_LINE, "product");
  hyb_lines_add_output (&lines, HYB_F64, HYB_LINES_LINE, "r0");
  return hyb_lines_new (device, &lines, error);
}

/* The sums of all samples for each group. */
static HybLinesKernel *
prepare_parameters (HybDevice *device, const HybCall *call, GError **error)
{
  const HybShape *shape = &call->input[1].shape;
  HybLines lines = { .computed = HYB_F64, .pass = { HYB_LINES_SUM ("x0"), HYB_LINES_SUM ("x1") } };

  hyb_lines_lay (&lines, 1, shape->dim[0], count_groups (call, shape));
  hyb_lines_add_input (&lines, HYB_F64, HYB_LINES_FULL, NULL);
  hyb_lines_add_input (&lines, HYB_F64, HYB_LINES_FULL, NULL);
  hyb_lines_add_output (&lines, call->output[1].dtype, HYB_LINES_LINE, "r0");
  hyb_lines_add_output (&lines, call->output[2].dtype, HYB_LINES_LINE, "r1");
  return hyb_lines_new (device, &lines, error);
}

static gpointer
backward_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  const HybShape *shape = &call->input[1].shape;
  Prepared       *prepared = g_new0 (Prepared, 1);

  prepared->lines = shape->dim[0] * count_groups (call, shape);
  *workspace = 2 * (gsize) prepared->lines * sizeof (double);
  prepared->data = prepare_data (device, call, error);
  if (prepared->data)
    prepared->parameters = prepare_parameters (device, call, error);
  if (!prepared->parameters)
    g_clear_pointer (&prepared, backward_release);
  return prepared;
}

static void
backward_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer data)
{
  const Prepared *prepared = data;
  double         *sums = run->workspace;

  hyb_lines_launch (queue, prepared->data, run->input,
                    (gpointer[]){ run->output[0], sums, sums + prepared->lines });
  hyb_lines_launch (queue, prepared->parameters, (gconstpointer[]){ sums, sums + prepared->lines },
                    run->output + 1);
}

#define BACKWARD_OP(id)                                                 \
  {                                                                     \
    .name = id, .prepare = backward_prepare, .launch = backward_launch, \
    .release = backward_release                                         \
  }

const HybDeviceOp hyb_cuda_ops_group_norm[] = {
  HYB_LINES_OP ("GroupNorm", forward_prepare),
  HYB_LINES_OP ("InstanceNorm", forward_prepare),
  BACKWARD_OP ("_backward_GroupNorm"),
  BACKWARD_OP ("_backward_InstanceNorm"),
  { NULL },
};
