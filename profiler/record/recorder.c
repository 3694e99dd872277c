/* recorder.c — implements the engine's probe and writes events into one ring per thread.
 *
 * The probe's functions run inside the measured code: they take no lock and allocate nothing,
 * except for the first event of a thread and of a graph.  Start reading at recorder_begin() and
 * recorder_end().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/recorder.h"

#include "engine/base/parallel.h"
#include "profiler/base/clock.h"
#include "profiler/record/ring.h"

#include <stdlib.h>

#define MAX_THREADS    64
#define MAX_SLOTS      4096
#define N_BUCKETS      (2 * MAX_SLOTS)
#define FIRST_CAPACITY 4096

/* A span that has begun and not ended. */
typedef struct
{
  guint64     begin_ns;
  HybSpanKind kind;
  guint16     slot;
  guint32     id;
  gboolean    is_ready; /* the operator itself has begun */
} OpenSpan;

/* The state of one thread. */
typedef struct
{
  ProfRing  ring;
  guint64   stamp; /* the last clock reading */
  guint64   run_begin;
  guint     depth; /* entries of open; may exceed its size, deeper spans are not recorded */
  HybGraph *last_graph;
  guint16   last_slot;
  guint16   run;
  gboolean  is_exact;
  gboolean  is_fresh; /* no span of this run yet */
  OpenSpan  open[PROF_DEPTH_MAX + 1];
} Lane;

struct _ProfRecorder
{
  HybProbe         probe;
  HybParallelWatch watch;
  Lane            *main; /* that runs operators; set by prof_recorder_begin_run() */
  guint64          base_ns;
  guint64          serial; /* unique */
  gint             n_lanes;
  Lane            *lanes[MAX_THREADS];
  Lane             overflow; /* shared by threads beyond MAX_THREADS; never read */

  gint           lock; /* taken only when a graph is seen for the first time */
  gint           n_slots;
  ProfSlot       slots[MAX_SLOTS];
  guint16        buckets[N_BUCKETS]; /* slot + 1 by hash of the graph; 0: empty */
  ProfPhaseTable phases;

  ProfDeviceEvents device;

  gsize   n_last; /* events of the last run on the main thread */
  guint16 run;
  gint    is_exact;
  guint64 events_before;
};

/* The lane of this thread, and the serial of the recorder that owns it. */
static _Thread_local struct
{
  guint64 serial;
  Lane   *lane;
} this_thread;

/* --- Graphs --- */

static guint
hash_graph (const HybGraph *graph)
{
  return (guint) (((guintptr) graph >> 4) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) >> 40) %
         N_BUCKETS;
}

/* The slot of a graph.  If there is none, PROF_NO_SLOT, and *bucket is where its entry belongs. */
static guint16
find_slot (const ProfRecorder *recorder, const HybGraph *graph, guint *bucket)
{
  guint at = hash_graph (graph);

  for (;; at = (at + 1) % N_BUCKETS)
    {
      guint16 entry = recorder->buckets[at];

      if (entry == 0)
        break;
      if (recorder->slots[entry - 1].graph == graph)
        return entry - 1;
    }
  *bucket = at;
  return PROF_NO_SLOT;
}

/* Sets the parent of a slot from the spans that are open: a branch inside a node. */
static void
set_parent (const Lane *lane, ProfSlot *slot)
{
  slot->parent = PROF_NO_SLOT;
  if (lane->depth < 2 || lane->depth > PROF_DEPTH_MAX ||
      lane->open[lane->depth - 1].kind != HYB_SPAN_BRANCH ||
      lane->open[lane->depth - 2].kind != HYB_SPAN_NODE)
    return;
  slot->parent = lane->open[lane->depth - 2].slot;
  slot->parent_node = lane->open[lane->depth - 2].id;
  slot->body = lane->open[lane->depth - 1].id;
}

