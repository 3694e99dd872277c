/* train-trace.h — records when the parts of training steps begin and end, for a capture.
 *
 * The last steps are kept.  Nothing is allocated while a step goes on, and a stamp costs one reading of the clock.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"
#include "engine/train/trainer.h"

typedef struct _ScopeTrace ScopeTrace;

/* A step, in ns of the clock of the profiler. */
typedef struct
{
  guint64 begin;
  guint64 turn; /* the forward pass has ended; 0: not known */
  guint64 run;  /* the backward pass has ended */
  guint64 end;  /* parameters are updated */
} ScopeTraceStep;

/* Watches the steps of trainer, which trains model.  (transfer full) */
ScopeTrace *scope_trace_new (HybTrainer *trainer, HybModel *model);
/* Frees trace; NULL is allowed.  Its trainer must not run any more. */
void scope_trace_free (ScopeTrace *trace);

/* The step begins: the time until scope_trace_end_run() is forward and backward pass. */
void scope_trace_begin_step (ScopeTrace *trace);
/* The backward pass has ended; the update follows. */
void scope_trace_end_run (ScopeTrace *trace);
/* The step has ended. */
void scope_trace_end_step (ScopeTrace *trace);

/* The number of steps that were kept. */
guint scope_trace_n_steps (const ScopeTrace *trace);
/* One of them, the oldest one first. */
const ScopeTraceStep *scope_trace_get_step (const ScopeTrace *trace, guint step);
/* The seconds of all steps but the first, in order, at most as many as are sensible samples. */
const GArray *scope_trace_get_seconds (const ScopeTrace *trace);
