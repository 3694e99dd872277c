/* sample.c — _sample_uniform, _sample_normal …: random numbers from distributions whose parameters are
 * tensors (in random.c they are attributes).
 *
 * For each element of the parameter tensors a block of numbers of the shape given by the attribute is
 * drawn; the output has the shape (parameters …, shape …).  Start with sample_slice().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/distributions.h"

#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/op/op.h"
#include "engine/op/run.h"

typedef struct
{
  HybShape shape;
  HybDType dtype;
} SampleParams;

static const HybParam sample_params[] = {
  { HYB_FIELD (SampleParams, shape), HYB_PARAM_SHAPE, "()",
    .doc = "shape of the draws for each element of the parameters" },
  { HYB_FIELD (SampleParams, dtype), HYB_PARAM_DTYPE, "None",
    .doc = "element type; None: float32" },
  { 0 },
};

static gboolean
sample_infer_shape (HybCall *call, GError **error)
{
  const SampleParams *params = call->params;
  HybShape            parameters = HYB_SHAPE_UNKNOWN;
  HybShape            out;
  int                 n_drawn = MAX (0, params->shape.rank);

  for (guint i = 0; i < call->n_inputs; i++)
    if (!hyb_shape_unify (&parameters, &call->input[i].shape, error))
      return FALSE;
  for (guint i = 0; i < call->n_inputs; i++)
    call->input[i].shape = parameters;
  if (parameters.rank == HYB_UNKNOWN)
    return TRUE;
  if (parameters.rank + n_drawn > HYB_MAX_RANK)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL, NULL,
                         "the output would have %d + %d dimensions, but at most %d are supported",
                         parameters.rank, n_drawn, HYB_MAX_RANK);

  out = parameters;
  for (int i = 0; i < n_drawn; i++)
    out.dim[out.rank++] = params->shape.dim[i] < 0 ? HYB_UNKNOWN : params->shape.dim[i];
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

static gboolean
sample_infer_dtype (HybCall *call, GError **error)
{
  HybDType dtype = ((const SampleParams *) call->params)->dtype;

  for (guint i = 1; i < call->n_inputs; i++)
    if (!hyb_dtype_unify (&call->input[0].dtype, &call->input[i].dtype, error))
      return FALSE;
  if (dtype == HYB_DTYPE_UNKNOWN)
    dtype = call->output[0].dtype != HYB_DTYPE_UNKNOWN ? call->output[0].dtype : HYB_F32;
  return hyb_dtype_assign (&call->output[0].dtype, dtype, error);
}

typedef struct
{
  const HybCall *call;
  const HybRun  *run;
  HybSampler     sampler;
  guint64        seed;
  gint64         n_drawn; /* for each element of the parameters */
} SampleDraws;

static void
sample_slice (gint64 begin, gint64 end, gpointer data)
{
  const SampleDraws *draws = data;
  const HybCall     *call = draws->call;
  HybDType           dtype = call->input[0].dtype;

  for (gint64 i = begin; i < end; i++)
    {
      gsize  at = (gsize) (i / draws->n_drawn);
      double a = hyb_dtype_get_double (draws->run->input[0], dtype, at);
      double b = call->n_inputs > 1 ? hyb_dtype_get_double (draws->run->input[1], dtype, at) : 0;

      hyb_dtype_set_double (draws->run->output[0], call->output[0].dtype, (gsize) i,
                            draws->sampler (draws->seed, (guint64) i, a, b));
    }
}

static void
sample_forward (const HybCall *call, const HybRun *run, HybSampler sampler)
{
  gint64      n = hyb_shape_size (&call->output[0].shape);
  gint64      n_parameters = hyb_shape_size (&call->input[0].shape);
  SampleDraws draws = { call, run, sampler, hyb_run_random_seed (run), 0 };

  if (n == 0)
    return;
  draws.n_drawn = n / n_parameters;
  hyb_parallel_for (n, 1024, sample_slice, &draws);
}

/* row name, description, sampler, names of the parameters … */
#define ROWS(ROW)                                                           \
  ROW (uniform, "Uniform", uniform, "low", "high")                          \
  ROW (normal, "Normal", normal, "mu", "sigma")                             \
  ROW (gamma, "Gamma distributed", gamma, "alpha", "beta")                  \
  ROW (exponential, "Exponential", exponential, "lam")                      \
  ROW (poisson, "Poisson", poisson, "lam")                                  \
  ROW (negative_binomial, "Negative binomial", negative_binomial, "k", "p") \
  ROW (generalized_negative_binomial, "Overdispersed Poisson", dispersed_poisson, "mu", "alpha")

#define ROW(id, text, sampler, ...)                                 \
  static void id##_forward (const HybCall *call, const HybRun *run) \
  {                                                                 \
    sample_forward (call, run, hyb_sample_##sampler);               \
  }
ROWS (ROW)
#undef ROW

#define ROW(id, text, sampler, ...)                          \
  {                                                          \
    .name = "_sample_" #id,                                  \
    .aliases = (const char *const[]){ "sample_" #id, NULL }, \
    .doc = text " numbers with parameters from tensors.",    \
    .category = HYB_CATEGORY_DATA,                           \
    .flags = HYB_OP_RANDOM | HYB_OP_NO_GRADIENT,             \
    .inputs = (const char *const[]){ __VA_ARGS__, NULL },    \
    .constant_inputs = 3,                                    \
    .params = sample_params,                                 \
    .params_size = sizeof (SampleParams),                    \
    .infer_shape = sample_infer_shape,                       \
    .infer_dtype = sample_infer_dtype,                       \
    .dtypes = HYB_DTYPES_ALL,                                \
    .forward = id##_forward,                                 \
  },

const HybOp hyb_ops_sample[] = {
  ROWS (ROW) //
  { 0 },
};

#undef ROW
#undef ROWS
