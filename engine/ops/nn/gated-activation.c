/* gated-activation.c — _gated_activation: x times a function of x between 0 and 1, as in GELU's approximation by tanh, SiLU and
 * hard swish.
 *
 * passes/recognise-gates.c writes it for these in pieces.  Start at GATES.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/parallel.h"
#include "engine/kernels/each.h"
#include "engine/kernels/simd/vector-math.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include "engine/kernels/vectorise.h"

#define BLOCK 512 /* elements whose functions lie on the stack */

typedef struct
{
  int kind;
} GatedParams;

static const char *const gated_names[] = { "gelu_tanh", "silu", "hard_swish", NULL };

static const HybParam gated_params[] = {
  { HYB_FIELD (GatedParams, kind), HYB_PARAM_ENUM, NULL, .choices = gated_names,
    .doc = "the function" },
  { 0 },
};

/* ½ x (1 + tanh (√(2/π) (x + 0.044715 x³))) */
static void
gelu_tanh (gsize n, const float *x, float *gate, float *y)
{
  const float scale = 0.7978845608f, cube = 0.0356774081f;

  for (gsize i = 0; i < n; i++)
    gate[i] = x[i] * (scale + cube * x[i] * x[i]);
  hyb_vector_tanh (n, gate, gate);
  for (gsize i = 0; i < n; i++)
    y[i] = 0.5f * x[i] * (1 + gate[i]);
}

/* x / (1 + e⁻ˣ) */
static void
silu (gsize n, const float *x, float *gate, float *y)
{
  hyb_vector_sigmoid (n, x, gate);
  for (gsize i = 0; i < n; i++)
    y[i] = x[i] * gate[i];
}

/* x min (max (x + 3, 0), 6) / 6.  NaN fails both comparisons and stays NaN. */
static void
hard_swish (gsize n, const float *x, float *gate, float *y)
{
  for (gsize i = 0; i < n; i++)
    {
      float line = x[i] + 3;

      line = line < 0 ? 0 : line;
      y[i] = x[i] * (line > 6 ? 6 : line) * (1 / 6.f);
    }
}

typedef void (*GatedFunc) (gsize n, const float *x, float *gate, float *y);

/* In the order of gated_names. */
static const GatedFunc GATES[] = { gelu_tanh, silu, hard_swish };

typedef struct
{
  GatedFunc    function;
  const float *x;
  float       *y;
} Gated;

static void
gated_slice (gint64 begin, gint64 end, gpointer data)
{
  const Gated *gated = data;
  float        gate[BLOCK];

  for (gint64 at = begin; at < end; at += BLOCK)
    gated->function ((gsize) MIN (BLOCK, end - at), gated->x + at, gate, gated->y + at);
}

static void
gated_forward (const HybCall *call, const HybRun *run)
{
  const GatedParams *params = call->params;
  Gated              gated = { GATES[params->kind], run->input[0], run->output[0] };

  hyb_parallel_for (hyb_shape_size (&call->output[0].shape), HYB_EACH_GRAIN / 4, gated_slice,
                    &gated);
}

const HybOp hyb_ops_gated_activation[] = {
  { .name = "_gated_activation",
    .doc = "x times a function of x: GELU by tanh, SiLU or hard swish.",
    .category = HYB_CATEGORY_ELEMENTWISE,
    .flags = HYB_OP_INTERNAL | HYB_OP_IN_PLACE | HYB_OP_POINTWISE,
    .dtypes = HYB_DTYPES_F32,
    .inputs = (const char *const[]){ "data", NULL },
    HYB_PARAMS (gated_params, GatedParams),
    .infer_shape = hyb_rule_same_shape,
    .forward = gated_forward },
  { 0 },
};
