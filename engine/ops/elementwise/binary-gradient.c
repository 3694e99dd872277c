/* binary-gradient.c — forward and gradients of functions of two tensors.
 *
 * Simple gradients are emitted as ordinary nodes.  Each of the others is an operator “_backward_…”
 * with the inputs gradient (g), lhs (a) and rhs (b); GRADIENT_ROWS lists their formulas.  Start with
 * hyb_binary_gradient().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/ops/elementwise/binary-family.h"

#include "engine/kernels/each.h"
#include "engine/op/rules.h"
#include "engine/ops/elementwise/second-gradient.h"

#include <tgmath.h>

#include "engine/kernels/vectorise.h"

/* name, formula as text, formula in C of the incoming gradient g and the operands a and b */
#define GRADIENT_ROWS(ROW)                                        \
  ROW (div_rhs, "−g a / b²", a / (b * b) * -g)                    \
  ROW (mod_rhs, "−g ⌊a / b⌋", floor (a / b) * -g)                 \
  ROW (power_lhs, "g b a^(b−1)", pow (a, b - 1) * b * g)          \
  ROW (power_rhs, "g a^b log a", pow (a, b) * log (a) * g)        \
  ROW (maximum_lhs, "g where a ≥ b", a >= b ? g : 0)              \
  ROW (maximum_rhs, "g where a < b", a < b ? g : 0)               \
  ROW (minimum_lhs, "g where a ≤ b", a <= b ? g : 0)              \
  ROW (minimum_rhs, "g where a > b", a > b ? g : 0)               \
  ROW (hypot_lhs, "g a / √(a² + b²)", a / hypot (a, b) * g)       \
  ROW (hypot_rhs, "g b / √(a² + b²)", b / hypot (a, b) * g)       \
  ROW (copysign_lhs, "g, negated where the sign changes",         \
       (a < 0) != (b < 0 || (b == 0 && signbit (b))) ? -g : g)    \
  ROW (arctan2_lhs, "g b / (a² + b²)", b / (a * a + b * b) * g)   \
  ROW (arctan2_rhs, "−g a / (a² + b²)", a / (a * a + b * b) * -g) \
  ROW (ldexp_lhs, "g 2^b", exp2 (b) * g)                          \
  ROW (ldexp_rhs, "g a 2^b log 2", exp2 (b) * a * g * M_LN2)

typedef struct
{
  gconstpointer g, a, b;
  gpointer      y;
} GradientOperands;

/* One row of a HybEach walk with the operands y, g, a, b.  y and g have the shape of the result; the
 * stride of a or b is 0 along axes on which it is repeated. */
#define GRADIENT_LOOP(name, T, suffix, formula)                                      \
  static void name##_##suffix (const gint64 *offset, const gint64 *stride, gint64 n, \
                               gpointer data)                                        \
  {                                                                                  \
    const GradientOperands *operands = data;                                         \
    T                      *y = (T *) operands->y + offset[0];                       \
    const T                *gs = (const T *) operands->g + offset[1];                \
    const T                *as = (const T *) operands->a + offset[2];                \
    const T                *bs = (const T *) operands->b + offset[3];                \
    gint64                  step_a = stride[2], step_b = stride[3];                  \
                                                                                     \
    HYB_INDEPENDENT                                                                  \
    for (gint64 i = 0; i < n; i++)                                                   \
      {                                                                              \
        T g = gs[i], a = as[i * step_a], b = bs[i * step_b];                         \
        (void) a;                                                                    \
        y[i] = formula;                                                              \
      }                                                                              \
  }

