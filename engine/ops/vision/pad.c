/* pad.c — Pad: adds cells around images of two or three spatial axes; and the gradient.
 *
 * The mode decides which data cell a padding cell repeats, if any: source_of().  The loops go over
 * rows of the output (KERNELS).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/gradient/by-operands.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

typedef enum
{
  PAD_CONSTANT,
  PAD_EDGE,    /* repeats the outermost cell */
  PAD_REFLECT, /* mirrors the cells at the outermost one, which is not repeated */
} PadMode;

typedef struct
{
  int      mode;
  HybShape pad_width;
  double   constant_value;
} PadParams;

static const char *const mode_names[] = { "constant", "edge", "reflect", NULL };

static const HybParam pad_params[] = {
  { HYB_FIELD (PadParams, mode), HYB_PARAM_ENUM, NULL, .choices = mode_names,
    .doc = "content of the padding" },
  { HYB_FIELD (PadParams, pad_width), HYB_PARAM_SHAPE, NULL,
    .doc = "cells before and after, for each axis" },
  { HYB_FIELD (PadParams, constant_value), HYB_PARAM_FLOAT, "0",
    .doc = "value of the padding in mode constant" },
  { 0 },
};

/* Far above any image, and small enough that sums do not overflow. */
#define MAX_WIDTH (G_GINT64_CONSTANT (1) << 40)

static gboolean
pad_check (gconstpointer values, GError **error)
{
  const PadParams *params = values;
  const HybShape  *width = &params->pad_width;

  if (width->rank != 8 && width->rank != 10)
    return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, "pad_width",
                         "Give two numbers for each axis",
                         "it has %d numbers but needs 8 or 10, for data of 4 or 5 dimensions",
                         MAX (width->rank, 0));

  for (int i = 0; i < width->rank; i++)
    if (width->dim[i] < 0 || width->dim[i] > (i < 4 ? 0 : MAX_WIDTH))
      return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, "pad_width", NULL,
                           i < 4 ? "%" G_GINT64_FORMAT
                                   " cells along batch or channels, but only 0 is supported there"
                                 : "%" G_GINT64_FORMAT " cells, outside 0 to 2⁴⁰",
                           width->dim[i]);

  return TRUE;
}

static gboolean
pad_infer_shape (HybCall *call, GError **error)
{
  const PadParams *params = call->params;
  HybShape        *data = &call->input[0].shape;
  HybShape        *output = &call->output[0].shape;
  int              rank = params->pad_width.rank / 2;
  HybShape         want = hyb_shape_make (rank, NULL);
  HybShape         want_data = want;

  if (!hyb_layer_expect_image (data, "data", rank, error) ||
      !hyb_layer_expect_rank (output, "output", rank, rank, error))
    return FALSE;

  for (int i = 0; i < rank; i++)
    {
      gint64 before = params->pad_width.dim[2 * i], after = params->pad_width.dim[2 * i + 1];

      if (data->rank == rank && data->dim[i] != HYB_UNKNOWN)
        {
          want.dim[i] = data->dim[i] + before + after;
          if ((params->mode == PAD_REFLECT && MAX (before, after) >= data->dim[i] &&
               MAX (before, after) > 0) ||
              (params->mode == PAD_EDGE && data->dim[i] == 0 && before + after > 0))
            return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, "data", NULL,
                                 "axis %d has %" G_GINT64_FORMAT
                                 " cells, too few for %" G_GINT64_FORMAT " of padding",
                                 i, data->dim[i], MAX (before, after));
        }
      if (output->rank == rank && output->dim[i] >= before + after)
        want_data.dim[i] = output->dim[i] - before - after;
    }

  return hyb_layer_expect (output, "output", &want, error) &&
         hyb_layer_expect (data, "data", &want_data, error);
}

/* Sizes of data (inside) and output (outside) and the padding before the data.  Always five axes;
 * missing ones are the first, of size 1. */
typedef struct
{
  PadMode mode;
  double  constant;
  gint64  inside[5], outside[5], before[5];
} PadGeometry;

static PadGeometry
pad_geometry (const PadParams *params, const HybShape *data, const HybShape *output)
{
  PadGeometry geometry = { .mode = (PadMode) params->mode, .constant = params->constant_value };

  for (int i = 0; i < 5; i++)
    {
      int from = i - (5 - data->rank);

      geometry.inside[i] = from < 0 ? 1 : data->dim[from];
      geometry.outside[i] = from < 0 ? 1 : output->dim[from];
      geometry.before[i] = from < 0 ? 0 : params->pad_width.dim[2 * from];
    }

  return geometry;
}

