/* fourier.c — _contrib_fft and _contrib_ifft: discrete Fourier transforms of rows.
 *
 * Complex rows are stored as pairs: real0, imaginary0, real1 ….  fft takes real rows and gives complex
 * ones; ifft takes complex rows and gives the real part, not divided by the length.  Each is the
 * gradient of the other.  MXNet computes them on GPUs only.  Start with transform().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-formula.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <complex.h>
#include <math.h>

typedef struct
{
  gint64 compute_size;
} FourierParams;

static const HybParam fourier_params[] = {
  { HYB_FIELD (FourierParams, compute_size), HYB_PARAM_INT, "128",
    .doc = "rows that MXNet transforms at once; has no effect" },
  { 0 },
};

/* Rows of n numbers on one side and of 2 n on the other. */
static gboolean
infer_rows (HybShape *real, HybShape *complex_rows, const char *what, GError **error)
{
  HybShape want;

  if (real->rank == HYB_UNKNOWN && complex_rows->rank == HYB_UNKNOWN)
    return TRUE;
  want = hyb_shape_make (MAX (real->rank, complex_rows->rank), NULL);
  if (want.rank != 2 && want.rank != 4)
    return hyb_refuse_types (error, "Reshape it", "%s has %d dimensions, but should have 2 or 4",
                             what, want.rank);
  if (real->rank == HYB_UNKNOWN)
    *real = want;
  if (complex_rows->rank == HYB_UNKNOWN)
    *complex_rows = want;
  if (real->rank != complex_rows->rank)
    return hyb_refuse_types (error, NULL, "data and result have %d and %d dimensions", real->rank,
                             complex_rows->rank);

  for (int i = 0; i < want.rank - 1; i++)
    if (!hyb_dim_unify (&real->dim[i], &complex_rows->dim[i], "the numbers of rows", error))
      return FALSE;
  if (complex_rows->dim[want.rank - 1] % 2 == 1)
    return hyb_refuse_types (error, "Complex numbers are stored as pairs",
                             "the last axis has %" G_GINT64_FORMAT
                             " elements, but should have an even number",
                             complex_rows->dim[want.rank - 1]);
  if (complex_rows->dim[want.rank - 1] != HYB_UNKNOWN)
    want.dim[want.rank - 1] = complex_rows->dim[want.rank - 1] / 2;
  if (!hyb_dim_unify (&real->dim[want.rank - 1], &want.dim[want.rank - 1],
                      "the lengths of the rows", error))
    return FALSE;
  if (real->dim[want.rank - 1] != HYB_UNKNOWN)
    complex_rows->dim[want.rank - 1] = hyb_dim_multiply (2, real->dim[want.rank - 1]);
  return TRUE;
}

static gboolean
fft_infer_shape (HybCall *call, GError **error)
{
  return infer_rows (&call->input[0].shape, &call->output[0].shape, "data", error);
}

static gboolean
ifft_infer_shape (HybCall *call, GError **error)
{
  return infer_rows (&call->output[0].shape, &call->input[0].shape, "data", error);
}

/* --- The transform --- */

/* One row of the transform: x is read with a stride, y is contiguous; sign is that of the exponent. */
typedef struct
{
  double complex *work; /* one column of a stage, as long as the row */
  double          sign;
} Transform;

static gint64
smallest_factor (gint64 n)
{
  for (gint64 p = 2; p * p <= n; p++)
    if (n % p == 0)
      return p;
  return n;
}

/* Cooley and Tukey: with n = p m, p transforms of length m of every p-th element, then m transforms of
 * length p.  The depth of the recursion is the number of prime factors, below 64; a row of prime length
 * costs n² operations. */
