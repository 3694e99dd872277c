/* plan.h — a graph made ready to run: types, order, memory.
 *
 * A plan is immutable and may be run by several frames.  Every value has a place:
 * in the plan's block of memory, in a variable the caller binds, in an output the
 * caller binds, or in a constant folded while planning.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"
#include "engine/op/plan-options.h"
#include "engine/op/probe.h"
#include "engine/op/run.h"

G_BEGIN_DECLS

typedef struct _HybPlan  HybPlan;
typedef struct _HybFrame HybFrame;

/* types: one per variable in node order; unknown where not given. */
HybPlan *hyb_plan_new (HybGraph             *graph,
                       const HybType        *variable_types,
                       const HybPlanOptions *options,
                       GError              **error);
HybPlan *hyb_plan_ref (HybPlan *plan);
void     hyb_plan_unref (HybPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybPlan, hyb_plan_unref)

HybGraph      *hyb_plan_get_graph (const HybPlan *plan);  /* after passes */
const HybType *hyb_plan_get_types (const HybPlan *plan);  /* by value of that graph */
gsize          hyb_plan_get_memory (const HybPlan *plan); /* bytes of the block */
guint          hyb_plan_n_steps (const HybPlan *plan);
const HybType *hyb_plan_get_head_type (const HybPlan *plan, guint head);
guint          hyb_plan_n_heads (const HybPlan *plan);
/* Variables of the planned graph match those of the graph that was given, by position. */
guint          hyb_plan_n_variables (const HybPlan *plan);
const HybType *hyb_plan_get_variable_type (const HybPlan *plan, guint variable);
/* TRUE if some output type shows only while running: then only imperative.h can run it. */
gboolean hyb_plan_is_dynamic (const HybPlan *plan);
/* Text: one line a step, with places, views, passes that acted.  (transfer full) */
char *hyb_plan_print (const HybPlan *plan);

/* What one run needs besides the plan: pointers.  memory must be as large as
 * hyb_plan_get_memory() and 64-byte aligned; frames of loop bodies live in their
 * loop's workspace: hyb_frame_size() bytes, also aligned. */
gsize     hyb_frame_size (const HybPlan *plan);
HybFrame *hyb_frame_init (gpointer room, const HybPlan *plan, gpointer memory);
void      hyb_frame_bind_variable (HybFrame *frame, guint variable, gconstpointer data);
void      hyb_frame_bind_head (HybFrame *frame, guint head, gpointer data);
gpointer  hyb_frame_get_head (HybFrame *frame, guint head);

/* Runs; seed, step, depth, number, probe and cancellable are taken from context.
 * FALSE only when cancelled.  Allocates nothing. */
gboolean hyb_frame_run (HybFrame *frame, const HybRun *context);

G_END_DECLS