#define ROW(name, text, formula)                                                              \
  GRADIENT_LOOP (name, float, f32, formula)                                                   \
  GRADIENT_LOOP (name, double, f64, formula)                                                  \
  static void name##_forward (const HybCall *call, const HybRun *run)                         \
  {                                                                                           \
    gradient_forward (call, run, call->output[0].dtype == HYB_F64 ? name##_f64 : name##_f32); \
  }

static void
gradient_forward (const HybCall *call, const HybRun *run, HybEachRow row)
{
  GradientOperands operands = { run->input[0], run->input[1], run->input[2], run->output[0] };
  HybEach          each;

  hyb_each_init (&each, &call->output[0].shape, 4,
                 (const HybShape *[]){ &call->output[0].shape, &call->input[0].shape,
                                       &call->input[1].shape, &call->input[2].shape });
  hyb_each_rows_parallel (&each, HYB_EACH_GRAIN / 4, row, &operands);
}

GRADIENT_ROWS (ROW)
#undef ROW
#undef GRADIENT_LOOP

void
hyb_binary_forward (const HybCall *call, const HybRun *run, HybBinary function)
{
  hyb_binary_run (function, &(HybBinaryOperands){ .dtype = call->output[0].dtype,
                                                  .shape_a = &call->input[0].shape,
                                                  .shape_b = &call->input[1].shape,
                                                  .shape_y = &call->output[0].shape,
                                                  .a = run->input[0],
                                                  .b = run->input[1],
                                                  .y = run->output[0] });
}

/* How the gradient of one operand is computed from the incoming gradient g. */
typedef enum
{
  FORM_ZERO,     /* 0 */
  FORM_PASS,     /* g */
  FORM_NEGATE,   /* −g */
  FORM_MULTIPLY, /* g × the other operand */
  FORM_DIVIDE,   /* g ÷ the other operand */
  FORM_OPERATOR, /* an operator with the inputs g, a and b */
} Form;

typedef struct
{
  Form        form;
  const char *op; /* FORM_OPERATOR only */
} Side;

/* [function][operand]; functions not listed are constant almost everywhere. */
static const Side sides[HYB_N_BINARY][2] = {
  [HYB_BINARY_ADD] = { { FORM_PASS }, { FORM_PASS } },
  [HYB_BINARY_SUB] = { { FORM_PASS }, { FORM_NEGATE } },
  [HYB_BINARY_MUL] = { { FORM_MULTIPLY }, { FORM_MULTIPLY } },
  [HYB_BINARY_DIV] = { { FORM_DIVIDE }, { FORM_OPERATOR, "_backward_div_rhs" } },
  [HYB_BINARY_MOD] = { { FORM_PASS }, { FORM_OPERATOR, "_backward_mod_rhs" } },
  [HYB_BINARY_POWER] = { { FORM_OPERATOR, "_backward_power_lhs" },
                         { FORM_OPERATOR, "_backward_power_rhs" } },
  [HYB_BINARY_MAXIMUM] = { { FORM_OPERATOR, "_backward_maximum_lhs" },
                           { FORM_OPERATOR, "_backward_maximum_rhs" } },
  [HYB_BINARY_MINIMUM] = { { FORM_OPERATOR, "_backward_minimum_lhs" },
                           { FORM_OPERATOR, "_backward_minimum_rhs" } },
  [HYB_BINARY_HYPOT] = { { FORM_OPERATOR, "_backward_hypot_lhs" },
                         { FORM_OPERATOR, "_backward_hypot_rhs" } },
  [HYB_BINARY_COPYSIGN] = { { FORM_OPERATOR, "_backward_copysign_lhs" }, { FORM_ZERO } },
  [HYB_BINARY_ARCTAN2] = { { FORM_OPERATOR, "_backward_arctan2_lhs" },
                           { FORM_OPERATOR, "_backward_arctan2_rhs" } },
  [HYB_BINARY_LDEXP] = { { FORM_OPERATOR, "_backward_ldexp_lhs" },
                         { FORM_OPERATOR, "_backward_ldexp_rhs" } },
};

static HybValueId
emit_side (HybGrad          *grad,
           const Side       *side,
           const HybValueId *operands,
           guint             index,
           gboolean          broadcasts)
{
  HybValueId g = hyb_grad_incoming (grad, 0), other = operands[1 - index];

  switch (side->form)
    {
    case FORM_ZERO:
      return HYB_NO_ID;
    case FORM_PASS:
      return g;
    case FORM_NEGATE:
      return hyb_grad_emit (grad, "negative", g, HYB_NO_ID);
    case FORM_MULTIPLY:
      return hyb_grad_emit (grad, broadcasts ? "broadcast_mul" : "elemwise_mul", g, other,
                            HYB_NO_ID);
    case FORM_DIVIDE:
      return hyb_grad_emit (grad, broadcasts ? "broadcast_div" : "elemwise_div", g, other,
                            HYB_NO_ID);
    case FORM_OPERATOR:
      return hyb_grad_emit (grad, side->op, g, operands[0], operands[1], HYB_NO_ID);
    }
  return HYB_NO_ID;
}

/* Where operands may differ in type, those of the slope get the type of the incoming gradient, and
 * the result that of its operand; without a difference these are views. */
static HybValueId
cast_like (HybGrad *grad, HybValueId value, HybValueId like)
{
  return hyb_grad_emit (grad, "_cast_like", value, like, HYB_NO_ID);
}

void
hyb_binary_gradient_mixed (HybGrad *grad, HybBinary function)
{
  HybValueId g = hyb_grad_incoming (grad, 0), operands[2];

  for (guint i = 0; i < 2; i++)
    operands[i] = cast_like (grad, hyb_grad_input (grad, i), g);
  for (guint i = 0; i < 2; i++)
    {
      HybValueId value;

      if (!hyb_grad_needs_input (grad, i))
        continue;
      value = emit_side (grad, &sides[function][i], operands, i, TRUE);
      value = hyb_grad_emit (grad, "_reduce_like", value, operands[i], HYB_NO_ID);
      hyb_grad_set_input (grad, i, cast_like (grad, value, hyb_grad_input (grad, i)));
    }
}

void
hyb_binary_gradient (HybGrad *grad, HybBinary function, gboolean broadcasts)
{
  HybValueId operands[] = { hyb_grad_input (grad, 0), hyb_grad_input (grad, 1) };

  for (guint operand = 0; operand < 2; operand++)
    {
      HybValueId value;

      if (!hyb_grad_needs_input (grad, operand))
        continue;
      value = emit_side (grad, &sides[function][operand], operands, operand, broadcasts);
      if (value == HYB_NO_ID)
        continue;
      if (broadcasts)
        value =
            hyb_grad_emit (grad, "_reduce_like", value, hyb_grad_input (grad, operand), HYB_NO_ID);
      hyb_grad_set_input (grad, operand, value);
    }
}

/* --- Second gradients: h is the incoming gradient of a gradient operator --- */

static HybValueId
emit_two (HybGrad *grad, const char *op, HybValueId a, HybValueId b)
{
  return hyb_grad_emit (grad, op, a, b, HYB_NO_ID);
}

/* y = −g a / b² */
static void
div_rhs_second_gradient (HybGrad *grad)
{
  HybValueId h = hyb_grad_incoming (grad, 0), g = hyb_grad_input (grad, 0);
  HybValueId a = hyb_grad_input (grad, 1), b = hyb_grad_input (grad, 2);
  HybValueId both = emit_two (grad, "elemwise_mul", g, h), slope;

  if (hyb_grad_needs_input (grad, 0))
    hyb_grad_set_input (grad, 0,
                        hyb_grad_emit_same (grad, "_backward_div_rhs", 3,
                                            (HybValueId[]){ h, a, b }));
  if (hyb_grad_needs_input (grad, 1))
    {
      slope = emit_two (grad, "broadcast_div", hyb_grad_emit_scalar (grad, "_mul_scalar", both, -1),
                        hyb_grad_emit (grad, "square", b, HYB_NO_ID));
      hyb_grad_set_input (grad, 1, emit_two (grad, "_reduce_like", slope, a));
    }
  if (hyb_grad_needs_input (grad, 2))
    {
      slope =
          emit_two (grad, "broadcast_mul", hyb_grad_emit_scalar (grad, "_mul_scalar", both, 2), a);
      slope = emit_two (grad, "broadcast_div", slope,
                        hyb_grad_emit_scalar (grad, "_power_scalar", b, 3));
      hyb_grad_set_input (grad, 2, emit_two (grad, "_reduce_like", slope, b));
    }
}

#define LINEAR(id)                                       \
  static void id##_second_gradient (HybGrad *grad)       \
  {                                                      \
    hyb_second_gradient_linear (grad, "_backward_" #id); \
  }
LINEAR (mod_rhs)
LINEAR (maximum_lhs)
LINEAR (maximum_rhs)
LINEAR (minimum_lhs)
LINEAR (minimum_rhs)
#undef LINEAR

/* The others cannot be differentiated again; asking for it is an error that names the operator. */
#define power_lhs_second_gradient    NULL
#define power_rhs_second_gradient    NULL
#define hypot_lhs_second_gradient    NULL
#define hypot_rhs_second_gradient    NULL
#define ldexp_rhs_second_gradient    NULL
#define ldexp_lhs_second_gradient    NULL
#define arctan2_rhs_second_gradient  NULL
#define arctan2_lhs_second_gradient  NULL
#define copysign_lhs_second_gradient NULL

static const char *const gradient_inputs[] = { "gradient", "lhs", "rhs", NULL };

#define ROW(id, text, formula)                                     \
  {                                                                \
    .name = "_backward_" #id,                                      \
    .doc = "Gradient of an operand: " text ".",                    \
    .category = HYB_CATEGORY_ELEMENTWISE,                          \
    .flags = HYB_OP_INTERNAL | HYB_OP_IN_PLACE | HYB_OP_POINTWISE, \
    .gradient_of = "broadcast_add",                                \
    .operands = "g0 i0 i1",                                        \
    .inputs = gradient_inputs,                                     \
    .infer_shape = hyb_rule_unary,                                 \
    .dtypes = HYB_DTYPES_FLOAT,                                    \
    .forward = id##_forward,                                       \
    .gradient = id##_second_gradient,                              \
  },

const HybOp hyb_ops_binary_gradient[] = {
  GRADIENT_ROWS (ROW) //
  { 0 },
};

#undef ROW
#undef GRADIENT_ROWS
#undef power_lhs_second_gradient
#undef power_rhs_second_gradient
#undef hypot_lhs_second_gradient
#undef hypot_rhs_second_gradient
#undef ldexp_rhs_second_gradient
#undef ldexp_lhs_second_gradient
#undef arctan2_rhs_second_gradient
#undef arctan2_lhs_second_gradient
#undef copysign_lhs_second_gradient
