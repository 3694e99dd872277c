/* cupti-api.h — the functions of NVIDIA's CUPTI that are called, their types, and where the fields of its
 * records lie, declared by ourselves so that nothing of CUDA is needed to build.
 *
 * Where the vendor's headers are, tests/profiler/test-cupti-prototypes.c includes them first and compares
 * everything with them; this file then adds no types.  The places of fields are those of CUPTI 13.0; 12.9
 * writes them at the same places.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifndef PROF_CUPTI_VENDOR_TYPES
typedef int                         CUptiResult;
typedef int                         CUpti_ActivityKind;
typedef int                         CUpti_ExternalCorrelationKind;
typedef int                         CUpti_CallbackDomain;
typedef uint32_t                    CUpti_CallbackId;
typedef struct CUpti_Subscriber_st *CUpti_SubscriberHandle;
typedef struct CUctx_st            *CUcontext;
typedef struct CUgraph_st          *CUgraph;
typedef struct CUgraphNode_st      *CUgraphNode;
typedef struct CUpti_Activity_st    CUpti_Activity; /* a record, read through the places below */

typedef void (*CUpti_BuffersCallbackRequestFunc) (uint8_t **buffer, size_t *size, size_t *most);
typedef void (*CUpti_BuffersCallbackCompleteFunc) (CUcontext context,
                                                   uint32_t  stream,
                                                   uint8_t  *buffer,
                                                   size_t    size,
                                                   size_t    valid);
typedef void (*CUpti_CallbackFunc) (void                *data,
                                    CUpti_CallbackDomain domain,
                                    CUpti_CallbackId     id,
                                    const void          *about);

/* The argument of a callback about a resource. */
typedef struct
{
  CUcontext context;
  union
  {
    void *stream;
  } resourceHandle;
  void *resourceDescriptor;
} CUpti_ResourceData;

/* Its data about the node of a graph, as its resourceDescriptor; the vendor's struct has more members
 * after these. */
typedef struct
{
  CUgraph     graph, originalGraph;
  CUgraphNode node, originalNode;
} CUpti_GraphData;

/* The arguments of the range profiler's functions. */
typedef struct
{
  size_t structSize;
  void  *pPriv; /* NULL */
} CUpti_Profiler_Initialize_Params;

typedef struct
{
  size_t                             structSize;
  void                              *pPriv; /* NULL */
  CUcontext                          ctx;
  struct CUpti_RangeProfiler_Object *pRangeProfilerObject; /* filled */
} CUpti_RangeProfiler_Enable_Params;

typedef struct
{
  size_t                             structSize;
  void                              *pPriv; /* NULL */
  struct CUpti_RangeProfiler_Object *pRangeProfilerObject;
} CUpti_RangeProfiler_Disable_Params;
#endif

/* X (result, name, parameters) */
#define PROF_CUPTI_FUNCTIONS(X)                                                            \
  X (CUptiResult, cuptiGetVersion, (uint32_t *) )                                          \
  X (CUptiResult, cuptiGetTimestamp, (uint64_t *) )                                        \
  X (CUptiResult, cuptiGetResultString, (CUptiResult, const char **) )                     \
  X (CUptiResult, cuptiActivityRegisterCallbacks,                                          \
     (CUpti_BuffersCallbackRequestFunc, CUpti_BuffersCallbackCompleteFunc))                \
  X (CUptiResult, cuptiActivityEnable, (CUpti_ActivityKind))                               \
  X (CUptiResult, cuptiActivityDisable, (CUpti_ActivityKind))                              \
  X (CUptiResult, cuptiActivityFlushAll, (uint32_t))                                       \
  X (CUptiResult, cuptiActivityGetNextRecord, (uint8_t *, size_t, CUpti_Activity **) )     \
  X (CUptiResult, cuptiActivityGetNumDroppedRecords, (CUcontext, uint32_t, size_t *) )     \
  X (CUptiResult, cuptiActivityPushExternalCorrelationId,                                  \
     (CUpti_ExternalCorrelationKind, uint64_t))                                            \
  X (CUptiResult, cuptiActivityPopExternalCorrelationId,                                   \
     (CUpti_ExternalCorrelationKind, uint64_t *) )                                         \
  X (CUptiResult, cuptiSubscribe, (CUpti_SubscriberHandle *, CUpti_CallbackFunc, void *) ) \
  X (CUptiResult, cuptiUnsubscribe, (CUpti_SubscriberHandle))                              \
  X (CUptiResult, cuptiEnableCallback,                                                     \
     (uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain, CUpti_CallbackId))           \
  X (CUptiResult, cuptiGetGraphNodeId, (CUgraphNode, uint64_t *) )

