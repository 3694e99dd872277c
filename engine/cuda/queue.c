/* queue.c — work for a GPU in order: a stream, with handles of cuBLAS and cuDNN of its own.
 *
 * After the first error nothing more is handed over; finish() reports it with the key of its step.  A call that
 * fails while work is recorded spoils the recording alone.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/cuda/device.h"

#include <math.h>

/* NVIDIA's recommendation for cuBLAS: 32 MiB from compute capability 9.0 on, else 4 MiB. */
#define WORKSPACE_LARGE ((gsize) 32 << 20)
#define WORKSPACE_SMALL ((gsize) 4 << 20)

struct _HybReplay
{
  HybDevice  *device;
  CUgraphExec exec;
};

gboolean
hyb_cuda_queue_check (HybQueue *queue, const char *function, CUresult result)
{
  if (result && !queue->failure)
    {
      hyb_cuda_fail (queue->device->cuda, function, result, &queue->failure);
      queue->failed_key = queue->key;
    }
  return result == 0;
}

gboolean
hyb_cuda_queue_check_cublas (HybQueue *queue, const char *function, cublasStatus_t status)
{
  if (status && !queue->failure)
    {
      hyb_error_at (&queue->failure, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_FAILED, NULL, NULL,
                    "%s failed with %s (%d)", function,
                    queue->device->cuda->call.cublasGetStatusName (status), (int) status);
      queue->failed_key = queue->key;
    }
  return status == 0;
}

gboolean
hyb_cuda_queue_enter (HybQueue *queue)
{
  const HybCudaFunctions *call = &queue->device->cuda->call;

  return !queue->failure && hyb_cuda_queue_check (queue, "cuCtxSetCurrent",
                                                  call->cuCtxSetCurrent (queue->device->context));
}

static gboolean
start (HybQueue *queue)
{
  return hyb_cuda_queue_enter (queue) &&
         hyb_cuda_queue_check (queue, "cuStreamCreate",
                               queue->device->cuda->call
                                   .cuStreamCreate (&queue->stream, HYB_CUDA_STREAM_NON_BLOCKING));
}

gsize
hyb_cuda_workspace_bytes (const HybDevice *device)
{
  return device->arch >= 90 ? WORKSPACE_LARGE : WORKSPACE_SMALL;
}

/* The handle and its workspace are made at the first product.  SetStream resets the workspace, so it
 * comes first. */
static gboolean
start_cublas (HybQueue *queue)
{
  const HybCudaFunctions *call = &queue->device->cuda->call;
  gsize                   bytes = hyb_cuda_workspace_bytes (queue->device);

  return hyb_cuda_queue_check (queue, "cuMemAlloc",
                               call->cuMemAlloc_v2 (&queue->workspace, bytes)) &&
         hyb_cuda_queue_check_cublas (queue, "cublasCreate",
                                      call->cublasCreate_v2 (&queue->cublas)) &&
         hyb_cuda_queue_check_cublas (queue, "cublasSetStream",
                                      call->cublasSetStream_v2 (queue->cublas, queue->stream)) &&
         hyb_cuda_queue_check_cublas (queue, "cublasSetWorkspace",
                                      call->cublasSetWorkspace_v2 (queue->cublas,
                                                                   (void *) (guintptr)
                                                                       queue->workspace,
                                                                   bytes));
}

gboolean
hyb_cuda_queue_uses_cublas (HybQueue *queue)
{
  return hyb_cuda_queue_enter (queue) && (queue->cublas || start_cublas (queue));
}

HybQueue *
hyb_cuda_queue_new (HybDevice *device, GError **error)
{
  HybQueue *queue = g_new0 (HybQueue, 1);

  queue->device = device;
  if (start (queue))
    return queue;
  g_propagate_error (error, g_steal_pointer (&queue->failure));
  hyb_cuda_queue_free (queue);
  return NULL;
}