static void
transform (const Transform *this,
           gint64                n,
           const double complex *x,
           gint64                stride,
           double complex       *y)
{
  gint64 p = smallest_factor (n), m = n / p;

  if (n == 1)
    {
      y[0] = x[0];
      return;
    }
  for (gint64 r = 0; r < p && m > 1; r++)
    transform (this, m, x + r * stride, stride * p, y + r * m);
  for (gint64 r = 0; r < p && m == 1; r++)
    y[r] = x[r * stride];

  for (gint64 k = 0; k < m; k++)
    {
      for (gint64 q = 0; q < p; q++)
        {
          double complex sum = 0;

          for (gint64 r = 0; r < p; r++)
            sum += y[r * m + k] *
                   cexp (this->sign * 2 * G_PI * I * (double) (r * (k + q * m) % n) / (double) n);
          this->work[q] = sum;
        }
      for (gint64 q = 0; q < p; q++)
        y[q * m + k] = this->work[q];
    }
}

/* Three complex rows: the input, the output and a column. */
static gint64
row_length (const HybCall *call, gboolean inverse)
{
  const HybShape *real = inverse ? &call->output[0].shape : &call->input[0].shape;

  return real->dim[real->rank - 1];
}

static gsize
fft_workspace (const HybCall *call)
{
  return 3 * (gsize) row_length (call, FALSE) * sizeof (double complex);
}

static gsize
ifft_workspace (const HybCall *call)
{
  return 3 * (gsize) row_length (call, TRUE) * sizeof (double complex);
}

static void
compute (const HybCall *call, const HybRun *run, gboolean inverse)
{
  HybDType dtype = call->input[0].dtype;
  gint64   n = row_length (call, inverse);
  gint64   rows = n == 0 ? 0 : hyb_shape_size (&call->input[0].shape) / (inverse ? 2 * n : n);
  double complex *x = run->workspace;
  Transform this = { x + 2 * n, inverse ? 1 : -1 };

  for (gint64 row = 0; row < rows; row++)
    {
      for (gint64 i = 0; i < n; i++)
        {
          gsize at = (gsize) (row * n + i);

          x[i] = inverse ? hyb_dtype_get_double (run->input[0], dtype, 2 * at) +
                               I * hyb_dtype_get_double (run->input[0], dtype, 2 * at + 1)
                         : hyb_dtype_get_double (run->input[0], dtype, at);
        }
      transform (&this, n, x, 1, x + n);
      for (gint64 i = 0; i < n; i++)
        {
          gsize at = (gsize) (row * n + i);

          hyb_dtype_set_double (run->output[0], dtype, inverse ? at : 2 * at, creal (x[n + i]));
          if (!inverse)
            hyb_dtype_set_double (run->output[0], dtype, 2 * at + 1, cimag (x[n + i]));
        }
    }
}

static void
fft_forward (const HybCall *call, const HybRun *run)
{
  compute (call, run, FALSE);
}

static void
ifft_forward (const HybCall *call, const HybRun *run)
{
  compute (call, run, TRUE);
}

/* 5 n log₂ n for each row. */
static void
fourier_cost (const HybCall *call, HybCost *cost)
{
  double n =
      (double) row_length (call, call->output[0].shape.dim[call->output[0].shape.rank - 1] <
                                     call->input[0].shape.dim[call->input[0].shape.rank - 1]);

  hyb_rule_cost_elementwise (call, 5.0 * log2 (MAX (n, 2)), cost);
}

static const char *const data_input[] = { "data", NULL };

#define FOURIER_OP(id, inverse, text)                                                            \
  {                                                                                              \
    .name = "_contrib_" #id, .doc = text, .category = HYB_CATEGORY_LINEAR, .inputs = data_input, \
    .params = fourier_params, .params_size = sizeof (FourierParams),                             \
    .infer_shape = id##_infer_shape, .dtypes = HYB_DTYPES_FLOAT, .forward = id##_forward,        \
    .workspace = id##_workspace, HYB_GRADIENT ("_contrib_" #inverse "* (g0) > i0"),              \
    .cost = fourier_cost                                                                         \
  }

const HybOp hyb_ops_fourier[] = {
  FOURIER_OP (fft, ifft, "Fourier transform of real rows, as pairs of real and imaginary parts."),
  FOURIER_OP (ifft,
              fft,
              "Real part of the inverse Fourier transform of rows, not divided by the length."),
  { 0 },
};

#undef FOURIER_OP