/* Adds a slot for the graph of span, unless another thread just has. */
static guint16
add_slot (ProfRecorder *recorder, Lane *lane, const HybSpan *span)
{
  guint   bucket = 0;
  guint16 slot;

  while (!g_atomic_int_compare_and_exchange (&recorder->lock, 0, 1))
    ;
  slot = find_slot (recorder, span->in, &bucket);
  if (slot == PROF_NO_SLOT && recorder->n_slots < MAX_SLOTS)
    {
      slot = (guint16) recorder->n_slots;
      recorder->slots[slot].graph = hyb_graph_ref (span->in);
      recorder->slots[slot].plan = span->plan ? hyb_plan_ref ((HybPlan *) span->plan) : NULL;
      set_parent (lane, &recorder->slots[slot]);
      recorder->buckets[bucket] = (guint16) (slot + 1);
      g_atomic_int_inc (&recorder->n_slots);
    }
  g_atomic_int_set (&recorder->lock, 0);
  return slot;
}

/* The slot of the graph of span. */
static inline guint16
slot_of (ProfRecorder *recorder, Lane *lane, const HybSpan *span)
{
  guint bucket;

  if (!span->in)
    return PROF_NO_SLOT;
  if (span->in != lane->last_graph)
    {
      guint16 slot = find_slot (recorder, span->in, &bucket);

      lane->last_slot = slot != PROF_NO_SLOT ? slot : add_slot (recorder, lane, span);
      lane->last_graph = span->in;
    }
  return lane->last_slot;
}

/* --- Threads --- */

/* Prepares a lane for the current run. */
static void
start_lane (const ProfRecorder *recorder, Lane *lane)
{
  lane->run = recorder->run;
  lane->is_exact = recorder->is_exact;
  lane->is_fresh = TRUE;
  lane->depth = 0;
  lane->stamp = prof_clock_now ();
}

static Lane *
claim_lane (ProfRecorder *recorder)
{
  gint  index = g_atomic_int_add (&recorder->n_lanes, 1);
  Lane *lane;

  if (index >= MAX_THREADS)
    {
      g_atomic_int_set (&recorder->n_lanes, MAX_THREADS);
      lane = &recorder->overflow;
    }
  else
    {
      /* The only allocation for a thread, at its first event. */
      lane = g_new0 (Lane, 1);
      prof_ring_init (&lane->ring, MAX (FIRST_CAPACITY, recorder->n_last));
      recorder->lanes[index] = lane;
    }
  start_lane (recorder, lane);
  this_thread.serial = recorder->serial;
  this_thread.lane = lane;
  return lane;
}

static inline Lane *
lane_of (ProfRecorder *recorder)
{
  return this_thread.serial == recorder->serial ? this_thread.lane : claim_lane (recorder);
}

/* --- The probe --- */

/* GPU work launched before end_span() belongs to this node. */
static void
begin_device_span (ProfRecorder *recorder, Lane *lane, const HybSpan *span)
{
  ProfEvent about = { .node = span->id,
                      .step = span->step,
                      .graph = slot_of (recorder, lane, span) };

  prof_device_events_begin_span (&recorder->device, &about);
}

static void
recorder_begin (gpointer data, const HybSpan *span)
{
  ProfRecorder *recorder = data;
  Lane         *lane = lane_of (recorder);
  OpenSpan     *open;

  if (recorder->device.trace && span->kind == HYB_SPAN_NODE)
    begin_device_span (recorder, lane, span);
  if (G_UNLIKELY (lane->depth > PROF_DEPTH_MAX))
    {
      lane->depth++;
      return;
    }

  /* Find the slot before the clock is read: a graph that is new takes time that is not the node's.
   * */
  open = &lane->open[lane->depth];
  open->slot = slot_of (recorder, lane, span);
  open->kind = span->kind;
  open->id = span->id;
  open->is_ready = FALSE;
  if ((span->kind != HYB_SPAN_NODE && span->kind != HYB_SPAN_PHASE) || lane->is_exact ||
      lane->is_fresh)
    lane->stamp = prof_clock_now ();
  lane->is_fresh = FALSE;
  open->begin_ns = lane->stamp;
  lane->depth++;
}

