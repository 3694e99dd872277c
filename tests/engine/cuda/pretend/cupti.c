/* cupti.c — the pretend profiler library: records of what the pretend driver did, delivered late, in
 * several buffers, from another thread and out of order.
 *
 * HYB_PRETEND: fail=cuptiActivityEnable:1:999 and the like; drop=5 loses the first five records.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/cupti.h"

#include "tests/engine/cuda/pretend/state.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RECORDS_OF_A_BUFFER 6u

/* Ids of calls in cupti_driver_cbid.h. */
static const struct
{
  const char *name;
  guint32     id;
} call_ids[] = {
  { "cuCtxSynchronize", 17 },
  { "cuEventRecord", 119 },
  { "cuEventSynchronize", 121 },
  { "cuStreamSynchronize", 126 },
  { "cuMemsetD8Async", 216 },
  { "cuMemsetD32Async", 220 },
  { "cuMemAlloc_v2", 243 },
  { "cuMemFree_v2", 245 },
  { "cuMemcpyHtoD_v2", 276 },
  { "cuMemcpyHtoDAsync_v2", 277 },
  { "cuMemcpyDtoH_v2", 278 },
  { "cuMemcpyDtoHAsync_v2", 279 },
  { "cuMemcpyDtoDAsync_v2", 281 },
  { "cuLaunchKernel", 307 },
  { "cuGraphLaunch", 514 },
  /* the vendor's library launches kernels too */
  { "cublasSgemm_v2", 307 },
  { "cublasDgemm_v2", 307 },
  { "cublasGemmEx", 307 },
  { "cublasSgemmStridedBatched", 307 },
  { "cublasGemmStridedBatchedEx", 307 },
};

typedef struct
{
  guint8 *bytes;
  gsize   size;
} Record;

static struct
{
  CUptiRequest  request;
  CUptiComplete complete;
  gboolean      enabled[64];
  GPtrArray    *records; /* of Record */
  gsize         dropped, lost;
  GArray       *external; /* guint64: kind and id, alternating */
  CUptiCallback callback;
  void         *callback_data;
  gboolean      graph_callbacks;
} cupti;

/* --- Making records --- */

static void
free_record (gpointer data)
{
  Record *record = data;

  g_free (record->bytes);
  g_free (record);
}

/* A record of KIND with SIZE bytes; NULL if the kind is off or the record is to be lost. */
static guint8 *
add_record (guint32 kind, gsize size)
{
  Record *record;

  if (!cupti.enabled[kind])
    return NULL;
  if (cupti.lost)
    {
      cupti.lost--;
      cupti.dropped++;
      return NULL;
    }
  if (!cupti.records)
    cupti.records = g_ptr_array_new_with_free_func (free_record);
  record = g_new0 (Record, 1);
  record->size = size;
  record->bytes = g_malloc (size);
  /* Garbage in what no field promises. */
  memset (record->bytes, 0xa5, size);
  memcpy (record->bytes, &kind, sizeof kind);
  g_ptr_array_add (cupti.records, record);
  return record->bytes;
}

#define PUT(record, at, type, value)                    \
  do                                                    \
    {                                                   \
      type value_ = (type) (value);                     \
      memcpy ((record) + (at), &value_, sizeof value_); \
    }                                                   \
  while (0)

static void
called (const char *name, guint32 correlation, guint64 start, CUresult result)
{
  guint8 *record;
  guint32 id = 0;

  for (guint i = 0; i < G_N_ELEMENTS (call_ids); i++)
    if (g_str_equal (call_ids[i].name, name))
      id = call_ids[i].id;
  if (!id)
    return;
  for (guint i = 0; cupti.external && i < cupti.external->len; i += 2)
    {
      record = add_record (CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, 24);
      if (!record)
        continue;
      PUT (record, 4, guint32, g_array_index (cupti.external, guint64, i));
      PUT (record, 8, guint64, g_array_index (cupti.external, guint64, i + 1));
      PUT (record, 16, guint32, correlation);
    }
  record = add_record (CUPTI_ACTIVITY_KIND_DRIVER, 40);
  if (!record)
    return;
  PUT (record, 4, guint32, id);
  PUT (record, 8, guint64, start);
  PUT (record, 16, guint64, pretend_nanoseconds ());
  PUT (record, 24, guint32, getpid ());
  PUT (record, 28, guint32, syscall (SYS_gettid));
  PUT (record, 32, guint32, correlation);
  PUT (record, 36, guint32, result);
}

