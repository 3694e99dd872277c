/* test-pretend-faults.c — faults of a program that uses the driver wrongly are found in whatever
 * order the work runs; and with that one check switched off they are not.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/cuda/pretend/test-pretend.h"
#include "tests/program.h"

enum
{
  N = 2048
};

typedef struct
{
  const char *path;
  void (*commit) (Gpu *gpu);
  const char *says;
  const char *check; /* of without=… */
} Fault;

/* One stream writes, another reads, and nothing puts one before the other. */
static void
forget_event (Gpu *gpu)
{
  CUstream writer = gpu_stream (), reader = gpu_stream ();
  guint64  x = gpu_memory (N * 4), y = gpu_memory (N * 4);

  OK (cuMemsetD32Async (x, 0, N, writer));
  OK (cuStreamSynchronize (writer));
  OK (gpu_step (gpu, writer, x, x, N));
  OK (gpu_step (gpu, reader, x, y, N));
  cuCtxSynchronize ();
}

/* Two streams read, a third one overwrites what they read. */
static void
overwrite_too_early (Gpu *gpu)
{
  CUstream first = gpu_stream (), second = gpu_stream (), third = gpu_stream ();
  guint64  x = gpu_memory (N * 4), y = gpu_memory (N * 4), z = gpu_memory (N * 4);
  CUevent  event;

  OK (cuEventCreate (&event, 0));
  OK (cuMemsetD32Async (x, 0, N, first));
  OK (cuStreamSynchronize (first));
  OK (gpu_step (gpu, first, x, y, N));
  OK (gpu_step (gpu, second, x, z, N));
  OK (cuEventRecord (event, second));
  OK (cuStreamWaitEvent (third, event, 0));
  OK (cuMemsetD32Async (x, 0, N, third));
  cuCtxSynchronize ();
}

static void
use_freed_memory (Gpu *gpu)
{
  CUstream stream = gpu_stream ();
  guint64  x = gpu_memory (N * 4), y = gpu_memory (N * 4);

  OK (cuMemsetD32Async (x, 0, N, stream));
  OK (cuMemFree_v2 (x));
  OK (gpu_step (gpu, stream, x, y, N));
  cuStreamSynchronize (stream);
}

/* The copy from memory that is not pinned takes place late. */
static void
reuse_buffer_too_early (Gpu *gpu)
{
  CUstream          stream = gpu_stream ();
  guint64           x = gpu_memory (N * 4);
  g_autofree float *host = g_new0 (float, N);

  OK (cuMemcpyHtoDAsync_v2 (x, host, N * 4, stream));
  host[7] = 1;
  cuStreamSynchronize (stream);
}

static void
read_what_was_never_written (Gpu *gpu)
{
  CUstream          stream = gpu_stream ();
  guint64           x = gpu_memory (N * 4);
  g_autofree float *host = g_new0 (float, N);

  OK (cuMemsetD32Async (x, 0, N - 1, stream));
  OK (cuMemcpyDtoHAsync_v2 (host, x, N * 4, stream));
  cuStreamSynchronize (stream);
}

static void
pass_a_short_struct (Gpu *gpu)
{
  guint64 x = gpu_memory (N * 4), a[2] = { x, x };
  gsize   size = sizeof a;
  void   *extra[] = { (void *) 1, a, (void *) 2, &size, NULL };

  cuLaunchKernel (gpu->step, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra);
}

static void
allocate_while_recording (Gpu *gpu)
{
  CUstream    stream = gpu_stream ();
  CUdeviceptr x;
  CUgraph     graph;

  OK (cuStreamBeginCapture_v2 (stream, 1));
  cuMemAlloc_v2 (&x, 64);
  cuStreamEndCapture (stream, &graph);
}

static const Fault faults[] = {
  { "missing-event-between-streams", forget_event, "and no event puts one before the other",
    "order" },
  { "buffer-overwritten-while-another-stream-reads", overwrite_too_early,
    "and no event puts one before the other", "order" },
  { "freed-memory", use_freed_memory, "of freed memory (allocation", "freed" },
  { "buffer-reused-too-early", reuse_buffer_too_early,
    "the host changed the 8192 bytes that are copied before the copy took place", "host" },
  { "unwritten-bytes-are-copied", read_what_was_never_written, "which was never written",
    "unwritten" },
  { "wrong-size-of-an-argument-struct", pass_a_short_struct,
    "step: arguments of 16 bytes were given, and the kernel takes 24", "launch" },
  { "allocation-while-recording", allocate_while_recording,
    "memory is allocated or freed while a stream records", "capture" },
};

static void
test_fault (gconstpointer data)
{
  const Fault *fault = data;

  for (guint seed = 1; seed <= 6; seed++)
    {
      g_autofree char *settings = g_strdup_printf ("seed=%u", seed);
      g_autofree char *without = g_strdup_printf ("seed=%u without=%s", seed, fault->check);
      Gpu              gpu;

      gpu_begin (&gpu, settings);
      fault->commit (&gpu);
      g_assert_true (gpu_complained (fault->says));
      gpu_begin (&gpu, without);
      fault->commit (&gpu);
      gpu_assert_content ();
    }
}

