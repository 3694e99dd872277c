/* reduce.h — sums over axes in a fixed order, in two stages.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/cuda/device.h"
#include "engine/cuda/ops/axes.h"

/* What is added: operand 0 of both walks is the place of an element in the inputs. */
typedef struct
{
  HybAxes     outer;   /* the outputs, in the order of memory */
  HybAxes     inner;   /* the terms of an output */
  const char *term;    /* formula of the elements x and w of the inputs */
  guint       n;       /* inputs that it reads, which are inputs 0 … of the call */
  gint64      divisor; /* of the sums; 0: they are not divided */
} HybReduction;

/* What a twin of a sum has prepared. */
typedef struct _HybReduce HybReduce;

/* For HybDeviceOp.prepare: output 0 as this reduction.  Sets *workspace to the bytes of its partial sums.
 * NULL and an error if the kernel does not compile or the walks have too many axes. */
HybReduce *hyb_reduce_new (HybDevice          *device,
                           const HybCall      *call,
                           const HybReduction *reduction,
                           gsize              *workspace,
                           GError            **error);
/* For HybDeviceOp.launch. */
void hyb_reduce_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer prepared);

/* A row of a list of twins: an operator that is a sum, and its prepare(). */
#define HYB_REDUCE_OP(id, function)                                                 \
  {                                                                                 \
    .name = id, .prepare = function, .launch = hyb_reduce_launch, .release = g_free \
  }
