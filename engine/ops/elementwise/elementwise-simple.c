/* elementwise-simple.c — signs, rounding, squares, clip, zeros_like and ones_like: functions of one
 * tensor that are defined for integers too, and computed in their type.
 *
 * unary-family.h explains the tables.  Here each row has a second formula for integers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define UNARY_GRAIN HYB_EACH_GRAIN

#include "engine/kernels/fill.h"
#include "engine/kernels/simd/vector-steps.h"
#include "engine/ops/elementwise/unary-family.h"

#include <string.h>

#define SIMPLE_DTYPES                                                                             \
  (HYB_DTYPES_FLOAT | HYB_DTYPE_BIT (HYB_U8) | HYB_DTYPE_BIT (HYB_I8) | HYB_DTYPE_BIT (HYB_I32) | \
   HYB_DTYPE_BIT (HYB_I64))

/* The nearest integer; halves are rounded down. */
#define RINT(x) ((x) -floor (x) <= ceil (x) - (x) ? floor (x) : ceil (x))
/* Unsigned arithmetic, because signed overflow is undefined; the smallest integer stays itself. */
#define NEGATE(x) ((gint64) (0 - (guint64) (x)))
#define SQUARE(x) ((gint64) ((guint64) (x) * (guint64) (x)))

/* row name, description, f(x) for floats, f(x) for integers.  STEP_ROWS, and the sign, are constant almost
 * everywhere and have no gradient.  The loops of SIGN_ROWS and SMOOTH_ROWS are in elementwise-simple-kernel.h. */
#define SIGN_ROWS(ROW) ROW (sign, "1, 0 or −1; 0 for NaN.", (x > 0) - (x < 0), (x > 0) - (x < 0))
#define STEP_ROWS(ROW)                                                 \
  ROW (round, "Nearest integer, halves away from zero.", round (x), x) \
  ROW (rint, "Nearest integer, halves to the lower one.", RINT (x), x) \
  ROW (logical_not, "1 where 0, else 0.", x == 0, x == 0)

/* As STEP_ROWS, with the name of a vectorised loop for float before f(x). */
#define VECTOR_ROWS(ROW)                                                 \
  ROW (ceil, "Smallest integer not below.", hyb_vector_ceil, ceil (x))   \
  ROW (floor, "Largest integer not above.", hyb_vector_floor, floor (x)) \
  ROW (trunc, "Integer part.", hyb_vector_trunc, trunc (x))              \
  ROW (fix, "Nearest integer towards zero.", hyb_vector_trunc, trunc (x))

/* Straight-through estimators: the gradient is that of the identity. */
#define STE_ROWS(ROW)                                                                           \
  ROW (_contrib_round_ste, "Nearest integer, with the gradient of the identity.", round (x), x) \
  ROW (_contrib_sign_ste, "1, 0 or −1, with the gradient of the identity.", (x > 0) - (x < 0),  \
       (x > 0) - (x < 0))

#define SMOOTH_ROWS(ROW)                                         \
  ROW (abs, "Absolute value.", fabs (x), x < 0 ? NEGATE (x) : x) \
  ROW (negative, "−x.", -x, NEGATE (x))                          \
  ROW (square, "x².", (x) * (x), SQUARE (x))

#define INTEGER_LOOP(id, T, suffix, formula) UNARY_LOOP_AS (, id##_##suffix, T, gint64, formula)

/* The forward function with its loop for each element type.  The executor converts other types. */
#define LOOPS(id)                                                       \
  static void id##_forward (const HybCall *call, const HybRun *run)     \
  {                                                                     \
    static const HybParallelFunc loops[HYB_N_DTYPES] = {                \
      [HYB_F32] = id##_f32, [HYB_F64] = id##_f64, [HYB_U8] = id##_u8,   \
      [HYB_I8] = id##_i8,   [HYB_I32] = id##_i32, [HYB_I64] = id##_i64, \
    };                                                                  \
                                                                        \
    unary_run (call, run, loops[call->output[0].dtype]);                \
  }

