/* recorder.h — records the events of runs through the engine's probe.
 *
 * Time stamps are chained: the end of one operator is the beginning of the next, so recording costs
 * one clock reading per node.  In an exact run a second reading shows the time between nodes, which
 * the interpreter takes; operator by operator, that is also what it does for a node before its operator.
 * Graphs that are first seen while running (loop bodies after passes) are kept until the recorder is
 * freed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/plan.h"
#include "profiler/record/device-events.h"
#include "profiler/record/phases.h"

typedef struct _ProfRecorder ProfRecorder;

#define PROF_NO_SLOT G_MAXUINT16

/* A graph in which nodes ran. */
typedef struct
{
  HybGraph *graph;
  HybPlan  *plan;   /* NULL: run operator by operator */
  guint16   parent; /* slot of the graph whose node has this one as a body; PROF_NO_SLOT: none */
  guint32   parent_node; /* that node */
  guint32   body;        /* which of its bodies */
} ProfSlot;

/* A recorder without events.  (transfer full) */
ProfRecorder *prof_recorder_new (void);
/* Frees recorder; NULL is allowed.  Its probe must not be in use. */
void prof_recorder_free (ProfRecorder *recorder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfRecorder, prof_recorder_free)

/* The probe for the executor, owned by recorder. */
const HybProbe *prof_recorder_get_probe (ProfRecorder *recorder);

/* Traces the GPU in the runs that begin from now on; their executors then do not wait for it after every
 * operator.  trace: (nullable), the caller's. */
void prof_recorder_follow_device (ProfRecorder *recorder, ProfDeviceTrace *trace);
/* Events of GPUs, in the order of their runs: an array of ProfEvent, owned by recorder; NULL if no GPU was
 * followed. */
const GArray *prof_recorder_get_device_events (const ProfRecorder *recorder);

/* Begins a run and makes room for n_events (0: somewhat more than the last run had). */
void prof_recorder_begin_run (ProfRecorder *recorder, guint run, gboolean exact, gsize n_events);
/* Ends the run with its RUN event. */
void prof_recorder_end_run (ProfRecorder *recorder);
/* Drops the events of the run that ended last, unless it overwrote older ones. */
void prof_recorder_drop_run (ProfRecorder *recorder);
/* Drops all events; graphs stay. */
void prof_recorder_reset (ProfRecorder *recorder);

/* Threads that recorded events; at most 64. */
guint prof_recorder_n_threads (const ProfRecorder *recorder);
/* Events of a thread. */
gsize prof_recorder_n_events (const ProfRecorder *recorder, guint thread);
/* An event of a thread, in the order in which they ended. */
const ProfEvent *prof_recorder_get_event (const ProfRecorder *recorder, guint thread, gsize index);
/* Events of all threads that were overwritten by later ones. */
guint64 prof_recorder_n_lost (const ProfRecorder *recorder);

/* Graphs in which nodes ran. */
guint prof_recorder_n_slots (const ProfRecorder *recorder);
/* A graph; the parent of a slot comes before it. */
const ProfSlot *prof_recorder_get_slot (const ProfRecorder *recorder, guint slot);

/* Parts of operators that ran.  The correlation of their NODE events is the index of the part plus
 * 1. */
guint prof_recorder_n_phases (const ProfRecorder *recorder);
/* A part. */
const ProfPhase *prof_recorder_get_phase (const ProfRecorder *recorder, guint phase);

/* The cost of recording one span on this machine, in ns, measured now. */
double prof_recorder_measure_overhead (void);
