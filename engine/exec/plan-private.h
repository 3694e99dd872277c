/* plan-private.h — the members of a plan, for the files that make, print and run it.
 *
 * A step is one kernel call.  Its operands have slots; a slot is resolved to an address when a
 * frame binds what its place depends on.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/facts.h"
#include "engine/device/gpu-private.h"
#include "engine/exec/plan.h"

typedef enum
{
  HYB_PLACE_NONE,     /* neither computed nor read */
  HYB_PLACE_BLOCK,    /* offset in the block of memory */
  HYB_PLACE_VARIABLE, /* offset in what is bound to variable number index */
  HYB_PLACE_HEAD,     /* offset in what is bound to head number index */
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
  HybCall   outer;    /* only if converts: with the dtypes of the values */
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
  HybSources           *sources; /* what its nodes stand for in given */
  HybType              *types;   /* by value */
  HybPlace             *places;  /* by value */
  gboolean              training;
  const HybPlanOptions *options; /* only while the plan is made */
  gboolean              is_dynamic;
  gboolean              binds_outputs;
  gsize                 memory;

  guint     n_steps;
  guint     n_prepared; /* steps whose prepare() has been called */
  HybStep  *steps;
  HybType  *operands; /* of all steps */
  guint     n_slots;
  HybPlace *slots;

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

/* In plan-places.c: gives every needed value its place.  Offsets in the block are filled in later
 * from interval number place.index.  Returns a GArray of HybInterval, (transfer full). */
GArray *hyb_plan_find_places (HybPlan      *plan,
                              HybFacts     *facts,
                              const guint8 *needed,
                              GArray       *step_nodes /* of HybNodeId: filled */);

/* In plan-steps.c: makes the call of a step.  operands: storage for the types of two calls.  Returns
 * the number of types used. */
guint hyb_plan_init_step (HybPlan *plan, HybStep *step, HybNodeId id, HybType *operands);
/* In plan-steps.c: calls prepare() and workspace() of the twin or of the operator. */
gboolean
hyb_plan_prepare_step (HybPlan *plan, HybStep *step, const HybFacts *facts, GError **error);

/* --- In plan-device.c: which steps a device computes, and what is copied before them ---
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

/* What a device knows of step number i of a plan. */
typedef struct
{
  const HybDeviceOp *twin;     /* NULL: the host computes this step */
  gpointer           prepared; /* by the twin */
  char              *why;      /* why the host computes it; NULL if it does not */
  guint              first_copy;
} HybDeviceStep;

struct _HybDevicePlan
{
  HybGpu        *gpu;
  guint          n_steps;
  HybDeviceStep *steps;  /* n_steps + 1: the last one has only copies, which follow the run */
  GArray        *copies; /* of HybDeviceCopy, in order */
  guint8        *reads_variable; /* by variable: a step of the device reads it */
  guint8        *reads_constant; /* by constant: likewise */
  guint          n_host_steps;
};

/* No steps yet.  (transfer full) */
HybDevicePlan *hyb_device_plan_new (HybGpu *gpu, guint n_steps);
/* Frees it, and releases what twins prepared. */
void hyb_device_plan_free (HybDevicePlan *device);
/* Asks the twin of step number index.  TRUE if the device computes it, and the workspace that it
 * takes there; FALSE if the host must. */
gboolean hyb_device_plan_add_step (HybPlan *plan, guint index, gsize *workspace);
/* Fills in copies, once all places and slots are known. */
void hyb_device_plan_find_copies (HybPlan *plan);