#define ROW(id, text, formula, integer)   \
  UNARY_LOOP (id, float, f32, formula)    \
  UNARY_LOOP (id, double, f64, formula)   \
  INTEGER_LOOP (id, guint8, u8, integer)  \
  INTEGER_LOOP (id, gint8, i8, integer)   \
  INTEGER_LOOP (id, gint32, i32, integer) \
  INTEGER_LOOP (id, gint64, i64, integer) \
  LOOPS (id)
STEP_ROWS (ROW)
STE_ROWS (ROW)
#undef ROW

#define SIMD_KERNEL "engine/ops/elementwise/elementwise-simple-kernel.h"
#include "engine/kernels/simd/each-simd.h"

#define ROW(id, text, formula, integer)                                         \
  static void id##_forward (const HybCall *call, const HybRun *run)             \
  {                                                                             \
    unary_run (call, run, HYB_SIMD_CHOOSE (id##_loops)[call->output[0].dtype]); \
  }
SIGN_ROWS (ROW)
SMOOTH_ROWS (ROW)
#undef ROW

#define ROW(id, text, function, formula)       \
  UNARY_VECTOR_LOOP (id, float, f32, function) \
  UNARY_LOOP (id, double, f64, formula)        \
  INTEGER_LOOP (id, guint8, u8, x)             \
  INTEGER_LOOP (id, gint8, i8, x)              \
  INTEGER_LOOP (id, gint32, i32, x)            \
  INTEGER_LOOP (id, gint64, i64, x)            \
  LOOPS (id)
VECTOR_ROWS (ROW)
#undef ROW

UNARY_BACKWARD (abs, x, ((x > 0) - (x < 0)) * g)
UNARY_BACKWARD (square, x, 2 * x * g)

static void
negative_gradient (HybGrad *grad)
{
  hyb_grad_set_input (grad, 0,
                      hyb_grad_emit (grad, "negative", hyb_grad_incoming (grad, 0), HYB_NO_ID));
}

static void
identity_gradient (HybGrad *grad)
{
  hyb_grad_set_input (grad, 0, hyb_grad_incoming (grad, 0));
}

typedef struct
{
  double a_min, a_max;
} ClipParams;

static const HybParam clip_params[] = {
  { HYB_FIELD (ClipParams, a_min), HYB_PARAM_OPTIONAL_FLOAT, NULL, .doc = "lower bound" },
  { HYB_FIELD (ClipParams, a_max), HYB_PARAM_OPTIONAL_FLOAT, NULL, .doc = "upper bound" },
  { 0 },
};

/* MXNet keeps the bounds as float32.  Each is needed twice: as a Limit, which compares exactly with
 * elements, and converted to an element.  None means no bound, that is ±∞. */
#define CLIP_LOOP(T, Limit, dtype, suffix)                                             \
  static void clip_##suffix (gint64 begin, gint64 end, gpointer data)                  \
  {                                                                                    \
    const UnaryOperands *operands = data;                                              \
    const ClipParams    *params = operands->params;                                    \
    const T             *xs = operands->x;                                             \
    T                   *ys = operands->y, low, high;                                  \
    float                a_min = (float) params->a_min, a_max = (float) params->a_max; \
    Limit                minimum = (Limit) (isnan (a_min) ? -INFINITY : a_min);        \
    Limit                maximum = (Limit) (isnan (a_max) ? INFINITY : a_max);         \
                                                                                       \
    hyb_dtype_set_double (&low, dtype, 0, (double) a_min);                             \
    hyb_dtype_set_double (&high, dtype, 0, (double) a_max);                            \
    HYB_INDEPENDENT                                                                    \
    for (gint64 i = begin; i < end; i++)                                               \
      ys[i] = (Limit) xs[i] > maximum ? high : (Limit) xs[i] < minimum ? low : xs[i];  \
  }

static void
clip_f32 (gint64 begin, gint64 end, gpointer data)
{
  const UnaryOperands *operands = data;
  const ClipParams    *params = operands->params;
  float                low = (float) params->a_min, high = (float) params->a_max;

  hyb_vector_clip ((gsize) (end - begin), (const float *) operands->x + begin,
                   isnan (low) ? -INFINITY : low, isnan (high) ? INFINITY : high,
                   (float *) operands->y + begin);
}

static void
clip_f64 (gint64 begin, gint64 end, gpointer data)
{
  const UnaryOperands *operands = data;
  const ClipParams    *params = operands->params;
  float                low = (float) params->a_min, high = (float) params->a_max;

  HYB_SIMD_CHOOSE (clip_doubles)
  (end - begin, (const double *) operands->x + begin, isnan (low) ? -INFINITY : low,
   isnan (high) ? INFINITY : high, (double *) operands->y + begin);
}

CLIP_LOOP (guint8, double, HYB_U8, u8)
CLIP_LOOP (gint8, double, HYB_I8, i8)
CLIP_LOOP (gint32, double, HYB_I32, i32)
CLIP_LOOP (gint64, double, HYB_I64, i64)
LOOPS (clip)
#undef CLIP_LOOP

/* The gradient passes where x is between the bounds; NaN counts as inside. */
#define INSIDE(params, x) (!((x) < (float) (params)->a_min) && !((x) > (float) (params)->a_max))
UNARY_BACKWARD (clip, x, INSIDE ((const ClipParams *) operands->params, x) ? g : 0)
#undef INSIDE

static void
zeros_like_forward (const HybCall *call, const HybRun *run)
{
  memset (run->output[0], 0, hyb_type_bytes (&call->output[0]));
}

static void
ones_like_forward (const HybCall *call, const HybRun *run)
{
  hyb_fill (run->output[0], call->output[0].dtype, 1,
            (gsize) hyb_shape_size (&call->output[0].shape));
}

#define STEP_OP(id, text, ...)                                                                 \
  { UNARY_COMMON (id, text), .flags = HYB_OP_IN_PLACE | HYB_OP_POINTWISE | HYB_OP_NO_GRADIENT, \
    .dtypes = SIMPLE_DTYPES },
#define STE_OP(id, text, ...)                                                                      \
  { UNARY_COMMON (id, text), .flags = HYB_OP_IN_PLACE | HYB_OP_POINTWISE | HYB_OP_CUSTOM_GRADIENT, \
    .dtypes = SIMPLE_DTYPES, .gradient = identity_gradient },
#define SMOOTH_OP(id, text, ...)                                                                   \
  { UNARY_COMMON (id, text), .flags = HYB_OP_IN_PLACE | HYB_OP_POINTWISE, .dtypes = SIMPLE_DTYPES, \
    .gradient = id##_gradient },

const HybOp hyb_ops_elementwise_simple[] = {
  SIGN_ROWS (STEP_OP)     //
  STEP_ROWS (STEP_OP)     //
  VECTOR_ROWS (STEP_OP)   //
  STE_ROWS (STE_OP)       //
  SMOOTH_ROWS (SMOOTH_OP) //
  UNARY_BACKWARD_OP (abs),
  UNARY_BACKWARD_OP (square),
  {
      UNARY_COMMON (clip, "Values limited to a_min … a_max."),
      .flags = HYB_OP_IN_PLACE | HYB_OP_POINTWISE,
      .dtypes = SIMPLE_DTYPES,
      HYB_PARAMS (clip_params, ClipParams),
      .gradient = clip_gradient,
  },
  {
      UNARY_BACKWARD_COMMON (clip),
      HYB_PARAMS (clip_params, ClipParams),
  },
  {
      UNARY_COMMON (zeros_like, "Zeros of the shape and type of the input."),
      .flags = HYB_OP_IN_PLACE | HYB_OP_POINTWISE | HYB_OP_NO_GRADIENT,
      .constant_inputs = 1,
      .dtypes = HYB_DTYPES_ALL,
      .cost = hyb_rule_cost_move,
  },
  {
      UNARY_COMMON (ones_like, "Ones of the shape and type of the input."),
      .flags = HYB_OP_IN_PLACE | HYB_OP_POINTWISE | HYB_OP_NO_GRADIENT,
      .constant_inputs = 1,
      .dtypes = HYB_DTYPES_ALL,
      .cost = hyb_rule_cost_move,
  },
  { 0 },
};

#undef STEP_OP
#undef STE_OP
#undef SMOOTH_OP
#undef LOOPS
#undef INTEGER_LOOP
#undef SMOOTH_ROWS
#undef STE_ROWS
#undef VECTOR_ROWS
#undef STEP_ROWS
#undef SQUARE
#undef NEGATE
#undef RINT
#undef SIMPLE_DTYPES
