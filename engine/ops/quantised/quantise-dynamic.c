/* quantise-dynamic.c — _quantise_dynamically: floats as uint8, with a scale and a zero point from their range.
 *
 * ONNX's DynamicQuantizeLinear: the range is widened to hold 0, 255 steps cover it, and 0 is stored exactly.  A range of
 * nothing but 0 has scale 1.  NaN does not count.  Start with quantise_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/quantise-linear.h"

#include "engine/base/parallel.h"
#include "engine/kernels/each.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>

#define LEVELS 255

static gboolean
quantise_infer_shape (HybCall *call, GError **error)
{
  HybShape scalar = hyb_shape_make (0, NULL);

  return hyb_shape_unify (&call->input[0].shape, &call->output[0].shape, error) &&
         hyb_shape_assign (&call->output[1].shape, &scalar, error) &&
         hyb_shape_assign (&call->output[2].shape, &scalar, error);
}

static gboolean
quantise_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_assign (&call->input[0].dtype, HYB_F32, error) &&
         hyb_dtype_assign (&call->output[0].dtype, HYB_U8, error) &&
         hyb_dtype_assign (&call->output[1].dtype, HYB_F32, error) &&
         hyb_dtype_assign (&call->output[2].dtype, HYB_U8, error);
}

/* The lower and upper limit of each slice. */
typedef struct
{
  const float *x;
  gint64       n, n_slices;
  float       *limits;
} Limits;

static void
find_limits (gint64 begin, gint64 end, gpointer data)
{
  const Limits *self = data;

  for (gint64 i = begin; i < end; i++)
    {
      gint64 first = i * HYB_EACH_GRAIN;

      hyb_float_limits (MIN (HYB_EACH_GRAIN, self->n - first), self->x + first,
                        self->limits + 2 * i);
    }
}

typedef struct
{
  const float *x;
  guint8      *y;
  HybLinearRow row;
} Rounding;

static void
round_slice (gint64 begin, gint64 end, gpointer data)
{
  const Rounding *self = data;
  HybLinearRow    row = self->row;

  row.n = end - begin;
  hyb_quantise_loop (HYB_U8) (&row, self->x + begin, self->y + begin);
}

static gint64
n_slices (gint64 n)
{
  return (n + HYB_EACH_GRAIN - 1) / HYB_EACH_GRAIN;
}

static gsize
quantise_workspace (const HybCall *call)
{
  return (gsize) n_slices (hyb_shape_size (&call->input[0].shape)) * 2 * sizeof (float);
}

static void
quantise_forward (const HybCall *call, const HybRun *run)
{
  gint64   n = hyb_shape_size (&call->input[0].shape);
  Limits   limits = { run->input[0], n, n_slices (n), run->workspace };
  float    low = 0, high = 0, scale, zero;
  Rounding rounding = { .x = run->input[0], .y = run->output[0] };

  hyb_parallel_for (limits.n_slices, 1, find_limits, &limits);
  for (gint64 i = 0; i < limits.n_slices; i++)
    {
      low = MIN (low, limits.limits[2 * i]);
      high = MAX (high, limits.limits[2 * i + 1]);
    }
  scale = (high - low) / LEVELS;
  if (scale == 0)
    scale = 1;
  zero = rintf (-low / scale);
  zero = zero >= 0 ? MIN (zero, LEVELS) : 0;
  ((float *) run->output[1])[0] = scale;
  ((guint8 *) run->output[2])[0] = (guint8) zero;
  rounding.row = (HybLinearRow){ .scale = &scale, .zero = &zero };
  hyb_parallel_for (n, HYB_EACH_GRAIN, round_slice, &rounding);
}

const HybOp hyb_ops_quantise_dynamic[] = {
  { .name = "_quantise_dynamically",
    .doc = "Floats as uint8, with the scale and the zero point of their range.",
    .category = HYB_CATEGORY_ELEMENTWISE,
    .flags = HYB_OP_NO_GRADIENT | HYB_OP_INTERNAL,
    .inputs = (const char *const[]){ "data", NULL },
    .outputs = (const char *const[]){ "output", "scale", "zero", NULL },
    .infer_shape = quantise_infer_shape,
    .infer_dtype = quantise_infer_dtype,
    .dtypes = HYB_DTYPE_BIT (HYB_F32) | HYB_DTYPE_BIT (HYB_U8),
    .workspace = quantise_workspace,
    .forward = quantise_forward,
    .flops_per_input = 3 },
  { 0 },
};
