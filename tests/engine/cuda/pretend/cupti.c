/* cupti.c — the pretend profiler library: records of what the pretend driver did, delivered late, in
 * several buffers, from another thread and out of order.
 *
 * HYB_PRETEND: fail=cuptiActivityEnable:1:999 and the like, drop=, timeless=, cut=, split= and kernel= of pretend.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/cupti-private.h"

#include <string.h>

#define RECORDS_OF_A_BUFFER 6u

/* --- Calls --- */

/* Calls of the profiler are counted and can be made to fail, but leave no record themselves. */
static CUptiResult
begin (const char *name)
{
  CUresult failure = pretend_begin (name);

  pretend.calling = NULL;
  return failure == pretend.sticky ? CUPTI_SUCCESS : (CUptiResult) failure;
}

static CUptiResult
end (CUptiResult result)
{
  pretend_end (CUDA_SUCCESS);
  return result;
}

#define BEGIN()                              \
  do                                         \
    {                                        \
      CUptiResult begun_ = begin (__func__); \
      if (begun_)                            \
        return end (begun_);                 \
    }                                        \
  while (0)

CUptiResult
cuptiGetVersion (guint32 *version)
{
  BEGIN ();
  *version = 130001;
  return end (CUPTI_SUCCESS);
}

CUptiResult
cuptiGetTimestamp (guint64 *nanoseconds)
{
  BEGIN ();
  *nanoseconds = pretend_nanoseconds ();
  return end (CUPTI_SUCCESS);
}

CUptiResult
cuptiGetResultString (CUptiResult result, const char **text)
{
  BEGIN ();
  *text = result == CUPTI_SUCCESS ? "CUPTI_SUCCESS"
          : result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
              ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
              : "CUPTI_ERROR_UNKNOWN";
  return end (CUPTI_SUCCESS);
}

CUptiResult
cuptiActivityRegisterCallbacks (CUptiRequest request, CUptiComplete complete)
{
  BEGIN ();
  if (!request || !complete)
    return end (CUPTI_ERROR_INVALID_PARAMETER);
  pretend_cupti.request = request;
  pretend_cupti.complete = complete;
  return end (CUPTI_SUCCESS);
}

static CUptiResult
enable (int kind, gboolean on)
{
  if (kind <= 0 || kind >= (int) G_N_ELEMENTS (pretend_cupti.enabled))
    return CUPTI_ERROR_INVALID_KIND;
  if (pretend.no_device)
    return CUPTI_ERROR_UNKNOWN;
  pretend_cupti.enabled[kind] = on;
  pretend.observer = &pretend_cupti_observer;
  return CUPTI_SUCCESS;
}

CUptiResult
cuptiActivityEnable (int kind)
{
  BEGIN ();
  pretend_cupti.lost = pretend.drop;
  pretend_cupti.dropped = 0;
  pretend_cupti.timeless = pretend.timeless;
  return end (enable (kind, TRUE));
}

CUptiResult
cuptiActivityDisable (int kind)
{
  BEGIN ();
  return end (enable (kind, FALSE));
}

/* The pretend libraries launch through the driver only. */
static CUptiResult
enable_call (guint32 id, guint8 on)
{
  if (id >= G_N_ELEMENTS (pretend_cupti.calls))
    return CUPTI_ERROR_INVALID_PARAMETER;
  if (pretend.no_device)
    return CUPTI_ERROR_UNKNOWN;
  pretend_cupti.calls[id] = on;
  pretend.observer = &pretend_cupti_observer;
  return CUPTI_SUCCESS;
}

CUptiResult
cuptiActivityEnableDriverApi (guint32 id, guint8 on)
{
  BEGIN ();
  return end (enable_call (id, on));
}

CUptiResult
cuptiActivityEnableRuntimeApi (guint32 id, guint8 on)
{
  BEGIN ();
  return end (pretend.no_device ? CUPTI_ERROR_UNKNOWN : CUPTI_SUCCESS);
}

guint64
pretend_recorded_nanoseconds (void)
{
  guint64 nanoseconds = pretend_cupti.nanoseconds;

  pretend_cupti.nanoseconds = 0;
  return nanoseconds;
}

CUptiResult
cuptiActivitySetAttribute (int attribute, gsize *size, void *value)
{
  BEGIN ();
  return end (size && value ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER);
}

CUptiResult
cuptiActivityEnableLatencyTimestamps (guint8 on)
{
  BEGIN ();
  return end (CUPTI_SUCCESS);
}

CUptiResult
cuptiSetThreadIdType (int type)
{
  BEGIN ();
  return end (CUPTI_SUCCESS);
}