/* In an exact run a node begins where its operator does: its preparation lies between nodes.  Operators
 * called by an operator belong to it. */
static void
recorder_ready (gpointer data, const HybSpan *span)
{
  Lane     *lane = lane_of (data);
  OpenSpan *open;

  if (!lane->is_exact || lane->depth == 0 || lane->depth > PROF_DEPTH_MAX + 1)
    return;
  open = &lane->open[lane->depth - 1];
  if (open->is_ready || open->kind != HYB_SPAN_NODE || open->id != span->id)
    return;
  open->is_ready = TRUE;
  open->begin_ns = lane->stamp = prof_clock_now ();
}

static const guint8 event_kinds[] = {
  [HYB_SPAN_NODE] = PROF_EVENT_NODE,  [HYB_SPAN_PASS] = PROF_EVENT_PASS,
  [HYB_SPAN_COPY] = PROF_EVENT_COPY,  [HYB_SPAN_BRANCH] = PROF_EVENT_BRANCH,
  [HYB_SPAN_PHASE] = PROF_EVENT_NODE, /* correlation: which part */
};

static void
recorder_end (gpointer data, const HybSpan *span)
{
  ProfRecorder   *recorder = data;
  Lane           *lane = lane_of (recorder);
  const OpenSpan *open;
  ProfEvent      *event;

  if (recorder->device.trace && span->kind == HYB_SPAN_NODE)
    prof_device_events_end_span (&recorder->device);
  if (G_UNLIKELY (lane->depth == 0 || lane->depth > PROF_DEPTH_MAX + 1))
    {
      lane->depth -= lane->depth > 0;
      return;
    }

  lane->stamp = prof_clock_now ();
  open = &lane->open[--lane->depth];
  event = prof_ring_next (&lane->ring);
  event->begin_ns = open->begin_ns - recorder->base_ns;
  event->packed = prof_event_pack (lane->stamp - open->begin_ns, event_kinds[open->kind],
                                   lane->depth, span->device, 0);
  event->node = span->id;
  event->step = span->step;
  event->graph = open->slot;
  event->run = lane->run;
  event->correlation =
      span->phase && span->cost ? prof_phases_find (&recorder->phases, open->slot, span) : 0;
}

static void
recorder_memory (gpointer data, guint16 device, gint64 bytes)
{
  ProfRecorder *recorder = data;
  Lane         *lane = lane_of (recorder);
  ProfEvent    *event = prof_ring_next (&lane->ring);

  *event = (ProfEvent){
    .begin_ns = lane->stamp - recorder->base_ns,
    .packed = prof_event_pack (0, PROF_EVENT_MEMORY, MIN (lane->depth, PROF_DEPTH_MAX), device, 0),
    .node = (guint32) (guint64) bytes,
    .step = (guint32) ((guint64) bytes >> 32),
    .graph = PROF_NO_SLOT,
    .run = lane->run,
  };
}

/* --- Slices of other threads --- */

static void
slice_begin (gpointer data)
{
  lane_of (data)->stamp = prof_clock_now ();
}

/* The operator that runs is read from the main lane: it published the loop and waits for its end. */
static void
slice_end (gpointer data)
{
  ProfRecorder   *recorder = data;
  Lane           *lane = lane_of (recorder);
  const Lane     *main = recorder->main;
  guint           depth = MIN (main->depth, PROF_DEPTH_MAX);
  const OpenSpan *open;
  gboolean        is_node;
  ProfEvent      *event = prof_ring_next (&lane->ring);

  /* A part of an operator has no row before the capture is made. */
  while (depth > 1 && main->open[depth - 1].kind == HYB_SPAN_PHASE)
    depth--;
  open = &main->open[MAX (depth, 1) - 1];
  is_node = depth > 1 && open->kind == HYB_SPAN_NODE;
  *event = (ProfEvent){
    .begin_ns = lane->stamp - recorder->base_ns,
    .packed = prof_event_pack (prof_clock_now () - lane->stamp, PROF_EVENT_SLICE, 0, 0, 0),
    .node = is_node ? open->id : G_MAXUINT32,
    .graph = is_node ? open->slot : PROF_NO_SLOT,
    .run = lane->run,
  };
}

