/* count-sketch.c — _contrib_count_sketch: adds the elements of each row, with a sign, into fewer places:
 * out[h[i]] += s[i] data[i].
 *
 * MXNet computes it on GPUs only.  A place outside of the result is reported, and nothing
 * is added.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-operands.h"
#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

typedef struct
{
  gint64 out_dim, processing_batch_size;
} SketchParams;

static const HybParam sketch_params[] = {
  { HYB_FIELD (SketchParams, out_dim), HYB_PARAM_INT, NULL, 1, G_MAXINT32,
    .doc = "places of a row of the result" },
  { HYB_FIELD (SketchParams, processing_batch_size), HYB_PARAM_INT, "32",
    .doc = "rows that MXNet computes at once; has no effect" },
  { 0 },
};

/* h and s are (…, n): n is the last size of data.  How many rows they have does not follow; the first is read. */
static gboolean
infer_table (HybShape *table, const char *name, gint64 *n, GError **error)
{
  if (!hyb_layer_expect_rank (table, name, 2, 2, error))
    return FALSE;
  if (table->rank == HYB_UNKNOWN)
    *table = hyb_shape_2d (HYB_UNKNOWN, HYB_UNKNOWN);
  return hyb_dim_unify (&table->dim[1], n, "the lengths of the rows of data and of the tables",
                        error);
}

/* data: (rows …, n), out: (rows …, out_dim). */
static gboolean
infer (HybCall *call, HybShape *data, HybShape *out, GError **error)
{
  const SketchParams *params = call->params;
  HybShape            want;

  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  if (data->rank != 2 && data->rank != 4)
    return hyb_refuse_types (error, "Reshape it", "data has %d dimensions, but should have 2 or 4",
                             data->rank);
  if (!infer_table (&call->input[1].shape, "h", &data->dim[data->rank - 1], error) ||
      !infer_table (&call->input[2].shape, "s", &data->dim[data->rank - 1], error))
    return FALSE;

  want = *data;
  want.dim[data->rank - 1] = params->out_dim;
  return hyb_shape_assign (out, &want, error);
}

static gboolean
sketch_infer_shape (HybCall *call, GError **error)
{
  return infer (call, &call->input[0].shape, &call->output[0].shape, error);
}

/* Adds a row of the data to the sketch, or the gradient of the sketch to the gradient of the
 * data. */
static void
sketch_forward (const HybCall *call, const HybRun *run)
{
  const HybShape *data = &call->input[0].shape;
  HybDType        dtype = call->input[0].dtype;
  gint64          n = data->dim[data->rank - 1], rows = hyb_shape_count (data, 0, data->rank - 1);
  gint64          places = ((const SketchParams *) call->params)->out_dim;

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  for (gint64 row = 0; row < rows; row++)
    for (gint64 i = 0; i < n; i++)
      {
        gint64 place = hyb_dtype_get_int (run->input[1], call->input[1].dtype, (gsize) i);
        gsize  to = (gsize) (row * places + place);
        double term = hyb_dtype_get_double (run->input[2], call->input[2].dtype, (gsize) i) *
                      hyb_dtype_get_double (run->input[0], dtype, (gsize) (row * n + i));

        if (place < 0 || place >= places)
          hyb_run_report_index (run, data->rank - 1, (double) place, places);
        else
          hyb_dtype_set_double (run->output[0], dtype, to,
                                hyb_dtype_get_double (run->output[0], dtype, to) + term);
      }
}

static void
sketch_backward (const HybCall *call, const HybRun *run)
{
  const HybShape *data = &call->output[0].shape;
  gint64          n = data->dim[data->rank - 1], rows = hyb_shape_count (data, 0, data->rank - 1);
  gint64          places = ((const SketchParams *) call->params)->out_dim;

  for (gint64 row = 0; row < rows; row++)
    for (gint64 i = 0; i < n; i++)
      {
        gint64 place = hyb_dtype_get_int (run->input[1], call->input[1].dtype, (gsize) i);
        double sign = hyb_dtype_get_double (run->input[2], call->input[2].dtype, (gsize) i);
        double slope = hyb_dtype_get_double (run->input[0], call->input[0].dtype,
                                             (gsize) (row * places + CLAMP (place, 0, places - 1)));

        hyb_dtype_set_double (run->output[0], call->output[0].dtype, (gsize) (row * n + i),
                              sign * slope);
      }
}

static const char *const sketch_inputs[] = { "data", "h", "s", NULL };
static const char *const backward_inputs[] = { "gradient", "h", "s", "data", NULL };

const HybOp hyb_ops_count_sketch[] = {
  {
      .name = "_contrib_count_sketch",
      .doc = "Adds the elements of each row, with a sign, into fewer places.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = sketch_inputs,
      .constant_inputs = 1 << 1 | 1 << 2,
      HYB_PARAMS (sketch_params, SketchParams),
      .infer_shape = sketch_infer_shape,
      .dtypes = HYB_DTYPES_ALL,
      .forward = sketch_forward,
      .gradient = hyb_gradient_by_operands,
      .flops_per_input = 2,
  },
  {
      .name = "_backward_count_sketch",
      .doc = "Gradient of _contrib_count_sketch.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "_contrib_count_sketch",
      .operands = "g0 i1 i2 i0 > i0",
      .inputs = backward_inputs,
      .constant_inputs = 1 << 1 | 1 << 2,
      HYB_PARAMS (sketch_params, SketchParams),
      .dtypes = HYB_DTYPES_ALL,
      .forward = sketch_backward,
      .flops_per_input = 2,
  },
  { 0 },
};
