/* numpy-source.c — _npi_eye, _npi_identity, _npi_full_like, _npi_indices, _npi_logspace, _npi_hanning,
 * _npi_hamming, _npi_blackman, _npi_tril and _triu: constants, ranges and windows of the NumPy interface.
 *
 * Numbers are computed as doubles and converted to the type of the result.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/parallel.h"
#include "engine/gradient/by-formula.h"
#include "engine/kernels/each.h"
#include "engine/kernels/fill.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>
#include <string.h>

/* Shared by all operators; the table of each lists the members that it has. */
typedef struct
{
  HybShape shape, dimensions;
  char    *ctx;
  HybDType dtype;
  gint64   N, M, k, num;
  double   fill_value, start, stop, base;
  gboolean endpoint;
} SourceParams;

#define DEVICE_PARAM                                                                        \
  {                                                                                         \
    HYB_FIELD (SourceParams, ctx), HYB_PARAM_STRING, "", .doc = "device in MXNet; not used" \
  }
#define DTYPE_PARAM(fallback)                                                         \
  {                                                                                   \
    HYB_FIELD (SourceParams, dtype), HYB_PARAM_DTYPE, fallback, .doc = "element type" \
  }
#define DIAGONAL_PARAM                                                        \
  {                                                                           \
    HYB_FIELD (SourceParams, k), HYB_PARAM_INT, "0",                          \
        .low = -(double) G_MAXINT32, .high = G_MAXINT32,                      \
        .doc = "number of the diagonal; positive ones are above the main one" \
  }

static const HybParam eye_params[] = {
  { HYB_FIELD (SourceParams, N), HYB_PARAM_INT, NULL, .low = 0, .high = G_MAXINT32, .doc = "rows" },
  { HYB_FIELD (SourceParams, M), HYB_PARAM_OPTIONAL_INT, "None",
    .doc = "columns; None: as many as rows" },
  DIAGONAL_PARAM,
  DEVICE_PARAM,
  DTYPE_PARAM ("float32"),
  { 0 },
};

static const HybParam identity_params[] = {
  { HYB_FIELD (SourceParams, shape), HYB_PARAM_SHAPE, "()", .doc = "rows and columns" },
  DEVICE_PARAM,
  DTYPE_PARAM ("float32"),
  { 0 },
};

static const HybParam full_like_params[] = {
  { HYB_FIELD (SourceParams, fill_value), HYB_PARAM_FLOAT, NULL, .doc = "value of all elements" },
  DEVICE_PARAM,
  DTYPE_PARAM ("None"),
  { 0 },
};

static const HybParam indices_params[] = {
  { HYB_FIELD (SourceParams, dimensions), HYB_PARAM_SHAPE, NULL, .doc = "shape of the grid" },
  DTYPE_PARAM ("int32"),
  DEVICE_PARAM,
  { 0 },
};

static const HybParam logspace_params[] = {
  { HYB_FIELD (SourceParams, start), HYB_PARAM_FLOAT, NULL, .doc = "exponent of the first number" },
  { HYB_FIELD (SourceParams, stop), HYB_PARAM_FLOAT, NULL, .doc = "exponent of the last number" },
  { HYB_FIELD (SourceParams, num), HYB_PARAM_INT, NULL, .low = 0, .high = G_MAXINT32,
    .doc = "how many numbers" },
  { HYB_FIELD (SourceParams, endpoint), HYB_PARAM_BOOL, "True",
    .doc = "whether stop is the last exponent" },
  { HYB_FIELD (SourceParams, base), HYB_PARAM_FLOAT, "10.0", .doc = "base of the powers" },
  DEVICE_PARAM,
  DTYPE_PARAM ("float32"),
  { 0 },
};

static const HybParam window_params[] = {
  { HYB_FIELD (SourceParams, M), HYB_PARAM_OPTIONAL_INT, "None", .doc = "how many numbers" },
  DEVICE_PARAM,
  DTYPE_PARAM ("float32"),
  { 0 },
};

static const HybParam tril_params[] = { DIAGONAL_PARAM, { 0 } };