ProfRecorder *
prof_recorder_new (void)
{
  static gint64 next_serial;
  ProfRecorder *recorder = g_new0 (ProfRecorder, 1);

  /* Never 0, which means no recorder, and never used twice. */
  recorder->serial = (guint64) __atomic_add_fetch (&next_serial, 1, __ATOMIC_RELAXED);
  recorder->base_ns = prof_clock_now ();
  prof_ring_init (&recorder->overflow.ring, 1);
  recorder->probe = (HybProbe){
    .data = recorder,
    .begin = recorder_begin,
    .ready = recorder_ready,
    .end = recorder_end,
    .memory = recorder_memory,
  };
  recorder->watch = (HybParallelWatch){ .data = recorder, .begin = slice_begin, .end = slice_end };
  return recorder;
}

void
prof_recorder_free (ProfRecorder *recorder)
{
  if (!recorder)
    return;

  for (guint i = 0; i < prof_recorder_n_threads (recorder); i++)
    {
      prof_ring_clear (&recorder->lanes[i]->ring);
      g_free (recorder->lanes[i]);
    }
  prof_ring_clear (&recorder->overflow.ring);
  for (gint i = 0; i < recorder->n_slots; i++)
    {
      hyb_graph_unref (recorder->slots[i].graph);
      g_clear_pointer (&recorder->slots[i].plan, hyb_plan_unref);
    }
  prof_phases_clear (&recorder->phases);
  prof_device_events_clear (&recorder->device);
  g_free (recorder);
}

const HybProbe *
prof_recorder_get_probe (ProfRecorder *recorder)
{
  return &recorder->probe;
}

void
prof_recorder_follow_device (ProfRecorder *recorder, ProfDeviceTrace *trace)
{
  prof_device_events_follow (&recorder->device, trace);
  recorder->probe.follows_device = trace ? recorder->serial : 0;
}

const GArray *
prof_recorder_get_device_events (const ProfRecorder *recorder)
{
  return recorder->device.events;
}

void
prof_recorder_begin_run (ProfRecorder *recorder, guint run, gboolean exact, gsize n_events)
{
  Lane *lane = lane_of (recorder);
  gsize expected = n_events > 0 ? n_events : recorder->n_last + recorder->n_last / 8;

  recorder->run = (guint16) MIN (run, G_MAXUINT16);
  recorder->is_exact = exact;
  prof_ring_reserve (&lane->ring, prof_ring_n_events (&lane->ring) + expected + 16);
  recorder->events_before = lane->ring.n_written;
  for (guint i = 0; i < prof_recorder_n_threads (recorder); i++)
    {
      ProfRing *ring = &recorder->lanes[i]->ring;

      /* A worker records a slice of a node, of a few nodes several. */
      if (recorder->lanes[i] != lane)
        prof_ring_reserve (ring, prof_ring_n_events (ring) + 2 * expected + FIRST_CAPACITY);
      start_lane (recorder, recorder->lanes[i]);
    }
  start_lane (recorder, lane);
  recorder->main = lane;
  hyb_parallel_set_watch (&recorder->watch);
  if (recorder->device.trace)
    {
      prof_device_events_begin_run (&recorder->device, expected);
      start_lane (recorder, lane);
    }
  lane->run_begin = lane->stamp;
  lane->depth = 1; /* nodes are inside the run */
  lane->open[0] = (OpenSpan){ .begin_ns = lane->stamp, .slot = PROF_NO_SLOT };
}

