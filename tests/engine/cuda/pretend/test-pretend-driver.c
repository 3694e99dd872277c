/* test-pretend-driver.c — the pretend driver does what it is asked for, late and in any order, and
 * records, repeats and fails as HYB_PRETEND says.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/cuda/pretend/test-pretend.h"
#include "tests/program.h"

enum
{
  N = 100
};

/* Copies there, adds 1 STEPS times, copies back. */
static void
add_some (Gpu *gpu, CUstream stream, float *host, guint64 x, guint steps)
{
  OK (cuMemcpyHtoDAsync_v2 (x, host, N * 4, stream));
  for (guint i = 0; i < steps; i++)
    OK (gpu_step (gpu, stream, x, x, N));
  OK (cuMemcpyDtoHAsync_v2 (host, x, N * 4, stream));
}

static void
test_work_takes_place_when_the_host_waits (void)
{
  Gpu      gpu;
  float    host[N], back[N] = { 0 };
  CUstream stream;
  guint64  x;

  gpu_begin (&gpu, "");
  stream = gpu_stream ();
  x = gpu_memory (N * 4);
  for (guint i = 0; i < N; i++)
    host[i] = (float) i;
  OK (cuMemcpyHtoDAsync_v2 (x, host, N * 4, stream));
  OK (gpu_step (&gpu, stream, x, x, N));
  OK (cuMemcpyDtoHAsync_v2 (back, x, N * 4, stream));
  g_assert_cmpuint (pretend_steps (), ==, 0);
  g_assert_false (back[5] > 0); /* a NaN until the copy takes place */
  OK (cuStreamSynchronize (stream));
  g_assert_cmpuint (pretend_steps (), >, N);
  for (guint i = 0; i < N; i++)
    g_assert_cmpfloat (back[i], ==, (float) i + 1);
  gpu_assert_content ();
}

static void
test_a_recorded_graph_runs_again (void)
{
  Gpu         gpu;
  float      *host;
  CUstream    stream, other;
  CUevent     fork, join;
  CUgraph     graph;
  CUgraphExec exec;
  guint64     x, y;
  gsize       count = 0;
  int         status;

  gpu_begin (&gpu, "");
  stream = gpu_stream ();
  other = gpu_stream ();
  x = gpu_memory (N * 4);
  y = gpu_memory (N * 4);
  OK (cuMemAllocHost_v2 ((void **) &host, N * 4));
  OK (cuEventCreate (&fork, CU_EVENT_DISABLE_TIMING));
  OK (cuEventCreate (&join, CU_EVENT_DISABLE_TIMING));
  OK (cuMemsetD32Async (x, 0, N, stream));
  OK (cuStreamSynchronize (stream));

  OK (cuStreamBeginCapture_v2 (stream, 1));
  OK (cuStreamIsCapturing (stream, &status));
  g_assert_cmpint (status, ==, 1);
  OK (gpu_step (&gpu, stream, x, x, N));
  OK (cuEventRecord (fork, stream));
  OK (cuStreamWaitEvent (other, fork, 0));
  OK (gpu_step (&gpu, other, x, y, N));
  OK (cuEventRecord (join, other));
  OK (cuStreamWaitEvent (stream, join, 0));
  OK (cuMemcpyDtoHAsync_v2 (host, y, N * 4, stream));
  OK (cuStreamEndCapture (stream, &graph));
  g_assert_cmpuint (pretend_steps (), ==, 0);
  OK (cuGraphGetNodes (graph, NULL, &count));
  g_assert_cmpuint (count, ==, 3);
  OK (cuGraphInstantiateWithFlags (&exec, graph, 0));
  OK (cuGraphDestroy (graph));
  for (guint i = 1; i <= 3; i++)
    {
      OK (cuGraphLaunch (exec, stream));
      OK (cuStreamSynchronize (stream));
      g_assert_cmpfloat (host[N - 1], ==, (float) i + 1);
    }
  OK (cuGraphExecDestroy (exec));
  gpu_assert_content ();
}

static void
test_events_tell_the_pretended_time (void)
{
  Gpu      gpu;
  float    host[N] = { 0 }, short_time, long_time;
  CUstream stream;
  CUevent  event[3];
  guint64  x;

  gpu_begin (&gpu, "");
  stream = gpu_stream ();
  x = gpu_memory (N * 4);
  for (guint i = 0; i < 3; i++)
    OK (cuEventCreate (&event[i], 0));
  OK (cuEventRecord (event[0], stream));
  add_some (&gpu, stream, host, x, 1);
  OK (cuEventRecord (event[1], stream));
  OK (cuStreamSynchronize (stream));
  add_some (&gpu, stream, host, x, 10);
  OK (cuEventRecord (event[2], stream));
  g_assert_cmpint (cuEventElapsedTime (&long_time, event[0], event[2]), ==, CUDA_ERROR_NOT_READY);
  OK (cuEventSynchronize (event[2]));
  OK (cuEventElapsedTime (&short_time, event[0], event[1]));
  OK (cuEventElapsedTime (&long_time, event[1], event[2]));
  g_assert_cmpfloat (short_time, >, 0);
  g_assert_cmpfloat (long_time, >, short_time);
}

