/* unary-family.h — macros for operators that apply one function to each element of one tensor.
 *
 * A file lists its functions as rows of a table and expands them: UNARY_FORWARD defines the loops and
 * the forward function, UNARY_BACKWARD those of the gradient operator _backward_<name>, UNARY_OP and
 * UNARY_BACKWARD_OP the entries of the HybOp array.  In formulas x is the element, y the function's
 * value and g the incoming gradient.  Start with elementwise-unary.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/parallel.h"
#include "engine/gradient/gradient.h"
#include "engine/kernels/each.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/elementwise/second-gradient.h"

#include <tgmath.h>

#include "engine/kernels/vectorise.h"

typedef struct
{
  gconstpointer g; /* gradient operators only */
  gconstpointer x; /* gradient operators: x or y of the function */
  gpointer      y; /* the result */
  gconstpointer params;
} UnaryOperands;

/* Elements for each thread at least.  The default suits functions that cost more than memory
 * access; a file of cheap functions defines a larger number before it includes this one. */
#ifndef UNARY_GRAIN
#define UNARY_GRAIN (HYB_EACH_GRAIN / 4)
#endif

static inline void
unary_run (const HybCall *call, const HybRun *run, HybParallelFunc slice)
{
  UnaryOperands operands = { NULL, run->input[0], run->output[0], call->params };

  hyb_parallel_for (hyb_shape_size (&call->output[0].shape), UNARY_GRAIN, slice, &operands);
}

static inline void
unary_run_backward (const HybCall *call, const HybRun *run, HybParallelFunc slice)
{
  UnaryOperands operands = { run->input[0], run->input[1], run->output[0], call->params };

  hyb_parallel_for (hyb_shape_size (&call->output[0].shape), UNARY_GRAIN, slice, &operands);
}

static const char *const unary_inputs[] = { "data", NULL };
static const char *const unary_backward_inputs[] = { "gradient", "data", NULL };

/* The function `name`: y = f(x) for elements of type T, of which f takes each as a Value. */
#define UNARY_LOOP_AS(attributes, name, T, Value, formula)              \
  static attributes void name (gint64 begin, gint64 end, gpointer data) \
  {                                                                     \
    const UnaryOperands *operands = data;                               \
    const T             *xs = operands->x;                              \
    T                   *ys = operands->y;                              \
                                                                        \
    HYB_INDEPENDENT                                                     \
    for (gint64 i = begin; i < end; i++)                                \
      {                                                                 \
        Value x = xs[i];                                                \
        ys[i] = (T) (formula);                                          \
      }                                                                 \
  }

#define UNARY_LOOP(id, T, suffix, formula) UNARY_LOOP_AS (, id##_##suffix, T, T, formula)

/* variable: x or y, the name of the second operand in the formula. */
#define UNARY_BACKWARD_LOOP(id, T, suffix, variable, formula)                  \
  static void id##_backward_##suffix (gint64 begin, gint64 end, gpointer data) \
  {                                                                            \
    const UnaryOperands *operands = data;                                      \
    const T             *gs = operands->g;                                     \
    const T             *vs = operands->x;                                     \
    T                   *to = operands->y;                                     \
                                                                               \
    HYB_INDEPENDENT                                                            \
    for (gint64 i = begin; i < end; i++)                                       \
      {                                                                        \
        T g = gs[i], variable = vs[i];                                         \
        to[i] = (T) (formula);                                                 \
      }                                                                        \
  }

#define UNARY_FORWARD(id, formula)                                                 \
  UNARY_LOOP (id, float, f32, formula)                                             \
  UNARY_LOOP (id, double, f64, formula)                                            \
  static void id##_forward (const HybCall *call, const HybRun *run)                \
  {                                                                                \
    unary_run (call, run, call->output[0].dtype == HYB_F64 ? id##_f64 : id##_f32); \
  }

/* The loop for T where function (n, x, y) handles arrays. */
#define UNARY_VECTOR_LOOP(id, T, suffix, function)                                                \
  static void id##_##suffix (gint64 begin, gint64 end, gpointer data)                             \
  {                                                                                               \
    const UnaryOperands *operands = data;                                                         \
                                                                                                  \
    function ((gsize) (end - begin), (const T *) operands->x + begin, (T *) operands->y + begin); \
  }

/* As UNARY_FORWARD, with such a function for float. */
#define UNARY_FORWARD_VECTOR(id, function, formula)                                \
  UNARY_VECTOR_LOOP (id, float, f32, function)                                     \
  UNARY_LOOP (id, double, f64, formula)                                            \
  static void id##_forward (const HybCall *call, const HybRun *run)                \
  {                                                                                \
    unary_run (call, run, call->output[0].dtype == HYB_F64 ? id##_f64 : id##_f32); \
  }

/* Where a gradient node gets the operand `variable` from. */
#define UNARY_GRADIENT_FROM_x hyb_grad_input
#define UNARY_GRADIENT_FROM_y hyb_grad_output

#define UNARY_BACKWARD(id, variable, formula)                                                      \
  UNARY_BACKWARD_LOOP (id, float, f32, variable, formula)                                          \
  UNARY_BACKWARD_LOOP (id, double, f64, variable, formula)                                         \
  static void id##_backward (const HybCall *call, const HybRun *run)                               \
  {                                                                                                \
    unary_run_backward (call, run,                                                                 \
                        call->output[0].dtype == HYB_F64 ? id##_backward_f64 : id##_backward_f32); \
  }                                                                                                \
  static void id##_gradient (HybGrad *grad)                                                        \
  {                                                                                                \
    HybValueId inputs[] = { hyb_grad_incoming (grad, 0),                                           \
                            UNARY_GRADIENT_FROM_##variable (grad, 0) };                            \
                                                                                                   \
    hyb_grad_set_input (grad, 0, hyb_grad_emit_same (grad, "_backward_" #id, 2, inputs));          \
  }                                                                                                \
  static void id##_second_gradient (HybGrad *grad)                                                 \
  {                                                                                                \
    hyb_second_gradient_unary (grad, #id, "_backward_" #id);                                       \
  }

/* The members of HybOp that all rows have; flags, dtypes and gradient are added by the entry. */
#define UNARY_COMMON(id, text)                                                            \
  .name = #id, .doc = text, .category = HYB_CATEGORY_ELEMENTWISE, .inputs = unary_inputs, \
  .infer_shape = hyb_rule_unary, .forward = id##_forward

#define UNARY_BACKWARD_COMMON(id)                                                                 \
  .name = "_backward_" #id, .doc = "Gradient of " #id ".", .category = HYB_CATEGORY_ELEMENTWISE,  \
  .flags = HYB_OP_INTERNAL | HYB_OP_IN_PLACE | HYB_OP_POINTWISE, .inputs = unary_backward_inputs, \
  .infer_shape = hyb_rule_same_shape, .dtypes = HYB_DTYPES_FLOAT, .forward = id##_backward,       \
  .gradient = id##_second_gradient

#define UNARY_OP(id, text)                                                         \
  {                                                                                \
    UNARY_COMMON (id, text), .flags = HYB_OP_IN_PLACE | HYB_OP_POINTWISE,          \
                             .dtypes = HYB_DTYPES_FLOAT, .gradient = id##_gradient \
  }
#define UNARY_BACKWARD_OP(id)  \
  {                            \
    UNARY_BACKWARD_COMMON (id) \
  }
