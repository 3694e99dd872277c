/* linalg-determinant.c — inverse, determinant, and sign and logarithm of the determinant, by LU
 * factorisation.
 *
 * The factors and row exchanges of det and slogdet are hidden outputs, from which their gradients
 * compute the inverse.  As in MXNet the gradient of a singular matrix is 0, and inverting one is an
 * error.  Start with multiply_diagonal().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-formula.h"
#include "engine/gradient/by-operands.h"
#include "engine/kernels/matrix/lapack.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/ops/linear/linalg-parts.h"

#include <math.h>
#include <string.h>

/* --- inverse --- */

/* Space for one row and for the row exchanges of one matrix. */
static gsize
inverse_workspace (const HybCall *call)
{
  gsize n = (gsize) hyb_linalg_view (&call->output[0].shape).rows;

  return n * (hyb_dtype_size (call->output[0].dtype) + sizeof (gint32));
}

static void
inverse_forward (const HybCall *call, const HybRun *run)
{
  HybDType    dtype = call->output[0].dtype;
  HybMatrices view = hyb_linalg_view (&call->output[0].shape);
  gsize       bytes = hyb_linalg_bytes (&view, dtype);
  char       *pivot = (char *) run->workspace + (gsize) view.rows * hyb_dtype_size (dtype);

  memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
  for (gint64 i = 0; i < view.count; i++)
    {
      gpointer a = (char *) run->output[0] + (gsize) i * bytes;
      HybLu    lu = { dtype, view.rows, a, (gint32 *) (gpointer) pivot };
      int      info = hyb_lapack_lu (&lu);

      if (info == 0)
        info = hyb_lapack_lu_inverse (&lu, run->workspace);
      if (!hyb_linalg_check (run, info, i, "is singular", "It has no inverse."))
        return;
    }
}

static void
inverse_cost (const HybCall *call, HybCost *cost)
{
  hyb_linalg_cost (call, 2, cost);
}

/* --- det and slogdet --- */

/* A (…, n, n) has results (…) or (1), followed by factors like A and row exchanges (…, n). */
static gboolean
infer_factors (HybCall *call, HybShape *a, HybType *results, guint n_results, GError **error)
{
  HybShape result, pivot;

  if (!hyb_linalg_expect (a, "A", TRUE, error) ||
      !hyb_shape_unify (a, &results[n_results].shape, error))
    return FALSE;
  if (a->rank == HYB_UNKNOWN)
    return TRUE;
  if (!hyb_linalg_expect (a, "A", TRUE, error))
    return FALSE;

  pivot = hyb_dims_without (a, a->rank - 1);
  result = hyb_dims_without (&pivot, pivot.rank - 1);
  if (result.rank == 0 && call->legacy_shapes)
    result = hyb_shape_1d (1);
  for (guint i = 0; i < n_results; i++)
    if (!hyb_shape_assign (&results[i].shape, &result, error))
      return FALSE;
  return hyb_shape_assign (&results[n_results].shape, a, error) &&
         hyb_shape_assign (&results[n_results + 1].shape, &pivot, error);
}

static gboolean
determinant_infer_shape (HybCall *call, GError **error)
{
  return infer_factors (call, &call->input[0].shape, call->output, call->n_outputs - 2, error);
}

/* Row exchanges are int32; everything else has one dtype. */
static gboolean
infer_dtypes (HybCall *call, HybType *pivot, GError **error)
{
  HybDType first = HYB_I32, *dtype = &call->input[0].dtype;

  if (!hyb_dtype_assign (&pivot->dtype, first, error))
    return FALSE;
  for (guint i = 0; i < call->n_inputs; i++)
    if (&call->input[i] != pivot && !hyb_dtype_unify (dtype, &call->input[i].dtype, error))
      return FALSE;
  for (guint i = 0; i < call->n_outputs; i++)
    if (&call->output[i] != pivot && !hyb_dtype_unify (dtype, &call->output[i].dtype, error))
      return FALSE;
  return *dtype == HYB_DTYPE_UNKNOWN || *dtype == HYB_F32 || *dtype == HYB_F64 ||
         hyb_refuse_types (error, "Cast the input",
                           "its type is %s, but must be float32 or float64",
                           hyb_dtype_name (*dtype));
}

static gboolean
determinant_infer_dtype (HybCall *call, GError **error)
{
  return infer_dtypes (call, &call->output[call->n_outputs - 1], error);
}

/* A product in two parts, which neither overflows nor vanishes: mantissa 2^exponent. */
typedef struct
{
  double mantissa;
  gint64 exponent;
} Product;

