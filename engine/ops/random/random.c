/* random.c — _random_uniform, _random_normal … and _random_randint: random numbers from distributions
 * whose parameters are attributes (in sample.c they are tensors).
 *
 * Number i depends on the seed of the node and on i alone, so the same seed gives the same numbers on
 * any number of threads; they differ from MXNet's.  ROWS lists the distributions.  Start with
 * random_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/random.h"
#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/kernels/distributions.h"
#include "engine/op/op.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/array/source-shape.h"

/* Shared by all operators; the table of each lists the members that it has. */
typedef struct
{
  double   low, high, loc, scale, alpha, beta, lam, p, mu;
  gint64   k, first, last;
  HybShape shape;
  char    *ctx;
  HybDType dtype;
} RandomParams;

#define NUMBER(member, value, text)                                       \
  {                                                                       \
    HYB_FIELD (RandomParams, member), HYB_PARAM_FLOAT, value, .doc = text \
  }
/* A parameter that must not be negative. */
#define POSITIVE(member, value, text)                                                        \
  {                                                                                          \
    HYB_FIELD (RandomParams, member), HYB_PARAM_FLOAT, value, .low = 0, .high = G_MAXDOUBLE, \
                                                              .doc = text                    \
  }

/* A parameter that must be positive. */
#define ABOVE_ZERO(member, value, text)                                                        \
  {                                                                                            \
    HYB_FIELD (RandomParams, member), HYB_PARAM_FLOAT, value, .low = G_MINDOUBLE,              \
                                                              .high = G_MAXDOUBLE, .doc = text \
  }

#define UNIFORM_PARAMS NUMBER (low, "0.0", "lower end"), NUMBER (high, "1.0", "upper end, excluded")
#define NORMAL_PARAMS  NUMBER (loc, "0.0", "mean"), ABOVE_ZERO (scale, "1.0", "standard deviation")
#define GAMMA_PARAMS \
  ABOVE_ZERO (alpha, "1.0", "shape of the distribution"), ABOVE_ZERO (beta, "1.0", "scale")
#define EXPONENTIAL_PARAMS ABOVE_ZERO (lam, "1.0", "1 / mean")
#define POISSON_PARAMS     POSITIVE (lam, "1.0", "mean")
#define BINOMIAL_PARAMS                                                                    \
  { HYB_FIELD (RandomParams, k),   HYB_PARAM_INT, "1", .low = 0, .high = G_MAXINT32,       \
    .doc = "successes to wait for" },                                                      \
  {                                                                                        \
    HYB_FIELD (RandomParams, p), HYB_PARAM_FLOAT, "1.0", .low = 0, .high = 1,              \
                                                         .doc = "probability of a success" \
  }
#define DISPERSED_PARAMS \
  POSITIVE (mu, "1.0", "mean"), POSITIVE (alpha, "1.0", "variance = mu + alpha mu²")

#define SHAPE_PARAMS                                                                               \
  { HYB_FIELD (RandomParams, shape), HYB_PARAM_SHAPE, "()", .doc = "shape of the result" },        \
      { HYB_FIELD (RandomParams, ctx), HYB_PARAM_STRING, "", .doc = "device in MXNet; not used" }, \
  {                                                                                                \
    HYB_FIELD (RandomParams, dtype), HYB_PARAM_DTYPE, "None", .doc = "element type; None: float32" \
  }

/* row name, alias, description, parameters, sampler, its two arguments */
#define ROWS(ROW)                                                                               \
  ROW (uniform, "uniform", "Uniform", UNIFORM_PARAMS, uniform, p->low, p->high)                 \
  ROW (normal, "normal", "Normal", NORMAL_PARAMS, normal, p->loc, p->scale)                     \
  ROW (gamma, NULL, "Gamma distributed", GAMMA_PARAMS, gamma, p->alpha, p->beta)                \
  ROW (exponential, "exponential", "Exponential", EXPONENTIAL_PARAMS, exponential, p->lam, 0)   \
  ROW (poisson, "poisson", "Poisson", POISSON_PARAMS, poisson, p->lam, 0)                       \
  ROW (negative_binomial, "negative_binomial", "Negative binomial", BINOMIAL_PARAMS,            \
       negative_binomial, (double) p->k, p->p)                                                  \
  ROW (generalized_negative_binomial, "generalized_negative_binomial", "Overdispersed Poisson", \
       DISPERSED_PARAMS, dispersed_poisson, p->mu, p->alpha)

static gboolean
random_check (gconstpointer values, GError **error)
{
  const RandomParams *params = values;

  return params->low <= params->high ||
         hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, "low", "Exchange low and high",
                       "%g is above high, %g", params->low, params->high);
}

