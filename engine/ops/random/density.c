/* density.c — _random_pdf_…: the density, or its logarithm, of samples under distributions whose
 * parameters are tensors.
 *
 * The shape of the parameters is the beginning of that of the samples; each element of the parameters
 * belongs to a block of samples.  All formulas are those of the logarithm, in double.  As in MXNet the
 * support is not checked, and counts have no gradient.  Start with ROWS; density-dirichlet.c has the
 * distribution of vectors.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/ops/random/density.h"

#include "engine/gradient/by-operands.h"
#include "engine/kernels/special.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>
#include <string.h>

const HybParam hyb_density_params[] = {
  { HYB_FIELD (HybDensityParams, is_log), HYB_PARAM_BOOL, "False",
    .doc = "the logarithm of the density" },
  { 0 },
};

/* A sample with the parameters of its distribution, and the slopes of the log-density. */
typedef struct
{
  double x, a, b;
  double dx, da, db;
} Point;

static double
uniform_log (Point *p)
{
  p->da = 1 / (p->b - p->a);
  p->db = -p->da;
  return -log (p->b - p->a);
}

static double
normal_log (Point *p)
{
  double distance = p->x - p->a, square = p->b * p->b;

  p->dx = -distance / square;
  p->da = distance / square;
  p->db = (distance * distance - square) / (square * p->b);
  return -0.5 * distance * distance / square - log (sqrt (2 * G_PI) * p->b);
}

static double
gamma_log (Point *p)
{
  p->dx = (p->a - 1) / p->x - p->b;
  p->da = log (p->b) + log (p->x) - hyb_digamma (p->a);
  p->db = p->a / p->b - p->x;
  return p->a * log (p->b) + (p->a - 1) * log (p->x) - p->b * p->x - hyb_log_gamma (p->a);
}

static double
exponential_log (Point *p)
{
  p->dx = -p->a;
  p->da = 1 / p->a - p->x;
  return log (p->a) - p->a * p->x;
}

static double
poisson_log (Point *p)
{
  p->da = p->x / p->a - 1;
  return p->x * log (p->a) - hyb_log_gamma (p->x + 1) - p->a;
}

/* a failures, each with probability b. */
static double
negative_binomial_log (Point *p)
{
  p->da = hyb_digamma (p->x + p->a) - hyb_digamma (p->a) + log (p->b);
  p->db = p->a / p->b - p->x / (1 - p->b);
  return hyb_log_gamma (p->x + p->a) - hyb_log_gamma (p->x + 1) - hyb_log_gamma (p->a) +
         p->a * log (p->b) + p->x * log (1 - p->b);
}

/* The same by its mean a and dispersion b: 1 / b failures of probability 1 / (a b + 1). */
static double
generalized_negative_binomial_log (Point *p)
{
  double scale = p->a * p->b + 1;
  Point  q = { .x = p->x, .a = 1 / p->b, .b = 1 / scale };
  double value = negative_binomial_log (&q);

  p->da = -q.db * p->b / (scale * scale);
  p->db = -q.da / (p->b * p->b) - q.db * p->a / (scale * scale);
  return value;
}

typedef double (*LogDensity) (Point *point);

/* --- Types --- */

static gboolean
density_infer_shape (HybCall *call, GError **error)
{
  HybShape *sample = &call->input[0].shape;
  HybShape  parameters = HYB_SHAPE_UNKNOWN;

  if (!hyb_shape_unify (sample, &call->output[0].shape, error))
    return FALSE;
  for (guint i = 1; i < call->n_inputs; i++)
    if (!hyb_shape_unify (&parameters, &call->input[i].shape, error))
      return FALSE;
  if (parameters.rank != HYB_UNKNOWN && sample->rank != HYB_UNKNOWN)
    {
      if (parameters.rank > sample->rank)
        return hyb_refuse_types (error, "Their shape must be the beginning of the samples' shape",
                                 "the parameters have %d dimensions, the samples only %d",
                                 parameters.rank, sample->rank);
      for (int i = 0; i < parameters.rank; i++)
        if (!hyb_dim_unify (&parameters.dim[i], &sample->dim[i],
                            "the sizes of parameters and samples", error))
          return FALSE;
      call->output[0].shape = *sample;
    }
  for (guint i = 1; i < call->n_inputs; i++)
    call->input[i].shape = parameters;
  return TRUE;
}

/* --- Computation --- */

/* Samples for each element of the parameters. */
static gint64
block_size (const HybShape *sample, const HybShape *parameters)
{
  return hyb_shape_count (sample, parameters->rank, sample->rank);
}

/* operands: sample and one or two parameters of a type. */
static Point
read_point (HybDType dtype, guint n, gconstpointer const *operands, gint64 i, gint64 block)
{
  return (Point){
    .x = hyb_dtype_get_double (operands[0], dtype, (gsize) i),
    .a = hyb_dtype_get_double (operands[1], dtype, (gsize) (i / block)),
    .b = n > 2 ? hyb_dtype_get_double (operands[2], dtype, (gsize) (i / block)) : 0,
  };
}

