/* cupti-private.h — what the two files of the pretend profiler library share.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/engine/cuda/pretend/cupti.h"
#include "tests/engine/cuda/pretend/state.h"

/* A record that was not delivered yet. */
typedef struct
{
  guint8 *bytes;
  gsize   size;
} PretendRecord;

typedef struct
{
  CUptiRequest  request;
  CUptiComplete complete;
  gboolean      enabled[64];
  gboolean      calls[1024]; /* of the driver, by number */
  guint64       nanoseconds; /* of all work with a time that was put into records */
  guint         timeless;    /* kernels that still get no times */
  GPtrArray    *records;     /* of PretendRecord */
  gsize         dropped, lost;
  GArray       *external; /* guint64: kind and id, alternating */
  CUptiCallback callback;
  void         *callback_data;
  gboolean      graph_callbacks;
  gboolean      has_profiler; /* cuptiProfilerInitialize() was called */
  CUcontext     profiled;     /* whose counters are enabled; NULL for none */
} PretendCupti;

extern PretendCupti pretend_cupti;
/* Tells this library what the driver does. */
extern const PretendObserver pretend_cupti_observer;
