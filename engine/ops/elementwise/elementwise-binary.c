/* elementwise-binary.c — elemwise_add, _equal …: functions of two tensors of the same shape; and
 * add_n, the sum of any number of them.
 *
 * The tables of rows expand to one operator each; binary-gradient.c has forward and gradients.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/ops/elementwise/binary-family.h"

#include "engine/base/parallel.h"
#include "engine/kernels/each.h"
#include "engine/op/rules.h"

#include <string.h>

/* row name, HybBinary function, name in files, description, aliases … */
#define DIFFERENTIABLE_ROWS(ROW)                                               \
  ROW (add, ADD, "elemwise_add", "Sum", "_add", "_plus", "_Plus")              \
  ROW (sub, SUB, "elemwise_sub", "Difference", "_sub", "_minus", "_Minus")     \
  ROW (mul, MUL, "elemwise_mul", "Product", "_mul", "_Mul")                    \
  ROW (div, DIV, "elemwise_div", "Quotient", "_div", "_Div")                   \
  ROW (grad_add, ADD, "_grad_add", "Sum of two gradients", NULL)               \
  ROW (scatter_div, DIV, "_scatter_elemwise_div",                              \
       "Quotient for stored elements of the left operand (all of them)", NULL) \
  ROW (mod, MOD, "_mod", "Remainder with the sign of the divisor", "_Mod")     \
  ROW (power, POWER, "_power", "Power", "_Power")                              \
  ROW (maximum, MAXIMUM, "_maximum", "Larger", "_Maximum")                     \
  ROW (minimum, MINIMUM, "_minimum", "Smaller", "_Minimum")                    \
  ROW (hypot, HYPOT, "_hypot", "Length of the hypotenuse", "_Hypot")

#define STEP_ROWS(ROW)                                                                       \
  ROW (equal, EQUAL, "_equal", "1 where equal", "_Equal")                                    \
  ROW (not_equal, NOT_EQUAL, "_not_equal", "1 where different", "_Not_Equal")                \
  ROW (greater, GREATER, "_greater", "1 where greater", "_Greater")                          \
  ROW (greater_equal, GREATER_EQUAL, "_greater_equal", "1 where not less", "_Greater_Equal") \
  ROW (lesser, LESSER, "_lesser", "1 where less", "_Lesser")                                 \
  ROW (lesser_equal, LESSER_EQUAL, "_lesser_equal", "1 where not greater", "_Lesser_Equal")  \
  ROW (logical_and, LOGICAL_AND, "_logical_and", "1 where both are not 0", "_Logical_And")   \
  ROW (logical_or, LOGICAL_OR, "_logical_or", "1 where one is not 0", "_Logical_Or")         \
  ROW (logical_xor, LOGICAL_XOR, "_logical_xor", "1 where exactly one is not 0", "_Logical_Xor")