static void
record_kernel (const PretendWork *work, guint64 start, guint64 end)
{
  const PretendFacts *facts = &work->deed->facts;
  guint8             *record = add_record (CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 216);

  if (!record)
    return;
  PUT (record, 6, guint16, 32);
  PUT (record, 16, guint64, start);
  PUT (record, 24, guint64, end);
  PUT (record, 40, guint32, 0);
  PUT (record, 44, guint32, 1);
  PUT (record, 48, guint32, work->stream);
  for (guint i = 0; i < 3; i++)
    {
      PUT (record, 52 + 4 * i, gint32, facts->grid[i]);
      PUT (record, 64 + 4 * i, gint32, facts->block[i]);
    }
  PUT (record, 76, gint32, facts->static_shared);
  PUT (record, 80, gint32, facts->dynamic_shared);
  PUT (record, 92, guint32, work->correlation);
  PUT (record, 104, const char *, facts->kernel);
  PUT (record, 120, guint64, 0);
  PUT (record, 128, guint64, 0);
  PUT (record, 144, guint64, work->node);
  PUT (record, 156, guint32, work->node != 0);
}

/* The fields that copies and fills have at the same places. */
static void
put_transfer (guint8 *record, const PretendWork *work, guint64 start, guint64 end)
{
  PUT (record, 8, guint64, work->deed->facts.bytes);
  PUT (record, 16, guint64, start);
  PUT (record, 24, guint64, end);
  PUT (record, 32, guint32, 0);
  PUT (record, 36, guint32, 1);
  PUT (record, 40, guint32, work->stream);
  PUT (record, 44, guint32, work->correlation);
  PUT (record, 64, guint64, work->node);
  PUT (record, 72, guint32, work->node != 0);
}

static void
worked (const PretendWork *work, guint64 start, guint64 end)
{
  const PretendFacts *facts = &work->deed->facts;
  guint8             *record;

  if (facts->kind == PRETEND_KERNEL)
    record_kernel (work, start, end);
  else if (facts->kind == PRETEND_COPY && (record = add_record (CUPTI_ACTIVITY_KIND_MEMCPY, 96)))
    {
      put_transfer (record, work, start, end);
      PUT (record, 4, guint8, !facts->to_device ? 2 : facts->from_device ? 8 : 1);
      PUT (record, 88, guint64, 1);
    }
  else if (facts->kind == PRETEND_FILL && (record = add_record (CUPTI_ACTIVITY_KIND_MEMSET, 88)))
    {
      put_transfer (record, work, start, end);
      PUT (record, 4, guint32, facts->value);
    }
}

static void
made_node (PretendNode *node, PretendNode *from)
{
  CUptiGraphData data = { .node = (CUgraphNode) node, .original_node = (CUgraphNode) from };
  CUptiResource  resource = { .descriptor = &data };

  if (cupti.callback && cupti.graph_callbacks)
    cupti.callback (cupti.callback_data,
                    CUPTI_CB_DOMAIN_RESOURCE,
                    from ? CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED
                         : CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
                    &resource);
}

static const PretendObserver observer = { called, worked, made_node };

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
  cupti.request = request;
  cupti.complete = complete;
  return end (CUPTI_SUCCESS);
}

