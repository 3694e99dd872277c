/* softmax.c — exponentials scaled to sum to one, and the way back.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/softmax.h"

#include "engine/base/parallel.h"
#include "engine/kernels/rows.h"
#include "engine/kernels/simd/vector-math.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/kernels/vectorise.h"

typedef struct
{
  const HybSoftmaxView *view;
  gconstpointer         x, y, dy;
  gpointer              to;
} Work;

void
hyb_softmax_init (HybSoftmaxView *softmax, const HybShape *shape, int axis)
{
  *softmax = (HybSoftmaxView){
    .outer = hyb_shape_count (shape, 0, axis),
    .length = shape->dim[axis],
    .inner = hyb_shape_count (shape, axis + 1, shape->rank),
    .scale = 1.0,
  };
}

/* How much of the row at this place of outer × inner counts. */
static gint64
row_length (const Work *work, gint64 place)
{
  const HybSoftmaxView *view = work->view;

  if (!view->row_lengths)
    return view->length;

  return CLAMP (hyb_dtype_get_int (view->row_lengths, view->row_lengths_dtype, (gsize) place),
                0,
                view->length);
}

static void
exponentials_f32 (float *values, gint64 n)
{
  hyb_vector_exp ((gsize) n, values, values);
}

static void
exponentials_f64 (double *values, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    values[i] = exp (values[i]);
}

#define REAL_KERNEL "engine/kernels/softmax-kernel.h"
#include "engine/kernels/each-real.h"

static void
run_work (Work *work, HybParallelFunc func)
{
  gint64 size = work->view->length * work->view->inner;

  hyb_parallel_for (work->view->outer, MAX (1, 16384 / MAX (1, size)), func, work);
}

void
hyb_softmax_forward (const HybSoftmaxView *softmax, HybDType dtype, gconstpointer x, gpointer to)
{
  Work work = { .view = softmax, .x = x, .to = to };

  run_work (&work, dtype == HYB_F64 ? softmax_slice_f64 : softmax_slice_f32);
}

void
hyb_softmax_backward (const HybSoftmaxView *softmax,
                      HybDType              dtype,
                      gconstpointer         y,
                      gconstpointer         dy,
                      gpointer              to)
{
  Work work = { .view = softmax, .y = y, .dy = dy, .to = to };

  run_work (&work, dtype == HYB_F64 ? backward_slice_f64 : backward_slice_f32);
}