/* The data cell that an output cell repeats along one axis; −1 if it holds the constant. */
static inline gint64
source_of (const PadGeometry *geometry, int axis, gint64 position)
{
  gint64 at = position - geometry->before[axis], size = geometry->inside[axis];

  if (at >= 0 && at < size)
    return at;

  switch (geometry->mode)
    {
    case PAD_CONSTANT:
      return -1;
    case PAD_EDGE:
      return at < 0 ? 0 : size - 1;
    case PAD_REFLECT:
      return at < 0 ? -at : 2 * (size - 1) - at;
    }
  return -1;
}

/* The data row that an output row repeats; −1 if it holds the constant.  Rows are numbered over the
 * first four axes. */
static gint64
source_row (const PadGeometry *geometry, gint64 row)
{
  gint64 from = 0, scale = 1;

  for (int axis = 3; axis >= 0; axis--)
    {
      gint64 at = source_of (geometry, axis, row % geometry->outside[axis]);

      if (at < 0)
        return -1;
      from += at * scale;
      scale *= geometry->inside[axis];
      row /= geometry->outside[axis];
    }

  return from;
}

/* pad fills the output; accumulate adds each output gradient to the data cell it repeats. */
#define KERNELS(T, suffix)                                                                         \
  static void pad_##suffix (const PadGeometry *geometry, const T *x, T *y)                         \
  {                                                                                                \
    gint64 rows =                                                                                  \
        geometry->outside[0] * geometry->outside[1] * geometry->outside[2] * geometry->outside[3]; \
                                                                                                   \
    for (gint64 row = 0; row < rows; row++, y += geometry->outside[4])                             \
      {                                                                                            \
        gint64 from = source_row (geometry, row);                                                  \
                                                                                                   \
        for (gint64 k = 0; k < geometry->outside[4]; k++)                                          \
          {                                                                                        \
            gint64 at = from < 0 ? -1 : source_of (geometry, 4, k);                                \
                                                                                                   \
            y[k] = at < 0 ? (T) geometry->constant : x[from * geometry->inside[4] + at];           \
          }                                                                                        \
      }                                                                                            \
  }                                                                                                \
                                                                                                   \
  static void accumulate_##suffix (const PadGeometry *geometry, const T *dy, T *dx)                \
  {                                                                                                \
    gint64 rows =                                                                                  \
        geometry->outside[0] * geometry->outside[1] * geometry->outside[2] * geometry->outside[3]; \
                                                                                                   \
    for (gint64 row = 0; row < rows; row++, dy += geometry->outside[4])                            \
      {                                                                                            \
        gint64 from = source_row (geometry, row);                                                  \
                                                                                                   \
        for (gint64 k = 0; from >= 0 && k < geometry->outside[4]; k++)                             \
          {                                                                                        \
            gint64 at = source_of (geometry, 4, k);                                                \
                                                                                                   \
            if (at >= 0)                                                                           \
              dx[from * geometry->inside[4] + at] += dy[k];                                        \
          }                                                                                        \
      }                                                                                            \
  }

KERNELS (float, f32)
KERNELS (double, f64)

#undef KERNELS

static void
pad_forward (const HybCall *call, const HybRun *run)
{
  PadGeometry geometry = pad_geometry (call->params, &call->input[0].shape, &call->output[0].shape);

  if (call->output[0].dtype == HYB_F64)
    pad_f64 (&geometry, run->input[0], run->output[0]);
  else
    pad_f32 (&geometry, run->input[0], run->output[0]);
}

/* Inputs: gradient. */
static void
pad_backward (const HybCall *call, const HybRun *run)
{
  PadGeometry geometry = pad_geometry (call->params, &call->output[0].shape, &call->input[0].shape);

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  if (call->output[0].dtype == HYB_F64)
    accumulate_f64 (&geometry, run->input[0], run->output[0]);
  else
    accumulate_f32 (&geometry, run->input[0], run->output[0]);
}

static const char *const pad_aliases[] = { "pad", NULL };
static const char *const pad_inputs[] = { "data", NULL };
static const char *const backward_inputs[] = { "gradient", NULL };

const HybOp hyb_ops_pad[] = {
  {
      .name = "Pad",
      .aliases = pad_aliases,
      .doc = "Adds cells around images.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = pad_inputs,
      HYB_PARAMS (pad_params, PadParams),
      .check = pad_check,
      .infer_shape = pad_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = pad_forward,
      .gradient = hyb_gradient_by_operands,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_backward_Pad",
      .doc = "Gradient of Pad: sums over the output cells that repeat a data cell.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "Pad",
      .operands = "g0 > i0",
      .inputs = backward_inputs,
      HYB_PARAMS (pad_params, PadParams),
      .check = pad_check,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = pad_backward,
  },
  { 0 },
};