static gboolean
random_infer_shape (HybCall *call, GError **error)
{
  return source_infer_shape (call, &((const RandomParams *) call->params)->shape, error);
}

/* Without a dtype attribute the type of the consumers, or float32 if they have none. */
static gboolean
random_infer_dtype (HybCall *call, GError **error)
{
  HybDType dtype = ((const RandomParams *) call->params)->dtype;

  if (dtype == HYB_DTYPE_UNKNOWN)
    dtype = call->output[0].dtype != HYB_DTYPE_UNKNOWN ? call->output[0].dtype : HYB_F32;
  return hyb_dtype_assign (&call->output[0].dtype, dtype, error);
}

typedef struct RandomFill RandomFill;

struct RandomFill
{
  HybSampler sampler;
  guint64    seed;
  double     a, b; /* parameters of the distribution */
  HybDType   dtype;
  char      *to;
  void (*draw) (const RandomFill *fill, gint64 at, gint64 n, double *values);
};

static void
draw_each (const RandomFill *fill, gint64 at, gint64 n, double *values)
{
  for (gint64 i = 0; i < n; i++)
    values[i] = fill->sampler (fill->seed, (guint64) (at + i), fill->a, fill->b);
}

/* The numbers of hyb_sample_normal(). */
static void
draw_normals (const RandomFill *fill, gint64 at, gint64 n, double *values)
{
  hyb_random_normal_fill (fill->seed, (guint64) at, values, (gsize) n);
  for (gint64 i = 0; i < n; i++)
    values[i] = fill->a + fill->b * values[i];
}

/* Numbers computed on the stack before they are converted. */
#define PIECE 256

static void
random_slice (gint64 begin, gint64 end, gpointer data)
{
  const RandomFill *fill = data;
  double            values[PIECE];

  for (gint64 at = begin; at < end; at += PIECE)
    {
      gint64 n = MIN (PIECE, end - at);

      fill->draw (fill, at, n, values);
      hyb_dtype_convert (fill->to + at * (gint64) hyb_dtype_size (fill->dtype), fill->dtype, values,
                         HYB_F64, (gsize) n);
    }
}

/* A fast path for uniform float32 numbers, the most frequent case, without converting from double. */
static void
uniform_slice (gint64 begin, gint64 end, gpointer data)
{
  const RandomFill *fill = data;
  float            *to = (float *) (gpointer) fill->to + begin;
  float             low = (float) fill->a, range = (float) (fill->b - fill->a);

  hyb_random_uniform_fill (fill->seed, (guint64) begin, to, (gsize) (end - begin));
  for (gint64 i = 0; i < end - begin; i++)
    to[i] = low + range * to[i];
}

static void
random_forward (const HybCall *call, const HybRun *run, HybSampler sampler, double a, double b)
{
  RandomFill fill = {
    sampler,
    hyb_run_random_seed (run),
    a,
    b,
    call->output[0].dtype,
    run->output[0],
    sampler == hyb_sample_normal ? draw_normals : draw_each,
  };

  if (sampler == hyb_sample_uniform && fill.dtype == HYB_F32)
    hyb_parallel_for (hyb_shape_size (&call->output[0].shape), 8192, uniform_slice, &fill);
  else
    hyb_parallel_for (hyb_shape_size (&call->output[0].shape), 1024, random_slice, &fill);
}

#define ROW(id, alias, text, PARAMS, sampler, a, b)                           \
  static const HybParam id##_params[] = { PARAMS, SHAPE_PARAMS, { 0 } };      \
  static const HybParam id##_like_params[] = { PARAMS, { 0 } };               \
  static void           id##_forward (const HybCall *call, const HybRun *run) \
  {                                                                           \
    const RandomParams *p = call->params;                                     \
                                                                              \
    random_forward (call, run, hyb_sample_##sampler, a, b);                   \
  }
ROWS (ROW)
#undef ROW

static const HybParam randint_params[] = {
  { .name = "low",
    .offset = G_STRUCT_OFFSET (RandomParams, first),
    HYB_PARAM_INT,
    NULL,
    .doc = "smallest number" },
  { .name = "high",
    .offset = G_STRUCT_OFFSET (RandomParams, last),
    HYB_PARAM_INT,
    NULL,
    .doc = "end, not included" },
  { HYB_FIELD (RandomParams, shape), HYB_PARAM_SHAPE, "()", .doc = "shape of the result" },
  { HYB_FIELD (RandomParams, ctx), HYB_PARAM_STRING, "", .doc = "device in MXNet; not used" },
  { HYB_FIELD (RandomParams, dtype), HYB_PARAM_DTYPE, "int32", .doc = "element type" },
  { 0 },
};

static gboolean
randint_check (gconstpointer values, GError **error)
{
  const RandomParams *params = values;

  if (params->dtype != HYB_DTYPE_UNKNOWN && hyb_dtype_is_float (params->dtype))
    return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, "Use int32 or int64",
                         "dtype is %s, but random integers need an integer type",
                         hyb_dtype_name (params->dtype));
  return params->first < params->last ||
         hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, "Choose high above low",
                       "there is no integer from low, %" G_GINT64_FORMAT
                       ", to high, %" G_GINT64_FORMAT ", which is excluded",
                       params->first, params->last);
}