#define ROW(id, FUNCTION, text, summary, ...)                       \
  static void id##_forward (const HybCall *call, const HybRun *run) \
  {                                                                 \
    hyb_binary_forward (call, run, HYB_BINARY_##FUNCTION);          \
  }
DIFFERENTIABLE_ROWS (ROW)
STEP_ROWS (ROW)
#undef ROW

#define ROW(id, FUNCTION, text, summary, ...)                 \
  static void id##_gradient (HybGrad *grad)                   \
  {                                                           \
    hyb_binary_gradient (grad, HYB_BINARY_##FUNCTION, FALSE); \
  }
DIFFERENTIABLE_ROWS (ROW)
#undef ROW

typedef struct
{
  gint64 num_args;
} AddNParams;

static const HybParam add_n_params[] = {
  { HYB_FIELD (AddNParams, num_args), HYB_PARAM_INT, NULL, .low = 1, .high = 100000,
    .doc = "number of inputs" },
  { 0 },
};

static void
add_n_arity (gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = (guint) ((const AddNParams *) params)->num_args;
}

typedef struct
{
  const HybCall *call;
  const HybRun  *run;
} AddNCall;

/* Elements that are summed on the stack before they are written.  The output may share memory with
 * input 0, so a part of it must not be written before that part of every input has been read. */
#define PIECE 2048

static void
add_n_piece (gint64 begin, gint64 end, gpointer data)
{
  const AddNCall *add_n = data;
  HybDType        dtype = add_n->call->output[0].dtype;
  gint64          size = (gint64) hyb_dtype_size (dtype);
  HybBinaryLoop   add = hyb_binary_loop (HYB_BINARY_ADD, dtype);
  gint64          sum[PIECE];

  for (gint64 at = begin; at < end; at += PIECE)
    {
      gint64 n = MIN (PIECE, end - at);

      memcpy (sum, (const char *) add_n->run->input[0] + at * size, (gsize) (n * size));
      for (guint i = 1; i < add_n->call->n_inputs; i++)
        add (sum, 1, (const char *) add_n->run->input[i] + at * size, 1, sum, n);
      memcpy ((char *) add_n->run->output[0] + at * size, sum, (gsize) (n * size));
    }
}

static void
add_n_forward (const HybCall *call, const HybRun *run)
{
  AddNCall add_n = { call, run };

  hyb_parallel_for (hyb_shape_size (&call->output[0].shape), HYB_EACH_GRAIN, add_n_piece, &add_n);
}

static void
add_n_gradient (HybGrad *grad)
{
  for (guint i = 0; i < hyb_grad_n_inputs (grad); i++)
    hyb_grad_set_input (grad, i, hyb_grad_incoming (grad, 0));
}

static void
add_n_cost (const HybCall *call, HybCost *cost)
{
  hyb_rule_cost_elementwise (call, call->n_inputs - 1, cost);
}

static const char *const operands[] = { "lhs", "rhs", NULL };
static const char *const add_n_inputs[] = { "arg", NULL };

#define COMMON(id, text, summary, ...)                                                      \
  .name = text, .aliases = (const char *const[]){ __VA_ARGS__, NULL },                      \
  .doc = summary ", element by element.", .category = HYB_CATEGORY_ELEMENTWISE,             \
  .inputs = operands, .infer_shape = hyb_rule_same_shape, .dtypes = HYB_DTYPES_ELEMENTWISE, \
  .forward = id##_forward

#define SMOOTH(id, FUNCTION, text, summary, ...)                         \
  { COMMON (id, text, summary, __VA_ARGS__),                             \
    .flags = HYB_OP_IN_PLACE | HYB_OP_POINTWISE |                        \
             (HYB_BINARY_##FUNCTION == HYB_BINARY_ADD ? HYB_OP_SUM : 0), \
    .gradient = id##_gradient },
#define STEP(id, FUNCTION, text, summary, ...) \
  { COMMON (id, text, summary, __VA_ARGS__),   \
    .flags = HYB_OP_IN_PLACE | HYB_OP_POINTWISE | HYB_OP_NO_GRADIENT },

const HybOp hyb_ops_elementwise_binary[] = {
  DIFFERENTIABLE_ROWS (SMOOTH) //
  STEP_ROWS (STEP)             //
  {
      .name = "add_n",
      .aliases = (const char *const[]){ "ElementWiseSum", NULL },
      .doc = "Sum of any number of tensors of one shape.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .flags = HYB_OP_IN_PLACE | HYB_OP_POINTWISE | HYB_OP_SUM,
      .inputs = add_n_inputs,
      HYB_PARAMS (add_n_params, AddNParams),
      .arity = add_n_arity,
      .infer_shape = hyb_rule_same_shape,
      .dtypes = HYB_DTYPES_ELEMENTWISE,
      .forward = add_n_forward,
      .gradient = add_n_gradient,
      .cost = add_n_cost,
  },
  { 0 },
};

#undef SMOOTH
#undef STEP
#undef COMMON
#undef STEP_ROWS
#undef DIFFERENTIABLE_ROWS
