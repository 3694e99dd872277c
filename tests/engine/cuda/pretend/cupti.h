/* cupti.h — the functions of libcupti.so.13 that the pretend library serves, and where the fields
 * of its records lie (the layouts of CUPTI 13.0).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/engine/cuda/pretend/driver-types.h"
#include "tests/engine/cuda/pretend/pretend.h"

typedef enum
{
  CUPTI_SUCCESS = 0,
  CUPTI_ERROR_INVALID_PARAMETER = 1,
  CUPTI_ERROR_MAX_LIMIT_REACHED = 12,
  CUPTI_ERROR_NOT_INITIALIZED = 15,
  CUPTI_ERROR_QUEUE_EMPTY = 18,
  CUPTI_ERROR_INVALID_KIND = 21,
  CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED = 39,
  CUPTI_ERROR_UNKNOWN = 999,
} CUptiResult;

enum
{
  CUPTI_ACTIVITY_KIND_MEMCPY = 1,
  CUPTI_ACTIVITY_KIND_MEMSET = 2,
  CUPTI_ACTIVITY_KIND_DRIVER = 4,
  CUPTI_ACTIVITY_KIND_RUNTIME = 5,
  CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL = 10,
  CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION = 39,
  CUPTI_CB_DOMAIN_RESOURCE = 3,
  CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED = 13,
  CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED = 20,
};

typedef struct CUpti_Subscriber_st *CUpti_SubscriberHandle;
typedef void (*CUptiRequest) (guint8 **buffer, gsize *size, gsize *most_records);
typedef void (
    *CUptiComplete) (CUcontext context, guint32 stream, guint8 *buffer, gsize size, gsize valid);
typedef void (*CUptiCallback) (void *data, int domain, guint32 id, const void *what);

/* What a callback about a resource gets, and of a graph's node behind descriptor. */
typedef struct
{
  CUcontext context;
  CUstream  stream;
  void     *descriptor;
} CUptiResource;

typedef struct
{
  CUgraph     graph, original_graph;
  CUgraphNode node, original_node;
  int         type;
  CUgraphNode dependency;
  CUgraphExec exec;
} CUptiGraphData;

PRETEND_API CUptiResult cuptiGetVersion (guint32 *version);
PRETEND_API CUptiResult cuptiGetTimestamp (guint64 *nanoseconds);
PRETEND_API CUptiResult cuptiGetResultString (CUptiResult result, const char **text);
PRETEND_API CUptiResult cuptiActivityRegisterCallbacks (CUptiRequest  request,
                                                        CUptiComplete complete);
PRETEND_API CUptiResult cuptiActivityEnable (int kind);
PRETEND_API CUptiResult cuptiActivityDisable (int kind);
PRETEND_API CUptiResult cuptiActivityEnableDriverApi (guint32 id, guint8 on);
PRETEND_API CUptiResult cuptiActivityEnableRuntimeApi (guint32 id, guint8 on);
PRETEND_API CUptiResult cuptiActivitySetAttribute (int attribute, gsize *size, void *value);
PRETEND_API CUptiResult cuptiActivityEnableLatencyTimestamps (guint8 enable);
PRETEND_API CUptiResult cuptiActivityFlushAll (guint32 flags);
PRETEND_API CUptiResult cuptiActivityGetNextRecord (guint8 *buffer, gsize valid, void **record);
PRETEND_API CUptiResult cuptiActivityGetNumDroppedRecords (CUcontext context,
                                                           guint32   stream,
                                                           gsize    *dropped);
PRETEND_API CUptiResult cuptiActivityPushExternalCorrelationId (int kind, guint64 id);
PRETEND_API CUptiResult cuptiActivityPopExternalCorrelationId (int kind, guint64 *id);
PRETEND_API CUptiResult cuptiSetThreadIdType (int type);
PRETEND_API CUptiResult cuptiSubscribe (CUpti_SubscriberHandle *subscriber,
                                        CUptiCallback           callback,
                                        void                   *data);
PRETEND_API CUptiResult cuptiUnsubscribe (CUpti_SubscriberHandle subscriber);
PRETEND_API CUptiResult cuptiEnableCallback (guint32                enable,
                                             CUpti_SubscriberHandle subscriber,
                                             int                    domain,
                                             guint32                id);
PRETEND_API CUptiResult cuptiEnableDomain (guint32                enable,
                                           CUpti_SubscriberHandle subscriber,
                                           int                    domain);
PRETEND_API CUptiResult cuptiGetGraphNodeId (CUgraphNode node, guint64 *id);
PRETEND_API CUptiResult cuptiFinalize (void);

/* The arguments of the range profiler's functions. */
typedef struct
{
  gsize size;
  void *own; /* NULL */
} CUptiStart;

typedef struct
{
  gsize     size;
  void     *own;
  CUcontext context;
  void     *profiler; /* filled */
} CUptiEnable;

typedef struct
{
  gsize size;
  void *own;
  void *profiler;
} CUptiDisable;

PRETEND_API CUptiResult cuptiProfilerInitialize (CUptiStart *start);
PRETEND_API CUptiResult cuptiRangeProfilerEnable (CUptiEnable *enable);
PRETEND_API CUptiResult cuptiRangeProfilerDisable (CUptiDisable *disable);

/* The nanoseconds of all work that was put into records since the last call. */
PRETEND_API guint64 pretend_recorded_nanoseconds (void);