/* The product of the diagonal, whose sign changes with each exchange of rows. */
static Product
multiply_diagonal (const HybCall *call, const HybRun *run, gint64 matrix)
{
  guint         lu_output = call->n_outputs - 2;
  HybDType      dtype = call->output[0].dtype;
  gint64        n = call->output[lu_output].shape.dim[call->output[lu_output].shape.rank - 1];
  const gint32 *pivot = (const gint32 *) run->output[lu_output + 1] + matrix * n;
  Product       product = { 1, 0 };

  for (gint64 i = 0; i < n; i++)
    {
      gsize  at = (gsize) ((matrix * n + i) * n + i);
      double element = dtype == HYB_F64 ? ((const double *) run->output[lu_output])[at]
                                        : (double) ((const float *) run->output[lu_output])[at];
      int    of_element = 0, of_product = 0;
      double mantissa = frexp (pivot[i] == i + 1 ? element : -element, &of_element);

      product.mantissa = frexp (product.mantissa * mantissa, &of_product);
      product.exponent += of_element + of_product;
    }
  return product;
}

static void
factorise (const HybCall *call, const HybRun *run)
{
  guint          lu_output = call->n_outputs - 2;
  const HybType *type = &call->output[lu_output];
  HybMatrices    view = hyb_linalg_view (&type->shape);
  gsize          bytes = hyb_linalg_bytes (&view, type->dtype);

  memcpy (run->output[lu_output], run->input[0], hyb_type_bytes (type));
  for (gint64 i = 0; i < view.count; i++)
    hyb_lapack_lu (&(HybLu){ type->dtype, view.rows,
                             (char *) run->output[lu_output] + (gsize) i * bytes,
                             (gint32 *) run->output[lu_output + 1] + i * view.rows });
}

static void
det_forward (const HybCall *call, const HybRun *run)
{
  factorise (call, run);
  for (gint64 i = 0; i < hyb_shape_size (&call->output[0].shape); i++)
    {
      Product product = multiply_diagonal (call, run, i);
      int     exponent = (int) CLAMP (product.exponent, -5000, 5000);

      hyb_dtype_set_double (run->output[0], call->output[0].dtype, (gsize) i,
                            ldexp (product.mantissa, exponent));
    }
}

/* The sign is 0 where the determinant is 0 or NaN, as in MXNet. */
static void
slogdet_forward (const HybCall *call, const HybRun *run)
{
  factorise (call, run);
  for (gint64 i = 0; i < hyb_shape_size (&call->output[0].shape); i++)
    {
      Product product = multiply_diagonal (call, run, i);
      double  logarithm = log (fabs (product.mantissa)) + (double) product.exponent * G_LN2;
      double  sign = (product.mantissa > 0) - (product.mantissa < 0);

      hyb_dtype_set_double (run->output[0], call->output[0].dtype, (gsize) i, sign);
      hyb_dtype_set_double (run->output[1], call->output[1].dtype, (gsize) i, logarithm);
    }
}

static gboolean
backward_infer_dtype (HybCall *call, GError **error)
{
  return infer_dtypes (call, &call->input[3], error);
}

/* Space for the inverse of one matrix, and for one row. */
static gsize
backward_workspace (const HybCall *call)
{
  gint64 n = call->output[0].shape.dim[call->output[0].shape.rank - 1];

  return (gsize) (n * n + n) * hyb_dtype_size (call->output[0].dtype);
}

/* dA = factor · A⁻ᵀ for every matrix; 0 where the determinant is 0. */
static void
backward (const HybCall *call, const HybRun *run, gboolean takes_logarithm)
{
  HybDType    dtype = call->output[0].dtype;
  HybMatrices view = hyb_linalg_view (&call->output[0].shape);
  gsize       bytes = hyb_linalg_bytes (&view, dtype);
  gint64      n = view.rows;

  for (gint64 m = 0; m < view.count; m++)
    {
      double   factor = hyb_dtype_get_double (run->input[0], dtype, (gsize) m);
      double   value = hyb_dtype_get_double (run->input[1], dtype, (gsize) m);
      gpointer to = (char *) run->output[0] + (gsize) m * bytes;
      HybLu    lu = { dtype, n, run->workspace, (gint32 *) run->input[3] + m * n };

      memcpy (run->workspace, (const char *) run->input[2] + (gsize) m * bytes, bytes);
      if (value == (takes_logarithm ? -INFINITY : 0) ||
          hyb_lapack_lu_inverse (&lu, (char *) run->workspace + bytes) != 0)
        {
          memset (to, 0, bytes);
          continue;
        }
      if (!takes_logarithm)
        factor *= value;
      for (gint64 i = 0; i < n; i++)
        for (gint64 j = 0; j < n; j++)
          hyb_dtype_set_double (to, dtype, (gsize) (i * n + j),
                                factor * hyb_dtype_get_double (run->workspace, dtype,
                                                               (gsize) (j * n + i)));
    }
}

