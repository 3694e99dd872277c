/* device.h — the module's devices and queues: HybDevice and HybQueue.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/cuda/libraries.h"
#include "engine/device/device.h"

struct _HybDevice
{
  const HybCuda   *cuda;
  CUdevice         number;
  CUcontext        context;
  gboolean         precise; /* products in full float32 */
  int              arch;    /* compute capability: 90 for 9.0 */
  int              n_multiprocessors;
  GHashTable      *modules;  /* SHA-256 of the text → CUmodule (compile.h) */
  cudnnHandle_t    cudnn;    /* for queries; created by the first one */
  cublasLtHandle_t cublaslt; /* created by the first query */
  GMutex           lock;     /* of modules, cudnn and cublaslt */
};

/* The points in time of a queue. */
#define HYB_CUDA_MARKS 64

struct _HybQueue
{
  HybDevice     *device;
  CUstream       stream;
  cublasHandle_t cublas;    /* NULL before the first product */
  CUdeviceptr    workspace; /* cuBLAS's own */
  cudnnHandle_t  cudnn;     /* NULL before its first call */
  CUevent        follows;   /* for hyb_cuda_queue_follow() */
  CUevent        marks[HYB_CUDA_MARKS];
  guint32        key;     /* of the step whose work is being handed over */
  gboolean       records; /* the last recording was begun without a failure */
  GError        *failure; /* the first; nothing is done after it */
  guint32        failed_key;
};

/* --- The members of HybBackend that concern devices (device.c) --- */

/* HybBackend.count */
guint hyb_cuda_count (GError **error);
/* HybBackend.open */
HybDevice *hyb_cuda_open (guint index, gboolean precise, GError **error);
/* HybBackend.close */
void hyb_cuda_close (HybDevice *device);
/* HybBackend.facts */
void hyb_cuda_facts (HybDevice *device, HybDeviceFacts *facts);
/* HybBackend.take */
gpointer hyb_cuda_take (HybDevice *device, gboolean pinned, gsize bytes, GError **error);
/* HybBackend.give */
void hyb_cuda_give (HybDevice *device, gboolean pinned, gpointer memory);

/* --- The members of HybBackend that concern queues (queue.c) --- */

/* HybBackend.queue_new */
HybQueue *hyb_cuda_queue_new (HybDevice *device, GError **error);
/* HybBackend.queue_free */
void hyb_cuda_queue_free (HybQueue *queue);
/* HybBackend.begin */
void hyb_cuda_queue_begin (HybQueue *queue, guint32 key);
/* HybBackend.copy */
void hyb_cuda_queue_copy (HybQueue *queue, gpointer to, gconstpointer from, gsize bytes);
/* HybBackend.clear */
void hyb_cuda_queue_clear (HybQueue *queue, gpointer to, gsize bytes);
/* HybBackend.set */
void hyb_cuda_queue_set (HybQueue *queue, gint64 *to, gint64 value);
/* HybBackend.follow */
void hyb_cuda_queue_follow (HybQueue *queue, HybQueue *other);
/* HybBackend.mark */
void hyb_cuda_queue_mark (HybQueue *queue, guint mark);
/* HybBackend.between */
double hyb_cuda_queue_between (HybQueue *queue, guint from, guint to);
/* HybBackend.finish */
gboolean hyb_cuda_queue_finish (HybQueue *queue, guint32 *key, GError **error);
/* HybBackend.record */
void hyb_cuda_queue_record (HybQueue *queue);
/* HybBackend.recorded */
HybReplay *hyb_cuda_queue_recorded (HybQueue *queue, GError **error);
/* HybBackend.replay */
void hyb_cuda_queue_replay (HybQueue *queue, HybReplay *replay);
/* HybBackend.replay_free */
void hyb_cuda_replay_free (HybReplay *replay);

/* Keeps the error of a call, unless an earlier one failed.  TRUE if the call was right. */
gboolean hyb_cuda_queue_check (HybQueue *queue, const char *function, CUresult result);
/* The same for cuBLAS. */
gboolean hyb_cuda_queue_check_cublas (HybQueue *queue, const char *function, cublasStatus_t status);
/* TRUE if work may be handed over; makes the context that of this thread.  A thread has none at first, and may have used
 * another GPU since. */
gboolean hyb_cuda_queue_enter (HybQueue *queue);
/* TRUE if queue->cublas may be used; makes it at the first call. */
gboolean hyb_cuda_queue_uses_cublas (HybQueue *queue);
/* Bytes of queue->workspace. */
gsize hyb_cuda_workspace_bytes (const HybDevice *device);
/* One launch of a kernel. */
typedef struct
{
  CUfunction function;
  gint64     n;         /* threads that have work; kernels loop where fewer are started */
  guint      threads;   /* of a block */
  gpointer   arguments; /* its only argument, a struct */
  gsize      bytes;     /* of that struct */
} HybLaunch;

/* Hands a launch to the queue; nothing if n is 0. */
void hyb_cuda_launch (HybQueue *queue, const HybLaunch *launch);
