/* numpy-random.c — _npi_uniform, _npi_normal …: random numbers of the NumPy interface.
 *
 * Each of the one or two parameters of a distribution is an attribute, or a tensor where the attribute
 * is None; tensors are broadcast to the result.  Number i depends on the seed of the node and on i
 * alone; the numbers differ from MXNet's.  ROWS lists the distributions.  Start with
 * random_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/parallel.h"
#include "engine/kernels/distributions.h"
#include "engine/kernels/each.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>

/* Shared by all operators; the table of each lists the members that it has. */
typedef struct
{
  double   first, second; /* NaN: a tensor */
  HybShape size;
  char    *ctx;
  HybDType dtype;
  gboolean is_logit; /* of bernoulli */
} RandomParams;

#define NUMBER(text, member, fallback, help)                                                  \
  {                                                                                           \
    .name = text, .offset = G_STRUCT_OFFSET (RandomParams, member), HYB_PARAM_OPTIONAL_FLOAT, \
    fallback, .doc = help                                                                     \
  }
#define COMMON_PARAMS                                                                  \
  { HYB_FIELD (RandomParams, size), HYB_PARAM_SHAPE, "None",                           \
    .doc = "shape of the result; None: same as the parameters" },                      \
      { HYB_FIELD (RandomParams, ctx), HYB_PARAM_STRING, "cpu",                        \
        .doc = "device in MXNet; not used" },                                          \
  {                                                                                    \
    HYB_FIELD (RandomParams, dtype), HYB_PARAM_DTYPE, "float32", .doc = "element type" \
  }

static double
sample_exponential (guint64 seed, guint64 index, double scale, double unused)
{
  return scale * hyb_sample_exponential (seed, index, 1, 0);
}

static double
sample_weibull (guint64 seed, guint64 index, double shape, double unused)
{
  return pow (hyb_sample_exponential (seed, index, 1, 0), 1 / shape);
}

static double
sample_pareto (guint64 seed, guint64 index, double shape, double unused)
{
  return expm1 (hyb_sample_exponential (seed, index, 1, 0) / shape);
}

static double
sample_powerd (guint64 seed, guint64 index, double shape, double unused)
{
  return pow (-expm1 (-hyb_sample_exponential (seed, index, 1, 0)), 1 / shape);
}

static double
sample_rayleigh (guint64 seed, guint64 index, double scale, double unused)
{
  return scale * sqrt (2 * hyb_sample_exponential (seed, index, 1, 0));
}

static double
sample_gumbel (guint64 seed, guint64 index, double loc, double scale)
{
  return loc - scale * log (hyb_sample_exponential (seed, index, 1, 0));
}

/* log (u / (1 − u)) with u = 1 − exp (−e). */
static double
sample_logistic (guint64 seed, guint64 index, double loc, double scale)
{
  return loc + scale * log (expm1 (hyb_sample_exponential (seed, index, 1, 0)));
}

/* name after “_npi_”, sampler, number of parameters, description, attributes … */
#define ROWS(ROW)                                                                                  \
  ROW (uniform, hyb_sample_uniform, 2, FALSE, "Uniform", NUMBER ("low", first, NULL, "lower end"), \
       NUMBER ("high", second, NULL, "upper end, excluded"))                                       \
  ROW (uniform_n, hyb_sample_uniform, 2, TRUE, "Uniform",                                          \
       NUMBER ("low", first, NULL, "lower end"),                                                   \
       NUMBER ("high", second, NULL, "upper end, excluded"))                                       \
  ROW (normal, hyb_sample_normal, 2, FALSE, "Normal", NUMBER ("loc", first, NULL, "mean"),         \
       NUMBER ("scale", second, NULL, "standard deviation"))                                       \
  ROW (normal_n, hyb_sample_normal, 2, TRUE, "Normal", NUMBER ("loc", first, NULL, "mean"),        \
       NUMBER ("scale", second, NULL, "standard deviation"))                                       \
  ROW (gamma, hyb_sample_gamma, 2, FALSE, "Gamma distributed",                                     \
       NUMBER ("shape", first, NULL, "shape of the distribution"),                                 \
       NUMBER ("scale", second, NULL, "scale"))                                                    \
  ROW (gumbel, sample_gumbel, 2, FALSE, "Gumbel distributed", NUMBER ("loc", first, NULL, "mode"), \
       NUMBER ("scale", second, NULL, "scale"))                                                    \
  ROW (logistic, sample_logistic, 2, FALSE, "Logistic", NUMBER ("loc", first, NULL, "mean"),       \
       NUMBER ("scale", second, NULL, "scale"))                                                    \
  ROW (exponential, sample_exponential, 1, FALSE, "Exponential",                                   \
       NUMBER ("scale", first, "1.0", "mean"))                                                     \
  ROW (rayleigh, sample_rayleigh, 1, FALSE, "Rayleigh distributed",                                \
       NUMBER ("scale", first, "1.0", "mode"))                                                     \
  ROW (weibull, sample_weibull, 1, FALSE, "Weibull distributed",                                   \
       NUMBER ("a", first, "None", "shape of the distribution"))                                   \
  ROW (pareto, sample_pareto, 1, FALSE, "Pareto distributed (from 0)",                             \
       NUMBER ("a", first, "None", "shape of the distribution"))                                   \
  ROW (powerd, sample_powerd, 1, FALSE, "Power distributed",                                       \
       NUMBER ("a", first, "None", "exponent + 1"))

