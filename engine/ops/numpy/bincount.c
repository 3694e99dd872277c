/* bincount.c — _npi_bincount: how often each whole number occurs, or the sum of the weights behind it.
 *
 * The length of the result depends on the largest number, so usually bincount_compute() runs, not
 * bincount_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/run-memory.h"

#include <string.h>

typedef struct
{
  gint64   minlength;
  gboolean has_weights;
} BincountParams;

static const HybParam bincount_params[] = {
  { HYB_FIELD (BincountParams, minlength), HYB_PARAM_INT, "0", .low = 0, .high = G_MAXINT32,
    .doc = "the least length of the result" },
  { HYB_FIELD (BincountParams, has_weights), HYB_PARAM_BOOL, "False",
    .doc = "whether there are weights" },
  { 0 },
};

static void
bincount_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = ((const BincountParams *) values)->has_weights ? 2 : 1;
  *n_outputs = 1;
}

static gboolean
bincount_infer_shape (HybCall *call, GError **error)
{
  HybShape out = hyb_shape_1d (HYB_UNKNOWN);

  for (guint i = 0; i < call->n_inputs; i++)
    if (!hyb_layer_expect_rank (&call->input[i].shape, i ? "weights" : "data", 1, 1, error))
      return FALSE;
  return (call->n_inputs < 2 ||
          hyb_shape_unify (&call->input[0].shape, &call->input[1].shape, error)) &&
         hyb_shape_assign (&call->output[0].shape, &out, error);
}

/* The type of the weights; without weights that of the data, which cannot be a float. */
static gboolean
bincount_infer_dtype (HybCall *call, GError **error)
{
  HybDType data = call->input[0].dtype;

  if (data != HYB_DTYPE_UNKNOWN && hyb_dtype_is_float (data))
    return hyb_refuse_types (error, "Cast the data to int64",
                             "the data are %s, but only whole numbers can be counted",
                             hyb_dtype_name (data));
  return hyb_dtype_unify (&call->input[call->n_inputs - 1].dtype, &call->output[0].dtype, error);
}

/* Adds each element to its place in the result of n places; others are left out. */
static void
count_elements (const HybCall *call,
                gconstpointer  data,
                gconstpointer  weights,
                gpointer       to,
                gint64         n)
{
  HybDType dtype = call->output[0].dtype;
  gint64   length = call->input[0].shape.dim[0];

  memset (to, 0, (gsize) n * hyb_dtype_size (dtype));
  for (gint64 i = 0; i < length; i++)
    {
      gint64 place = hyb_dtype_get_int (data, call->input[0].dtype, (gsize) i);
      double weight = weights ? hyb_dtype_get_double (weights, call->input[1].dtype, (gsize) i) : 1;

      if (place >= 0 && place < n)
        hyb_dtype_set_double (to, dtype, (gsize) place,
                              hyb_dtype_get_double (to, dtype, (gsize) place) + weight);
    }
}

/* Runs only where the length is inferred from the consumers. */
static void
bincount_forward (const HybCall *call, const HybRun *run)
{
  count_elements (call, run->input[0], call->n_inputs > 1 ? run->input[1] : NULL, run->output[0],
                  call->output[0].shape.dim[0]);
}

static gboolean
bincount_compute (HybCall          *call,
                  const HybRun     *run,
                  HybTensor *const *inputs,
                  HybTensor       **outputs,
                  GError          **error)
{
  gconstpointer data = hyb_tensor_get_data (inputs[0]);
  HybType       out = { .dtype = call->input[call->n_inputs - 1].dtype };
  gint64        n = ((const BincountParams *) call->params)->minlength;

  for (gint64 i = 0; i < call->input[0].shape.dim[0]; i++)
    {
      gint64 place = hyb_dtype_get_int (data, call->input[0].dtype, (gsize) i);

      if (place < 0 || place == G_MAXINT64)
        return hyb_refuse_types (error, "Count numbers that are not negative",
                                 "element %" G_GINT64_FORMAT " is %" G_GINT64_FORMAT, i, place);
      n = MAX (n, place + 1);
    }
  out.shape = hyb_shape_1d (n);
  outputs[0] = hyb_run_new_output (run, &out, error);
  if (!outputs[0])
    return FALSE;
  call->output[0] = out;
  count_elements (call, data, call->n_inputs > 1 ? hyb_tensor_get_data (inputs[1]) : NULL,
                  hyb_tensor_get_data (outputs[0]), n);
  return TRUE;
}

static const char *const bincount_inputs[] = { "data", "weights", NULL };

const HybOp hyb_ops_bincount[] = {
  {
      .name = "_npi_bincount",
      .doc = "How often each whole number occurs, or the sum of the weights of its elements.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = bincount_inputs,
      HYB_PARAMS (bincount_params, BincountParams),
      .arity = bincount_arity,
      .infer_shape = bincount_infer_shape,
      .infer_dtype = bincount_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = bincount_forward,
      .compute = bincount_compute,
  },
  { 0 },
};
