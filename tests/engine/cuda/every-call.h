/* every-call.h — lets each call of the module fail in turn, or memory be short: what is tried then must end with
 * a sentence or the right numbers, and leave nothing behind.
 *
 * The first, second, middle and last call of every function fail; HYB_TEST_ALL=1 tries them all.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/engine/cuda/on-pretend-gpu.h"

/* Configures the pretend GPU by these settings and does everything that a person does.  FALSE if something failed,
 * which was explained; if nothing did, the numbers were right. */
typedef gboolean (*Attempt) (gconstpointer data, const char *settings);

/* All functions that the module calls while it runs or trains a model. */
G_GNUC_UNUSED static const char *const functions[] = {
  "cuInit",
  "cuDriverGetVersion",
  "cuDeviceGetCount",
  "cuDeviceGet",
  "cuDeviceGetName",
  "cuDeviceGetAttribute",
  "cuDeviceTotalMem_v2",
  "cuDevicePrimaryCtxRetain",
  "cuDevicePrimaryCtxRelease_v2",
  "cuCtxSetCurrent",
  "cuMemGetInfo_v2",
  "cuMemAlloc_v2",
  "cuMemFree_v2",
  "cuMemHostAlloc",
  "cuMemFreeHost",
  "cuMemcpyAsync",
  "cuMemsetD8Async",
  "cuMemsetD32Async",
  "cuModuleLoadData",
  "cuModuleGetFunction",
  "cuModuleUnload",
  "cuStreamCreate",
  "cuStreamDestroy_v2",
  "cuStreamSynchronize",
  "cuStreamWaitEvent",
  "cuStreamBeginCapture_v2",
  "cuStreamEndCapture",
  "cuEventCreate",
  "cuEventRecord",
  "cuEventDestroy_v2",
  "cuGraphInstantiateWithFlags",
  "cuGraphLaunch",
  "cuGraphDestroy",
  "cuGraphExecDestroy",
  "cuLaunchKernel",
  "cublasCreate_v2",
  "cublasDestroy_v2",
  "cublasSetStream_v2",
  "cublasSetWorkspace_v2",
  "cublasSetMathMode",
  "cublasGemmEx",
  "cublasGemmStridedBatchedEx",
  "cudnnCreate",
  "cudnnDestroy",
  "cudnnSetStream",
  "cudnnCreateTensorDescriptor",
  "cudnnDestroyTensorDescriptor",
  "cudnnSetTensorNdDescriptor",
  "cudnnCreateDropoutDescriptor",
  "cudnnDestroyDropoutDescriptor",
  "cudnnSetDropoutDescriptor",
  "cudnnCreateRNNDescriptor",
  "cudnnDestroyRNNDescriptor",
  "cudnnSetRNNDescriptor_v8",
  "cudnnGetRNNWeightSpaceSize",
  "cudnnGetRNNWeightParams",
  "cudnnGetRNNTempSpaceSizes",
  "cudnnCreateRNNDataDescriptor",
  "cudnnDestroyRNNDataDescriptor",
  "cudnnSetRNNDataDescriptor",
  "cudnnRNNForward",
  "cudnnRNNBackwardData_v8",
  "cudnnRNNBackwardWeights_v8",
};

/* TRUE for functions that give something back: where one fails, what it was called for stays. */
static gboolean
gives_back (const char *function)
{
  return strstr (function, "Release") || strstr (function, "Free") ||
         strstr (function, "Destroy") || strstr (function, "Unload");
}

static void
assert_nothing_left (const char *settings)
{
  g_autofree char *left = leaks ();

  if (*left)
    g_error ("%s: %s was not destroyed", settings, left);
}

/* The next call that fails after call n of `most`. */
static guint
next_call (guint n, guint most)
{
  if (g_getenv ("HYB_TEST_ALL") || n == 0)
    return n + 1;
  return n < 2 ? 2 : n < most / 2 ? most / 2 : n < most ? most : most + 1;
}

/* Whether an error, if there is one, says enough. */
G_GNUC_UNUSED static gboolean
is_explained (const char *settings, const GError *error)
{
  if (error && strlen (error->message) <= 20)
    g_error ("%s: “%s” explains nothing", settings, error->message);
  return !error;
}

G_GNUC_UNUSED static void
fail_every_call (Attempt attempt, gconstpointer data)
{
  guint most[G_N_ELEMENTS (functions)], n_called = 0, n_failed = 0, n_tried = 0;

  g_assert_true (attempt (data, ""));
  for (guint f = 0; f < G_N_ELEMENTS (functions); f++)
    most[f] = calls (functions[f]);
  for (guint f = 0; f < G_N_ELEMENTS (functions); f++)
    {
      n_called += most[f] > 0;
      for (guint n = next_call (0, most[f]); n <= most[f]; n = next_call (n, most[f]))
        {
          g_autofree char *settings = g_strdup_printf ("fail=%s:%u:1", functions[f], n);

          n_tried++;
          n_failed += !attempt (data, settings);
          if (!gives_back (functions[f]))
            assert_nothing_left (settings);
        }
    }
  g_test_message ("%u functions; of %u planned failures %u ended with a sentence", n_called,
                  n_tried, n_failed);
  g_assert_cmpuint (n_called, >, 20);
  g_assert_cmpuint (n_failed, >, 20);
}

/* Tries 64 sizes of memory, in these steps of MiB. */
G_GNUC_UNUSED static void
shorten_memory (Attempt attempt, gconstpointer data, guint step)
{
  guint n_done = 0;

  for (guint i = 0; i < 64; i++)
    {
      g_autofree char *settings = g_strdup_printf ("memory=%uM", (i + 1) * step);

      n_done += attempt (data, settings);
      assert_nothing_left (settings);
    }
  g_assert_cmpuint (n_done, >, 0);
  g_assert_cmpuint (n_done, <, 64);
}