#undef DEVICE_PARAM
#undef DTYPE_PARAM
#undef DIAGONAL_PARAM

static gboolean
source_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_assign (&call->output[0].dtype, ((const SourceParams *) call->params)->dtype,
                           error);
}

static gboolean
is_too_large (gint64 size, GError **error)
{
  return size < 0 || size > G_MAXINT32 ? !hyb_refuse_attribute (error, "Give a size of at least 0",
                                                                "a size is %" G_GINT64_FORMAT, size)
                                       : FALSE;
}

/* --- Matrices with ones on a diagonal --- */

static gboolean
eye_check (gconstpointer values, GError **error)
{
  const SourceParams *params = values;

  return params->M == HYB_NONE || !is_too_large (params->M, error);
}

static gboolean
eye_infer_shape (HybCall *call, GError **error)
{
  const SourceParams *params = call->params;
  HybShape shape = hyb_shape_2d (params->N, params->M == HYB_NONE ? params->N : params->M);

  return hyb_shape_assign (&call->output[0].shape, &shape, error);
}

static gboolean
identity_check (gconstpointer values, GError **error)
{
  const HybShape *shape = &((const SourceParams *) values)->shape;

  return (shape->rank == 2 && shape->dim[0] == shape->dim[1] && shape->dim[0] >= 0) ||
         hyb_refuse_attribute (error, "Give two equal sizes", "shape is not a square matrix");
}

static gboolean
identity_infer_shape (HybCall *call, GError **error)
{
  return hyb_shape_assign (&call->output[0].shape, &((const SourceParams *) call->params)->shape,
                           error);
}

static void
diagonal_forward (const HybCall *call, const HybRun *run)
{
  const SourceParams *params = call->params;

  hyb_fill_diagonal (run->output[0], &call->output[0], params->k);
}

/* --- full_like and indices --- */

static gboolean
full_like_infer_dtype (HybCall *call, GError **error)
{
  const SourceParams *params = call->params;

  return params->dtype == HYB_DTYPE_UNKNOWN ? hyb_rule_dtype_first (call, error)
                                            : source_infer_dtype (call, error);
}

static void
full_like_forward (const HybCall *call, const HybRun *run)
{
  hyb_fill (run->output[0], call->output[0].dtype,
            ((const SourceParams *) call->params)->fill_value,
            (gsize) hyb_shape_size (&call->output[0].shape));
}

static gboolean
indices_check (gconstpointer values, GError **error)
{
  const HybShape *dimensions = &((const SourceParams *) values)->dimensions;

  if (dimensions->rank >= HYB_MAX_RANK)
    return hyb_refuse_attribute (error, NULL, "at most %d dimensions are supported", HYB_MAX_RANK);
  for (int i = 0; i < dimensions->rank; i++)
    if (is_too_large (dimensions->dim[i], error))
      return FALSE;
  return TRUE;
}

