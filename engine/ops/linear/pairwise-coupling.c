/* pairwise-coupling.c — _pairwise_coupling: probabilities of classes from those of one against the other.
 *
 * p minimises the sum over i of (sum over j ≠ i of r[j,i] p[i] − r[i,j] p[j])², where r[i,j] is the probability of class i
 * among i and j (Wu, Lin and Weng, 2004, second method, and as often repeated as libsvm and ONNX Runtime do).  For each row:
 * for each round until the largest difference is below 0.005 / classes, at most 100: for each class i, for each class j.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>

#define ROUNDS      100
#define MAX_CLASSES 65535

typedef struct
{
  gint64 num_classes;
} CouplingParams;

static const HybParam coupling_params[] = {
  { HYB_FIELD (CouplingParams, num_classes), HYB_PARAM_INT, NULL,
    .doc = "classes; there is a column for each pair of them" },
  { 0 },
};

static gboolean
coupling_infer_shape (HybCall *call, GError **error)
{
  const CouplingParams *params = call->params;
  gint64                n = params->num_classes;
  HybShape              in, out;

  if (n < 2 || n > MAX_CLASSES)
    return hyb_refuse_types (error, "Give at least two classes", "num_classes is %" G_GINT64_FORMAT,
                             n);
  in = hyb_shape_2d (HYB_UNKNOWN, n * (n - 1) / 2);
  out = hyb_shape_2d (HYB_UNKNOWN, n);
  return hyb_shape_assign (&call->input[0].shape, &in, error) &&
         hyb_shape_assign (&call->output[0].shape, &out, error) &&
         hyb_dim_unify (&call->input[0].shape.dim[0], &call->output[0].shape.dim[0], "rows", error);
}

/* Q of the quadratic form p Q p, [n, n]. */
static void
fill_form (gint64 n, const float *pairs, float *q)
{
  for (gint64 i = 0; i < n; i++)
    q[i * n + i] = 0;
  for (gint64 i = 0; i < n; i++)
    for (gint64 j = i + 1; j < n; j++)
      {
        float first = *pairs++, second = 1 - first;

        q[i * n + i] += second * second;
        q[j * n + j] += first * first;
        q[i * n + j] = q[j * n + i] = -second * first;
      }
}

/* qp = Q p; p Q p. */
static float
multiply_form (gint64 n, const float *q, const float *p, float *qp)
{
  float sum = 0;

  for (gint64 i = 0; i < n; i++)
    {
      qp[i] = 0;
      for (gint64 j = 0; j < n; j++)
        qp[i] += q[i * n + j] * p[j];
      sum += p[i] * qp[i];
    }
  return sum;
}

static gboolean
is_solved (gint64 n, const float *qp, float sum)
{
  for (gint64 i = 0; i < n; i++)
    if (fabsf (qp[i] - sum) >= 0.005f / (float) n)
      return FALSE;
  return TRUE;
}

static void
couple (gint64 n, const float *q, float *p, float *qp)
{
  for (gint64 i = 0; i < n; i++)
    p[i] = 1 / (float) n;
  for (int round = 0; round < ROUNDS; round++)
    {
      float sum = multiply_form (n, q, p, qp);

      if (is_solved (n, qp, sum))
        return;
      for (gint64 i = 0; i < n; i++)
        {
          float change = (sum - qp[i]) / q[i * n + i], scale = 1 + change;

          p[i] += change;
          sum = (sum + change * (change * q[i * n + i] + 2 * qp[i])) / scale / scale;
          for (gint64 j = 0; j < n; j++)
            {
              qp[j] = (qp[j] + change * q[i * n + j]) / scale;
              p[j] /= scale;
            }
        }
    }
}

static gsize
coupling_workspace (const HybCall *call)
{
  gsize n = (gsize) call->output[0].shape.dim[1];

  return (n + 1) * n * sizeof (float);
}

static void
coupling_forward (const HybCall *call, const HybRun *run)
{
  gint64 rows = call->output[0].shape.dim[0], n = call->output[0].shape.dim[1];
  float *q = run->workspace, *qp = q + n * n;

  for (gint64 row = 0; row < rows; row++)
    {
      fill_form (n, (const float *) run->input[0] + row * (n * (n - 1) / 2), q);
      couple (n, q, (float *) run->output[0] + row * n, qp);
    }
}

static void
coupling_cost (const HybCall *call, HybCost *cost)
{
  gint64 n = call->output[0].shape.dim[1];

  /* A few rounds are enough. */
  hyb_rule_cost_elementwise (call, 40.0 * (double) n, cost);
}

static const char *const coupling_inputs[] = { "data", NULL };

const HybOp hyb_ops_pairwise_coupling[] = {
  {
      .name = "_pairwise_coupling",
      .doc = "Probabilities of classes from the probability of the first of each two classes.",
      .category = HYB_CATEGORY_LINEAR,
      .flags = HYB_OP_NO_GRADIENT | HYB_OP_INTERNAL,
      .inputs = coupling_inputs,
      HYB_PARAMS (coupling_params, CouplingParams),
      .infer_shape = coupling_infer_shape,
      .infer_dtype = hyb_rule_same_dtype,
      .dtypes = HYB_DTYPE_BIT (HYB_F32),
      .workspace = coupling_workspace,
      .forward = coupling_forward,
      .cost = coupling_cost,
  },
  { 0 },
};
