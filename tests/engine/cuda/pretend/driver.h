/* driver.h — the functions of libcuda.so.1 that the pretend driver serves, under the names that the
 * library exports.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/engine/cuda/pretend/driver-types.h"
#include "tests/engine/cuda/pretend/pretend.h"

/* --- device-calls.c --- */

PRETEND_API CUresult cuInit (guint flags);
PRETEND_API CUresult cuDriverGetVersion (int *version);
PRETEND_API CUresult cuDeviceGetCount (int *count);
PRETEND_API CUresult cuDeviceGet (CUdevice *device, int index);
PRETEND_API CUresult cuDeviceGetName (char *name, int length, CUdevice device);
PRETEND_API CUresult cuDeviceTotalMem_v2 (gsize *bytes, CUdevice device);
PRETEND_API CUresult cuDeviceGetAttribute (int *value, int attribute, CUdevice device);
PRETEND_API CUresult cuDeviceGetUuid_v2 (guint8 *uuid, CUdevice device);
PRETEND_API CUresult cuDeviceGetPCIBusId (char *text, int length, CUdevice device);
PRETEND_API CUresult cuDevicePrimaryCtxRetain (CUcontext *context, CUdevice device);
PRETEND_API CUresult cuDevicePrimaryCtxRelease_v2 (CUdevice device);
PRETEND_API CUresult cuDevicePrimaryCtxSetFlags_v2 (CUdevice device, guint flags);
PRETEND_API CUresult cuDevicePrimaryCtxGetState (CUdevice device, guint *flags, int *active);
PRETEND_API CUresult cuCtxSetCurrent (CUcontext context);
PRETEND_API CUresult cuCtxGetCurrent (CUcontext *context);
PRETEND_API CUresult cuCtxPushCurrent_v2 (CUcontext context);
PRETEND_API CUresult cuCtxPopCurrent_v2 (CUcontext *context);
PRETEND_API CUresult cuCtxGetDevice (CUdevice *device);
PRETEND_API CUresult cuCtxSynchronize (void);
PRETEND_API CUresult cuGetErrorName (CUresult error, const char **text);
PRETEND_API CUresult cuGetErrorString (CUresult error, const char **text);
PRETEND_API CUresult cuGetExportTable (const void **table, const void *id);

/* --- memory-calls.c --- */

PRETEND_API CUresult cuMemGetInfo_v2 (gsize *unused, gsize *total);
PRETEND_API CUresult cuMemAlloc_v2 (CUdeviceptr *address, gsize bytes);
PRETEND_API CUresult cuMemFree_v2 (CUdeviceptr address);
PRETEND_API CUresult cuMemGetAddressRange_v2 (CUdeviceptr *start,
                                              gsize       *bytes,
                                              CUdeviceptr  address);
PRETEND_API CUresult cuMemAllocHost_v2 (void **host, gsize bytes);
PRETEND_API CUresult cuMemHostAlloc (void **host, gsize bytes, guint flags);
PRETEND_API CUresult cuMemFreeHost (void *host);
PRETEND_API CUresult cuMemcpyHtoD_v2 (CUdeviceptr to, const void *from, gsize bytes);
PRETEND_API CUresult cuMemcpyDtoH_v2 (void *to, CUdeviceptr from, gsize bytes);
PRETEND_API CUresult cuMemcpyDtoD_v2 (CUdeviceptr to, CUdeviceptr from, gsize bytes);
PRETEND_API CUresult cuMemcpyHtoDAsync_v2 (CUdeviceptr to,
                                           const void *from,
                                           gsize       bytes,
                                           CUstream    stream);
PRETEND_API CUresult cuMemcpyDtoHAsync_v2 (void       *to,
                                           CUdeviceptr from,
                                           gsize       bytes,
                                           CUstream    stream);
PRETEND_API CUresult cuMemcpyDtoDAsync_v2 (CUdeviceptr to,
                                           CUdeviceptr from,
                                           gsize       bytes,
                                           CUstream    stream);