void
hyb_cuda_queue_free (HybQueue *queue)
{
  const HybCudaFunctions *call = &queue->device->cuda->call;

  call->cuCtxSetCurrent (queue->device->context);
  if (queue->cublas)
    call->cublasDestroy_v2 (queue->cublas);
  if (queue->cudnn)
    call->cudnnDestroy (queue->cudnn);
  if (queue->workspace)
    call->cuMemFree_v2 (queue->workspace);
  for (guint i = 0; i < HYB_CUDA_MARKS; i++)
    if (queue->marks[i])
      call->cuEventDestroy_v2 (queue->marks[i]);
  if (queue->follows)
    call->cuEventDestroy_v2 (queue->follows);
  if (queue->stream)
    call->cuStreamDestroy_v2 (queue->stream);
  g_clear_error (&queue->failure);
  g_free (queue);
}

void
hyb_cuda_queue_begin (HybQueue *queue, guint32 key)
{
  queue->key = key;
}

void
hyb_cuda_queue_copy (HybQueue *queue, gpointer to, gconstpointer from, gsize bytes)
{
  if (hyb_cuda_queue_enter (queue))
    hyb_cuda_queue_check (queue, "cuMemcpyAsync",
                          queue->device->cuda->call.cuMemcpyAsync ((CUdeviceptr) (guintptr) to,
                                                                   (CUdeviceptr) (guintptr) from,
                                                                   bytes, queue->stream));
}

void
hyb_cuda_queue_clear (HybQueue *queue, gpointer to, gsize bytes)
{
  if (bytes > 0 && hyb_cuda_queue_enter (queue))
    hyb_cuda_queue_check (queue, "cuMemsetD8Async",
                          queue->device->cuda->call.cuMemsetD8Async ((CUdeviceptr) (guintptr) to, 0,
                                                                     bytes, queue->stream));
}

void
hyb_cuda_queue_set (HybQueue *queue, gint64 *to, gint64 value)
{
  guint halves[] = { (guint) ((guint64) value & G_MAXUINT32), (guint) ((guint64) value >> 32) };

  for (guint i = 0; i < G_N_ELEMENTS (halves) && hyb_cuda_queue_enter (queue); i++)
    hyb_cuda_queue_check (queue, "cuMemsetD32Async",
                          queue->device->cuda->call.cuMemsetD32Async ((CUdeviceptr) (guintptr) to +
                                                                          i * sizeof (guint32),
                                                                      halves[i], 1, queue->stream));
}

/* The event at *event, made at first use. */
static gboolean
make_event (HybQueue *queue, CUevent *event)
{
  return *event || hyb_cuda_queue_check (queue, "cuEventCreate",
                                         queue->device->cuda->call.cuEventCreate (event, 0));
}

void
hyb_cuda_queue_follow (HybQueue *queue, HybQueue *other)
{
  const HybCudaFunctions *call = &queue->device->cuda->call;

  if (hyb_cuda_queue_enter (queue) && make_event (queue, &queue->follows) &&
      hyb_cuda_queue_check (queue, "cuEventRecord",
                            call->cuEventRecord (queue->follows, other->stream)))
    hyb_cuda_queue_check (queue, "cuStreamWaitEvent",
                          call->cuStreamWaitEvent (queue->stream, queue->follows, 0));
}

void
hyb_cuda_queue_mark (HybQueue *queue, guint mark)
{
  g_return_if_fail (mark < HYB_CUDA_MARKS);

  if (hyb_cuda_queue_enter (queue) && make_event (queue, &queue->marks[mark]))
    hyb_cuda_queue_check (queue, "cuEventRecord",
                          queue->device->cuda->call.cuEventRecord (queue->marks[mark],
                                                                   queue->stream));
}

double
hyb_cuda_queue_between (HybQueue *queue, guint from, guint to)
{
  float milliseconds = NAN;

  g_return_val_if_fail (from < HYB_CUDA_MARKS && to < HYB_CUDA_MARKS, NAN);

  if (!queue->marks[from] || !queue->marks[to] || !hyb_cuda_queue_enter (queue) ||
      !hyb_cuda_queue_check (queue, "cuEventElapsedTime",
                             queue->device->cuda->elapsed (&milliseconds, queue->marks[from],
                                                           queue->marks[to])))
    return NAN;
  return milliseconds * 1e-3;
}

