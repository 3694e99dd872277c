/* recorder.h — listens to the engine's probe and writes down what it hears.
 *
 * Stamps are chained: the end of one operator is the beginning of the next, so that
 * watching costs one look at the clock a node.  In exact runs a second look shows
 * what the interpreter itself takes.  Graphs that appear while running (bodies of
 * loops, after passes) are kept until the recorder goes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/plan.h"
#include "profiler/base/event.h"

typedef struct _ProfRecorder ProfRecorder;

#define PROF_NO_SLOT G_MAXUINT16

/* A graph that nodes ran in. */
typedef struct
{
  HybGraph *graph;
  HybPlan  *plan; /* NULL: operator by operator */
  /* The node it is a body of; PROF_NO_SLOT: nobody's. */
  guint16 parent;
  guint32 parent_node, body;
} ProfSlot;

ProfRecorder *prof_recorder_new (void);
void          prof_recorder_free (ProfRecorder *recorder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfRecorder, prof_recorder_free)

const HybProbe *prof_recorder_get_probe (ProfRecorder *recorder);

/* Around each run; n_events: how many to expect (0: as many as the last run had). */
void prof_recorder_begin_run (ProfRecorder *recorder, guint run, gboolean exact, gsize n_events);
void prof_recorder_end_run (ProfRecorder *recorder);
/* Forgets the events; graphs stay. */
void prof_recorder_reset (ProfRecorder *recorder);

guint            prof_recorder_n_threads (const ProfRecorder *recorder);
gsize            prof_recorder_n_events (const ProfRecorder *recorder, guint thread);
const ProfEvent *prof_recorder_get_event (const ProfRecorder *recorder, guint thread, gsize index);
guint64          prof_recorder_n_lost (const ProfRecorder *recorder);

guint           prof_recorder_n_slots (const ProfRecorder *recorder);
const ProfSlot *prof_recorder_get_slot (const ProfRecorder *recorder, guint slot);

/* What watching one span costs on this machine, in ns, measured now. */
double prof_recorder_measure_overhead (void);