static guint
n_tensors (const RandomParams *params, guint n_parameters)
{
  return (isnan (params->first) ? 1 : 0) + (n_parameters > 1 && isnan (params->second) ? 1 : 0);
}

/* size; or the parameters broadcast to each other; with `adds` both, one after the other. */
static gboolean
infer_drawn (HybCall *call, gboolean adds, GError **error)
{
  const RandomParams *params = call->params;
  HybType             whole = HYB_TYPE_UNKNOWN;
  HybCall             broadcast = *call;
  HybShape            out = params->size;

  if (out.rank != HYB_UNKNOWN && !adds)
    return hyb_shape_assign (&call->output[0].shape, &out, error);

  broadcast.output = &whole;
  broadcast.n_outputs = 1;
  if (!hyb_rule_broadcast (&broadcast, error))
    return FALSE;
  if (whole.shape.rank == HYB_UNKNOWN)
    return TRUE;
  if (out.rank == HYB_UNKNOWN)
    out.rank = 0;
  if (out.rank + whole.shape.rank > HYB_MAX_RANK)
    return hyb_refuse_types (error, NULL, "at most %d dimensions are supported", HYB_MAX_RANK);
  for (int i = 0; i < whole.shape.rank; i++)
    out.dim[out.rank++] = whole.shape.dim[i];
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

static gboolean
random_check (gconstpointer values, GError **error)
{
  const HybShape *size = &((const RandomParams *) values)->size;

  for (int i = 0; i < size->rank; i++)
    if (size->dim[i] < 0)
      return hyb_refuse_attribute (error, NULL, "a size cannot be negative");
  return TRUE;
}

static gboolean
random_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_assign (&call->output[0].dtype, ((const RandomParams *) call->params)->dtype,
                           error);
}

/* The parameters must be broadcastable to the result. */
static gboolean
random_prepare (HybCall *call, GError **error)
{
  const HybShape *out = &call->output[0].shape;

  for (guint i = 0; i < call->n_inputs; i++)
    {
      const HybShape *shape = &call->input[i].shape;
      gboolean        fits = shape->rank <= out->rank;

      for (int k = 1; fits && k <= shape->rank; k++)
        fits = shape->dim[shape->rank - k] == 1 ||
               shape->dim[shape->rank - k] == out->dim[out->rank - k];
      if (!fits)
        return hyb_refuse_types (error, "Give a size that ends with the shape of the parameters",
                                 "parameter %u cannot be broadcast to the result", i);
    }
  return TRUE;
}

typedef struct
{
  const HybRun *run;
  HybSampler    sampler;
  guint64       seed;
  double        numbers[2];
  int           input[2]; /* which input holds a parameter; -1: a number */
  HybDType      types[2], dtype;
} Draw;

/* One row of a HybEach walk with the result and both parameters. */
static void
draw_row (const gint64 *offset, const gint64 *stride, gint64 n, gpointer data)
{
  const Draw *draw = data;

  for (gint64 i = 0; i < n; i++)
    {
      double parameter[2];

      for (int p = 0; p < 2; p++)
        parameter[p] = draw->input[p] < 0
                           ? draw->numbers[p]
                           : hyb_dtype_get_double (draw->run->input[draw->input[p]], draw->types[p],
                                                   (gsize) (offset[p + 1] + i * stride[p + 1]));
      hyb_dtype_set_double (draw->run->output[0], draw->dtype, (gsize) (offset[0] + i),
                            draw->sampler (draw->seed, (guint64) (offset[0] + i), parameter[0],
                                           parameter[1]));
    }
}

