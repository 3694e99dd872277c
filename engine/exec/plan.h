/* plan.h — a graph made ready to run: types, order of steps, memory.
 *
 * A plan is immutable and may be run by several frames at once.  Every value has a place: in the
 * plan's block of memory, in a variable that the caller binds, in an output that the caller binds,
 * or in a constant folded while planning.  Everything that can fail fails in hyb_plan_new().
 * Threads: any number may share a plan; one thread at a time uses a frame.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/graph/graph.h"
#include "engine/op/plan-options.h"
#include "engine/op/probe.h"
#include "engine/op/run.h"

G_BEGIN_DECLS

typedef struct _HybPlan  HybPlan;  /* the steps of a run; many runs may share it */
typedef struct _HybFrame HybFrame; /* the memory of one run */

/* Infers types, runs the passes and lays memory out.  variable_types: one for each variable in
 * node order, unknown where it is not given; NULL if none is.  NULL and an error if the types contradict each
 * other, remain unknown, or need more memory than options allow.  (transfer full) */
HYB_API HybPlan *hyb_plan_new (HybGraph             *graph,
                               const HybType        *variable_types,
                               const HybPlanOptions *options,
                               GError              **error);
/* Takes a reference and returns plan. */
HYB_API HybPlan *hyb_plan_ref (HybPlan *plan);
/* Drops a reference; the last one frees the plan. */
HYB_API void hyb_plan_unref (HybPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybPlan, hyb_plan_unref)

/* The graph after all passes, owned by the plan. */
HYB_API HybGraph *hyb_plan_get_graph (const HybPlan *plan);
/* The types of that graph's values, by value id, owned by the plan. */
HYB_API const HybType *hyb_plan_get_types (const HybPlan *plan);
/* The size of the block of memory, in bytes. */
HYB_API gsize hyb_plan_get_memory (const HybPlan *plan);
/* The number of kernel calls of a run. */
HYB_API guint hyb_plan_n_steps (const HybPlan *plan);
/* How the processor computes a step, 0 … hyb_plan_n_steps() − 1, in a few words, such as the kernel that it takes; NULL
 * if there is nothing to say, or if a device computes it.  Owned by the plan.  node: (out) the step's node. */
HYB_API const char *hyb_plan_get_step_note (const HybPlan *plan, guint step, HybNodeId *node);
/* The type of a head, owned by the plan. */
HYB_API const HybType *hyb_plan_get_head_type (const HybPlan *plan, guint head);
/* The number of heads. */
HYB_API guint hyb_plan_n_heads (const HybPlan *plan);
/* The number of variables.  They match the variables of the graph that was planned, by position. */
HYB_API guint hyb_plan_n_variables (const HybPlan *plan);
/* The type of a variable, owned by the plan. */
HYB_API const HybType *hyb_plan_get_variable_type (const HybPlan *plan, guint variable);
/* TRUE if the type of some value is only known while running.  Such a graph can only be run by
 * imperative.h. */
HYB_API gboolean hyb_plan_is_dynamic (const HybPlan *plan);
/* The plan as text: the passes that changed something, then one line a step with places and
 * views.  (transfer full) */
HYB_API char *hyb_plan_print (const HybPlan *plan);

/* --- Frames: the pointers of one run --- */

/* The bytes that a frame takes. */
HYB_API gsize hyb_frame_size (const HybPlan *plan);
/* Makes a frame in storage, which has hyb_frame_size() bytes; memory has hyb_plan_get_memory()
 * bytes.  Both are aligned to 64 bytes and stay the caller's.  Frames of loop bodies lie in the
 * workspace of their loop. */
HYB_API HybFrame *hyb_frame_init (gpointer storage, const HybPlan *plan, gpointer memory);
/* Sets the contents of a variable; they must stay valid until the last run with them. */
HYB_API void hyb_frame_bind_variable (HybFrame *frame, guint variable, gconstpointer data);
/* Sets where a head is written to.  Only for plans with bind_outputs. */
HYB_API void hyb_frame_bind_head (HybFrame *frame, guint head, gpointer data);
/* Where a head was written to. */
HYB_API gpointer hyb_frame_get_head (HybFrame *frame, guint head);

/* Runs every step.  Seed, step, depth, number, probe, cancellable and fault are taken from context.
 * Allocates nothing.  FALSE only if cancelled, or if a kernel reported values. */
HYB_API gboolean hyb_frame_run (HybFrame *frame, const HybRun *context);

G_END_DECLS
