/* device-trace.c — starts CUPTI, reads its records, and finds the span that each kernel belongs to.
 *
 * Records come in buffers in any order.  A kernel has the correlation of the call that launched it, for which
 * another record has the number of the span; a kernel of a replay has the id of its node in the graph.  Start
 * reading at prof_device_trace_end_run() at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/device-trace.h"

#include "profiler/base/clock.h"
#include "profiler/record/device-buffers.h"
#include "profiler/record/graph-nodes.h"

#include <stdlib.h>
#include <string.h>

#define N_ANCHORS    100   /* readings of both clocks, of which the closest counts */
#define MAX_MOVED_NS 50000 /* by which the clocks may move against each other in a run */

/* The time of CUPTI's clock, and by how much it is ahead of ours. */
typedef struct
{
  guint64 at;
  gint64  ahead;
} Anchor;

/* A span that has begun. */
typedef struct
{
  guint64  id;
  gboolean is_known; /* to CUPTI, which is informed at its end */
} Span;

/* Work whose span is not known yet. */
typedef struct
{
  ProfDeviceWork work;
  guint64        node; /* of the graph that was replayed; 0: launched */
} Piece;

struct _ProfDeviceTrace
{
  const ProfCupti *cupti;
  ProfGraphNodes   nodes;
  GArray          *open;    /* of Span */
  guint64          current; /* the innermost one; 0: none */
  GHashTable      *span_of; /* correlation → pointer to the span */
  GArray          *pieces;  /* of Piece */
  GArray          *work;    /* of ProfDeviceWork */
  Anchor           begin;
  /* The missing parts: */
  guint64 n_dropped, n_refused, n_cut, n_timeless, n_moved, n_failed;
};

void
prof_device_trace_prepare (void)
{
  prof_cupti_load (NULL);
}

/* --- Start and end --- */

static const CUpti_ActivityKind kinds[] = {
  PROF_CUPTI_EXTERNAL_CORRELATION, PROF_CUPTI_KERNEL,   PROF_CUPTI_MEMCPY, PROF_CUPTI_MEMSET,
  PROF_CUPTI_SYNCHRONIZATION,      PROF_CUPTI_OVERHEAD,
};

/* The functions whose calls are recorded, by ranges of numbers. */
typedef struct
{
  CUpti_CallbackId first, last;
} CallRange;

#define RANGE(first_name, first, last_name, last) { first, last },
static const CallRange driver_calls[] = { PROF_CUPTI_DRIVER_CALLS (RANGE) };
static const CallRange runtime_calls[] = { PROF_CUPTI_RUNTIME_CALLS (RANGE) };

/* One of the two interfaces through which libraries launch.  Without their records there are no numbers of
 * spans. */
typedef struct
{
  CUpti_ActivityKind kind;
  CUptiResult (*enable) (CUpti_CallbackId, uint8_t); /* NULL: only all at once */
  const CallRange *ranges;
  guint            n;
} Interface;

static void
list_interfaces (const ProfCupti *cupti, Interface interfaces[2])
{
  interfaces[0] = (Interface){ PROF_CUPTI_DRIVER, cupti->call.cuptiActivityEnableDriverApi,
                               driver_calls, G_N_ELEMENTS (driver_calls) };
  interfaces[1] = (Interface){ PROF_CUPTI_RUNTIME, cupti->call.cuptiActivityEnableRuntimeApi,
                               runtime_calls, G_N_ELEMENTS (runtime_calls) };
}

/* Switches the calls of an interface on or off.  Numbers that this version does not have are refused, which
 * does no harm.  FALSE if the first one is. */
static gboolean
switch_calls (const Interface *interface, gboolean on)
{
  if (!interface->enable || interface->enable (interface->ranges[0].first, on))
    return FALSE;
  for (guint i = 0; i < interface->n; i++)
    for (CUpti_CallbackId id = interface->ranges[i].first; id <= interface->ranges[i].last; id++)
      interface->enable (id, on);
  return TRUE;
}

static void
disable (const ProfCupti *cupti)
{
  Interface interfaces[2];

  list_interfaces (cupti, interfaces);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    cupti->call.cuptiActivityDisable (kinds[i]);
  for (guint i = 0; i < G_N_ELEMENTS (interfaces); i++)
    if (!switch_calls (&interfaces[i], FALSE))
      cupti->call.cuptiActivityDisable (interfaces[i].kind);
}

