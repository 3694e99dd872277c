/* plan-options.h — how a graph is to be planned.
 *
 * The executor passes these options to the planner (exec/plan.h), the planner passes them to the
 * passes, and operators whose prepare() does part of a pass read them through HybCall.plan_options.
 * Threads: plans only read the options, which must not change while a plan is made.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/op/op.h"
#include "engine/op/probe.h"
#include "engine/tensor/tensor.h"

G_BEGIN_DECLS

typedef struct _HybGpu HybGpu; /* engine/device/gpu.h */
/* The options of a plan. */
struct _HybPlanOptions
{
  gboolean           training;
  gboolean           optimise;      /* run the optimising passes */
  const char *const *without;       /* names of passes left out, NULL-terminated; NULL: none */
  const char        *dump_after;    /* print the graph to stderr after this pass; NULL: none */
  gboolean           bind_outputs;  /* the caller provides memory for heads, else the plan does */
  HybTensor *const  *constants;     /* by variable (node order): fixed contents that may be
                                     * folded, or NULL; NULL: none */
  gsize              memory_limit;  /* bytes; 0: the machine's memory */
  const HybProbe    *probe;         /* receives every pass; NULL: no probe */
  HybGpu            *gpu;           /* the device that the plan is for; NULL: the processor */
  gboolean           values_on_gpu; /* variables and heads are memory of gpu: a body's */
  gboolean same_bytes; /* constants choose no kernel, since another one would round differently */
  const guint8 *kept;  /* by variable: values that a run writes to it stay on gpu; NULL: none */
};

/* TRUE if the optimising pass of this name runs under these options; FALSE for NULL. */
HYB_API gboolean hyb_plan_options_enable_pass (const HybPlanOptions *options, const char *pass);

G_END_DECLS
