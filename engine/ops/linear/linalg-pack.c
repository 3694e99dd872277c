/* linalg-pack.c — diagonals and triangles of square matrices as vectors, matrices made of such
 * vectors, and the sum of the logarithms of a diagonal.
 *
 * Taking out and putting in are each other's gradient.  A vector holds the elements of a lower triangle
 * row by row, those of an upper one column by column.  Start with copy_part().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-operands.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/ops/linear/linalg-parts.h"

#include <math.h>
#include <string.h>

typedef struct
{
  gint64   offset;
  gboolean lower; /* not used by diagonals */
} PackParams;

#define OFFSET_FIELD                                             \
  {                                                              \
    HYB_FIELD (PackParams, offset), HYB_PARAM_INT, "0",          \
        .low = -G_MAXINT32, .high = G_MAXINT32,                  \
        .doc = "number of the diagonal; positive ones are above" \
  }

static const HybParam diagonal_params[] = {
  OFFSET_FIELD,
  { 0 },
};

static const HybParam triangle_params[] = {
  OFFSET_FIELD,
  { HYB_FIELD (PackParams, lower), HYB_PARAM_BOOL, "True",
    .doc = "with offset 0, the triangle below the diagonal, else above" },
  { 0 },
};

#undef OFFSET_FIELD

static gboolean
is_triangle (const HybCall *call)
{
  return call->op->params == triangle_params;
}

/* The number of elements of the part of n × n matrices; 0 if there is none. */
static gint64
part_size (const HybCall *call, gint64 n)
{
  gint64 length = n - ABS (((const PackParams *) call->params)->offset);

  if (length <= 0)
    return 0;
  return is_triangle (call) ? length * (length + 1) / 2 : length;
}

/* The rows of the matrices whose part has this number of elements; -1 if there are none. */
static gint64
matrix_size (const HybCall *call, gint64 elements)
{
  gint64 offset = ABS (((const PackParams *) call->params)->offset);
  gint64 length = elements;

  if (is_triangle (call))
    {
      length = (gint64) floor ((sqrt (8.0 * (double) elements + 1) - 1) / 2);
      if (length * (length + 1) / 2 != elements)
        return -1;
    }
  return length + offset;
}

/* Relates the matrices (…, n, n) and the vectors (…, elements). */
static gboolean
infer_pack (HybCall *call, HybShape *matrix, HybShape *vector, GError **error)
{
  const PackParams *params = call->params;
  gint64           *n, *elements;

  if (vector->rank == 0)
    return hyb_refuse_types (error, NULL, "a 0-dimensional array cannot be part of a matrix");
  if (!hyb_linalg_expect (matrix, "A", TRUE, error) ||
      !hyb_linalg_share_batch (matrix, 2, vector, 1, error))
    return FALSE;
  if (matrix->rank == HYB_UNKNOWN)
    return TRUE;

  n = &matrix->dim[matrix->rank - 1];
  elements = &vector->dim[vector->rank - 1];
  if (*n == HYB_UNKNOWN && *elements != HYB_UNKNOWN)
    {
      if (*elements > (gint64) 1 << 40 || matrix_size (call, *elements) < 0)
        return hyb_refuse_types (error, "A triangle of n rows has n · (n + 1) / 2 elements",
                                 "%" G_GINT64_FORMAT " elements do not fill a triangle", *elements);
      *n = matrix_size (call, *elements);
    }
  if (*n == HYB_UNKNOWN)
    return TRUE;
  if (!hyb_linalg_expect (matrix, "A", TRUE, error))
    return FALSE;
  if (part_size (call, *n) == 0)
    return hyb_refuse_types (error, NULL,
                             "offset %" G_GINT64_FORMAT
                             " is outside of matrices with %" G_GINT64_FORMAT " rows",
                             params->offset, *n);
  if (*elements != HYB_UNKNOWN && *elements != part_size (call, *n))
    return hyb_refuse_types (error, NULL,
                             "%" G_GINT64_FORMAT
                             " elements do not make up matrices with %" G_GINT64_FORMAT " rows",
                             *elements, *n);
  *elements = part_size (call, *n);
  return TRUE;
}

static gboolean
extract_infer_shape (HybCall *call, GError **error)
{
  return infer_pack (call, &call->input[0].shape, &call->output[0].shape, error);
}

static gboolean
make_infer_shape (HybCall *call, GError **error)
{
  return infer_pack (call, &call->output[0].shape, &call->input[0].shape, error);
}

/* Copies between the elements of the part and a vector, for every matrix. */
static void
copy_part (const HybCall *call, const HybShape *shape, const HybRun *run, gboolean extracts)
{
  const PackParams *params = call->params;
  HybMatrices       view = hyb_linalg_view (shape);
  gsize             size = hyb_dtype_size (call->output[0].dtype);
  gint64            length = view.rows - ABS (params->offset);
  gint64            row = params->offset < 0 ? -params->offset : 0;
  gint64            column = params->offset > 0 ? params->offset : 0;
  gboolean          is_lower = params->offset < 0 || (params->offset == 0 && params->lower);
  const char       *from = run->input[0];
  char             *to = run->output[0];
  gint64            at = 0;

  for (gint64 m = 0; m < view.count; m++)
    for (gint64 i = 0; i < length; i++)
      {
        for (gint64 j = is_triangle (call) ? 0 : i; j <= i; j++, at++)
          {
            gint64 place = (m * view.rows + row + (is_lower ? i : j)) * view.rows + column +
                           (is_lower ? j : i);

            if (extracts)
              memcpy (to + (gsize) at * size, from + (gsize) place * size, size);
            else
              memcpy (to + (gsize) place * size, from + (gsize) at * size, size);
          }
      }
}