PRETEND_API CUresult cuMemcpyAsync (CUdeviceptr to, CUdeviceptr from, gsize bytes, CUstream stream);
PRETEND_API CUresult cuMemsetD8Async (CUdeviceptr to, guint8 value, gsize count, CUstream stream);
PRETEND_API CUresult cuMemsetD16Async (CUdeviceptr to, guint16 value, gsize count, CUstream stream);
PRETEND_API CUresult cuMemsetD32Async (CUdeviceptr to, guint value, gsize count, CUstream stream);
PRETEND_API CUresult cuMemsetD8_v2 (CUdeviceptr to, guint8 value, gsize count);

/* --- stream-calls.c --- */

PRETEND_API CUresult cuStreamCreate (CUstream *stream, guint flags);
PRETEND_API CUresult cuStreamCreateWithPriority (CUstream *stream, guint flags, int priority);
PRETEND_API CUresult cuStreamDestroy_v2 (CUstream stream);
PRETEND_API CUresult cuStreamSynchronize (CUstream stream);
PRETEND_API CUresult cuStreamQuery (CUstream stream);
PRETEND_API CUresult cuStreamWaitEvent (CUstream stream, CUevent event, guint flags);
PRETEND_API CUresult cuLaunchHostFunc (CUstream stream, CUhostFn function, void *data);
PRETEND_API CUresult cuEventCreate (CUevent *event, guint flags);
PRETEND_API CUresult cuEventDestroy_v2 (CUevent event);
PRETEND_API CUresult cuEventRecord (CUevent event, CUstream stream);
PRETEND_API CUresult cuEventSynchronize (CUevent event);
PRETEND_API CUresult cuEventQuery (CUevent event);
PRETEND_API CUresult cuEventElapsedTime (float *milliseconds, CUevent from, CUevent to);
PRETEND_API CUresult cuEventElapsedTime_v2 (float *milliseconds, CUevent from, CUevent to);

/* --- module-calls.c --- */

PRETEND_API CUresult cuModuleLoadData (CUmodule *module, const void *image);
PRETEND_API CUresult
cuModuleLoadDataEx (CUmodule *module, const void *image, guint count, int *options, void **values);
PRETEND_API CUresult cuModuleUnload (CUmodule module);
PRETEND_API CUresult cuModuleGetFunction (CUfunction *function, CUmodule module, const char *name);
PRETEND_API CUresult cuModuleGetGlobal_v2 (CUdeviceptr *address,
                                           gsize       *bytes,
                                           CUmodule     module,
                                           const char  *name);
PRETEND_API CUresult cuFuncGetAttribute (int *value, int attribute, CUfunction function);
PRETEND_API CUresult cuFuncSetAttribute (CUfunction function, int attribute, int value);
PRETEND_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor (int       *blocks,
                                                                  CUfunction function,
                                                                  int        threads,
                                                                  gsize      shared);
PRETEND_API CUresult cuLaunchKernel (CUfunction function,
                                     guint      grid_x,
                                     guint      grid_y,
                                     guint      grid_z,
                                     guint      block_x,
                                     guint      block_y,
                                     guint      block_z,
                                     guint      shared,
                                     CUstream   stream,
                                     void     **parameters,
                                     void     **extra);

/* --- capture.c --- */

PRETEND_API CUresult cuStreamBeginCapture_v2 (CUstream stream, int mode);
PRETEND_API CUresult cuStreamEndCapture (CUstream stream, CUgraph *graph);
PRETEND_API CUresult cuStreamIsCapturing (CUstream stream, int *status);
PRETEND_API CUresult cuGraphGetNodes (CUgraph graph, CUgraphNode *nodes, gsize *count);
PRETEND_API CUresult cuGraphDestroy (CUgraph graph);
PRETEND_API CUresult cuGraphInstantiateWithFlags (CUgraphExec *exec, CUgraph graph, guint64 flags);
PRETEND_API CUresult cuGraphExecUpdate_v2 (CUgraphExec exec, CUgraph graph, void *result);
PRETEND_API CUresult cuGraphLaunch (CUgraphExec exec, CUstream stream);
PRETEND_API CUresult cuGraphExecDestroy (CUgraphExec exec);
