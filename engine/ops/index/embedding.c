/* embedding.c — Embedding: looks up a row of a table for every index; and its gradient.
 *
 * data (indices …), weight (input_dim, output_dim), output (indices …, output_dim).  The gradient adds
 * each row of the incoming gradient to the row of the table that was looked up.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/gradient/by-operands.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

#include "engine/kernels/vectorise.h"

typedef struct
{
  gint64   input_dim, output_dim;
  HybDType dtype;
  gboolean sparse_grad;
} EmbeddingParams;

static const HybParam embedding_params[] = {
  { HYB_FIELD (EmbeddingParams, input_dim), HYB_PARAM_INT, NULL, .low = 1, .high = G_MAXINT32,
    .doc = "rows of the table" },
  { HYB_FIELD (EmbeddingParams, output_dim), HYB_PARAM_INT, NULL, .low = 1, .high = G_MAXINT32,
    .doc = "length of a row" },
  { HYB_FIELD (EmbeddingParams, dtype), HYB_PARAM_DTYPE, "float32",
    .doc = "element type of the table if nothing else determines it" },
  { HYB_FIELD (EmbeddingParams, sparse_grad), HYB_PARAM_BOOL, "False", .doc = "has no effect" },
  { 0 },
};

/* The output has the shape of the indices followed by output_dim; inferred in both directions. */
static gboolean
embedding_infer_shape (HybCall *call, GError **error)
{
  const EmbeddingParams *params = call->params;
  HybShape              *data = &call->input[0].shape;
  HybShape              *output = &call->output[0].shape;
  HybShape               table = hyb_shape_2d (params->input_dim, params->output_dim);
  HybShape               want;

  if (!hyb_layer_expect (&call->input[1].shape, "weight", &table, error))
    return FALSE;

  if (data->rank == HYB_UNKNOWN && output->rank > 0)
    {
      want = *output;
      want.rank--;
      if (!hyb_layer_expect (data, "data", &want, error))
        return FALSE;
    }
  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  if (!hyb_layer_expect_rank (data, "data", 0, HYB_MAX_RANK - 1, error))
    return FALSE;

  want = *data;
  want.dim[want.rank++] = params->output_dim;
  if (!hyb_layer_expect (output, "output", &want, error))
    return FALSE;

  want = *output;
  want.rank--;
  return hyb_layer_expect (data, "data", &want, error);
}

/* Indices may have any dtype; the output has that of the table. */
static gboolean
embedding_infer_dtype (HybCall *call, GError **error)
{
  const EmbeddingParams *params = call->params;

  if (call->input[1].dtype == HYB_DTYPE_UNKNOWN && call->output[0].dtype == HYB_DTYPE_UNKNOWN)
    call->input[1].dtype = params->dtype;

  return hyb_dtype_unify (&call->input[1].dtype, &call->output[0].dtype, error);
}

/* Indices outside of the table are clamped to its first or last row, as in MXNet. */
static gint64
row_of (const EmbeddingParams *params, gconstpointer indices, HybDType dtype, gint64 i)
{
  return CLAMP (hyb_dtype_get_int (indices, dtype, (gsize) i), 0, params->input_dim - 1);
}

static void
embedding_forward (const HybCall *call, const HybRun *run)
{
  const EmbeddingParams *params = call->params;
  gsize                  row = hyb_dtype_size (call->output[0].dtype) * (gsize) params->output_dim;

  for (gint64 i = 0; i < hyb_shape_size (&call->input[0].shape); i++)
    memcpy ((char *) run->output[0] + (gsize) i * row,
            (const char *) run->input[1] +
                (gsize) row_of (params, run->input[0], call->input[0].dtype, i) * row,
            row);
}

#define ADD_ROWS(name, T)                                                                     \
  static void name (const HybCall *call, const HybRun *run)                                   \
  {                                                                                           \
    const EmbeddingParams *params = call->params;                                             \
    const T               *from = run->input[0];                                              \
                                                                                              \
    for (gint64 i = 0; i < hyb_shape_size (&call->input[1].shape);                            \
         i++, from += params->output_dim)                                                     \
      {                                                                                       \
        T *to = (T *) run->output[0] +                                                        \
                row_of (params, run->input[1], call->input[1].dtype, i) * params->output_dim; \
                                                                                              \
        for (gint64 k = 0; k < params->output_dim; k++)                                       \
          to[k] += from[k];                                                                   \
      }                                                                                       \
  }

ADD_ROWS (add_rows_f32, float)
ADD_ROWS (add_rows_f64, double)

#undef ADD_ROWS

static void
embedding_backward (const HybCall *call, const HybRun *run)
{
  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  if (call->output[0].dtype == HYB_F64)
    add_rows_f64 (call, run);
  else
    add_rows_f32 (call, run);
}

/* Of the table only the rows that are looked up are read. */
static void
embedding_cost (const HybCall *call, HybCost *cost)
{
  cost->flops = 0;
  cost->bytes_written = (double) hyb_type_bytes (&call->output[0]);
  cost->bytes_read = cost->bytes_written + (double) hyb_type_bytes (&call->input[0]);
}

static const char *const embedding_inputs[] = { "data", "weight", NULL };
static const char *const backward_inputs[] = { "gradient", "data", NULL };

const HybOp hyb_ops_embedding[] = {
  {
      .name = "Embedding",
      .aliases = (const char *const[]){ "_contrib_SparseEmbedding", NULL },
      .doc = "Looks up a row of a table for every index.",
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = embedding_inputs,
      .constant_inputs = 1u << 0,
      HYB_PARAMS (embedding_params, EmbeddingParams),
      .infer_shape = embedding_infer_shape,
      .infer_dtype = embedding_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = embedding_forward,
      .gradient = hyb_gradient_by_operands,
      .cost = embedding_cost,
  },
  {
      .name = "_backward_Embedding",
      .doc = "Gradient of Embedding with respect to its table: the sum for each row over all "
             "look-ups.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .gradient_of = "Embedding",
      .operands = "g0 i0 > i1",
      .inputs = backward_inputs,
      .row_sum_inputs = 1u << 0 | 1u << 1,
      HYB_PARAMS (embedding_params, EmbeddingParams),
      .infer_dtype = hyb_rule_dtype_first,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = embedding_backward,
      .flops_per_input = 1,
  },
  { 0 },
};
