/* multinomial.c — _sample_multinomial draws classes from rows of probabilities, _shuffle permutes
 * rows.
 *
 * Numbers come from hyb_run_random_seed() and the index of the element, so they do not depend on
 * threads.  Start with multinomial_slice().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/base/random.h"
#include "engine/gradient/gradient.h"
#include "engine/op/op.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>
#include <string.h>

typedef struct
{
  HybShape shape;
  gboolean get_prob;
  HybDType dtype;
} MultinomialParams;

static const HybParam multinomial_params[] = {
  { HYB_FIELD (MultinomialParams, shape), HYB_PARAM_SHAPE, "()",
    .doc = "shape of the draws for each row" },
  { HYB_FIELD (MultinomialParams, get_prob), HYB_PARAM_BOOL, "False",
    .doc = "also return the logarithm of the probability of each draw" },
  { HYB_FIELD (MultinomialParams, dtype), HYB_PARAM_DTYPE, "int32",
    .doc = "element type of the classes" },
  { 0 },
};

static void
multinomial_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  *n_outputs = ((const MultinomialParams *) values)->get_prob ? 2 : 1;
}

static gboolean
multinomial_infer_shape (HybCall *call, GError **error)
{
  const MultinomialParams *params = call->params;
  HybShape                 out = call->input[0].shape;
  int                      n_drawn = MAX (0, params->shape.rank);

  if (out.rank == HYB_UNKNOWN)
    return TRUE;
  if (out.rank == 0 || out.dim[out.rank - 1] == 0)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL,
                         "Give rows of probabilities along the last axis",
                         "the input has no classes to draw from");
  if (out.rank - 1 + n_drawn > HYB_MAX_RANK)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL, NULL,
                         "the output would have %d + %d dimensions, but at most %d are supported",
                         out.rank - 1, n_drawn, HYB_MAX_RANK);

  out.rank--;
  for (int i = 0; i < n_drawn; i++)
    out.dim[out.rank++] = params->shape.dim[i] < 0 ? HYB_UNKNOWN : params->shape.dim[i];
  if (out.rank == 0)
    out.dim[out.rank++] = 1;
  for (guint i = 0; i < call->n_outputs; i++)
    if (!hyb_shape_assign (&call->output[i].shape, &out, error))
      return FALSE;
  return TRUE;
}

static gboolean
multinomial_infer_dtype (HybCall *call, GError **error)
{
  HybDType dtype = ((const MultinomialParams *) call->params)->dtype;

  if (!hyb_dtype_assign (&call->output[0].dtype, dtype == HYB_DTYPE_UNKNOWN ? HYB_I32 : dtype,
                         error))
    return FALSE;
  return call->n_outputs == 1 ||
         hyb_dtype_unify (&call->input[0].dtype, &call->output[1].dtype, error);
}

typedef struct
{
  const HybCall *call;
  const HybRun  *run;
  guint64        seed;
  gint64         n_classes, n_drawn; /* for each row */
} MultinomialDraws;

/* Probabilities divide [0, 1) into one interval for each class.  Draws the class whose interval
 * contains a uniform number; the last one if rounding errors leave a rest. */
static void
multinomial_slice (gint64 begin, gint64 end, gpointer data)
{
  const MultinomialDraws *draws = data;
  const HybCall          *call = draws->call;
  HybDType                dtype = call->input[0].dtype;

  for (gint64 i = begin; i < end; i++)
    {
      gsize  row = (gsize) (i / draws->n_drawn * draws->n_classes);
      double rest = hyb_random_uniform (draws->seed, (guint64) i);
      gint64 class = -1;
      double p;

      do
        {
          p = hyb_dtype_get_double (draws->run->input[0], dtype, row + (gsize)++ class);
          rest -= p;
        }
      while (rest >= 0 && class + 1 < draws->n_classes);

      hyb_dtype_set_double (draws->run->output[0], call->output[0].dtype, (gsize) i,
                            (double) class);
      if (call->n_outputs > 1)
        hyb_dtype_set_double (draws->run->output[1], call->output[1].dtype, (gsize) i, log (p));
    }
}

static void
multinomial_forward (const HybCall *call, const HybRun *run)
{
  const HybShape  *shape = &call->input[0].shape;
  gint64           n = hyb_shape_size (&call->output[0].shape);
  MultinomialDraws draws = { call, run, hyb_run_random_seed (run), shape->dim[shape->rank - 1], 0 };

  if (n == 0)
    return;
  draws.n_drawn = n / (hyb_shape_size (shape) / draws.n_classes);
  hyb_parallel_for (n, MAX (1, 8192 / draws.n_classes), multinomial_slice, &draws);
}

/* The gradient of log p, where p is the probability of a draw: dp = g / p, summed over all draws of
 * the class.  Inputs: gradient, data, classes. */