static void
det_backward (const HybCall *call, const HybRun *run)
{
  backward (call, run, FALSE);
}

static void
slogdet_backward (const HybCall *call, const HybRun *run)
{
  backward (call, run, TRUE);
}

static void
determinant_cost (const HybCall *call, HybCost *cost)
{
  hyb_linalg_cost (call, 2.0 / 3, cost);
}

static void
backward_cost (const HybCall *call, HybCost *cost)
{
  HybMatrices view = hyb_linalg_view (&call->output[0].shape);

  cost->flops =
      4.0 / 3 * (double) view.count * (double) view.rows * (double) view.rows * (double) view.rows;
  hyb_rule_cost_bytes (call, cost);
}

static const char *const matrix_inputs[] = { "A", NULL };
static const char *const det_outputs[] = { "det", "_lu", "_pivot", NULL };
static const char *const slogdet_outputs[] = { "sign", "logabsdet", "_lu", "_pivot", NULL };
static const char *const backward_inputs[] = { "gradient", "result", "lu", "pivot", NULL };
static const char *const inverse_aliases[] = { "linalg_inverse", "_npi_inv", NULL };
static const char *const det_aliases[] = { "linalg_det", "_npi_det", NULL };
static const char *const slogdet_aliases[] = { "linalg_slogdet", "_npi_slogdet", NULL };

/* Row exchanges stay integers. */
#define DETERMINANT_DTYPES (HYB_DTYPES_FLOAT | HYB_DTYPE_BIT (HYB_I32))
#define DETERMINANT(op, names, sentence, results, run)                                         \
  {                                                                                            \
    .name = op, .aliases = names, .doc = sentence, .category = HYB_CATEGORY_LINEAR,            \
    .inputs = matrix_inputs, .outputs = results, .infer_shape = determinant_infer_shape,       \
    .infer_dtype = determinant_infer_dtype, .dtypes = DETERMINANT_DTYPES, .forward = run,      \
    .note = hyb_linalg_note_lu, .gradient = hyb_gradient_by_operands, .cost = determinant_cost \
  }
#define BACKWARD(op, sentence, of, related, run)                                            \
  {                                                                                         \
    .name = op, .doc = sentence, .category = HYB_CATEGORY_LINEAR, .flags = HYB_OP_INTERNAL, \
    .inputs = backward_inputs, .gradient_of = of, .operands = related,                      \
    .infer_dtype = backward_infer_dtype, .dtypes = DETERMINANT_DTYPES, .forward = run,      \
    .note = hyb_linalg_note_lu, .workspace = backward_workspace, .cost = backward_cost      \
  }

const HybOp hyb_ops_linalg_determinant[] = {
  {
      .name = "_linalg_inverse",
      .aliases = inverse_aliases,
      .doc = "The inverse of every matrix.",
      .category = HYB_CATEGORY_LINEAR,
      .inputs = matrix_inputs,
      .infer_shape = hyb_linalg_infer_square,
      .infer_dtype = hyb_linalg_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = inverse_forward,
      .note = hyb_linalg_note_lu,
      .workspace = inverse_workspace,
      /* dA = −Bᵀ dB Bᵀ, where B is the inverse. */
      HYB_GRADIENT ("_linalg_gemm2 [transpose_a=False transpose_b=True alpha=1] (g0, o0) > x; "
                    "_linalg_gemm2 [transpose_a=True transpose_b=False alpha=-1] (o0, x) > i0"),
      .cost = inverse_cost,
  },
  DETERMINANT ("_linalg_det",
               det_aliases,
               "The determinant of every matrix.",
               det_outputs,
               det_forward),
  DETERMINANT ("_linalg_slogdet",
               slogdet_aliases,
               "Sign and logarithm of the absolute value of every matrix's determinant.",
               slogdet_outputs,
               slogdet_forward),
  BACKWARD ("_backward_linalg_det",
            "Gradient of det.",
            "_linalg_det",
            "g0 o0 o1 o2 > i0",
            det_backward),
  BACKWARD ("_backward_linalg_slogdet",
            "Gradient of slogdet.",
            "_linalg_slogdet",
            "g1 o1 o2 o3 > i0", /* the sign has no gradient */
            slogdet_backward),
  { 0 },
};

#undef DETERMINANT_DTYPES
#undef DETERMINANT
#undef BACKWARD