void
prof_recorder_end_run (ProfRecorder *recorder)
{
  Lane      *lane = lane_of (recorder);
  guint64    end = prof_clock_now ();
  ProfEvent *event = prof_ring_next (&lane->ring);

  hyb_parallel_set_watch (NULL);
  *event = (ProfEvent){
    .begin_ns = lane->run_begin - recorder->base_ns,
    .packed = prof_event_pack (end - lane->run_begin, PROF_EVENT_RUN, 0, 0, 0),
    .graph = PROF_NO_SLOT,
    .run = lane->run,
  };
  lane->depth = 0;
  recorder->n_last = (gsize) (lane->ring.n_written - recorder->events_before);
  if (recorder->device.trace)
    prof_device_events_end_run (&recorder->device, lane->run, recorder->base_ns);
}

void
prof_recorder_drop_run (ProfRecorder *recorder)
{
  if (prof_recorder_n_lost (recorder) > 0)
    return;
  prof_device_events_drop_run (&recorder->device, recorder->run);
  for (guint i = 0; i < prof_recorder_n_threads (recorder); i++)
    {
      ProfRing *ring = &recorder->lanes[i]->ring;

      while (ring->n_written > 0 && prof_ring_get (ring, ring->n_written - 1)->run == recorder->run)
        ring->n_written--;
    }
}

void
prof_recorder_reset (ProfRecorder *recorder)
{
  for (guint i = 0; i < prof_recorder_n_threads (recorder); i++)
    recorder->lanes[i]->ring.n_written = 0;
  if (recorder->device.events)
    g_array_set_size (recorder->device.events, 0);
}

/* --- Reading --- */

guint
prof_recorder_n_threads (const ProfRecorder *recorder)
{
  return (guint) MIN (recorder->n_lanes, MAX_THREADS);
}

gsize
prof_recorder_n_events (const ProfRecorder *recorder, guint thread)
{
  return prof_ring_n_events (&recorder->lanes[thread]->ring);
}

const ProfEvent *
prof_recorder_get_event (const ProfRecorder *recorder, guint thread, gsize index)
{
  return prof_ring_get (&recorder->lanes[thread]->ring, index);
}

guint64
prof_recorder_n_lost (const ProfRecorder *recorder)
{
  guint64 n = 0;

  for (guint i = 0; i < prof_recorder_n_threads (recorder); i++)
    n += prof_ring_n_lost (&recorder->lanes[i]->ring);
  return n;
}

guint
prof_recorder_n_slots (const ProfRecorder *recorder)
{
  return (guint) recorder->n_slots;
}

const ProfSlot *
prof_recorder_get_slot (const ProfRecorder *recorder, guint slot)
{
  return &recorder->slots[slot];
}

guint
prof_recorder_n_phases (const ProfRecorder *recorder)
{
  return (guint) recorder->phases.n;
}

const ProfPhase *
prof_recorder_get_phase (const ProfRecorder *recorder, guint phase)
{
  return &recorder->phases.entry[phase];
}

/* --- Overhead --- */

#define OVERHEAD_BATCHES 9
#define OVERHEAD_SPANS   4000

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

double
prof_recorder_measure_overhead (void)
{
  g_autoptr (ProfRecorder) recorder = prof_recorder_new ();
  const HybProbe *volatile probe = prof_recorder_get_probe (recorder);
  HybSpan span = { .kind = HYB_SPAN_NODE };
  double  batches[OVERHEAD_BATCHES];

  for (guint batch = 0; batch < OVERHEAD_BATCHES; batch++)
    {
      guint64 begin;

      prof_recorder_reset (recorder);
      prof_recorder_begin_run (recorder, 0, FALSE, OVERHEAD_SPANS);
      begin = prof_clock_now ();
      for (guint i = 0; i < OVERHEAD_SPANS; i++)
        {
          span.id = i;
          probe->begin (probe->data, &span);
          probe->end (probe->data, &span);
        }
      batches[batch] = (double) (prof_clock_now () - begin) / OVERHEAD_SPANS;
      prof_recorder_end_run (recorder);
    }
  qsort (batches, OVERHEAD_BATCHES, sizeof batches[0], compare_doubles);
  return batches[OVERHEAD_BATCHES / 2];
}