static CUptiResult
enable (int kind, gboolean on)
{
  if (kind <= 0 || kind >= (int) G_N_ELEMENTS (cupti.enabled))
    return CUPTI_ERROR_INVALID_KIND;
  if (pretend.no_device)
    return CUPTI_ERROR_UNKNOWN;
  cupti.enabled[kind] = on;
  pretend.observer = &observer;
  return CUPTI_SUCCESS;
}

CUptiResult
cuptiActivityEnable (int kind)
{
  BEGIN ();
  cupti.lost = pretend.drop;
  cupti.dropped = 0;
  return end (enable (kind, TRUE));
}

CUptiResult
cuptiActivityDisable (int kind)
{
  BEGIN ();
  return end (enable (kind, FALSE));
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
  if (!cupti.external)
    cupti.external = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_array_append_vals (cupti.external, entry, 2);
  return end (CUPTI_SUCCESS);
}

CUptiResult
cuptiActivityPopExternalCorrelationId (int kind, guint64 *id)
{
  BEGIN ();
  for (guint i = cupti.external ? cupti.external->len : 0; i >= 2; i -= 2)
    if (g_array_index (cupti.external, guint64, i - 2) == (guint64) kind)
      {
        if (id)
          *id = g_array_index (cupti.external, guint64, i - 1);
        g_array_remove_range (cupti.external, i - 2, 2);
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

  cupti.request (&buffer, &size, &most);
  for (guint i = 0; i < piece->count; i++)
    {
      const Record *record = g_ptr_array_index (records, piece->first + i);

      if (!buffer || used + record->size > size || (most && i >= most))
        {
          cupti.dropped++;
          continue;
        }
      memcpy (buffer + used, record->bytes, record->size);
      used += record->size;
    }
  if (buffer)
    cupti.complete (NULL, 0, buffer, size, used);
}

/* Pieces of a few records.  An external id stays in one piece with the call that it belongs to. */
static GArray *
cut (const GPtrArray *records)
{
  GArray *pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
  Piece   piece = { 0, 0 };

  for (guint i = 0; i < records->len; i++)
    {
      const Record *record = g_ptr_array_index (records, i);

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
  if (!cupti.request)
    return end (CUPTI_ERROR_NOT_INITIALIZED);
  parcel.records = g_steal_pointer (&cupti.records);
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
         : kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL    ? 216
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
  *dropped = cupti.dropped;
  cupti.dropped = 0;
  return end (CUPTI_SUCCESS);
}

/* --- Callbacks --- */

CUptiResult
cuptiSubscribe (CUpti_SubscriberHandle *subscriber, CUptiCallback callback, void *data)
{
  BEGIN ();
  if (cupti.callback)
    return end (CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  cupti.callback = callback;
  cupti.callback_data = data;
  pretend.observer = &observer;
  *subscriber = (CUpti_SubscriberHandle) (void *) &cupti;
  return end (CUPTI_SUCCESS);
}

CUptiResult
cuptiUnsubscribe (CUpti_SubscriberHandle subscriber)
{
  BEGIN ();
  cupti.callback = NULL;
  cupti.graph_callbacks = FALSE;
  return end (CUPTI_SUCCESS);
}

CUptiResult
cuptiEnableCallback (guint32 on, CUpti_SubscriberHandle subscriber, int domain, guint32 id)
{
  BEGIN ();
  if (domain == CUPTI_CB_DOMAIN_RESOURCE &&
      (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED || id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED))
    cupti.graph_callbacks = on != 0;
  return end (CUPTI_SUCCESS);
}

CUptiResult
cuptiEnableDomain (guint32 on, CUpti_SubscriberHandle subscriber, int domain)
{
  BEGIN ();
  if (domain == CUPTI_CB_DOMAIN_RESOURCE)
    cupti.graph_callbacks = on != 0;
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
  memset (cupti.enabled, 0, sizeof cupti.enabled);
  pretend.observer = NULL;
  return end (CUPTI_SUCCESS);
}