/* Kinds that this GPU does not have are left out, unless nothing can be said without them. */
static CUptiResult
enable (const ProfCupti *cupti)
{
  Interface   interfaces[2];
  CUptiResult result = 0;

  list_interfaces (cupti, interfaces);
  for (guint i = 0; i < G_N_ELEMENTS (kinds) && !result; i++)
    {
      result = cupti->call.cuptiActivityEnable (kinds[i]);
      if (kinds[i] != PROF_CUPTI_KERNEL && kinds[i] != PROF_CUPTI_EXTERNAL_CORRELATION &&
          (result == PROF_CUPTI_DISABLED || result == PROF_CUPTI_NOT_SUPPORTED))
        result = 0;
    }
  for (guint i = 0; i < G_N_ELEMENTS (interfaces) && !result; i++)
    if (!switch_calls (&interfaces[i], TRUE))
      result = cupti->call.cuptiActivityEnable (interfaces[i].kind);
  if (result)
    disable (cupti);
  return result;
}

ProfDeviceTrace *
prof_device_trace_start (char **why)
{
  ProfDeviceTrace *trace;
  const char      *reason, *function = "cuptiActivityRegisterCallbacks";
  const ProfCupti *cupti = prof_cupti_load (&reason);
  CUptiResult      result;

  *why = NULL;
  if (!cupti)
    {
      *why = g_strdup (reason);
      return NULL;
    }
  trace = g_new0 (ProfDeviceTrace, 1);
  trace->cupti = cupti;
  result = prof_device_buffers_register (cupti);
  if (!result)
    result = prof_graph_nodes_init (&trace->nodes, cupti, &trace->current, &function);
  if (!result)
    {
      function = "cuptiActivityEnable";
      result = enable (cupti);
    }
  if (result)
    {
      *why = prof_cupti_explain (cupti, function, result);
      prof_graph_nodes_clear (&trace->nodes);
      g_free (trace);
      return NULL;
    }
  trace->open = g_array_new (FALSE, FALSE, sizeof (Span));
  trace->span_of = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  trace->pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
  trace->work = g_array_new (FALSE, FALSE, sizeof (ProfDeviceWork));
  return trace;
}

void
prof_device_trace_stop (ProfDeviceTrace *trace)
{
  if (!trace)
    return;
  disable (trace->cupti);
  prof_graph_nodes_clear (&trace->nodes);
  g_array_unref (trace->open);
  g_hash_table_unref (trace->span_of);
  g_array_unref (trace->pieces);
  g_array_unref (trace->work);
  g_free (trace);
}

/* --- Spans --- */

/* TRUE if a call of CUPTI succeeded; others are counted. */
static gboolean
succeed (ProfDeviceTrace *trace, CUptiResult result)
{
  trace->n_failed += result != 0;
  return result == 0;
}

void
prof_device_trace_begin_span (ProfDeviceTrace *trace, guint64 span)
{
  const ProfCuptiFunctions *call = &trace->cupti->call;
  Span                      begun = { .id = span };

  begun.is_known =
      succeed (trace, call->cuptiActivityPushExternalCorrelationId (PROF_CUPTI_CUSTOM_ID, span));
  g_array_append_val (trace->open, begun);
  trace->current = span;
}

void
prof_device_trace_end_span (ProfDeviceTrace *trace)
{
  const ProfCuptiFunctions *call = &trace->cupti->call;
  uint64_t                  span;
  guint                     n = trace->open->len;

  g_return_if_fail (n > 0);

  if (g_array_index (trace->open, Span, n - 1).is_known)
    succeed (trace, call->cuptiActivityPopExternalCorrelationId (PROF_CUPTI_CUSTOM_ID, &span));
  g_array_set_size (trace->open, n - 1);
  trace->current = n > 1 ? g_array_index (trace->open, Span, n - 2).id : 0;
}

/* --- Time --- */

/* The reading of both clocks that took the least time. */
static Anchor
read_anchor (const ProfCupti *cupti)
{
  Anchor  anchor = { 0 };
  guint64 best = G_MAXUINT64;

  for (guint i = 0; i < N_ANCHORS; i++)
    {
      uint64_t before = 0, after = 0;
      guint64  ours, took;

      if (cupti->call.cuptiGetTimestamp (&before))
        continue;
      ours = prof_clock_now ();
      if (cupti->call.cuptiGetTimestamp (&after) || after < before)
        continue;
      took = after - before;
      if (took >= best)
        continue;
      best = took;
      anchor.at = before + took / 2;
      anchor.ahead = (gint64) (anchor.at - ours);
    }
  return anchor;
}

