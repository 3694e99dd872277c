/* identity.c — operators that return their input unchanged: _copy, _identity_with_attr_like_rhs,
 * BlockGrad (which stops gradients), _contrib_gradientmultiplier and cast_storage (all arrays are dense
 * here).
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/gradient/by-formula.h"
#include "engine/gradient/gradient.h"
#include "engine/op/op.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

static void
identity_forward (const HybCall *call, const HybRun *run)
{
  if (run->output[0] != run->input[0])
    memcpy (run->output[0], run->input[0], hyb_type_bytes (&call->output[0]));
}

typedef struct
{
  int stype;
} CastStorageParams;

/* Only dense arrays exist here, so the attribute has no effect. */
static const HybParam cast_storage_params[] = {
  { HYB_FIELD (CastStorageParams, stype), HYB_PARAM_ENUM, NULL,
    .choices = (const char *const[]){ "default", "row_sparse", "csr", NULL },
    .doc = "requested storage; arrays are always dense" },
  { 0 },
};

typedef struct
{
  double   scalar;
  gboolean is_int;
} MultiplierParams;

static const HybParam multiplier_params[] = {
  { HYB_FIELD (MultiplierParams, scalar), HYB_PARAM_FLOAT, "1", .doc = "factor of the gradient" },
  { HYB_FIELD (MultiplierParams, is_int), HYB_PARAM_BOOL, "True", .doc = "has no effect" },
  { 0 },
};

static void
multiplier_gradient (HybGrad *grad)
{
  const MultiplierParams *params = hyb_grad_params (grad);

  hyb_grad_set_input (grad, 0,
                      hyb_grad_emit_scalar (grad, "_mul_scalar", hyb_grad_incoming (grad, 0),
                                            params->scalar));
}

static const char *const inputs[] = { "data", NULL };
static const char *const like_inputs[] = { "lhs", "rhs", NULL };

#define COMMON                                                                              \
  .category = HYB_CATEGORY_MOVEMENT, .dtypes = HYB_DTYPES_ALL, .forward = identity_forward, \
  .view = hyb_rule_view_all, .cost = hyb_rule_cost_move

const HybOp hyb_ops_identity[] = {
  {
      .name = "_copy",
      .aliases = (const char *const[]){ "identity", "_CrossDeviceCopy", "_copyto", NULL },
      .doc = "Returns its input.",
      COMMON,
      .flags = HYB_OP_IN_PLACE | HYB_OP_IDENTITY,
      .inputs = inputs,
      .infer_shape = hyb_rule_unary,
      HYB_GRADIENT ("g0 > i0"),
  },
  {
      .name = "_identity_with_attr_like_rhs",
      .doc = "Returns its left input, which has the shape and type of the right one.",
      COMMON,
      .flags = HYB_OP_IN_PLACE,
      .inputs = like_inputs,
      .constant_inputs = 1 << 1,
      .infer_shape = hyb_rule_same_shape,
      HYB_GRADIENT ("g0 > i0"),
  },
  {
      .name = "BlockGrad",
      .aliases = (const char *const[]){ "stop_gradient", NULL },
      .doc = "Returns its input, and stops gradients.",
      COMMON,
      .flags = HYB_OP_IN_PLACE | HYB_OP_NO_GRADIENT,
      .inputs = inputs,
      .infer_shape = hyb_rule_unary,
  },
  {
      .name = "_contrib_gradientmultiplier",
      .doc = "Returns its input, and multiplies gradients by a number.",
      COMMON,
      .flags = HYB_OP_IN_PLACE | HYB_OP_CUSTOM_GRADIENT,
      .inputs = inputs,
      HYB_PARAMS (multiplier_params, MultiplierParams),
      .infer_shape = hyb_rule_unary,
      .gradient = multiplier_gradient,
  },
  {
      .name = "cast_storage",
      .doc = "Returns its input: all arrays are dense here.",
      COMMON,
      .flags = HYB_OP_IN_PLACE,
      .inputs = inputs,
      HYB_PARAMS (cast_storage_params, CastStorageParams),
      .infer_shape = hyb_rule_unary,
      HYB_GRADIENT ("g0 > i0"),
  },
  { 0 },
};

#undef COMMON
