/* reduce-backward.h — the gradient of a reduction: one formula for each element of the data.
 *
 * REDUCE_BACKWARD_LOOP defines the loop, hyb_reduce_backward() runs it over whole tensors.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/each.h"
#include "engine/op/run.h"
#include "engine/ops/reduce/reduce-axes.h"

/* Operands of a HybEach walk; g and y have stride 0 along reduced axes. */
typedef struct
{
  gpointer      dx;
  gconstpointer g, x, y;
  gint64        count; /* elements behind each y */
} HybReduceBackward;

/* Defines id_backward_suffix(), a HybEachRow for elements of `type`.  The formula computes the
 * gradient of an element x from the incoming gradient g, the result y and the number of reduced
 * elements, count. */
#define REDUCE_BACKWARD_LOOP(id, type, suffix, formula)                                       \
  static void id##_backward_##suffix (const gint64 *offset, const gint64 *stride, gint64 n,   \
                                      gpointer data)                                          \
  {                                                                                           \
    typedef type             T;                                                               \
    const HybReduceBackward *operands = data;                                                 \
    gint64                   step_g = stride[1], step_y = stride[3], count = operands->count; \
    T                       *dx = (T *) operands->dx + offset[0];                             \
    const T                 *gs = (const T *) operands->g + offset[1];                        \
    const T                 *xs = (const T *) operands->x + offset[2];                        \
    const T                 *ys = (const T *) operands->y + offset[3];                        \
                                                                                              \
    (void) count;                                                                             \
    HYB_INDEPENDENT                                                                           \
    for (gint64 i = 0; i < n; i++)                                                            \
      {                                                                                       \
        T g = gs[i * step_g], x = xs[i], y = ys[i * step_y];                                  \
        (void) x;                                                                             \
        (void) y;                                                                             \
        dx[i] = formula;                                                                      \
      }                                                                                       \
  }

/* Defines the forward functions of a reduction and of its gradient operator, id_forward() and
 * id_backward().  The file defines reduce_forward() and reduce_backward(), which have access to its attributes. */
#define REDUCE_FUNCTIONS(id, REDUCTION, FINISH, formula)                                        \
  static void id##_forward (const HybCall *call, const HybRun *run)                             \
  {                                                                                             \
    reduce_forward (call, run, HYB_REDUCE_##REDUCTION, HYB_REDUCE_##FINISH);                    \
  }                                                                                             \
  REDUCE_BACKWARD_LOOP (id, float, f32, formula)                                                \
  REDUCE_BACKWARD_LOOP (id, double, f64, formula)                                               \
  static void id##_backward (const HybCall *call, const HybRun *run)                            \
  {                                                                                             \
    reduce_backward (call, run,                                                                 \
                     call->output[0].dtype == HYB_F64 ? id##_backward_f64 : id##_backward_f32); \
  }

/* For HybOp.forward of a gradient operator with the inputs gradient, data and result: runs the loop. */
void hyb_reduce_backward (const HybCall       *call,
                          const HybRun        *run,
                          const HybReduceAxes *axes,
                          HybEachRow           row);
