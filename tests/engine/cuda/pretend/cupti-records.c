/* cupti-records.c — the pretend profiler library: makes records of what the pretend driver did.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/cupti-private.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

PretendCupti pretend_cupti;

/* Ids of calls in cupti_driver_cbid.h. */
static const struct
{
  const char *name;
  guint32     id;
} call_ids[] = {
  { "cuCtxSynchronize", 17 },      { "cuEventRecord", 119 },        { "cuEventSynchronize", 121 },
  { "cuStreamSynchronize", 126 },  { "cuMemsetD8Async", 216 },      { "cuMemsetD32Async", 220 },
  { "cuMemAlloc_v2", 243 },        { "cuMemFree_v2", 245 },         { "cuMemcpyAsync", 306 },
  { "cuMemcpyHtoD_v2", 276 },      { "cuMemcpyHtoDAsync_v2", 277 }, { "cuMemcpyDtoH_v2", 278 },
  { "cuMemcpyDtoHAsync_v2", 279 }, { "cuMemcpyDtoDAsync_v2", 281 }, { "cuLaunchKernel", 307 },
  { "cuGraphLaunch", 514 },
};

/* --- Making records --- */

static void
free_record (gpointer data)
{
  PretendRecord *record = data;

  g_free (record->bytes);
  g_free (record);
}

/* A record of KIND with SIZE bytes; NULL if it is to be lost. */
static guint8 *
new_record (guint32 kind, gsize size)
{
  PretendRecord *record;

  if (pretend_cupti.lost)
    {
      pretend_cupti.lost--;
      pretend_cupti.dropped++;
      return NULL;
    }
  if (!pretend_cupti.records)
    pretend_cupti.records = g_ptr_array_new_with_free_func (free_record);
  record = g_new0 (PretendRecord, 1);
  record->size = size;
  record->bytes = g_malloc (size);
  /* Garbage in what no field promises. */
  memset (record->bytes, 0xa5, size);
  memcpy (record->bytes, &kind, sizeof kind);
  g_ptr_array_add (pretend_cupti.records, record);
  return record->bytes;
}

/* The same; NULL also if the kind is off. */
static guint8 *
add_record (guint32 kind, gsize size)
{
  return pretend_cupti.enabled[kind] ? new_record (kind, size) : NULL;
}

#define PUT(record, at, type, value)                    \
  do                                                    \
    {                                                   \
      type value_ = (type) (value);                     \
      memcpy ((record) + (at), &value_, sizeof value_); \
    }                                                   \
  while (0)

/* The number of a call; 0 if it leaves no record. */
static guint32
find_call (const char *name)
{
  /* The vendor's libraries launch kernels too. */
  if (g_str_has_prefix (name, "cublas") || g_str_has_prefix (name, "cudnn"))
    return 307;
  for (guint i = 0; i < G_N_ELEMENTS (call_ids); i++)
    if (g_str_equal (call_ids[i].name, name))
      return call_ids[i].id;
  return 0;
}

/* Whether an external id is the innermost of its kind. */
static gboolean
is_innermost (guint at)
{
  for (guint i = at + 2; i < pretend_cupti.external->len; i += 2)
    if (g_array_index (pretend_cupti.external, guint64, i) ==
        g_array_index (pretend_cupti.external, guint64, at))
      return FALSE;
  return TRUE;
}

static void
called (const char *name, guint32 correlation, guint64 start, CUresult result)
{
  guint8 *record;
  guint32 id = find_call (name);

  if (!id || !(pretend_cupti.enabled[CUPTI_ACTIVITY_KIND_DRIVER] || pretend_cupti.calls[id]))
    return;
  for (guint i = 0; pretend_cupti.external && i < pretend_cupti.external->len; i += 2)
    {
      if (!is_innermost (i))
        continue;
      record = add_record (CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, 24);
      if (!record)
        continue;
      PUT (record, 4, guint32, g_array_index (pretend_cupti.external, guint64, i));
      PUT (record, 8, guint64, g_array_index (pretend_cupti.external, guint64, i + 1));
      PUT (record, 16, guint32, correlation);
    }
  record = new_record (CUPTI_ACTIVITY_KIND_DRIVER, 40);
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
  guint8 *record = add_record (CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 216 + pretend.kernel_extra);

  if (!record)
    return;
  if (pretend_cupti.timeless)
    {
      pretend_cupti.timeless--;
      start = end = 0;
    }
  pretend_cupti.nanoseconds += end - start;
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
  pretend_cupti.nanoseconds += end - start;
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

  if (facts->kind == PRETEND_KERNEL && pretend.is_split)
    {
      record_kernel (work, start, start + (end - start) / 2);
      record_kernel (work, start + (end - start) / 2, end);
    }
  else if (facts->kind == PRETEND_KERNEL)
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

  if (pretend_cupti.callback && pretend_cupti.graph_callbacks)
    pretend_cupti.callback (pretend_cupti.callback_data, CUPTI_CB_DOMAIN_RESOURCE,
                            from ? CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED
                                 : CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
                            &resource);
}

const PretendObserver pretend_cupti_observer = { called, worked, made_node };