static gboolean
randint_infer_dtype (HybCall *call, GError **error)
{
  HybDType dtype = ((const RandomParams *) call->params)->dtype;

  return hyb_dtype_assign (&call->output[0].dtype, dtype == HYB_DTYPE_UNKNOWN ? HYB_I32 : dtype,
                           error);
}

typedef struct
{
  guint64  seed;
  gint64   first;
  guint64  range; /* number of possible values */
  HybDType dtype;
  char    *to;
} IntegerFill;

/* first + 64 random bits modulo range.  The relative error of probabilities is below
 * range / 2⁶⁴. */
static void
randint_slice (gint64 begin, gint64 end, gpointer data)
{
  const IntegerFill *fill = data;
  gint64             values[PIECE];

  for (gint64 at = begin; at < end; at += PIECE)
    {
      gint64 n = MIN (PIECE, end - at);

      for (gint64 i = 0; i < n; i++)
        {
          guint32 words[4];
          guint64 bits;

          hyb_random_block (fill->seed, (guint64) (at + i), words);
          bits = (guint64) words[0] << 32 | words[1];
          values[i] = (gint64) ((guint64) fill->first + bits % fill->range);
        }
      hyb_dtype_convert (fill->to + at * (gint64) hyb_dtype_size (fill->dtype), fill->dtype, values,
                         HYB_I64, (gsize) n);
    }
}

static void
randint_forward (const HybCall *call, const HybRun *run)
{
  const RandomParams *params = call->params;
  IntegerFill         fill = {
            .seed = hyb_run_random_seed (run),
            .first = params->first,
            .range = (guint64) params->last - (guint64) params->first,
            .dtype = call->output[0].dtype,
            .to = run->output[0],
  };

  hyb_parallel_for (hyb_shape_size (&call->output[0].shape), 1024, randint_slice, &fill);
}

static const char *const no_inputs[] = { NULL };
static const char *const like_inputs[] = { "data", NULL };

#define COMMON                                                                \
  .category = HYB_CATEGORY_DATA, .flags = HYB_OP_RANDOM | HYB_OP_NO_GRADIENT, \
  .params_size = sizeof (RandomParams), .dtypes = HYB_DTYPES_ALL

#define ROW(id, alias, text, PARAMS, sampler, a, b)                 \
  {                                                                 \
    .name = "_random_" #id,                                         \
    .aliases = (const char *const[]){ "random_" #id, alias, NULL }, \
    .doc = text " numbers.",                                        \
    COMMON,                                                         \
    .inputs = no_inputs,                                            \
    .params = id##_params,                                          \
    .check = random_check,                                          \
    .infer_shape = random_infer_shape,                              \
    .infer_dtype = random_infer_dtype,                              \
    .forward = id##_forward,                                        \
  },                                                                \
      {                                                             \
        .name = "_random_" #id "_like",                             \
        .doc = text " numbers, as many as the input has elements.", \
        COMMON,                                                     \
        .inputs = like_inputs,                                      \
        .constant_inputs = 1,                                       \
        .params = id##_like_params,                                 \
        .check = random_check,                                      \
        .infer_shape = hyb_rule_unary,                              \
        .forward = id##_forward,                                    \
      },

const HybOp hyb_ops_random[] = {
  ROWS (ROW) //
  {
      .name = "_random_randint",
      .aliases = (const char *const[]){ "random_randint", NULL },
      .doc = "Random integers.",
      COMMON,
      .inputs = no_inputs,
      .params = randint_params,
      .check = randint_check,
      .infer_shape = random_infer_shape,
      .infer_dtype = randint_infer_dtype,
      .forward = randint_forward,
  },
  { 0 },
};

#undef ROW
#undef COMMON
#undef ROWS
#undef SHAPE_PARAMS
#undef DISPERSED_PARAMS
#undef BINOMIAL_PARAMS
#undef POISSON_PARAMS
#undef EXPONENTIAL_PARAMS
#undef GAMMA_PARAMS
#undef NORMAL_PARAMS
#undef UNIFORM_PARAMS
#undef POSITIVE
#undef NUMBER
