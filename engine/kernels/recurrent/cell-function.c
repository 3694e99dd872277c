/* cell-function.c — the activation functions that a recurrent cell may have, one row each; start at the table at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/recurrent/cell-function.h"

#include "engine/kernels/simd/vector-math.h"

#include <math.h>
#include <string.h>

struct _HybCellFunctionKind
{
  const char *name;
  void (*apply) (gint64 n, float alpha, float beta, float *x);
};

static void
apply_sigmoid (gint64 n, float alpha G_GNUC_UNUSED, float beta G_GNUC_UNUSED, float *x)
{
  hyb_vector_sigmoid ((gsize) n, x, x);
}

static void
apply_tanh (gint64 n, float alpha G_GNUC_UNUSED, float beta G_GNUC_UNUSED, float *x)
{
  hyb_vector_tanh ((gsize) n, x, x);
}

static void
apply_softplus (gint64 n, float alpha G_GNUC_UNUSED, float beta G_GNUC_UNUSED, float *x)
{
  hyb_vector_softplus ((gsize) n, x, x);
}

/* NaN stays NaN in all of them. */
static void
apply_relu (gint64 n, float alpha G_GNUC_UNUSED, float beta G_GNUC_UNUSED, float *x)
{
  for (gint64 i = 0; i < n; i++)
    x[i] = x[i] < 0 ? 0 : x[i];
}

/* x / (1 + |x|) */
static void
apply_softsign (gint64 n, float alpha G_GNUC_UNUSED, float beta G_GNUC_UNUSED, float *x)
{
  for (gint64 i = 0; i < n; i++)
    x[i] /= 1 + fabsf (x[i]);
}

static void
apply_leaky (gint64 n, float alpha, float beta G_GNUC_UNUSED, float *x)
{
  for (gint64 i = 0; i < n; i++)
    x[i] = x[i] < 0 ? alpha * x[i] : x[i];
}

/* x, or alpha (exp (x) − 1) below 0. */
static void
apply_elu (gint64 n, float alpha, float beta G_GNUC_UNUSED, float *x)
{
  float powers[256];

  for (gint64 begin = 0; begin < n; begin += 256)
    {
      gint64 count = MIN (n - begin, 256);

      hyb_vector_expm1 ((gsize) count, x + begin, powers);
      for (gint64 i = 0; i < count; i++)
        x[begin + i] = x[begin + i] < 0 ? alpha * powers[i] : x[begin + i];
    }
}

/* x, or 0 below alpha. */
static void
apply_thresholded (gint64 n, float alpha, float beta G_GNUC_UNUSED, float *x)
{
  for (gint64 i = 0; i < n; i++)
    x[i] = x[i] < alpha ? 0 : x[i];
}

static void
apply_affine (gint64 n, float alpha, float beta, float *x)
{
  for (gint64 i = 0; i < n; i++)
    x[i] = alpha * x[i] + beta;
}

static void
apply_hard_sigmoid (gint64 n, float alpha, float beta, float *x)
{
  for (gint64 i = 0; i < n; i++)
    {
      float y = alpha * x[i] + beta;

      x[i] = y < 0 ? 0 : y > 1 ? 1 : y;
    }
}

/* alpha tanh (beta x) */
static void
apply_scaled_tanh (gint64 n, float alpha, float beta, float *x)
{
  for (gint64 i = 0; i < n; i++)
    x[i] *= beta;
  hyb_vector_tanh ((gsize) n, x, x);
  for (gint64 i = 0; i < n; i++)
    x[i] *= alpha;
}

static const HybCellFunctionKind kinds[] = {
  { "sigmoid", apply_sigmoid },
  { "tanh", apply_tanh },
  { "relu", apply_relu },
  { "softsign", apply_softsign },
  { "softplus", apply_softplus },
  { "leaky_relu", apply_leaky },
  { "elu", apply_elu },
  { "thresholded_relu", apply_thresholded },
  { "affine", apply_affine },
  { "hard_sigmoid", apply_hard_sigmoid },
  { "scaled_tanh", apply_scaled_tanh },
};

const HybCellFunctionKind *
hyb_cell_function_find (const char *name, gsize length)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (strlen (kinds[i].name) == length && memcmp (kinds[i].name, name, length) == 0)
      return &kinds[i];
  return NULL;
}

void
hyb_cell_function_apply (const HybCellFunction *function, gint64 n, float *x)
{
  function->kind->apply (n, (float) function->alpha, (float) function->beta, x);
}