/* numbers: both parameters, NaN where an input holds one. */
static void
draw_numbers (const HybCall *call, const HybRun *run, HybSampler sampler, const double *numbers)
{
  static const HybShape number = { .rank = 0 };
  const HybShape       *shapes[] = { &call->output[0].shape, &number, &number };
  Draw                  draw = {
                     .run = run,
                     .sampler = sampler,
                     .seed = hyb_run_random_seed (run),
                     .numbers = { numbers[0], numbers[1] },
                     .dtype = call->output[0].dtype,
  };
  HybEach each;
  guint   at = 0;

  for (int p = 0; p < 2; p++)
    {
      draw.input[p] = isnan (draw.numbers[p]) && at < call->n_inputs ? (int) at++ : -1;
      if (draw.input[p] < 0)
        continue;
      draw.types[p] = call->input[draw.input[p]].dtype;
      shapes[p + 1] = &call->input[draw.input[p]].shape;
    }
  hyb_each_init (&each, shapes[0], 3, shapes);
  hyb_each_rows_parallel (&each, 1024, draw_row, &draw);
}

static void
random_forward (const HybCall *call, const HybRun *run, HybSampler sampler)
{
  const RandomParams *params = call->params;
  double              numbers[] = { params->first, params->second };

  draw_numbers (call, run, sampler, numbers);
}

/* --- bernoulli: one parameter, given as a probability or as a logit --- */

static const HybParam bernoulli_params[] = {
  NUMBER ("prob", first, NULL, "probability of 1"),
  NUMBER ("logit", second, NULL, "logarithm of the odds of 1"),
  { HYB_FIELD (RandomParams, is_logit), HYB_PARAM_BOOL, NULL,
    .doc = "whether the parameter is a logit" },
  COMMON_PARAMS,
  { 0 },
};

static double
sample_bernoulli (guint64 seed, guint64 index, double probability, double unused)
{
  return hyb_sample_uniform (seed, index, 0, 1) < probability;
}

static double
sample_bernoulli_logit (guint64 seed, guint64 index, double logit, double unused)
{
  return hyb_sample_uniform (seed, index, 0, 1) < 1 / (1 + exp (-logit));
}

static void
bernoulli_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const RandomParams *params = values;

  *n_inputs = isnan (params->is_logit ? params->second : params->first) ? 1 : 0;
  *n_outputs = 1;
}

static gboolean
bernoulli_infer_shape (HybCall *call, GError **error)
{
  return infer_drawn (call, FALSE, error);
}

static void
bernoulli_forward (const HybCall *call, const HybRun *run)
{
  const RandomParams *params = call->params;
  double              numbers[] = { params->is_logit ? params->second : params->first, 0 };

  draw_numbers (call, run, params->is_logit ? sample_bernoulli_logit : sample_bernoulli, numbers);
}

#define ROW(id, sampler, n_parameters, adds, text, ...)                                      \
  static const HybParam id##_params[] = { __VA_ARGS__, COMMON_PARAMS, { 0 } };               \
  static void           id##_arity (gconstpointer params, guint *n_inputs, guint *n_outputs) \
  {                                                                                          \
    *n_inputs = n_tensors (params, n_parameters);                                            \
    *n_outputs = 1;                                                                          \
  }                                                                                          \
  static gboolean id##_infer_shape (HybCall *call, GError **error)                           \
  {                                                                                          \
    return infer_drawn (call, adds, error);                                                  \
  }                                                                                          \
  static void id##_forward (const HybCall *call, const HybRun *run)                          \
  {                                                                                          \
    random_forward (call, run, sampler);                                                     \
  }
ROWS (ROW)
#undef ROW

static const char *const inputs[] = { "input1", "input2", NULL };

#define ROW(id, sampler, n_parameters, adds, text, ...) \
  {                                                     \
    .name = "_npi_" #id,                                \
    .doc = text " numbers.",                            \
    .category = HYB_CATEGORY_DATA,                      \
    .flags = HYB_OP_RANDOM,                             \
    .inputs = inputs,                                   \
    .params = id##_params,                              \
    .params_size = sizeof (RandomParams),               \
    .arity = id##_arity,                                \
    .check = random_check,                              \
    .infer_shape = id##_infer_shape,                    \
    .infer_dtype = random_infer_dtype,                  \
    .dtypes = HYB_DTYPES_ALL,                           \
    .prepare = random_prepare,                          \
    .forward = id##_forward,                            \
  },

const HybOp hyb_ops_numpy_random[] = {
  ROWS (ROW) //
  {
      .name = "_npi_bernoulli",
      .doc = "Ones with a given probability, else zeros.",
      .category = HYB_CATEGORY_DATA,
      .flags = HYB_OP_RANDOM,
      .inputs = inputs,
      HYB_PARAMS (bernoulli_params, RandomParams),
      .arity = bernoulli_arity,
      .infer_shape = bernoulli_infer_shape,
      .infer_dtype = random_infer_dtype,
      .check = random_check,
      .dtypes = HYB_DTYPES_ALL,
      .prepare = random_prepare,
      .forward = bernoulli_forward,
  },
  { 0 },
};

#undef ROW
#undef ROWS
#undef COMMON_PARAMS
#undef NUMBER
