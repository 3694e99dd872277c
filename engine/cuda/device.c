/* device.c — opens GPUs and takes their memory, through the primary context.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/device.h"

#include "engine/base/error.h"

#include <math.h>

guint
hyb_cuda_count (GError **error)
{
  const HybCuda *cuda = hyb_cuda_load (error);
  int            count = 0;
  CUresult       result;

  if (!cuda)
    return 0;
  result = cuda->call.cuDeviceGetCount (&count);
  if (result)
    hyb_cuda_fail (cuda, "cuDeviceGetCount", result, error);
  else if (count == 0)
    hyb_error_at (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_ABSENT, NULL, NULL,
                  "the NVIDIA driver sees no GPU");
  return result ? 0 : (guint) MAX (count, 0);
}

/* Reads the attributes for compiling and launching kernels. */
static CUresult
read_attributes (HybDevice *device)
{
  const HybCudaFunctions *call = &device->cuda->call;
  int                     major = 0, minor = 0;
  CUresult                result;

  result = call->cuDeviceGetAttribute (&major, HYB_CUDA_ATTRIBUTE_MAJOR, device->number);
  if (!result)
    result = call->cuDeviceGetAttribute (&minor, HYB_CUDA_ATTRIBUTE_MINOR, device->number);
  if (!result)
    result = call->cuDeviceGetAttribute (&device->n_multiprocessors,
                                         HYB_CUDA_ATTRIBUTE_MULTIPROCESSORS, device->number);
  device->n_multiprocessors = MAX (device->n_multiprocessors, 1);
  device->arch = 10 * major + minor;
  return result;
}

static gboolean
start (HybDevice *device, guint index, GError **error)
{
  const HybCudaFunctions *call = &device->cuda->call;
  CUresult                result;

  result = call->cuDeviceGet (&device->number, (int) index);
  if (!result)
    result = call->cuDevicePrimaryCtxRetain (&device->context, device->number);
  if (!result)
    result = call->cuCtxSetCurrent (device->context);
  if (!result)
    result = read_attributes (device);
  if (result)
    {
      hyb_cuda_fail (device->cuda, "opening the GPU", result, error);
      return FALSE;
    }
  return TRUE;
}

HybDevice *
hyb_cuda_open (guint index, gboolean precise, GError **error)
{
  const HybCuda *cuda = hyb_cuda_load (error);
  HybDevice     *device;

  if (!cuda)
    return NULL;
  device = g_new0 (HybDevice, 1);
  device->cuda = cuda;
  device->precise = precise;
  g_mutex_init (&device->lock);
  device->modules = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (start (device, index, error))
    return device;
  hyb_cuda_close (device);
  return NULL;
}

void
hyb_cuda_close (HybDevice *device)
{
  const HybCudaFunctions *call = &device->cuda->call;
  GHashTableIter          iter;
  gpointer                module;

  if (device->context)
    {
      call->cuCtxSetCurrent (device->context);
      g_hash_table_iter_init (&iter, device->modules);
      while (g_hash_table_iter_next (&iter, NULL, &module))
        call->cuModuleUnload (module);
      if (device->cudnn)
        call->cudnnDestroy (device->cudnn);
      if (device->cublaslt)
        call->cublasLtDestroy (device->cublaslt);
      call->cuDevicePrimaryCtxRelease_v2 (device->number);
    }
  g_hash_table_unref (device->modules);
  g_mutex_clear (&device->lock);
  g_free (device);
}

/* An attribute; 0 if the driver does not report it. */
static double
query_attribute (const HybDevice *device, CUdevice_attribute attribute)
{
  int value = 0;

  return device->cuda->call.cuDeviceGetAttribute (&value, attribute, device->number) ? 0 : value;
}

/* Lanes of a multiprocessor that multiply and add float32 in a cycle, as NVIDIA's programming guide lists them.  0
 * for chips that are too old. */
static double
count_lanes (int arch)
{
  return arch < 70 ? 0 : arch < 86 ? 64 : 128;
}

/* The chip's peak rates by its clocks: float32 without tensor cores, and memory that is read or written
 * twice in a cycle. */
static void
compute_peaks (const HybDevice *device, HybDeviceFacts *facts)
{
  double flops = 2 * count_lanes (device->arch) * device->n_multiprocessors *
                 query_attribute (device, HYB_CUDA_ATTRIBUTE_CLOCK) * 1e3;
  double bytes = 2 * query_attribute (device, HYB_CUDA_ATTRIBUTE_MEMORY_CLOCK) * 1e3 *
                 query_attribute (device, HYB_CUDA_ATTRIBUTE_MEMORY_BITS) / 8;

  facts->peak_flops = flops > 0 ? flops : NAN;
  facts->peak_bytes = bytes > 0 ? bytes : NAN;
}

void
hyb_cuda_facts (HybDevice *device, HybDeviceFacts *facts)
{
  const HybCudaFunctions *call = &device->cuda->call;
  g_autofree char        *paths = hyb_cuda_dup_paths (device->cuda);
  size_t                  unused = 0, total = 0;

  *facts = (HybDeviceFacts){ 0 };
  call->cuCtxSetCurrent (device->context);
  compute_peaks (device, facts);
  call->cuDeviceGetName (facts->name, (int) sizeof facts->name, device->number);
  g_snprintf (facts->kind, sizeof facts->kind, "compute capability %d.%d", device->arch / 10,
              device->arch % 10);
  g_strlcpy (facts->libraries, paths, sizeof facts->libraries);
  g_snprintf (facts->versions, sizeof facts->versions, "driver for CUDA %d.%d, NVRTC %d.%d",
              device->cuda->driver / 1000, device->cuda->driver % 1000 / 10, device->cuda->nvrtc[0],
              device->cuda->nvrtc[1]);
  call->cuMemGetInfo_v2 (&unused, &total);
  facts->memory = total;
  facts->unused = unused;
}

gpointer
hyb_cuda_take (HybDevice *device, gboolean pinned, gsize bytes, GError **error)
{
  const HybCudaFunctions *call = &device->cuda->call;
  void                   *host = NULL;
  CUdeviceptr             address = 0;
  CUresult                result = call->cuCtxSetCurrent (device->context);

  if (!result && pinned)
    result = call->cuMemHostAlloc (&host, bytes, 0);
  else if (!result)
    result = call->cuMemAlloc_v2 (&address, bytes);
  if (!result)
    return pinned ? host : (gpointer) (guintptr) address;
  if (result == HYB_CUDA_OUT_OF_MEMORY)
    hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL, NULL,
                  "the GPU has no %.4g MiB of memory left", (double) bytes / (1 << 20));
  else
    hyb_cuda_fail (device->cuda, pinned ? "cuMemHostAlloc" : "cuMemAlloc", result, error);
  return NULL;
}

void
hyb_cuda_give (HybDevice *device, gboolean pinned, gpointer memory)
{
  const HybCudaFunctions *call = &device->cuda->call;

  call->cuCtxSetCurrent (device->context);
  if (pinned)
    call->cuMemFreeHost (memory);
  else
    call->cuMemFree_v2 ((CUdeviceptr) (guintptr) memory);
}