/* The indices of each axis, one after the other: (axes, sizes …). */
static gboolean
indices_infer_shape (HybCall *call, GError **error)
{
  const HybShape *dimensions = &((const SourceParams *) call->params)->dimensions;
  HybShape        out = hyb_dims_with (dimensions, 0, dimensions->rank);

  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

static void
indices_forward (const HybCall *call, const HybRun *run)
{
  const HybShape *dimensions = &((const SourceParams *) call->params)->dimensions;
  gint64          stride[HYB_MAX_RANK], size = hyb_shape_size (dimensions);

  hyb_dims_strides (dimensions, stride);
  for (int axis = 0; axis < dimensions->rank; axis++)
    for (gint64 i = 0; i < size; i++)
      hyb_dtype_set_double (run->output[0], call->output[0].dtype, (gsize) (axis * size + i),
                            (double) (i / stride[axis] % dimensions->dim[axis]));
}

/* --- Ranges and windows --- */

static gboolean
logspace_infer_shape (HybCall *call, GError **error)
{
  HybShape shape = hyb_shape_1d (((const SourceParams *) call->params)->num);

  return hyb_shape_assign (&call->output[0].shape, &shape, error);
}

static void
logspace_forward (const HybCall *call, const HybRun *run)
{
  const SourceParams *params = call->params;
  gint64              gaps = params->endpoint ? params->num - 1 : params->num;
  double              step = gaps > 0 ? (params->stop - params->start) / (double) gaps : 0;

  for (gint64 i = 0; i < params->num; i++)
    hyb_dtype_set_double (run->output[0], call->output[0].dtype, (gsize) i,
                          pow (params->base, params->start + (double) i * step));
}

static gboolean
window_check (gconstpointer values, GError **error)
{
  const SourceParams *params = values;

  return (params->M != HYB_NONE && params->M <= 0) || !is_too_large (params->M, error);
}

static gboolean
window_infer_shape (HybCall *call, GError **error)
{
  HybShape shape = hyb_shape_1d (MAX (0, ((const SourceParams *) call->params)->M));

  return hyb_shape_assign (&call->output[0].shape, &shape, error);
}

/* constant − cosine cos (2πi / (n−1)) + second cos (4πi / (n−1)); 1 if there is one number only. */
static void
window_forward (const HybCall *call,
                const HybRun  *run,
                double         constant,
                double         cosine,
                double         second)
{
  gint64 n = call->output[0].shape.dim[0];

  for (gint64 i = 0; i < n; i++)
    {
      double angle = n > 1 ? 2 * G_PI * (double) i / (double) (n - 1) : 0;
      double value = constant - cosine * cos (angle) + second * cos (2 * angle);

      hyb_dtype_set_double (run->output[0], call->output[0].dtype, (gsize) i, n > 1 ? value : 1);
    }
}

static void
hanning_forward (const HybCall *call, const HybRun *run)
{
  window_forward (call, run, 0.5, 0.5, 0);
}

static void
hamming_forward (const HybCall *call, const HybRun *run)
{
  window_forward (call, run, 0.54, 0.46, 0);
}

static void
blackman_forward (const HybCall *call, const HybRun *run)
{
  window_forward (call, run, 0.42, 0.5, 0.08);
}

/* --- tril and triu: zero above or below a diagonal; a vector is repeated as the rows of a matrix --- */

static gboolean
tril_infer_shape (HybCall *call, GError **error)
{
  const HybShape *data = &call->input[0].shape;
  HybShape        out = *data;

  if (data->rank == HYB_UNKNOWN)
    return TRUE;
  if (data->rank == 0)
    return hyb_refuse_types (error, NULL, "an array without dimensions has no triangle");
  if (data->rank == 1)
    out = hyb_shape_2d (data->dim[0], data->dim[0]);
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

/* Triangles of matrices. */
typedef struct
{
  const char *from;
  char       *to;
  gsize       item; /* bytes of an element */
  gint64      rows, columns, k;
  gboolean    is_upper, is_vector; /* is_vector: all rows are the same */
} Triangle;

/* Rows [begin, end) of all matrices.  Each element is written once. */
static void
triangle_rows (gint64 begin, gint64 end, gpointer data)
{
  const Triangle *triangle = data;
  gsize           item = triangle->item, bytes = (gsize) triangle->columns * item;

  for (gint64 row = begin; row < end; row++)
    {
      gint64 diagonal = row % triangle->rows + triangle->k;
      /* The elements from `first` up to `last` stay. */
      gsize first = triangle->is_upper ? (gsize) CLAMP (diagonal, 0, triangle->columns) * item : 0;
      gsize last =
          triangle->is_upper ? bytes : (gsize) CLAMP (diagonal + 1, 0, triangle->columns) * item;
      char       *to = triangle->to + (gsize) row * bytes;
      const char *from = triangle->from + (triangle->is_vector ? 0 : (gsize) row * bytes);

      memset (to, 0, first);
      memcpy (to + first, from + first, last - first);
      memset (to + last, 0, bytes - last);
    }
}

static void
triangle_forward (const HybCall *call, const HybRun *run, gboolean is_upper)
{
  const HybShape *out = &call->output[0].shape;
  Triangle        triangle = {
           .from = run->input[0],
           .to = run->output[0],
           .item = hyb_dtype_size (call->output[0].dtype),
           .rows = out->dim[out->rank - 2],
           .columns = out->dim[out->rank - 1],
           .k = CLAMP (((const SourceParams *) call->params)->k, -out->dim[out->rank - 2] - 1,
                       out->dim[out->rank - 1]),
           .is_upper = is_upper,
           .is_vector = call->input[0].shape.rank == 1,
  };
  gint64 n = hyb_shape_size (out);

  if (n > 0)
    hyb_parallel_for (n / triangle.columns, MAX (1, HYB_EACH_GRAIN / triangle.columns),
                      triangle_rows, &triangle);
}

static void
tril_forward (const HybCall *call, const HybRun *run)
{
  triangle_forward (call, run, FALSE);
}

static void
triu_forward (const HybCall *call, const HybRun *run)
{
  triangle_forward (call, run, TRUE);
}

static const char *const no_inputs[] = { NULL };
static const char *const data_input[] = { "data", NULL };

#define COMMON(table, stem)                                                                 \
  .params = table##_params, .params_size = sizeof (SourceParams), .dtypes = HYB_DTYPES_ALL, \
  .infer_shape = stem##_infer_shape, .cost = hyb_rule_cost_move
#define SOURCE(table, stem)                                                         \
  COMMON (table, stem), .category = HYB_CATEGORY_DATA, .flags = HYB_OP_NO_GRADIENT, \
                        .inputs = no_inputs, .infer_dtype = source_infer_dtype
#define WINDOW(id, text)                                                              \
  {                                                                                   \
    .name = "_npi_" #id, .doc = text, SOURCE (window, window), .check = window_check, \
    .forward = id##_forward                                                           \
  }

const HybOp hyb_ops_numpy_source[] = {
  {
      .name = "_npi_eye",
      .doc = "A matrix with ones on one diagonal.",
      SOURCE (eye, eye),
      .check = eye_check,
      .forward = diagonal_forward,
  },
  {
      .name = "_npi_identity",
      .doc = "A square matrix with ones on its diagonal.",
      SOURCE (identity, identity),
      .check = identity_check,
      .forward = diagonal_forward,
  },
  {
      .name = "_npi_indices",
      .doc = "For each axis of a grid, the index of each cell.",
      SOURCE (indices, indices),
      .check = indices_check,
      .forward = indices_forward,
  },
  {
      .name = "_npi_logspace",
      .doc = "Powers of a base with evenly spaced exponents.",
      SOURCE (logspace, logspace),
      .forward = logspace_forward,
  },
  WINDOW (hanning, "The Hann window."),
  WINDOW (hamming, "The Hamming window."),
  WINDOW (blackman, "The Blackman window."),
  {
      .name = "_npi_full_like",
      .doc = "A tensor of the shape of another one, filled with one value.",
      HYB_PARAMS (full_like_params, SourceParams),
      .category = HYB_CATEGORY_DATA,
      .flags = HYB_OP_NO_GRADIENT,
      .inputs = data_input,
      .constant_inputs = 1,
      .infer_shape = hyb_rule_unary,
      .infer_dtype = full_like_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = full_like_forward,
      .cost = hyb_rule_cost_move,
  },
  {
      .name = "_npi_tril",
      .doc = "The elements on and below a diagonal; the others are zero.",
      COMMON (tril, tril),
      .category = HYB_CATEGORY_MOVEMENT,
      .inputs = data_input,
      .forward = tril_forward,
      HYB_GRADIENT ("_reduce_like (_npi_tril* (g0), i0) > i0"),
  },
  {
      .name = "_triu",
      .doc = "The elements on and above a diagonal; the others are zero.",
      COMMON (tril, tril),
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_INTERNAL,
      .inputs = data_input,
      .forward = triu_forward,
      HYB_GRADIENT ("_reduce_like (_triu* (g0), i0) > i0"),
  },
  { 0 },
};

#undef COMMON
#undef SOURCE
#undef WINDOW