static void
extract_forward (const HybCall *call, const HybRun *run)
{
  copy_part (call, &call->input[0].shape, run, TRUE);
}

static void
make_forward (const HybCall *call, const HybRun *run)
{
  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  copy_part (call, &call->output[0].shape, run, FALSE);
}

#define GRADIENT(name, opposite)                                               \
  static void name##_gradient (HybGrad *grad)                                  \
  {                                                                            \
    HybValueId dy = hyb_grad_incoming (grad, 0);                               \
                                                                               \
    hyb_grad_set_input (grad, 0, hyb_grad_emit_same (grad, opposite, 1, &dy)); \
  }

GRADIENT (extractdiag, "_linalg_makediag")
GRADIENT (makediag, "_linalg_extractdiag")
GRADIENT (extracttrian, "_linalg_maketrian")
GRADIENT (maketrian, "_linalg_extracttrian")

#undef GRADIENT

/* --- The sum of logarithms --- */

/* (…, n, n) becomes (…), or (1) if there is one matrix. */
static gboolean
sum_infer_shape (HybCall *call, GError **error)
{
  HybShape *a = &call->input[0].shape;
  HybShape  out;

  if (!hyb_linalg_expect (a, "A", TRUE, error))
    return FALSE;
  if (a->rank == HYB_UNKNOWN)
    return TRUE;
  out = *a;
  out.rank -= 2;
  if (out.rank == 0)
    out = hyb_shape_1d (1);
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

static void
sum_forward (const HybCall *call, const HybRun *run)
{
  HybMatrices view = hyb_linalg_view (&call->input[0].shape);
  HybDType    dtype = call->output[0].dtype;

  for (gint64 m = 0; m < view.count; m++)
    {
      double sum = 0;

      for (gint64 i = 0; i < view.rows; i++)
        sum += log (hyb_dtype_get_double (run->input[0], dtype,
                                          (gsize) ((m * view.rows + i) * view.rows + i)));
      hyb_dtype_set_double (run->output[0], dtype, (gsize) m, sum);
    }
}

static void
sum_backward (const HybCall *call, const HybRun *run)
{
  HybMatrices view = hyb_linalg_view (&call->output[0].shape);
  HybDType    dtype = call->output[0].dtype;

  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
  for (gint64 m = 0; m < view.count; m++)
    for (gint64 i = 0; i < view.rows; i++)
      {
        gsize at = (gsize) ((m * view.rows + i) * view.rows + i);

        hyb_dtype_set_double (run->output[0], dtype, at,
                              hyb_dtype_get_double (run->input[0], dtype, (gsize) m) /
                                  hyb_dtype_get_double (run->input[1], dtype, at));
      }
}

static const char *const matrix_inputs[] = { "A", NULL };
static const char *const backward_inputs[] = { "gradient", "A", NULL };

#define PACK(op, sentence, table, infer, run, differentiate)                                      \
  {                                                                                               \
    .name = "_linalg_" op, .aliases = (const char *const[]){ "linalg_" op, NULL },                \
    .doc = sentence, .category = HYB_CATEGORY_MOVEMENT, .inputs = matrix_inputs, .params = table, \
    .params_size = sizeof (PackParams), .infer_shape = infer,                                     \
    .infer_dtype = hyb_linalg_infer_dtype, .dtypes = HYB_DTYPES_FLOAT, .forward = run,            \
    .gradient = differentiate, .cost = hyb_rule_cost_move                                         \
  }

const HybOp hyb_ops_linalg_pack[] = {
  PACK ("extractdiag",
        "A diagonal of every matrix.",
        diagonal_params,
        extract_infer_shape,
        extract_forward,
        extractdiag_gradient),
  PACK ("makediag",
        "Square matrices with the vectors on a diagonal, and zeros elsewhere.",
        diagonal_params,
        make_infer_shape,
        make_forward,
        makediag_gradient),
  PACK ("extracttrian",
        "The elements of a triangle of every matrix: a lower one by rows, an upper one by columns.",
        triangle_params,
        extract_infer_shape,
        extract_forward,
        extracttrian_gradient),
  PACK ("maketrian",
        "Square matrices with the vectors in a triangle and zeros elsewhere.",
        triangle_params,
        make_infer_shape,
        make_forward,
        maketrian_gradient),
  {
      .name = "_linalg_sumlogdiag",
      .aliases = (const char *const[]){ "linalg_sumlogdiag", NULL },
      .doc = "The sum of the logarithms of every matrix's diagonal.",
      .category = HYB_CATEGORY_REDUCTION,
      .inputs = matrix_inputs,
      .infer_shape = sum_infer_shape,
      .infer_dtype = hyb_linalg_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = sum_forward,
      .gradient = hyb_gradient_by_operands,
  },
  {
      .name = "_backward_linalg_sumlogdiag",
      .doc = "Gradient of sumlogdiag.",
      .category = HYB_CATEGORY_REDUCTION,
      .flags = HYB_OP_INTERNAL,
      .inputs = backward_inputs,
      .gradient_of = "_linalg_sumlogdiag",
      .operands = "g0 i0 > i0",
      .infer_dtype = hyb_linalg_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = sum_backward,
  },
  { 0 },
};

#undef PACK
