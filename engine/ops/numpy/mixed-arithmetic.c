/* mixed-arithmetic.c — _npi_add, _npi_true_divide …: arithmetic of two tensors, which are broadcast
 * and may differ in element type.
 *
 * Both operands are converted to the type of the result.  A true division of integers gives
 * float32.  The table of rows expands to one operator each; start with mixed_infer_dtype().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/ops/elementwise/binary-family.h"
#include "engine/ops/numpy/operand-types.h"

/* name after “_npi_”, HybBinary function, whether integers of different types can be combined,
 * whether bool can, description */
#define ROWS(ROW)                                                        \
  ROW (add, ADD, TRUE, TRUE, "Sum")                                      \
  ROW (subtract, SUB, FALSE, FALSE, "Difference")                        \
  ROW (multiply, MUL, TRUE, TRUE, "Product")                             \
  ROW (mod, MOD, FALSE, FALSE, "Remainder with the sign of the divisor") \
  ROW (power, POWER, TRUE, TRUE, "Power")                                \
  ROW (true_divide, DIV, FALSE, TRUE, "Quotient, of integers in float32")

/* MXNet 1.9.1 does not compute all combinations of types, and refused ones are refused here too. */
static gboolean
check_types (HybDType a, HybDType b, gboolean mixes_integers, gboolean takes_bool, GError **error)
{
  if (hyb_dtype_is_float (a) || hyb_dtype_is_float (b))
    return TRUE;
  if (a == b ? takes_bool || a != HYB_BOOL : mixes_integers)
    return TRUE;
  return hyb_refuse_types (error,
                           "Convert an operand first, to a float type or to the other’s type",
                           "%s and %s cannot be combined", hyb_dtype_name (a), hyb_dtype_name (b));
}

static gboolean
mixed_infer_dtype (HybCall  *call,
                   HybBinary function,
                   gboolean  mixes_integers,
                   gboolean  takes_bool,
                   GError  **error)
{
  HybDType *a = &call->input[0].dtype, *b = &call->input[1].dtype;
  HybDType  common;

  if (*a == HYB_DTYPE_UNKNOWN || *b == HYB_DTYPE_UNKNOWN)
    {
      if (!hyb_dtype_unify (a, b, error))
        return FALSE;
      if (*a == HYB_DTYPE_UNKNOWN)
        return TRUE;
    }
  if (!check_types (*a, *b, mixes_integers, takes_bool, error))
    return FALSE;
  common = hyb_dtype_common (*a, *b);
  if (function == HYB_BINARY_DIV && !hyb_dtype_is_float (common))
    common = HYB_F32;
  return hyb_dtype_assign (&call->output[0].dtype, common, error);
}

static gsize
mixed_workspace (const HybCall *call)
{
  return hyb_operands_workspace (call, call->output[0].dtype);
}

static void
mixed_forward (const HybCall *call, const HybRun *run, HybBinary function)
{
  HybDType          dtype = call->output[0].dtype;
  char             *room = run->workspace;
  HybBinaryOperands operands = {
    .dtype = dtype,
    .shape_a = &call->input[0].shape,
    .shape_b = &call->input[1].shape,
    .shape_y = &call->output[0].shape,
    .y = run->output[0],
  };

  operands.a = hyb_operand_as (call, run, 0, dtype, &room);
  operands.b = hyb_operand_as (call, run, 1, dtype, &room);
  hyb_binary_run (function, &operands);
}

#define ROW(id, FUNCTION, mixes_integers, takes_bool, summary)                                 \
  static gboolean id##_infer_dtype (HybCall *call, GError **error)                             \
  {                                                                                            \
    return mixed_infer_dtype (call, HYB_BINARY_##FUNCTION, mixes_integers, takes_bool, error); \
  }                                                                                            \
  static void id##_forward (const HybCall *call, const HybRun *run)                            \
  {                                                                                            \
    mixed_forward (call, run, HYB_BINARY_##FUNCTION);                                          \
  }                                                                                            \
  static void id##_gradient (HybGrad *grad)                                                    \
  {                                                                                            \
    hyb_binary_gradient_mixed (grad, HYB_BINARY_##FUNCTION);                                   \
  }
ROWS (ROW)
#undef ROW

static const char *const inputs[] = { "lhs", "rhs", NULL };

#define ROW(id, FUNCTION, mixes_integers, takes_bool, summary)                               \
  {                                                                                          \
    .name = "_npi_" #id,                                                                     \
    .doc = summary ", element by element; types may differ, axes of size one are repeated.", \
    .category = HYB_CATEGORY_ELEMENTWISE,                                                    \
    .flags = HYB_OP_IN_PLACE,                                                                \
    .inputs = inputs,                                                                        \
    .infer_shape = hyb_rule_broadcast,                                                       \
    .infer_dtype = id##_infer_dtype,                                                         \
    .dtypes = HYB_DTYPES_ELEMENTWISE,                                                        \
    .workspace = mixed_workspace,                                                            \
    .forward = id##_forward,                                                                 \
    .gradient = id##_gradient,                                                               \
  },

const HybOp hyb_ops_mixed_arithmetic[] = {
  ROWS (ROW) //
  { 0 },
};

#undef ROW
#undef ROWS