static void
multinomial_backward (const HybCall *call, const HybRun *run)
{
  const HybType *in = &call->input[1], *out = &call->output[0];
  gint64         n_classes = in->shape.dim[in->shape.rank - 1];
  gint64         n = hyb_shape_size (&call->input[0].shape);
  gint64         n_drawn;

  memset (run->output[0], 0, hyb_type_bytes (out));
  if (n == 0)
    return;
  n_drawn = n / (hyb_shape_size (&in->shape) / n_classes);
  for (gint64 i = 0; i < n; i++)
    {
      gint64 class = hyb_dtype_get_int (run->input[2], call->input[2].dtype, (gsize) i);
      gsize  at = (gsize) (i / n_drawn * n_classes + CLAMP (class, 0, n_classes - 1));
      double g = hyb_dtype_get_double (run->input[0], call->input[0].dtype, (gsize) i);
      double p = hyb_dtype_get_double (run->input[1], in->dtype, at);
      double before = hyb_dtype_get_double (run->output[0], out->dtype, at);

      hyb_dtype_set_double (run->output[0], out->dtype, at, before + g / p);
    }
}

static gboolean
backward_infer_shape (HybCall *call, GError **error)
{
  const HybShape *data = &call->input[1].shape;
  HybShape       *classes = &call->input[2].shape;
  HybShape        rows;

  if (!hyb_shape_unify (&call->input[1].shape, &call->output[0].shape, error) ||
      !hyb_shape_unify (&call->input[0].shape, classes, error))
    return FALSE;
  if (data->rank < 1 || classes->rank == HYB_UNKNOWN)
    return TRUE;

  /* The classes have the axes of the rows, followed by those of the draws for each row. */
  rows = hyb_shape_make (MAX (classes->rank, data->rank - 1), NULL);
  for (int i = 0; i < data->rank - 1; i++)
    rows.dim[i] = data->dim[i];
  return hyb_shape_assign (classes, &rows, error);
}

static gboolean
backward_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_unify (&call->input[1].dtype, &call->output[0].dtype, error);
}

static void
multinomial_gradient (HybGrad *grad)
{
  const MultinomialParams *params = hyb_grad_params (grad);

  if (params->get_prob && hyb_grad_has_incoming (grad, 1))
    hyb_grad_set_input (grad, 0,
                        hyb_grad_emit (grad, "_backward_sample_multinomial",
                                       hyb_grad_incoming (grad, 1), hyb_grad_input (grad, 0),
                                       hyb_grad_output (grad, 0), HYB_NO_ID));
}

static gsize
shuffle_workspace (const HybCall *call)
{
  return call->input[0].shape.rank == 0 ? 0 : (gsize) call->input[0].shape.dim[0] * sizeof (gint64);
}

/* The inside-out Fisher–Yates shuffle of row numbers, then a copy of the rows. */
static void
shuffle_forward (const HybCall *call, const HybRun *run)
{
  const HybType *type = &call->input[0];
  gint64        *order = run->workspace;
  gint64         n = type->shape.rank == 0 ? 1 : type->shape.dim[0];
  gsize          size = n == 0 ? 0 : hyb_type_bytes (type) / (gsize) n;
  guint64        seed = hyb_run_random_seed (run);

  if (type->shape.rank == 0)
    {
      memcpy (run->output[0], run->input[0], size);
      return;
    }
  for (gint64 i = 0; i < n; i++)
    {
      gint64 j = (gint64) (hyb_random_uniform (seed, (guint64) i) * (double) (i + 1));

      order[i] = i;
      order[i] = order[j];
      order[j] = i;
    }
  for (gint64 i = 0; i < n; i++)
    memcpy ((char *) run->output[0] + (gsize) i * size,
            (const char *) run->input[0] + (gsize) order[i] * size, size);
}

static const char *const inputs[] = { "data", NULL };
static const char *const backward_inputs[] = { "gradient", "data", "classes", NULL };

const HybOp hyb_ops_multinomial[] = {
  {
      .name = "_sample_multinomial",
      .aliases = (const char *const[]){ "sample_multinomial", NULL },
      .doc = "Draws classes from rows of probabilities.",
      .category = HYB_CATEGORY_DATA,
      .flags = HYB_OP_RANDOM,
      .inputs = inputs,
      HYB_PARAMS (multinomial_params, MultinomialParams),
      .arity = multinomial_arity,
      .infer_shape = multinomial_infer_shape,
      .infer_dtype = multinomial_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = multinomial_forward,
      .gradient = multinomial_gradient,
  },
  {
      .name = "_backward_sample_multinomial",
      .doc = "Gradient of the logarithm of the probabilities of draws.",
      .category = HYB_CATEGORY_DATA,
      .flags = HYB_OP_INTERNAL,
      .inputs = backward_inputs,
      .constant_inputs = 1 << 2,
      .infer_shape = backward_infer_shape,
      .infer_dtype = backward_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = multinomial_backward,
  },
  {
      .name = "_shuffle",
      .aliases = (const char *const[]){ "shuffle", NULL },
      .doc = "Permutes rows at random.",
      .category = HYB_CATEGORY_MOVEMENT,
      .flags = HYB_OP_RANDOM,
      .inputs = inputs,
      .infer_shape = hyb_rule_unary,
      .dtypes = HYB_DTYPES_ALL,
      .forward = shuffle_forward,
      .workspace = shuffle_workspace,
      .cost = hyb_rule_cost_move,
  },
  { 0 },
};