CUptiResult
cuptiActivityPushExternalCorrelationId (int kind, guint64 id)
{
  guint64 entry[2] = { (guint64) kind, id };

  BEGIN ();
  if (!pretend_cupti.external)
    pretend_cupti.external = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_array_append_vals (pretend_cupti.external, entry, 2);
  return end (CUPTI_SUCCESS);
}

CUptiResult
cuptiActivityPopExternalCorrelationId (int kind, guint64 *id)
{
  BEGIN ();
  for (guint i = pretend_cupti.external ? pretend_cupti.external->len : 0; i >= 2; i -= 2)
    if (g_array_index (pretend_cupti.external, guint64, i - 2) == (guint64) kind)
      {
        if (id)
          *id = g_array_index (pretend_cupti.external, guint64, i - 1);
        g_array_remove_range (pretend_cupti.external, i - 2, 2);
        return end (CUPTI_SUCCESS);
      }
  return end (CUPTI_ERROR_QUEUE_EMPTY);
}

/* --- Delivery --- */

typedef struct
{
  guint first, count;
} Piece;

/* What the thread that delivers gets: it holds no lock of the driver. */
typedef struct
{
  GPtrArray *records;
  GRand     *rand;
} Parcel;

/* The records of PIECE, as many as fit, in one buffer of the program. */
static void
deliver_some (const GPtrArray *records, const Piece *piece)
{
  guint8 *buffer = NULL;
  gsize   size = 0, most = 0, used = 0;

  pretend_cupti.request (&buffer, &size, &most);
  for (guint i = 0; i < piece->count; i++)
    {
      const PretendRecord *record = g_ptr_array_index (records, piece->first + i);

      if (!buffer || used + record->size > size || (most && i >= most))
        {
          pretend_cupti.dropped++;
          continue;
        }
      memcpy (buffer + used, record->bytes, record->size);
      used += record->size;
    }
  /* The first bytes of a record that is not written to its end. */
  if (buffer && pretend.is_cut && used + 8 <= size)
    {
      memset (buffer + used, 0, 8);
      used += 8;
    }
  if (buffer)
    pretend_cupti.complete (NULL, 0, buffer, size, used);
}

/* Pieces of a few records.  An external id stays in one piece with the call that it belongs to. */
static GArray *
cut (const GPtrArray *records)
{
  GArray *pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
  Piece   piece = { 0, 0 };

  for (guint i = 0; i < records->len; i++)
    {
      const PretendRecord *record = g_ptr_array_index (records, i);

      piece.count++;
      if (i + 1 == records->len || (piece.count >= RECORDS_OF_A_BUFFER &&
                                    record->bytes[0] != CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION))
        {
          g_array_append_val (pieces, piece);
          piece = (Piece){ i + 1, 0 };
        }
    }
  return pieces;
}

/* Each piece in a buffer of its own, in a drawn order. */
static gpointer
deliver (gpointer data)
{
  const Parcel *parcel = data;
  GArray       *pieces = cut (parcel->records);

  while (pieces->len)
    {
      guint pick = (guint) g_rand_int_range (parcel->rand, 0, (gint32) pieces->len);
      Piece piece = g_array_index (pieces, Piece, pick);

      deliver_some (parcel->records, &piece);
      g_array_remove_index (pieces, pick);
    }
  g_array_unref (pieces);
  return NULL;
}

CUptiResult
cuptiActivityFlushAll (guint32 flags)
{
  Parcel parcel;

  BEGIN ();
  if (!pretend_cupti.request)
    return end (CUPTI_ERROR_NOT_INITIALIZED);
  parcel.records = g_steal_pointer (&pretend_cupti.records);
  parcel.rand = g_rand_new_with_seed (g_rand_int (pretend.rand));
  end (CUPTI_SUCCESS);
  if (parcel.records)
    {
      g_thread_join (g_thread_new ("cupti", deliver, &parcel));
      g_ptr_array_unref (parcel.records);
    }
  g_rand_free (parcel.rand);
  return CUPTI_SUCCESS;
}

static gsize
size_of (guint32 kind)
{
  return kind == CUPTI_ACTIVITY_KIND_MEMCPY                 ? 96
         : kind == CUPTI_ACTIVITY_KIND_MEMSET               ? 88
         : kind == CUPTI_ACTIVITY_KIND_DRIVER               ? 40
         : kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL    ? 216 + pretend.kernel_extra
         : kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION ? 24
                                                            : 0;
}

