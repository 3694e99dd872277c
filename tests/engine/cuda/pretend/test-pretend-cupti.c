/* test-pretend-cupti.c — the pretend profiler library tells what the driver did, in buffers that come
 * out of order, and fails and loses records on request.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/cuda/pretend/cupti.h"
#include "tests/engine/cuda/pretend/test-pretend.h"
#include "tests/program.h"

enum
{
  N = 64,
  SIZE = 4096
};

/* All records, in the order in which they came. */
static GPtrArray *records;
static GThread   *program;

static void
request (guint8 **buffer, gsize *size, gsize *most)
{
  g_assert_true (g_thread_self () != program);
  *buffer = g_malloc (SIZE);
  *size = SIZE;
  *most = 0;
}

static void
complete (CUcontext context, guint32 stream, guint8 *buffer, gsize size, gsize valid)
{
  void *record = NULL;

  while (cuptiActivityGetNextRecord (buffer, valid, &record) == CUPTI_SUCCESS)
    {
      guint32 kind;

      memcpy (&kind, record, sizeof kind);
      g_ptr_array_add (records,
                       g_memdup2 (record, kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ? 216
                                          : kind == CUPTI_ACTIVITY_KIND_MEMCPY          ? 96
                                                                                        : 24));
    }
  g_free (buffer);
}

static guint64
field (const guint8 *record, gsize at, gsize bytes)
{
  guint64 value = 0;

  memcpy (&value, record + at, bytes);
  return value;
}

static void
begin (Gpu *gpu, const char *settings)
{
  static const int kinds[] = { CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_DRIVER,
                               CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                               CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION };

  program = g_thread_self ();
  if (records)
    g_ptr_array_unref (records);
  records = g_ptr_array_new_with_free_func (g_free);
  gpu_begin (gpu, settings);
  g_assert_cmpint (cuptiActivityRegisterCallbacks (request, complete), ==, CUPTI_SUCCESS);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    g_assert_cmpint (cuptiActivityEnable (kinds[i]), ==, CUPTI_SUCCESS);
}

static void
flush (void)
{
  OK (cuCtxSynchronize ());
  g_assert_cmpint (cuptiActivityFlushAll (0), ==, CUPTI_SUCCESS);
}

static guint
count (guint32 kind)
{
  guint n = 0;

  for (guint i = 0; i < records->len; i++)
    n += field (g_ptr_array_index (records, i), 0, 4) == kind;
  return n;
}

/* Eight launches, each with an external id of its own. */
static void
launch_some (Gpu *gpu, CUstream stream, guint64 x)
{
  OK (cuMemsetD32Async (x, 0, N, stream));
  for (guint i = 0; i < 8; i++)
    {
      guint64 last;

      g_assert_cmpint (cuptiActivityPushExternalCorrelationId (5, 100 + i), ==, CUPTI_SUCCESS);
      OK (gpu_step (gpu, stream, x, x, N));
      g_assert_cmpint (cuptiActivityPopExternalCorrelationId (5, &last), ==, CUPTI_SUCCESS);
      g_assert_cmpuint (last, ==, 100 + i);
    }
}

/* Whether the kernels of one run are delivered in the order in which they began. */
static gboolean
check_ids_of_calls (const char *settings)
{
  Gpu      gpu;
  CUstream stream;
  guint64  x, id_of[1000] = { 0 }, seen = 0, before = 0;
  float    host[N];
  gboolean in_order = TRUE;

  begin (&gpu, settings);
  stream = gpu_stream ();
  x = gpu_memory (N * 4);
  launch_some (&gpu, stream, x);
  OK (cuMemcpyDtoHAsync_v2 (host, x, N * 4, stream));
  flush ();
  for (guint i = 0; i < records->len; i++)
    {
      const guint8 *record = g_ptr_array_index (records, i);

      if (field (record, 0, 4) == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION &&
          field (record, 16, 4) < 1000)
        id_of[field (record, 16, 4)] = field (record, 8, 8);
    }
  for (guint i = 0; i < records->len; i++)
    {
      const guint8 *record = g_ptr_array_index (records, i);
      const char   *name;

      if (field (record, 0, 4) == CUPTI_ACTIVITY_KIND_MEMCPY)
        {
          g_assert_cmpuint (field (record, 4, 1), ==, 2); /* device to host */
          g_assert_cmpuint (field (record, 8, 8), ==, N * 4);
        }
      if (field (record, 0, 4) != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
        continue;
      memcpy (&name, record + 104, sizeof name);
      g_assert_cmpstr (name, ==, "step");
      g_assert_cmpuint (field (record, 24, 8), >, field (record, 16, 8));
      g_assert_cmpuint (field (record, 52, 4), ==, 2);  /* blocks */
      g_assert_cmpuint (field (record, 64, 4), ==, 32); /* threads */
      g_assert_cmpuint (id_of[field (record, 92, 4)], >=, 100);
      seen |= G_GUINT64_CONSTANT (1) << (id_of[field (record, 92, 4)] - 100);
      in_order = in_order && field (record, 16, 8) >= before;
      before = field (record, 16, 8);
    }
  g_assert_cmpuint (count (CUPTI_ACTIVITY_KIND_MEMCPY), ==, 1);
  g_assert_cmpuint (count (CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), ==, 8);
  g_assert_cmphex (seen, ==, 0xff);
  g_assert_cmpint (cuptiActivityPopExternalCorrelationId (5, NULL), ==, CUPTI_ERROR_QUEUE_EMPTY);
  return in_order;
}

static void
test_kernels_carry_the_ids_of_their_calls (void)
{
  gboolean is_ever_out_of_order = FALSE;

  for (guint seed = 1; seed <= 8; seed++)
    {
      g_autofree char *settings = g_strdup_printf ("seed=%u", seed);

      if (!check_ids_of_calls (settings))
        is_ever_out_of_order = TRUE;
    }
  g_assert_true (is_ever_out_of_order);
}

/* --- Graphs --- */

static guint64 recorded_id, cloned_id, cloned_from;

static void
note_node (void *data, int domain, guint32 id, const void *what)
{
  const CUptiResource  *resource = what;
  const CUptiGraphData *graph = resource->descriptor;

  if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED)
    cuptiGetGraphNodeId (graph->node, &recorded_id);
  else
    {
      cuptiGetGraphNodeId (graph->node, &cloned_id);
      cuptiGetGraphNodeId (graph->original_node, &cloned_from);
    }
}

