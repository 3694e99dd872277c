/* softmax.c — softmax and log-softmax along one axis, and their gradients.
 *
 * hyb_softmax_forward() and hyb_softmax_backward() split the outer axis over threads; the loops
 * are in softmax-kernel.h, those of neighbouring lines of floats in softmax-columns-kernel.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/softmax.h"

#include "engine/base/parallel.h"
#include "engine/kernels/rows.h"
#include "engine/kernels/simd/transpose.h"
#include "engine/kernels/simd/vector-doubles.h"
#include "engine/kernels/simd/vector-math.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/kernels/vectorise.h"

/* The arrays of one call, shared by its threads. */
typedef struct
{
  const HybSoftmaxView *view;
  gconstpointer         x, y, dy;
  gpointer              to;
} SoftmaxCall;

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

/* Returns how many elements count of the row with this index in outer × inner. */
static gint64
row_length (const SoftmaxCall *call, gint64 place)
{
  const HybSoftmaxView *view = call->view;

  if (!view->row_lengths)
    return view->length;

  return CLAMP (hyb_dtype_get_int (view->row_lengths, view->row_lengths_dtype, (gsize) place), 0,
                view->length);
}

/* Rows of up to this many elements are computed side by side; those of floats by vectors. */
#define SHORT_ROW     32
#define SHORT_ROW_F64 8

static gboolean
has_short_rows (const HybSoftmaxView *view, gint64 most)
{
  return view->inner == 1 && view->length <= most && view->outer > 1 && !view->row_lengths;
}

static void
transpose_f32 (gint64 height, gint64 width, const float *x, float *y)
{
  hyb_transpose_32 (&(HybTranspose){ .height = height,
                                     .width = width,
                                     .x_stride = height,
                                     .y_stride = width },
                    x, y);
}

static void
transpose_f64 (gint64 height, gint64 width, const double *x, double *y)
{
  for (gint64 i = 0; i < height; i++)
    for (gint64 k = 0; k < width; k++)
      y[i * width + k] = x[k * height + i];
}

static void
exponentials_f32 (float *values, gint64 n)
{
  hyb_vector_exp ((gsize) n, values, values);
}

static void
exponentials_f64 (double *values, gint64 n)
{
  hyb_vector_exp_f64 ((gsize) n, values, values);
}

#define SIMD_KERNEL "engine/kernels/softmax-columns-kernel.h"
#include "engine/kernels/simd/each-simd.h"

/* Computes neighbouring lines of floats of one outer index by vectors; FALSE if that is impossible. */
static gboolean
softmax_lines_f32 (const SoftmaxCall *call, gint64 outer)
{
  const HybSoftmaxView *view = call->view;
  gint64                at = outer * view->length * view->inner;

  if (view->row_lengths)
    return FALSE;
  HYB_SIMD_CHOOSE (softmax_lines) (view, (const float *) call->x + at, (float *) call->to + at);
  return TRUE;
}

static gboolean
softmax_lines_f64 (const SoftmaxCall *call, gint64 outer)
{
  return FALSE;
}

#define REAL_KERNEL "engine/kernels/softmax-kernel.h"
#include "engine/kernels/each-real.h"

static void
run_call (SoftmaxCall *call, HybParallelFunc func)
{
  gint64 size = call->view->length * call->view->inner;

  hyb_parallel_for (call->view->outer, MAX (1, 16384 / MAX (1, size)), func, call);
}

void
hyb_softmax_forward (const HybSoftmaxView *softmax, HybDType dtype, gconstpointer x, gpointer to)
{
  SoftmaxCall call = { .view = softmax, .x = x, .to = to };

  run_call (&call, dtype == HYB_F64 ? softmax_slice_f64 : softmax_slice_f32);
}

void
hyb_softmax_backward (const HybSoftmaxView *softmax,
                      HybDType              dtype,
                      gconstpointer         y,
                      gconstpointer         dy,
                      gpointer              to)
{
  SoftmaxCall call = { .view = softmax, .y = y, .dy = dy, .to = to };

  run_call (&call, dtype == HYB_F64 ? backward_slice_f64 : backward_slice_f32);
}
