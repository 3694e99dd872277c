/* gated-activation.c — _gated_activation: x times a function of x between 0 and 1, as in GELU's approximation by tanh, SiLU and
 * hard swish.
 *
 * passes/recognise-gates.c writes it for these in pieces.  Start at GATES.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/parallel.h"
#include "engine/kernels/each.h"
#include "engine/kernels/simd/vector-gates.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

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

typedef void (*GatedFunc) (gsize n, const float *x, float *y);

/* In the order of gated_names. */
static const GatedFunc GATES[] = { hyb_vector_gelu_tanh, hyb_vector_silu, hyb_vector_hard_swish };

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

  gated->function ((gsize) (end - begin), gated->x + begin, gated->y + begin);
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