/* A time of CUPTI's clock on ours, interpolated between the anchors at both ends. */
static guint64
to_our_clock (const Anchor *begin, const Anchor *end, guint64 time)
{
  double passed = (double) ((gint64) (time - begin->at));
  double length = (double) ((gint64) (end->at - begin->at));
  double moved = (double) (end->ahead - begin->ahead);

  return time - (guint64) (begin->ahead + (gint64) (length > 0 ? moved * passed / length : 0));
}

/* --- Records --- */

static guint32
read32 (const uint8_t *record, gsize at)
{
  guint32 value;

  memcpy (&value, record + at, sizeof value);
  return value;
}

static guint64
read64 (const uint8_t *record, gsize at)
{
  guint64 value;

  memcpy (&value, record + at, sizeof value);
  return value;
}

/* Where the fields of a record lie that kernels, copies and fills have. */
typedef struct
{
  CUpti_ActivityKind record;
  ProfDeviceKind     kind;
  gsize              start, end, device, stream, correlation, node;
} Layout;

#define LAYOUT(record, kind, name)                                          \
  {                                                                         \
    record, kind, PROF_CUPTI_AT_##name##_START, PROF_CUPTI_AT_##name##_END, \
        PROF_CUPTI_AT_##name##_DEVICE, PROF_CUPTI_AT_##name##_STREAM,       \
        PROF_CUPTI_AT_##name##_CORRELATION, PROF_CUPTI_AT_##name##_NODE     \
  }
static const Layout layouts[] = {
  LAYOUT (PROF_CUPTI_KERNEL, PROF_DEVICE_KERNEL, KERNEL),
  LAYOUT (PROF_CUPTI_MEMCPY, PROF_DEVICE_MOVE, COPY),
  LAYOUT (PROF_CUPTI_MEMSET, PROF_DEVICE_FILL, FILL),
};

static void
add_piece (ProfDeviceTrace *trace, const Layout *layout, const uint8_t *record)
{
  guint64 start = read64 (record, layout->start), end = read64 (record, layout->end);
  Piece   piece = { .work = { .begin_ns = start,
                              .duration_ns = end - start,
                              .correlation = read32 (record, layout->correlation),
                              .stream = read32 (record, layout->stream),
                              .device = (guint16) (read32 (record, layout->device) + 1),
                              .kind = layout->kind },
                    .node = read64 (record, layout->node) };

  if (start == 0 || end < start)
    {
      trace->n_timeless++;
      return;
    }
  if (layout->kind == PROF_DEVICE_MOVE &&
      (record[PROF_CUPTI_AT_COPY_KIND] == PROF_CUPTI_HOST_TO_DEVICE ||
       record[PROF_CUPTI_AT_COPY_KIND] == PROF_CUPTI_DEVICE_TO_HOST))
    piece.work.kind = PROF_DEVICE_TRANSFER;
  g_array_append_val (trace->pieces, piece);
}

/* Of several spans that are open at a call the innermost counts, which has the largest number. */
static void
add_span (ProfDeviceTrace *trace, const uint8_t *record)
{
  gpointer key = GUINT_TO_POINTER (read32 (record, PROF_CUPTI_AT_EXTERNAL_CORRELATION_ID));
  guint64  span = read64 (record, PROF_CUPTI_AT_EXTERNAL_ID);
  guint64 *known = g_hash_table_lookup (trace->span_of, key);

  if (read32 (record, PROF_CUPTI_AT_EXTERNAL_KIND) != PROF_CUPTI_CUSTOM_ID)
    return;
  if (!known)
    g_hash_table_insert (trace->span_of, key, g_memdup2 (&span, sizeof span));
  else
    *known = MAX (*known, span);
}

static void
read_record (ProfDeviceTrace *trace, const uint8_t *record)
{
  CUpti_ActivityKind kind = (CUpti_ActivityKind) read32 (record, PROF_CUPTI_AT_KIND);
  void              *data;

  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    if (kind == layouts[i].record)
      add_piece (trace, &layouts[i], record);
  if (kind == PROF_CUPTI_EXTERNAL_CORRELATION)
    add_span (trace, record);
  if (kind != PROF_CUPTI_OVERHEAD || trace->cupti->major < 13)
    return;
  /* It is ours to free, with the C library's function. */
  memcpy (&data, record + PROF_CUPTI_AT_OVERHEAD_DATA, sizeof data);
  free (data);
}