/* The same for functions that not every version has. */
#define PROF_CUPTI_OPTIONAL_FUNCTIONS(X)                                            \
  X (CUptiResult, cuptiActivityEnableDriverApi, (CUpti_CallbackId, uint8_t))        \
  X (CUptiResult, cuptiActivityEnableRuntimeApi, (CUpti_CallbackId, uint8_t))       \
  X (CUptiResult, cuptiProfilerInitialize, (CUpti_Profiler_Initialize_Params *) )   \
  X (CUptiResult, cuptiRangeProfilerEnable, (CUpti_RangeProfiler_Enable_Params *) ) \
  X (CUptiResult, cuptiRangeProfilerDisable, (CUpti_RangeProfiler_Disable_Params *) )

#define PROF_CUPTI_MEMBER(result, name, parameters) result (*name) parameters;
typedef struct
{
  PROF_CUPTI_FUNCTIONS (PROF_CUPTI_MEMBER)
  PROF_CUPTI_OPTIONAL_FUNCTIONS (PROF_CUPTI_MEMBER)
} ProfCuptiFunctions;

/* Values of the enumerations above: X (ours, the vendor's, value) */
#define PROF_CUPTI_VALUES(X)                                             \
  X (MAX_LIMIT_REACHED, CUPTI_ERROR_MAX_LIMIT_REACHED, 12)               \
  X (NOT_INITIALIZED, CUPTI_ERROR_NOT_INITIALIZED, 15)                   \
  X (DISABLED, CUPTI_ERROR_DISABLED, 23)                                 \
  X (HARDWARE_BUSY, CUPTI_ERROR_HARDWARE_BUSY, 26)                       \
  X (NOT_SUPPORTED, CUPTI_ERROR_NOT_SUPPORTED, 27)                       \
  X (VIRTUALIZED, CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, 33)      \
  X (NO_RIGHTS, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, 35)                 \
  X (OTHER_PROFILER, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, 39) \
  X (UNKNOWN, CUPTI_ERROR_UNKNOWN, 999)                                  \
  X (MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY, 1)                              \
  X (MEMSET, CUPTI_ACTIVITY_KIND_MEMSET, 2)                              \
  X (DRIVER, CUPTI_ACTIVITY_KIND_DRIVER, 4)                              \
  X (RUNTIME, CUPTI_ACTIVITY_KIND_RUNTIME, 5)                            \
  X (KERNEL, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 10)                  \
  X (OVERHEAD, CUPTI_ACTIVITY_KIND_OVERHEAD, 17)                         \
  X (SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, 38)           \
  X (EXTERNAL_CORRELATION, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, 39) \
  X (HOST_TO_DEVICE, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, 1)                 \
  X (DEVICE_TO_HOST, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, 2)                 \
  X (CUSTOM_ID, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 3)              \
  X (FLUSH_FORCED, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED, 1)                  \
  X (RESOURCE_DOMAIN, CUPTI_CB_DOMAIN_RESOURCE, 3)                       \
  X (NODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, 13)            \
  X (NODE_CLONED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, 20)

#define PROF_CUPTI_VALUE(ours, vendor, value) PROF_CUPTI_##ours = value,
enum
{
  PROF_CUPTI_VALUES (PROF_CUPTI_VALUE)
};