/* May be called while cuptiActivityFlushAll() waits, from its thread: takes no lock. */
CUptiResult
cuptiActivityGetNextRecord (guint8 *buffer, gsize valid, void **record)
{
  guint8 *at = *record;
  guint32 kind;

  if (!at)
    at = buffer;
  else
    {
      memcpy (&kind, at, sizeof kind);
      at += size_of (kind);
    }
  if (at >= buffer + valid)
    return CUPTI_ERROR_MAX_LIMIT_REACHED;
  memcpy (&kind, at, sizeof kind);
  if (!size_of (kind))
    return CUPTI_ERROR_INVALID_KIND;
  *record = at;
  return CUPTI_SUCCESS;
}

CUptiResult
cuptiActivityGetNumDroppedRecords (CUcontext context, guint32 stream, gsize *dropped)
{
  BEGIN ();
  *dropped = pretend_cupti.dropped;
  pretend_cupti.dropped = 0;
  return end (CUPTI_SUCCESS);
}

/* --- Callbacks --- */

CUptiResult
cuptiSubscribe (CUpti_SubscriberHandle *subscriber, CUptiCallback callback, void *data)
{
  BEGIN ();
  if (pretend_cupti.callback)
    return end (CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  pretend_cupti.callback = callback;
  pretend_cupti.callback_data = data;
  pretend.observer = &pretend_cupti_observer;
  *subscriber = (CUpti_SubscriberHandle) (void *) &pretend_cupti;
  return end (CUPTI_SUCCESS);
}

CUptiResult
cuptiUnsubscribe (CUpti_SubscriberHandle subscriber)
{
  BEGIN ();
  pretend_cupti.callback = NULL;
  pretend_cupti.graph_callbacks = FALSE;
  return end (CUPTI_SUCCESS);
}

CUptiResult
cuptiEnableCallback (guint32 on, CUpti_SubscriberHandle subscriber, int domain, guint32 id)
{
  BEGIN ();
  if (domain == CUPTI_CB_DOMAIN_RESOURCE &&
      (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED || id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED))
    pretend_cupti.graph_callbacks = on != 0;
  return end (CUPTI_SUCCESS);
}

CUptiResult
cuptiEnableDomain (guint32 on, CUpti_SubscriberHandle subscriber, int domain)
{
  BEGIN ();
  if (domain == CUPTI_CB_DOMAIN_RESOURCE)
    pretend_cupti.graph_callbacks = on != 0;
  return end (CUPTI_SUCCESS);
}

/* Called from within a callback, where the driver's lock is held by the same thread. */
CUptiResult
cuptiGetGraphNodeId (CUgraphNode node, guint64 *id)
{
  if (!node || !id)
    return CUPTI_ERROR_INVALID_PARAMETER;
  *id = ((const PretendNode *) node)->id;
  return CUPTI_SUCCESS;
}

CUptiResult
cuptiFinalize (void)
{
  BEGIN ();
  memset (pretend_cupti.enabled, 0, sizeof pretend_cupti.enabled);
  pretend.observer = NULL;
  return end (CUPTI_SUCCESS);
}

/* --- The range profiler, which is enabled for one context and counts nothing --- */

CUptiResult
cuptiProfilerInitialize (CUptiStart *start)
{
  BEGIN ();
  if (!start || start->size != sizeof *start || start->own)
    return end (CUPTI_ERROR_INVALID_PARAMETER);
  if (pretend.no_device)
    return end (CUPTI_ERROR_UNKNOWN);
  pretend_cupti.has_profiler = TRUE;
  return end (CUPTI_SUCCESS);
}

CUptiResult
cuptiRangeProfilerEnable (CUptiEnable *enable)
{
  BEGIN ();
  if (!enable || enable->size != sizeof *enable || enable->own || !enable->context ||
      pretend_cupti.profiled)
    return end (CUPTI_ERROR_INVALID_PARAMETER);
  if (!pretend_cupti.has_profiler)
    {
      pretend_problem ("CUPTI's range profiler is used before it is initialized");
      return end (CUPTI_ERROR_NOT_INITIALIZED);
    }
  pretend_cupti.profiled = enable->context;
  enable->profiler = &pretend_cupti.profiled;
  return end (CUPTI_SUCCESS);
}

CUptiResult
cuptiRangeProfilerDisable (CUptiDisable *disable)
{
  BEGIN ();
  if (!disable || disable->size != sizeof *disable || disable->own || !pretend_cupti.profiled ||
      disable->profiler != &pretend_cupti.profiled)
    return end (CUPTI_ERROR_INVALID_PARAMETER);
  pretend_cupti.profiled = NULL;
  return end (CUPTI_SUCCESS);
}
