/* train-trace.h — notes when the parts of training steps begin and end, for a capture.
 *
 * The last steps are kept.  Nothing is allocated while a step goes on, and a stamp costs one reading of the clock.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/probe.h"
#include "engine/train/trainer.h"
#include "profiler/base/event.h"

typedef struct _ScopeTrace ScopeTrace;

/* A part of a step. */
typedef struct
{
  guint64         begin_ns, end_ns;
  ProfProcessPart part;
  guint32         gradient; /* of PROF_PART_AVERAGE: the number of its parameter */
} ScopeTraceSpan;

/* Watches the steps of trainer, of which the last max_steps are kept.  is_shared: an exchange watches the executor and calls
 * scope_trace_end_node().  (transfer full) */
ScopeTrace *scope_trace_new (HybTrainer *trainer, guint max_steps, gboolean is_shared);
/* Frees trace; NULL is allowed.  Its trainer must not run any more. */
void scope_trace_free (ScopeTrace *trace);

/* --- While a step goes on --- */

/* The step begins: what comes until scope_trace_end_run() is forward and backward pass. */
void scope_trace_begin_step (ScopeTrace *trace);
/* An operator has ended. */
void scope_trace_end_node (ScopeTrace *trace, const HybSpan *span);
/* The backward pass has ended. */
void scope_trace_end_run (ScopeTrace *trace);
/* A gradient has its value. */
void scope_trace_send (ScopeTrace *trace, guint gradient);
/* The average of a gradient is there. */
void scope_trace_receive (ScopeTrace *trace, guint gradient);
/* What follows is waiting for other processes. */
void scope_trace_begin_wait (ScopeTrace *trace);
/* The wait has ended; what follows is the update. */
void scope_trace_end_wait (ScopeTrace *trace);
/* The step has ended. */
void scope_trace_end_step (ScopeTrace *trace);

/* --- What was noted --- */

/* The number of steps that were kept, at most max_steps. */
guint scope_trace_n_steps (const ScopeTrace *trace);
/* The n spans of a step, the oldest one first; the first span is the whole step. */
const ScopeTraceSpan *scope_trace_get_step (const ScopeTrace *trace, guint step, guint *n);
/* The seconds of all steps but the first, in order, at most as many as are sensible samples. */
const GArray *scope_trace_get_seconds (const ScopeTrace *trace);
