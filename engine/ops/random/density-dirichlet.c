/* density-dirichlet.c — _random_pdf_dirichlet: the density, or its logarithm, of vectors.
 *
 * alpha is (shape …, n), sample (shape …, draws …, n) and the result (shape …, draws …).  density.h has
 * the shared parts.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/ops/random/density.h"

#include "engine/gradient/by-operands.h"
#include "engine/kernels/special.h"
#include "engine/op/dimensions.h"
#include "engine/op/run.h"

#include <math.h>
#include <string.h>

static gboolean
dirichlet_infer_shape (HybCall *call, GError **error)
{
  HybShape *sample = &call->input[0].shape, *alpha = &call->input[1].shape;
  HybShape  out;

  if (sample->rank == HYB_UNKNOWN)
    return TRUE;
  if (sample->rank == 0 || alpha->rank == 0 || alpha->rank > sample->rank)
    return hyb_refuse_types (error,
                             "Give both an axis of vectors, and alpha at most as many axes as "
                             "sample",
                             "sample has %d dimensions and alpha %d", sample->rank, alpha->rank);
  if (alpha->rank != HYB_UNKNOWN)
    {
      for (int i = 0; i < alpha->rank - 1; i++)
        if (!hyb_dim_unify (&alpha->dim[i], &sample->dim[i], "the sizes of alpha and sample",
                            error))
          return FALSE;
      if (!hyb_dim_unify (&alpha->dim[alpha->rank - 1], &sample->dim[sample->rank - 1],
                          "the lengths of the vectors", error))
        return FALSE;
    }

  out = hyb_dims_without (sample, sample->rank - 1);
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

/* The blocks of vectors that share one row of alpha. */
typedef struct
{
  gint64        n;       /* length of a vector */
  gint64        n_rows;  /* of alpha */
  gint64        n_drawn; /* vectors for each row */
  HybDType      dtype;
  gconstpointer sample, alpha;
} Vectors;

static Vectors
find_vectors (const HybType *sample, const HybType *alpha)
{
  Vectors vectors = { .n = sample->shape.dim[sample->shape.rank - 1], .dtype = sample->dtype };

  vectors.n_rows = hyb_shape_count (&alpha->shape, 0, alpha->shape.rank - 1);
  vectors.n_drawn = hyb_shape_count (&sample->shape, alpha->shape.rank - 1, sample->shape.rank - 1);
  return vectors;
}

static double
sample_at (const Vectors *vectors, gint64 vector, gint64 k)
{
  return hyb_dtype_get_double (vectors->sample, vectors->dtype, (gsize) (vector * vectors->n + k));
}

static double
alpha_at (const Vectors *vectors, gint64 row, gint64 k)
{
  return hyb_dtype_get_double (vectors->alpha, vectors->dtype, (gsize) (row * vectors->n + k));
}

/* The logarithm of the density; *total is the sum of the row of alpha. */
static double
log_density (const Vectors *vectors, gint64 vector, double *total)
{
  gint64 row = vector / vectors->n_drawn;
  double sum = 0;

  *total = 0;
  for (gint64 k = 0; k < vectors->n; k++)
    {
      double alpha = alpha_at (vectors, row, k);

      *total += alpha;
      sum += (alpha - 1) * log (sample_at (vectors, vector, k)) - hyb_log_gamma (alpha);
    }
  return sum + hyb_log_gamma (*total);
}

static void
dirichlet_forward (const HybCall *call, const HybRun *run)
{
  const HybDensityParams *params = call->params;
  Vectors                 vectors = find_vectors (&call->input[0], &call->input[1]);
  double                  total;

  vectors.sample = run->input[0];
  vectors.alpha = run->input[1];
  for (gint64 i = 0; i < vectors.n_rows * vectors.n_drawn; i++)
    {
      double value = log_density (&vectors, i, &total);

      hyb_dtype_set_double (run->output[0], vectors.dtype, (gsize) i,
                            params->is_log ? value : exp (value));
    }
}

/* Inputs: gradient, sample, alpha. */
static void
dirichlet_backward (const HybCall *call, const HybRun *run)
{
  const HybDensityParams *params = call->params;
  Vectors                 vectors = find_vectors (&call->input[1], &call->input[2]);
  gint64                  n = vectors.n;

  vectors.sample = run->input[1];
  vectors.alpha = run->input[2];
  memset (run->output[1], 0, hyb_type_bytes (&call->output[1]));
  for (gint64 i = 0; i < vectors.n_rows * vectors.n_drawn; i++)
    {
      gint64 row = i / vectors.n_drawn;
      double total, value = log_density (&vectors, i, &total);
      double scale = hyb_dtype_get_double (run->input[0], vectors.dtype, (gsize) i) *
                     (params->is_log ? 1 : exp (value));

      for (gint64 k = 0; k < n; k++)
        {
          double x = sample_at (&vectors, i, k), alpha = alpha_at (&vectors, row, k);
          gsize  at = (gsize) (row * n + k);

          hyb_dtype_set_double (run->output[0], vectors.dtype, (gsize) (i * n + k),
                                scale * (alpha - 1) / x);
          hyb_dtype_set_double (run->output[1], vectors.dtype, at,
                                hyb_dtype_get_double (run->output[1], vectors.dtype, at) +
                                    scale * (log (x) + hyb_digamma (total) - hyb_digamma (alpha)));
        }
    }
}

const HybOp hyb_ops_density_dirichlet[] = {
  {
      .name = "_random_pdf_dirichlet",
      .aliases = (const char *const[]){ "random_pdf_dirichlet", NULL },
      .doc = "Dirichlet density of vectors, with parameters from a tensor.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .inputs = (const char *const[]){ "sample", "alpha", NULL },
      HYB_PARAMS (hyb_density_params, HybDensityParams),
      .infer_shape = dirichlet_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = dirichlet_forward,
      .gradient = hyb_gradient_by_operands,
      .cost = hyb_density_cost,
  },
  {
      .name = "_backward_random_pdf_dirichlet",
      .doc = "Gradient of _random_pdf_dirichlet.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .flags = HYB_OP_INTERNAL,
      .inputs = (const char *const[]){ "gradient", "sample", "alpha", NULL },
      .outputs = (const char *const[]){ "sample", "alpha", NULL },
      HYB_PARAMS (hyb_density_params, HybDensityParams),
      .gradient_of = "_random_pdf_dirichlet",
      .operands = "g0 i* > i*",
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = dirichlet_backward,
      .cost = hyb_density_cost,
  },
  { 0 },
};