static void
compute_density (const HybCall *call, const HybRun *run, LogDensity log_density)
{
  const HybDensityParams *params = call->params;
  HybDType                dtype = call->output[0].dtype;
  gint64                  n = hyb_shape_size (&call->output[0].shape);
  gint64                  block = block_size (&call->input[0].shape, &call->input[1].shape);

  for (gint64 i = 0; i < n; i++)
    {
      Point  point = read_point (dtype, call->n_inputs, run->input, i, block);
      double value = log_density (&point);

      hyb_dtype_set_double (run->output[0], dtype, (gsize) i, params->is_log ? value : exp (value));
    }
}

/* Inputs: gradient, sample, parameters; outputs: the gradients of the latter two.  Those of the
 * parameters are sums over their samples. */
static void
compute_backward (const HybCall *call, const HybRun *run, LogDensity log_density)
{
  const HybDensityParams *params = call->params;
  HybDType                dtype = call->output[0].dtype;
  gint64                  n_blocks = hyb_shape_size (&call->input[2].shape);
  gint64                  block = block_size (&call->input[1].shape, &call->input[2].shape);

  for (gint64 k = 0; k < n_blocks; k++)
    {
      double da = 0, db = 0;

      for (gint64 i = k * block; i < (k + 1) * block; i++)
        {
          Point  point = read_point (dtype, call->n_inputs - 1, run->input + 1, i, block);
          double value = log_density (&point);
          double scale = hyb_dtype_get_double (run->input[0], dtype, (gsize) i);

          if (!params->is_log)
            scale *= exp (value);
          hyb_dtype_set_double (run->output[0], dtype, (gsize) i, scale * point.dx);
          da += scale * point.da;
          db += scale * point.db;
        }
      hyb_dtype_set_double (run->output[1], dtype, (gsize) k, da);
      if (call->n_outputs > 2)
        hyb_dtype_set_double (run->output[2], dtype, (gsize) k, db);
    }
}

/* Logarithms and exponentials. */
void
hyb_density_cost (const HybCall *call, HybCost *cost)
{
  cost->flops = 20.0 * (double) hyb_shape_size (&call->input[0].shape);
  hyb_rule_cost_bytes (call, cost);
}

/* row name, description, inputs that never get a gradient, parameters … */
#define ROWS(ROW)                                           \
  ROW (uniform, "Uniform", 1, "low", "high")                \
  ROW (normal, "Normal", 0, "mu", "sigma")                  \
  ROW (gamma, "Gamma", 0, "alpha", "beta")                  \
  ROW (exponential, "Exponential", 0, "lam")                \
  ROW (poisson, "Poisson", 1, "lam")                        \
  ROW (negative_binomial, "Negative binomial", 1, "k", "p") \
  ROW (generalized_negative_binomial, "Negative binomial (mean, dispersion)", 1, "mu", "alpha")

#define ROW(id, ...)                                                 \
  static void id##_forward (const HybCall *call, const HybRun *run)  \
  {                                                                  \
    compute_density (call, run, id##_log);                           \
  }                                                                  \
                                                                     \
  static void id##_backward (const HybCall *call, const HybRun *run) \
  {                                                                  \
    compute_backward (call, run, id##_log);                          \
  }
ROWS (ROW)
#undef ROW

#define ROW(id, text, constant, ...)                                                \
  {                                                                                 \
    .name = "_random_pdf_" #id,                                                     \
    .aliases = (const char *const[]){ "random_pdf_" #id, NULL },                    \
    .doc = text " density of samples, with parameters from tensors.",               \
    .category = HYB_CATEGORY_ELEMENTWISE,                                           \
    .inputs = (const char *const[]){ "sample", __VA_ARGS__, NULL },                 \
    .constant_inputs = constant,                                                    \
    .params = hyb_density_params,                                                   \
    .params_size = sizeof (HybDensityParams),                                       \
    .infer_shape = density_infer_shape,                                             \
    .dtypes = HYB_DTYPES_FLOAT,                                                     \
    .forward = id##_forward,                                                        \
    .gradient = hyb_gradient_by_operands,                                           \
    .cost = hyb_density_cost,                                                       \
  },                                                                                \
      {                                                                             \
        .name = "_backward_random_pdf_" #id,                                        \
        .doc = "Gradient of _random_pdf_" #id ".",                                  \
        .category = HYB_CATEGORY_ELEMENTWISE,                                       \
        .flags = HYB_OP_INTERNAL,                                                   \
        .inputs = (const char *const[]){ "gradient", "sample", __VA_ARGS__, NULL }, \
        .outputs = (const char *const[]){ "sample", __VA_ARGS__, NULL },            \
        .params = hyb_density_params,                                               \
        .params_size = sizeof (HybDensityParams),                                   \
        .gradient_of = "_random_pdf_" #id,                                          \
        .operands = "g0 i* > i*",                                                   \
        .dtypes = HYB_DTYPES_FLOAT,                                                 \
        .forward = id##_backward,                                                   \
        .cost = hyb_density_cost,                                                   \
      },

const HybOp hyb_ops_density[] = {
  ROWS (ROW) //
  { 0 },
};

#undef ROW
#undef ROWS
