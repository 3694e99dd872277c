/* broadcast.c — broadcast_add, broadcast_equal …: functions of two tensors that are broadcast to each
 * other as in NumPy.
 *
 * The tables of rows expand to one operator each; binary-gradient.c has forward and gradients.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/ops/elementwise/binary-family.h"

#include "engine/op/rules.h"

/* name after “broadcast_”, HybBinary function, alias or NULL, description */
#define DIFFERENTIABLE_ROWS(ROW)                                 \
  ROW (add, ADD, "broadcast_plus", "Sum")                        \
  ROW (sub, SUB, "broadcast_minus", "Difference")                \
  ROW (mul, MUL, NULL, "Product")                                \
  ROW (div, DIV, NULL, "Quotient")                               \
  ROW (mod, MOD, NULL, "Remainder with the sign of the divisor") \
  ROW (power, POWER, NULL, "Power")                              \
  ROW (maximum, MAXIMUM, NULL, "Larger")                         \
  ROW (minimum, MINIMUM, NULL, "Smaller")                        \
  ROW (hypot, HYPOT, NULL, "Length of the hypotenuse")

#define STEP_ROWS(ROW)                                           \
  ROW (equal, EQUAL, NULL, "1 where equal")                      \
  ROW (not_equal, NOT_EQUAL, NULL, "1 where different")          \
  ROW (greater, GREATER, NULL, "1 where greater")                \
  ROW (greater_equal, GREATER_EQUAL, NULL, "1 where not less")   \
  ROW (lesser, LESSER, NULL, "1 where less")                     \
  ROW (lesser_equal, LESSER_EQUAL, NULL, "1 where not greater")  \
  ROW (logical_and, LOGICAL_AND, NULL, "1 where both are not 0") \
  ROW (logical_or, LOGICAL_OR, NULL, "1 where one is not 0")     \
  ROW (logical_xor, LOGICAL_XOR, NULL, "1 where exactly one is not 0")

#define ROW(id, FUNCTION, alias, summary)                           \
  static void id##_forward (const HybCall *call, const HybRun *run) \
  {                                                                 \
    hyb_binary_forward (call, run, HYB_BINARY_##FUNCTION);          \
  }
DIFFERENTIABLE_ROWS (ROW)
STEP_ROWS (ROW)
#undef ROW

#define ROW(id, FUNCTION, alias, summary)                    \
  static void id##_gradient (HybGrad *grad)                  \
  {                                                          \
    hyb_binary_gradient (grad, HYB_BINARY_##FUNCTION, TRUE); \
  }
DIFFERENTIABLE_ROWS (ROW)
#undef ROW

static const char *const operands[] = { "lhs", "rhs", NULL };

#define COMMON(id, alias, summary)                                                             \
  .name = "broadcast_" #id, .aliases = (const char *const[]){ alias, NULL },                   \
  .doc = summary ", element by element; axes of size one are repeated.",                       \
  .category = HYB_CATEGORY_ELEMENTWISE, .inputs = operands, .infer_shape = hyb_rule_broadcast, \
  .dtypes = HYB_DTYPES_ELEMENTWISE, .forward = id##_forward

#define SMOOTH(id, FUNCTION, alias, summary)                                  \
  { COMMON (id, alias, summary), .flags = HYB_OP_IN_PLACE | HYB_OP_POINTWISE, \
    .gradient = id##_gradient },
#define STEP(id, FUNCTION, alias, summary) \
  { COMMON (id, alias, summary), .flags = HYB_OP_IN_PLACE | HYB_OP_POINTWISE | HYB_OP_NO_GRADIENT },

const HybOp hyb_ops_broadcast[] = {
  DIFFERENTIABLE_ROWS (SMOOTH) //
  STEP_ROWS (STEP)             //
  { 0 },
};

#undef SMOOTH
#undef STEP
#undef COMMON
#undef STEP_ROWS
#undef DIFFERENTIABLE_ROWS
