/* plan-private.h — the members of a plan, for the files that make, print and run it.
 *
 * A step is one kernel call.  Its operands have slots; a slot is resolved to an address when a
 * frame binds the variable, head or memory of its place.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/facts.h"
#include "engine/device/gpu-private.h"
#include "engine/exec/plan-operands.h"
#include "engine/exec/plan.h"
#include "engine/op/run-device.h"

typedef enum
{
  HYB_PLACE_NONE,     /* neither computed nor read */
  HYB_PLACE_BLOCK,    /* offset in the block of memory */
  HYB_PLACE_VARIABLE, /* offset in the tensor of variable number index */
  HYB_PLACE_HEAD,     /* offset in the tensor of head number index */
  HYB_PLACE_CONSTANT, /* offset in constant number index */
} HybPlaceKind;

typedef struct
{
  HybPlaceKind kind;
  guint32      index;
  gsize        offset;
} HybPlace;

/* One kernel call. */
typedef struct
{
  HybCall   call;     /* passed to forward; with the kernel's dtypes if converts */
  HybCall  *outer;    /* only if converts, else NULL: with the dtypes of the values */
  gboolean  converts; /* through imperative/convert.h */
  HybNodeId node;
  guint32   key;
  guint32   first_slot; /* of its inputs; its outputs follow */
  gsize     workspace_bytes;
  gsize     workspace; /* offset in the block */
} HybStep;

/* A slot that is filled when a variable or head is bound. */
typedef struct
{
  guint32 slot;
  gsize   offset;
} HybPatch;

/* A head that is copied to the caller's memory after the last step. */
typedef struct
{
  HybPlace from;
  guint    head;
  gsize    bytes;
} HybCopy;

typedef struct _HybDevicePlan HybDevicePlan;

struct _HybPlan
{
  gatomicrefcount       references;
  HybGraph             *graph;
  HybGraph             *given;   /* before the passes */
  HybSources           *sources; /* the sources of its nodes in given */
  HybType              *types;   /* by value; only while the plan is made, or on request */
  const HybType       **type;    /* by value, in operands; NULL while the plan is made */
  HybPlace             *places;  /* by value */
  gboolean              training;
  const HybPlanOptions *options; /* only while the plan is made */
  gboolean              is_dynamic;
  gboolean              binds_outputs;
  gsize                 memory;

  guint        n_steps;
  guint        n_prepared; /* steps whose prepare() has been called */
  HybStep     *steps;
  HybOperands *operands; /* of all steps */
  guint        n_slots;
  HybPlace    *slots;

  guint      n_variables, n_heads;
  guint     *variable_first; /* n_variables + 1: where the patches of each variable begin */
  HybPatch  *variable_patches;
  guint     *head_first; /* n_heads + 1: where the patches of each head begin */
  HybPatch  *head_patches;
  guint      n_copies;
  HybCopy   *copies;
  GPtrArray *constants; /* of HybTensor */
  GArray    *reports;   /* of HybPassReport */

  HybDevicePlan *device; /* NULL: the processor computes everything */
};

/* The type of a value. */
static inline const HybType *
hyb_plan_type (const HybPlan *plan, HybValueId value)
{
  return plan->type ? plan->type[value] : &plan->types[value];
}

/* In plan-places.c: gives every needed value its place.  Offsets in the block are filled in later
 * from interval number place.index.  Returns a GArray of HybInterval, (transfer full). */
GArray *hyb_plan_find_places (HybPlan      *plan,
                              HybFacts     *facts,
                              const guint8 *needed,
                              GArray       *step_nodes /* of HybNodeId: filled */);

/* In plan-steps.c: makes the call of a step.  room: for the types of its operands, for this call alone. */
void hyb_plan_init_step (HybPlan *plan, HybStep *step, HybNodeId id, HybType *room);
/* In plan-steps.c: calls prepare() and workspace() of the twin or of the operator. */
gboolean
hyb_plan_prepare_step (HybPlan *plan, HybStep *step, const HybFacts *facts, GError **error);

/* --- In plan-device.c: the steps that a device computes, and the copies before them ---
 *
 * Values keep the offsets that the plan gives them, in one block of the device and in one of the
 * host.  While planning it is known which of the two holds the newest bytes, so the copies are a
 * fixed list. */

/* One copy between host and device. */
typedef struct
{
  gboolean to_device;
  HybPlace place;
  gsize    bytes;
} HybDeviceCopy;

/* The device's data for step number i of a plan. */
typedef struct
{
  const HybDeviceOp *twin;     /* NULL: the host computes this step, or runs its bodies */
  gpointer           prepared; /* by the twin */
  HybCallDevice     *bodies;   /* of a step that runs its bodies on the device; else NULL */
  char              *why;      /* why the host computes it; NULL if the device does */
  guint              first_copy;
} HybDeviceStep;

/* TRUE if the device computes the step, or its bodies. */
static inline gboolean
hyb_device_step_is_there (const HybDeviceStep *step)
{
  return !step->why;
}

struct _HybDevicePlan
{
  HybGpu        *gpu;
  guint          n_steps;
  HybDeviceStep *steps;  /* n_steps + 1: the last one has only copies, which follow the run */
  GArray        *copies; /* of HybDeviceCopy, in order */
  guint8        *reads_variable; /* by variable: a step of the device reads it */
  guint8        *reads_constant; /* by constant: likewise */
  guint8        *has_head;       /* by head: the device has it after the run, the host not */
  gboolean       draws;          /* a step of the device, also of a body, draws random numbers */
  guint          n_host_steps;
  gsize          host_bytes; /* memory of the host for the frames of bodies */

  /* Only of a body, whose variables and heads are memory of the device.  It has no constants,
   * because none are passed in and passes for a device create none. */
  gboolean is_body;
  gsize   *variable_mirror; /* by variable: offset behind the block of the host; G_MAXSIZE if no
                              * step of the host touches it */
  gsize   *head_mirror;     /* by head: likewise */
};

/* No steps yet; options: of the plan.  (transfer full) */
HybDevicePlan *hyb_device_plan_new (const HybPlanOptions *options, guint n_steps);
/* Frees it, and releases the data that twins prepared. */
void hyb_device_plan_free (HybDevicePlan *device);
/* Asks the twin of step number index.  TRUE if the device computes it, and the workspace that it
 * takes there; FALSE if the host must. */
gboolean hyb_device_plan_add_step (HybPlan *plan, guint index, gsize *workspace);
/* Begins to plan the bodies of step number index for the device: the call of the step points to the
 * result. */
void hyb_device_plan_begin_bodies (HybPlan *plan, guint index);
/* Ends it.  is_done: whether the operator's prepare() succeeded.  FALSE if the host computes the step
 * after all, for the reason in error or because the device computes nothing of the bodies. */
gboolean
hyb_device_plan_end_bodies (HybPlan *plan, guint index, gboolean is_done, const GError *error);
/* In plan-hidden.c: why a twin may not compute step number index, which writes or reads a hidden output of
 * a size and contents of the device's own; NULL if it may. */
const char *
hyb_device_plan_refuse_hidden (const HybPlan *plan, guint index, const HybDeviceOp *twin);
/* In plan-hidden.c: FALSE and an error if the host would compute step number index and reads such an
 * output. */
gboolean hyb_device_plan_check_host (const HybPlan *plan, guint index, GError **error);
/* In plan-hidden.c: sets the intervals (of HybInterval) of such outputs to the sizes that twins need. */
void hyb_device_plan_size_hidden (const HybPlan *plan, GArray *intervals);
/* Fills in copies, once all places and slots are known. */
void hyb_device_plan_finish (HybPlan *plan);