static void
test_records_of_a_replay_carry_the_clones_node (void)
{
  Gpu                    gpu;
  CUpti_SubscriberHandle subscriber, other;
  CUstream               stream;
  CUgraph                graph;
  CUgraphExec            exec;
  guint64                x;

  begin (&gpu, "");
  g_assert_cmpint (cuptiSubscribe (&subscriber, note_node, NULL), ==, CUPTI_SUCCESS);
  g_assert_cmpint (cuptiSubscribe (&other, note_node, NULL), ==,
                   CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  g_assert_cmpint (cuptiEnableDomain (1, subscriber, CUPTI_CB_DOMAIN_RESOURCE), ==, CUPTI_SUCCESS);
  stream = gpu_stream ();
  x = gpu_memory (N * 4);
  OK (cuMemsetD32Async (x, 0, N, stream));
  OK (cuStreamBeginCapture_v2 (stream, 1));
  OK (gpu_step (&gpu, stream, x, x, N));
  OK (cuStreamEndCapture (stream, &graph));
  OK (cuGraphInstantiateWithFlags (&exec, graph, 0));
  g_assert_cmpuint (cloned_from, ==, recorded_id);
  g_assert_cmpuint (cloned_id, !=, recorded_id);
  OK (cuGraphLaunch (exec, stream));
  flush ();
  g_assert_cmpuint (count (CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), ==, 1);
  for (guint i = 0; i < records->len; i++)
    if (field (g_ptr_array_index (records, i), 0, 4) == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
      g_assert_cmpuint (field (g_ptr_array_index (records, i), 144, 8), ==, cloned_id);
  g_assert_cmpint (cuptiUnsubscribe (subscriber), ==, CUPTI_SUCCESS);
}

static void
test_records_are_lost_and_calls_fail_on_request (void)
{
  Gpu     gpu;
  gsize   dropped;
  guint64 x;

  begin (&gpu, "drop=5");
  x = gpu_memory (N * 4);
  launch_some (&gpu, gpu_stream (), x);
  flush ();
  g_assert_cmpint (cuptiActivityGetNumDroppedRecords (NULL, 0, &dropped), ==, CUPTI_SUCCESS);
  g_assert_cmpuint (dropped, ==, 5);
  g_assert_cmpint (cuptiActivityGetNumDroppedRecords (NULL, 0, &dropped), ==, CUPTI_SUCCESS);
  g_assert_cmpuint (dropped, ==, 0);

  pretend_configure ("fail=cuptiActivityEnable:2:39");
  g_assert_cmpint (cuptiActivityEnable (1), ==, CUPTI_SUCCESS);
  g_assert_cmpint (cuptiActivityEnable (1), ==, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  pretend_configure ("device=none");
  g_assert_cmpint (cuptiActivityEnable (1), ==, CUPTI_ERROR_UNKNOWN);
}

TEST_PROGRAM (test_pretend_cupti)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/pretend/cupti/kernels-carry-the-ids-of-their-calls",
                   test_kernels_carry_the_ids_of_their_calls);
  g_test_add_func ("/cuda/pretend/cupti/records-of-a-replay-carry-the-clones-node",
                   test_records_of_a_replay_carry_the_clones_node);
  g_test_add_func ("/cuda/pretend/cupti/records-are-lost-and-calls-fail-on-request",
                   test_records_are_lost_and_calls_fail_on_request);
  result = g_test_run ();
  g_ptr_array_unref (records);
  return result;
}