/* Where fields lie: X (ours, the vendor's record, its field, bytes from the record's beginning) */
#define PROF_CUPTI_FIELDS(X)                                                        \
  X (KIND, CUpti_Activity, kind, 0)                                                 \
  X (KERNEL_START, CUpti_ActivityKernel10, start, 16)                               \
  X (KERNEL_END, CUpti_ActivityKernel10, end, 24)                                   \
  X (KERNEL_DEVICE, CUpti_ActivityKernel10, deviceId, 40)                           \
  X (KERNEL_STREAM, CUpti_ActivityKernel10, streamId, 48)                           \
  X (KERNEL_CORRELATION, CUpti_ActivityKernel10, correlationId, 92)                 \
  X (KERNEL_NODE, CUpti_ActivityKernel10, graphNodeId, 144)                         \
  X (COPY_KIND, CUpti_ActivityMemcpy6, copyKind, 4)                                 \
  X (COPY_START, CUpti_ActivityMemcpy6, start, 16)                                  \
  X (COPY_END, CUpti_ActivityMemcpy6, end, 24)                                      \
  X (COPY_DEVICE, CUpti_ActivityMemcpy6, deviceId, 32)                              \
  X (COPY_STREAM, CUpti_ActivityMemcpy6, streamId, 40)                              \
  X (COPY_CORRELATION, CUpti_ActivityMemcpy6, correlationId, 44)                    \
  X (COPY_NODE, CUpti_ActivityMemcpy6, graphNodeId, 64)                             \
  X (FILL_START, CUpti_ActivityMemset4, start, 16)                                  \
  X (FILL_END, CUpti_ActivityMemset4, end, 24)                                      \
  X (FILL_DEVICE, CUpti_ActivityMemset4, deviceId, 32)                              \
  X (FILL_STREAM, CUpti_ActivityMemset4, streamId, 40)                              \
  X (FILL_CORRELATION, CUpti_ActivityMemset4, correlationId, 44)                    \
  X (FILL_NODE, CUpti_ActivityMemset4, graphNodeId, 64)                             \
  X (EXTERNAL_KIND, CUpti_ActivityExternalCorrelation, externalKind, 4)             \
  X (EXTERNAL_ID, CUpti_ActivityExternalCorrelation, externalId, 8)                 \
  X (EXTERNAL_CORRELATION_ID, CUpti_ActivityExternalCorrelation, correlationId, 16) \
  X (OVERHEAD_DATA, CUpti_ActivityOverhead3, overheadData, 48)

#define PROF_CUPTI_FIELD(ours, record, field, at) PROF_CUPTI_AT_##ours = at,
enum
{
  PROF_CUPTI_FIELDS (PROF_CUPTI_FIELD)
};

/* Functions that launch, copy or fill, as ranges of their numbers: X (first function, its number, last function, its
 * number).  Those in between that do something else are rare and do no harm. */
#define PROF_CUPTI_DRIVER_CALLS(X)                                              \
  X (cuMemsetD8Async, 216, cuMemsetD2D32Async, 226)                             \
  X (cuMemcpy_v2, 248, cuMemsetD2D32_v2, 254)                                   \
  X (cuMemcpyHtoD_v2, 276, cuMemcpyHtoAAsync_v2, 293)                           \
  X (cuMemcpy, 305, cuLaunchKernel, 307)                                        \
  X (cuMemcpyPeer, 318, cuMemcpy3DPeerAsync, 321)                               \
  X (cuMemcpyHtoD_v2_ptds, 397, cuMemsetD2D32Async_ptsz, 433)                   \
  X (cuLaunchKernel_ptsz, 442, cuLaunchKernel_ptsz, 442)                        \
  X (cuLaunchCooperativeKernel, 477, cuLaunchCooperativeKernelMultiDevice, 480) \
  X (cuGraphLaunch, 514, cuGraphLaunch_ptsz, 515)                               \
  X (cuLaunchKernelEx, 652, cuLaunchKernelEx_ptsz, 653)

#define PROF_CUPTI_RUNTIME_CALLS(X)                                                             \
  X (cudaMemcpy_v3020, 31, cudaMemset2DAsync_v3020, 52)                                         \
  X (cudaMemset3D_v3020, 142, cudaMemcpy3DAsync_v3020, 145)                                     \
  X (cudaMemcpyPeer_v4000, 160, cudaMemcpy3DPeerAsync_v4000, 163)                               \
  X (cudaLaunchKernel_v7000, 211, cudaMemset2DAsync_ptsz_v7000, 236)                            \
  X (cudaMemset3D_ptds_v7000, 243, cudaMemcpy3DPeerAsync_ptsz_v7000, 250)                       \
  X (cudaLaunchCooperativeKernel_v9000, 269, cudaLaunchCooperativeKernelMultiDevice_v9000, 272) \
  X (cudaGraphLaunch_v10000, 311, cudaGraphLaunch_ptsz_v10000, 312)                             \
  X (cudaLaunchKernelExC_v11060, 430, cudaLaunchKernelExC_ptsz_v11060, 431)                     \
  X (__cudaLaunchKernel_v13000, 505, __cudaLaunchKernel_ptsz_v13000, 506)
