/* reduce.h — sums, and other reductions over axes, in a fixed order, in two stages.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/cuda/device.h"
#include "engine/cuda/ops/axes.h"

/* The treatment of the terms of an output: formulas of kernels/reduce.cu. */
typedef struct
{
  const char *start;          /* initial value of an accumulator */
  const char *combine;        /* of accumulators s and t */
  const char *step;           /* of an accumulator s and a term t; NULL: as combine */
  const char *finish;         /* the output, of accumulator s and the number n; NULL: s */
  const char *integer_finish; /* the same for integers; NULL: as finish */
  gboolean    keeps_type;     /* accumulators are of the type of the elements, else double or U64 */
  const char *extreme; /* accumulators are of type Extreme; s comes before t if this is true */
} HybReduceRule;

/* Σ term, and Σ term / n. */
extern const HybReduceRule hyb_reduce_sum, hyb_reduce_mean;

/* The reduced elements: operand 0 of both walks is the place of an element in the inputs. */
typedef struct
{
  const HybReduceRule *rule;
  HybAxes              outer; /* the outputs, in the order of memory */
  HybAxes              inner; /* the terms of an output */
  const char
       *term; /* formula of the elements x and w of the inputs, and of the number k of the term */
  guint n;    /* inputs that it reads, which are inputs 0 … of the call */
  gboolean second_is_per_output; /* input 1 has one element for each output */
  gint64   divisor;              /* the number n of the rule */
} HybDeviceReduction;

/* The prepared data of a twin of a reduction. */
typedef struct _HybReduce HybReduce;

/* For HybDeviceOp.prepare: output 0 as this reduction.  Sets *workspace to the bytes of its accumulators.
 * NULL and an error if the kernel does not compile or the walks have too many axes. */
HybReduce *hyb_reduce_new (HybDevice                *device,
                           const HybCall            *call,
                           const HybDeviceReduction *reduction,
                           gsize                    *workspace,
                           GError                  **error);
/* For HybDeviceOp.launch. */
void hyb_reduce_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer prepared);

/* A row of a list of twins: an operator that is a reduction, and its prepare(). */
#define HYB_REDUCE_OP(id, function)                                                 \
  {                                                                                 \
    .name = id, .prepare = function, .launch = hyb_reduce_launch, .release = g_free \
  }