gboolean
hyb_cuda_queue_finish (HybQueue *queue, guint32 *key, GError **error)
{
  const HybCudaFunctions *call = &queue->device->cuda->call;

  call->cuCtxSetCurrent (queue->device->context);
  hyb_cuda_queue_check (queue, "cuStreamSynchronize", call->cuStreamSynchronize (queue->stream));
  if (!queue->failure)
    return TRUE;
  if (key)
    *key = queue->failed_key;
  if (error)
    *error = g_error_copy (queue->failure);
  return FALSE;
}

/* --- Replay --- */

void
hyb_cuda_queue_record (HybQueue *queue)
{
  queue->records = hyb_cuda_queue_enter (queue);
  if (queue->records)
    hyb_cuda_queue_check (queue, "cuStreamBeginCapture",
                          queue->device->cuda->call
                              .cuStreamBeginCapture_v2 (queue->stream,
                                                        HYB_CUDA_CAPTURE_THREAD_LOCAL));
}

/* Recorded work has not run yet, so a call that failed in the recording does not affect the queue.  Earlier
 * failures stay. */
static void
fail_to_record (HybQueue *queue, CUresult result, GError **error)
{
  if (!queue->failure)
    hyb_cuda_fail (queue->device->cuda, "recording", result, error);
  else if (queue->records)
    g_propagate_error (error, g_steal_pointer (&queue->failure));
  else if (error)
    *error = g_error_copy (queue->failure);
}

HybReplay *
hyb_cuda_queue_recorded (HybQueue *queue, GError **error)
{
  const HybCuda *cuda = queue->device->cuda;
  CUgraph        graph = NULL;
  CUgraphExec    exec = NULL;
  CUresult       result;
  HybReplay     *replay;

  cuda->call.cuCtxSetCurrent (queue->device->context); /* also after a failure */
  result = cuda->call.cuStreamEndCapture (queue->stream, &graph);
  if (!result && !queue->failure)
    result = cuda->call.cuGraphInstantiateWithFlags (&exec, graph, 0);
  if (graph)
    cuda->call.cuGraphDestroy (graph);
  if (queue->failure || result)
    {
      fail_to_record (queue, result, error);
      return NULL;
    }
  replay = g_new (HybReplay, 1);
  *replay = (HybReplay){ queue->device, exec };
  return replay;
}

void
hyb_cuda_queue_replay (HybQueue *queue, HybReplay *replay)
{
  if (hyb_cuda_queue_enter (queue))
    hyb_cuda_queue_check (queue, "cuGraphLaunch",
                          queue->device->cuda->call.cuGraphLaunch (replay->exec, queue->stream));
}

void
hyb_cuda_replay_free (HybReplay *replay)
{
  replay->device->cuda->call.cuCtxSetCurrent (replay->device->context);
  replay->device->cuda->call.cuGraphExecDestroy (replay->exec);
  g_free (replay);
}

/* --- Kernels --- */

/* Blocks for each multiprocessor at most; kernels loop over the rest. */
#define BLOCKS 32

void
hyb_cuda_launch (HybQueue *queue, const HybLaunch *launch)
{
  gint64 most = (gint64) BLOCKS * queue->device->n_multiprocessors;
  gint64 blocks = MIN ((launch->n + launch->threads - 1) / launch->threads, most);
  gsize  bytes = launch->bytes;
  void  *extra[] = { (void *) 1, launch->arguments, (void *) 2, &bytes, NULL }; /* cuda.h's codes */

  if (launch->n > 0 && hyb_cuda_queue_enter (queue))
    hyb_cuda_queue_check (queue, "cuLaunchKernel",
                          queue->device->cuda->call.cuLaunchKernel (launch->function,
                                                                    (guint) blocks, 1, 1,
                                                                    launch->threads, 1, 1, 0,
                                                                    queue->stream, NULL, extra));
}