static void
test_settings_say_what_fails (void)
{
  Gpu         gpu;
  CUdeviceptr x;
  int         count, major, minor;
  CUcontext   context;

  gpu_begin (&gpu, "memory=64k arch=75 fail=cuLaunchKernel:2:700");
  OK (cuDeviceGetAttribute (&major, 75, 0));
  OK (cuDeviceGetAttribute (&minor, 76, 0));
  g_assert_cmpint (major * 10 + minor, ==, 75);
  g_assert_cmpint (cuMemAlloc_v2 (&x, 65 << 10), ==, CUDA_ERROR_OUT_OF_MEMORY);
  x = gpu_memory (64 << 10);
  OK (cuMemsetD32Async (x, 0, N, NULL));
  OK (gpu_step (&gpu, NULL, x, x, N));
  g_assert_cmpint (gpu_step (&gpu, NULL, x, x, N), ==, CUDA_ERROR_ILLEGAL_ADDRESS);
  g_assert_cmpint (cuCtxSynchronize (), ==, CUDA_ERROR_ILLEGAL_ADDRESS);
  g_assert_cmpuint (pretend_calls ("cuLaunchKernel"), ==, 2);

  pretend_configure ("device=none");
  g_assert_cmpint (cuInit (0), ==, CUDA_ERROR_NO_DEVICE);
  OK (cuDeviceGetCount (&count));
  g_assert_cmpint (count, ==, 0);
  g_assert_cmpint (cuDevicePrimaryCtxRetain (&context, 0), ==, CUDA_ERROR_INVALID_DEVICE);
}

static void
test_errors_of_a_kernel_stay (void)
{
  Gpu      gpu;
  CUstream stream;
  guint64  x;

  gpu_begin (&gpu, "");
  stream = gpu_stream ();
  x = gpu_memory (N * 4);
  OK (gpu_step (&gpu, stream, x, x + 4, N));
  g_assert_cmpint (cuStreamSynchronize (stream), ==, CUDA_ERROR_LAUNCH_FAILED);
  g_assert_true (gpu_complained ("kernel step in stream 1: step, block"));
  g_assert_true (gpu_complained ("which was never written"));
  g_assert_cmpint (gpu_step (&gpu, stream, x, x, N), ==, CUDA_ERROR_LAUNCH_FAILED);
}

static void
test_calls_with_wrong_values_are_refused (void)
{
  Gpu        gpu;
  CUfunction function;
  CUmodule   module;
  CUstream   stream;
  guint64    x;
  float      host[4] = { 0 };

  gpu_begin (&gpu, "");
  x = gpu_memory (64);
  g_assert_cmpint (cuModuleGetFunction (&function, gpu.module, "stop"), ==, CUDA_ERROR_NOT_FOUND);
  g_assert_cmpint (cuModuleLoadData (&module, "\177ELF…"), ==, CUDA_ERROR_NO_BINARY_FOR_GPU);
  g_assert_cmpint (cuModuleLoadData (&module, "nonsense"), ==, CUDA_ERROR_INVALID_PTX);
  g_assert_cmpint (cuMemFree_v2 (x + 4), ==, CUDA_ERROR_INVALID_VALUE);
  g_assert_cmpint (cuMemcpyHtoDAsync_v2 ((guint64) (gsize) host, host, 16, NULL), ==,
                   CUDA_ERROR_INVALID_VALUE);
  g_assert_cmpint (cuStreamCreate (&stream, 6), ==, CUDA_ERROR_INVALID_VALUE);
  stream = gpu_stream ();
  OK (cuStreamDestroy_v2 (stream));
  g_assert_cmpint (cuStreamSynchronize (stream), ==, CUDA_ERROR_INVALID_HANDLE);
  g_assert_true (gpu_complained ("a stream is used that was never made, or destroyed before"));
}

TEST_PROGRAM (test_pretend_driver)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/pretend/work-takes-place-when-the-host-waits",
                   test_work_takes_place_when_the_host_waits);
  g_test_add_func ("/cuda/pretend/a-recorded-graph-runs-again", test_a_recorded_graph_runs_again);
  g_test_add_func ("/cuda/pretend/events-tell-the-pretended-time",
                   test_events_tell_the_pretended_time);
  g_test_add_func ("/cuda/pretend/settings-say-what-fails", test_settings_say_what_fails);
  g_test_add_func ("/cuda/pretend/errors-of-a-kernel-stay", test_errors_of_a_kernel_stay);
  g_test_add_func ("/cuda/pretend/calls-with-wrong-values-are-refused",
                   test_calls_with_wrong_values_are_refused);
  return g_test_run ();
}
