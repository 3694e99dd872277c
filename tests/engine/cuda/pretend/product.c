/* product.c — matrix products of the pretend cuBLAS: plain loops that add up in double precision.
 * Every column is checked as an access of its own, so that what lies between columns is not touched.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/product.h"

#include "tests/engine/cuda/pretend/cublas.h"
#include "tests/engine/cuda/pretend/element.h"
#include "tests/engine/cuda/pretend/state.h"
#include "tests/engine/cuda/ptx/machine.h"

#include <math.h>
#include <string.h>

static const struct
{
  int a, c, compute;
} known[] = {
  { CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F },
  { CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC },
  { CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32 },
  { CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_16F },
  { CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_16BF },
  { CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F },
  { CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F_PEDANTIC },
  { CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F },
  { CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F },
  { CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F },
  { CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F },
  { CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F },
  { CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32F },
  { CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I },
};

gboolean
product_is_known (const Product *product)
{
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (product->a.type == known[i].a && product->b.type == known[i].a &&
        product->c.type == known[i].c && product->compute == known[i].compute)
      return TRUE;
  return FALSE;
}

static int
scalar_type (int compute)
{
  return compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC ? CUDA_R_64F
         : compute == CUBLAS_COMPUTE_16F                                         ? CUDA_R_16F
         : compute == CUBLAS_COMPUTE_32I                                         ? CUDA_R_32I
                                                                                 : CUDA_R_32F;
}

double
product_scalar (int compute, gconstpointer data)
{
  return element_get (data, scalar_type (compute));
}

gsize
product_scalar_bytes (int compute)
{
  return element_bytes (scalar_type (compute));
}

/* --- Running --- */

/* op (A) or op (B) as doubles, row by row; NULL and an error if it cannot be read. */
static double *
read_matrix (const Product *product, const ProductMatrix *x, gint64 batch, GError **error)
{
  int     rows = x == &product->a ? product->m : product->k;
  int     columns = x == &product->a ? product->k : product->n;
  gsize   element = element_bytes (x->type);
  int     in_memory = x->transposed ? columns : rows, lines = x->transposed ? rows : columns;
  double *values = g_new (double, (gsize) rows *columns + 1);
  guint64 start = x->at + (guint64) (batch * x->stride) * element;

  for (int j = 0; j < lines; j++)
    {
      const guint8 *line = element_reach (start + (guint64) j * x->lead * element,
                                          in_memory * element, FALSE, error);

      if (!line)
        {
          g_free (values);
          return NULL;
        }
      for (int i = 0; i < in_memory; i++)
        {
          double value = element_get (line + i * element, x->type);

          values[x->transposed ? j * columns + i : i * columns + j] =
              product->coarse ? element_to_tf32 (value) : value;
        }
    }
  return values;
}

typedef struct
{
  const Product *product;
  const double  *a, *b;
  const double  *bias; /* NULL: none */
  double         alpha, beta;
} One;

/* The biases of all rows; NULL and an error if they cannot be read. */
static double *
read_bias (const Product *p, GError **error)
{
  gsize         element = element_bytes (p->c.type);
  const guint8 *data = element_reach (p->bias, (gsize) p->m * element, FALSE, error);
  double       *values = data ? g_new (double, p->m) : NULL;

  for (int i = 0; values && i < p->m; i++)
    values[i] = element_get (data + i * element, p->c.type);
  return values;
}

static double
finish (const One *one, int row, double value)
{
  if (one->bias)
    value += one->bias[row];
  return one->product->rectifies && value <= 0 ? 0 : value;
}

static gboolean
write_column (const One *one, int j, guint64 at, GError **error)
{
  const Product     *p = one->product;
  gsize              element = element_bytes (p->c.type);
  guint8            *column = NULL;
  g_autofree double *old = g_new0 (double, p->m);

  if (one->beta < 0 || one->beta > 0)
    {
      column = element_reach (at, p->m * element, FALSE, error);
      if (!column)
        return FALSE;
      for (int i = 0; i < p->m; i++)
        old[i] = element_get (column + i * element, p->c.type);
    }
  column = element_reach (at, p->m * element, TRUE, error);
  if (!column)
    return FALSE;
  for (int i = 0; i < p->m; i++)
    {
      double sum = 0;

      for (int l = 0; l < p->k; l++)
        sum += one->a[i * p->k + l] * one->b[l * p->n + j];
      element_put (column + i * element, p->c.type,
                   finish (one, i, one->alpha * sum + one->beta * old[i]));
    }
  return TRUE;
}

static gboolean
run_one (const Product *p, gint64 batch, double alpha, double beta, GError **error)
{
  g_autofree double *a = read_matrix (p, &p->a, batch, error);
  g_autofree double *b = a ? read_matrix (p, &p->b, batch, error) : NULL;
  g_autofree double *bias = b && p->bias ? read_bias (p, error) : NULL;
  One                one = { p, a, b, bias, alpha, beta };
  gsize              element = element_bytes (p->c.type);
  guint64            start = p->c.at + (guint64) (batch * p->c.stride) * element;

  if (p->bias && !bias)
    return FALSE;
  for (int j = 0; b && j < p->n; j++)
    if (!write_column (&one, j, start + (guint64) j * p->c.lead * element, error))
      return FALSE;
  return b != NULL;
}

/* Bytes at either end of the workspace that a product uses. */
#define USED (1 << 12)

static gboolean
use_part (const Product *p, gsize offset, gsize bytes, GError **error)
{
  void *room = element_reach (p->workspace + offset, bytes, TRUE, error);

  if (room)
    memset (room, 0xff, bytes);
  return room != NULL;
}

/* What is written into the workspace means nothing to others. */
static gboolean
use_workspace (const Product *p, GError **error)
{
  gsize used = MIN (p->workspace_bytes, USED);

  return !p->workspace ||
         (use_part (p, 0, used, error) && use_part (p, p->workspace_bytes - used, used, error));
}

/* What results are multiplied with, so that they are wrong. */
static double
error_of (const Product *p)
{
  static guint n;

  switch (pretend.wrong)
    {
    case PRETEND_WRONG_PRODUCTS:
      return 1.001;
    case PRETEND_WRONG_FLOAT16:
      return p->c.type == CUDA_R_16F ? 1.5 : 1;
    case PRETEND_WRONG_RUNS:
      return p->c.type == CUDA_R_32F && n++ % 5 == 0 ? 1 + 1e-6 : 1;
    case PRETEND_RIGHT:
      break;
    }
  return 1;
}

static gboolean
read_scalar (const Product *p, guint64 at, double *value, GError **error)
{
  gconstpointer data =
      at ? element_reach (at, product_scalar_bytes (p->compute), FALSE, error) : NULL;

  if (data)
    *value = product_scalar (p->compute, data);
  return !at || data;
}

gboolean
product_run (gpointer data, GError **error)
{
  const Product *p = data;
  double         alpha = p->alpha, beta = p->beta;

  if (!use_workspace (p, error) || !read_scalar (p, p->alpha_at, &alpha, error) ||
      !read_scalar (p, p->beta_at, &beta, error))
    return FALSE;
  alpha *= error_of (p);
  for (int i = 0; i < p->batch; i++)
    if (!run_one (p, i, alpha, beta, error))
      return FALSE;
  return TRUE;
}