/* Reads all records so far into trace->pieces and trace->span_of. */
static void
read_records (ProfDeviceTrace *trace)
{
  const ProfCuptiFunctions *call = &trace->cupti->call;
  g_autoptr (GArray) buffers = NULL;
  size_t dropped = 0;
  guint  n_refused;

  g_hash_table_remove_all (trace->span_of);
  g_array_set_size (trace->pieces, 0);
  succeed (trace, call->cuptiActivityFlushAll (PROF_CUPTI_FLUSH_FORCED));
  buffers = prof_device_buffers_take (&n_refused);
  for (guint i = 0; i < buffers->len; i++)
    {
      const ProfDeviceBuffer *buffer = &g_array_index (buffers, ProfDeviceBuffer, i);
      CUpti_Activity         *record = NULL;
      CUptiResult             result;

      while ((result = call->cuptiActivityGetNextRecord (buffer->bytes, buffer->valid, &record)) ==
             0)
        read_record (trace, (const uint8_t *) record);
      trace->n_cut += result != PROF_CUPTI_MAX_LIMIT_REACHED;
    }
  if (succeed (trace, call->cuptiActivityGetNumDroppedRecords (NULL, 0, &dropped)))
    trace->n_dropped += dropped;
  trace->n_refused += n_refused;
}

/* --- Runs --- */

static guint64
find_span (const ProfDeviceTrace *trace, const Piece *piece)
{
  const guint64 *span;

  if (piece->node)
    return prof_graph_nodes_find (&trace->nodes, piece->node);
  span = g_hash_table_lookup (trace->span_of, GUINT_TO_POINTER (piece->work.correlation));
  return span ? *span : 0;
}

static int
compare_work (gconstpointer a, gconstpointer b)
{
  const ProfDeviceWork *x = a, *y = b;

  return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

void
prof_device_trace_begin_run (ProfDeviceTrace *trace)
{
  ProfDeviceTrace before = *trace;

  read_records (trace);
  /* Losses before the run do not matter. */
  trace->n_dropped = before.n_dropped;
  trace->n_refused = before.n_refused;
  trace->n_cut = before.n_cut;
  trace->n_timeless = before.n_timeless;
  trace->begin = read_anchor (trace->cupti);
}

const GArray *
prof_device_trace_end_run (ProfDeviceTrace *trace)
{
  Anchor end = read_anchor (trace->cupti);

  read_records (trace);
  g_array_set_size (trace->work, 0);
  if (end.at == 0 || trace->begin.at == 0)
    trace->n_failed++;
  else
    trace->n_moved += ABS (end.ahead - trace->begin.ahead) > MAX_MOVED_NS;
  for (guint i = 0; i < trace->pieces->len; i++)
    {
      Piece *piece = &g_array_index (trace->pieces, Piece, i);

      piece->work.span = find_span (trace, piece);
      piece->work.begin_ns = to_our_clock (&trace->begin, &end, piece->work.begin_ns);
      g_array_append_val (trace->work, piece->work);
    }
  g_array_sort (trace->work, compare_work);
  return trace->work;
}

char *
prof_device_trace_describe (const ProfDeviceTrace *trace)
{
  guint32 version = trace->cupti->version;

  if (version >= 10000) /* two digits each for major, minor and patch, since 13.0 */
    return g_strdup_printf ("CUPTI %u.%u", version / 10000, version / 100 % 100);
  return g_strdup_printf ("CUPTI of CUDA %d, interface %u", trace->cupti->major, version);
}

static void
append_problem (GString *text, guint64 n, const char *problem)
{
  if (n > 0)
    g_string_append_printf (text, "%s%" G_GUINT64_FORMAT " %s", text->len > 0 ? "; " : "", n,
                            problem);
}

char *
prof_device_trace_dup_problems (const ProfDeviceTrace *trace)
{
  GString *text = g_string_new (NULL);

  append_problem (text, trace->n_dropped,
                  "records were lost by CUPTI, so times of operators are too short");
  append_problem (text, trace->n_refused,
                  "buffers of records did not fit in memory, so traced runs are not complete");
  append_problem (text, trace->n_timeless,
                  "records have no time stamps and are left out, so times of operators are too "
                  "short");
  append_problem (text, trace->n_cut, "buffers end in an incomplete record, which is left out");
  append_problem (text, trace->n_moved,
                  "traced runs saw the clock of the machine being set, so their times may be "
                  "misplaced");
  append_problem (text, trace->n_failed,
                  "calls of CUPTI failed, so work of the GPU may be missing, misplaced or without "
                  "an operator");
  return text->len > 0 ? g_string_free (text, FALSE) : g_string_free (text, TRUE);
}