static void
test_an_event_mends_it (void)
{
  for (guint seed = 1; seed <= 6; seed++)
    {
      g_autofree char *settings = g_strdup_printf ("seed=%u", seed);
      Gpu              gpu;
      CUstream         writer, reader;
      CUevent          event;
      guint64          x, y;

      gpu_begin (&gpu, settings);
      writer = gpu_stream ();
      reader = gpu_stream ();
      x = gpu_memory (N * 4);
      y = gpu_memory (N * 4);
      OK (cuEventCreate (&event, CU_EVENT_DISABLE_TIMING));
      OK (cuMemsetD32Async (x, 0, N, writer));
      OK (gpu_step (&gpu, writer, x, x, N));
      OK (cuEventRecord (event, writer));
      OK (cuStreamWaitEvent (reader, event, 0));
      OK (gpu_step (&gpu, reader, x, y, N));
      OK (cuCtxSynchronize ());
      gpu_assert_content ();
    }
}

/* --- Faults that end the program --- */

typedef enum
{
  READ_DEVICE,
  READ_BEFORE_WAITING,
  CHANGE_PINNED,
} Touch;

static void
touch (Touch what, const char *settings)
{
  Gpu      gpu;
  CUstream stream;
  guint64  x;
  float   *host;

  gpu_begin (&gpu, settings);
  stream = gpu_stream ();
  x = gpu_memory (N * 4);
  OK (cuMemAllocHost_v2 ((void **) &host, N * 4));
  memset (host, 0, N * 4);
  OK (cuMemcpyHtoDAsync_v2 (x, host, N * 4, stream));
  if (what == CHANGE_PINNED)
    *(volatile float *) host = 1;
  OK (cuStreamSynchronize (stream));
  OK (cuMemcpyDtoHAsync_v2 (host, x, N * 4, stream));
  if (what == READ_BEFORE_WAITING)
    g_test_message ("%g", (double) *(volatile float *) host);
  OK (cuStreamSynchronize (stream));
  if (what == READ_DEVICE)
    g_test_message ("%g", (double) *(volatile float *) (gsize) x);
  g_assert_cmpfloat (host[1], ==, 0);
}

/* In a process of its own. */
static void
test_touch (Touch what, const char *says)
{
  if (g_test_subprocess ())
    {
      touch (what, "");
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr (says);
}

static void
test_the_host_reads_device_memory (void)
{
  test_touch (READ_DEVICE, "*the host touches device memory*");
}

static void
test_the_host_reads_before_it_waited (void)
{
  test_touch (READ_BEFORE_WAITING,
              "*the host touches pinned memory before it waited for the copy of 8192 bytes to the "
              "host*");
  touch (READ_BEFORE_WAITING, "without=host");
}

static void
test_the_host_changes_pinned_memory_too_early (void)
{
  test_touch (CHANGE_PINNED,
              "*the host changes pinned memory before it waited for the copy of 8192 bytes to the "
              "device*");
  touch (CHANGE_PINNED, "without=host");
}

static void
test_a_handle_is_not_destroyed (void)
{
  Gpu              gpu;
  CUstream         stream;
  g_autofree char *leaks = NULL, *none = NULL, *off = NULL;

  gpu_begin (&gpu, "");
  stream = gpu_stream ();
  OK (cuModuleUnload (gpu.module));
  leaks = pretend_leaks ();
  g_assert_cmpstr (leaks, ==, "1 context, 1 stream");
  OK (cuStreamDestroy_v2 (stream));
  OK (cuDevicePrimaryCtxRelease_v2 (0));
  none = pretend_leaks ();
  g_assert_cmpstr (none, ==, "");
  gpu_begin (&gpu, "without=leaks");
  off = pretend_leaks ();
  g_assert_cmpstr (off, ==, "");
}

static void
test_work_that_is_not_joined_ends_a_recording (void)
{
  Gpu      gpu;
  CUstream stream, other;
  CUevent  fork;
  CUgraph  graph;
  guint64  x;

  gpu_begin (&gpu, "");
  stream = gpu_stream ();
  other = gpu_stream ();
  x = gpu_memory (N * 4);
  OK (cuEventCreate (&fork, 0));
  OK (cuStreamBeginCapture_v2 (stream, 1));
  OK (gpu_step (&gpu, stream, x, x, N));
  OK (cuEventRecord (fork, stream));
  OK (cuStreamWaitEvent (other, fork, 0));
  OK (gpu_step (&gpu, other, x, x, N));
  g_assert_cmpint (cuStreamEndCapture (stream, &graph), ==, CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  OK (cuStreamBeginCapture_v2 (stream, 1));
  g_assert_cmpint (cuStreamSynchronize (stream), ==, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  g_assert_cmpint (cuStreamEndCapture (stream, &graph), ==, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_PROGRAM (test_pretend_faults)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autofree char *path = g_strdup_printf ("/cuda/pretend/faults/%s", faults[i].path);

      g_test_add_data_func (path, &faults[i], test_fault);
    }
  g_test_add_func ("/cuda/pretend/faults/an-event-mends-it", test_an_event_mends_it);
  g_test_add_func ("/cuda/pretend/faults/the-host-reads-device-memory",
                   test_the_host_reads_device_memory);
  g_test_add_func ("/cuda/pretend/faults/the-host-reads-before-it-waited",
                   test_the_host_reads_before_it_waited);
  g_test_add_func ("/cuda/pretend/faults/the-host-changes-pinned-memory-too-early",
                   test_the_host_changes_pinned_memory_too_early);
  g_test_add_func ("/cuda/pretend/faults/a-handle-is-not-destroyed",
                   test_a_handle_is_not_destroyed);
  g_test_add_func ("/cuda/pretend/faults/work-that-is-not-joined-ends-a-recording",
                   test_work_that_is_not_joined_ends_a_recording);
  return g_test_run ();
}
