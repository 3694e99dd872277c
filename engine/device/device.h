/* device.h — devices that compute instead of the processor, and their interface to the engine.
 *
 * A back end is a shared module that exports hyb_backend() alone.  The host never reads a device's
 * addresses.  Work is handed over in order and fails late: a queue keeps its first error with the
 * key of the step, does nothing more, and finish() reports it.  Only engine/device and engine/exec
 * call the table (tests/check-layers.sh).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/run.h"

/* Grows with every change of this file; modules with another number are refused. */
#define HYB_BACKEND_ABI 6

typedef struct _HybDevice HybDevice; /* these three are the back end's own */
typedef struct _HybQueue  HybQueue;  /* work in order: a stream */
typedef struct _HybReplay HybReplay; /* work recorded once: a CUDA graph */

typedef struct
{
  char    name[96];        /* "NVIDIA H100 80GB" */
  char    kind[32];        /* "compute capability 9.0" */
  char    versions[128];   /* "driver for CUDA 13.0, NVRTC 13.0" */
  char    libraries[1024]; /* the files of the vendor that are open, one a line */
  guint64 memory;          /* bytes, in total */
  guint64 unused;          /* bytes */
  double  peak_flops;      /* a second, for the roofline; NaN if not known */
  double  peak_bytes;      /* a second; NaN if not known */
} HybDeviceFacts;

/* The twin of the HybOp of this name. */
typedef struct
{
  const char *name;
  /* Why this call must be computed by the host, as half a sentence; NULL if the twin can. */
  const char *(*refuses) (const HybCall *call);
  /* The bytes of the last output, which is hidden and read by twins alone.  Default: the bytes of its
   * type. */
  gsize (*hidden_bytes) (gconstpointer prepared);
  /* The input that must be such an output of its twin.  Default: none. */
  guint (*hidden_input) (const HybCall *call);
  /* Whether launch() waits for the queue, so that it cannot be recorded.  Default: no. */
  gboolean (*waits) (const HybCall *call);
  /* Makes the data for launch(), and the bytes of its workspace.  NULL and an error if this step
   * must be computed by the host after all.  The call stays valid until release(). */
  gpointer (*prepare) (HybDevice *device, const HybCall *call, gsize *workspace, GError **error);
  /* Hands the work to the queue.  input, output and workspace of run are device addresses.  Output 0
   * may be where input 0 is if the operator has HYB_OP_IN_PLACE. */
  void (*launch) (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer prepared);
  void (*release) (gpointer prepared);
  /* Names of the operators that this one combines, ended by NULL: if one of them is excluded from the device, this one is, too.
   * NULL: it combines none. */
  const char *const *parts;
} HybDeviceOp;

typedef struct
{
  guint              abi;  /* HYB_BACKEND_ABI */
  const char        *name; /* "cuda" */
  const HybDeviceOp *ops;  /* ends with an empty entry */

  /* The number of devices; 0 and an error that gives the reason if there are none. */
  guint (*count) (GError **error);
  /* Opens a device.  precise: without tensor cores that round to fewer bits. */
  HybDevice *(*open) (guint index, gboolean precise, GError **error);
  void (*close) (HybDevice *device);
  void (*facts) (HybDevice *device, HybDeviceFacts *facts);

  /* Memory of the device, or memory of the host that a device copies from faster. */
  gpointer (*take) (HybDevice *device, gboolean pinned, gsize bytes, GError **error);
  void (*give) (HybDevice *device, gboolean pinned, gpointer memory);

  HybQueue *(*queue_new) (HybDevice *device, GError **error);
  void (*queue_free) (HybQueue *queue);
  /* The key that later errors of this queue are reported with. */
  void (*begin) (HybQueue *queue, guint32 key);
  void (*copy) (HybQueue     *queue,
                gpointer      to,
                gconstpointer from,
                gsize         bytes); /* in any direction */
  void (*clear) (HybQueue *queue, gpointer to, gsize bytes);
  void (*set) (HybQueue *queue, gint64 *to, gint64 value);
  void (*follow) (HybQueue *queue, HybQueue *other); /* waits for the work handed to other so far */
  void (*mark) (HybQueue *queue, guint mark);        /* one of 64 points in time */
  double (*between) (HybQueue *queue, guint from, guint to); /* seconds; after finish() */
  /* Waits for everything.  FALSE, the key of the step and an error if something failed. */
  gboolean (*finish) (HybQueue *queue, guint32 *key, GError **error);

  void (*record) (HybQueue *queue); /* from here on work is kept, not done */
  HybReplay *(*recorded) (HybQueue *queue, GError **error); /* NULL: it cannot be replayed */
  void (*replay) (HybQueue *queue, HybReplay *replay);
  void (*replay_free) (HybReplay *replay);
} HybBackend;

/* The one exported symbol of a back end. */
const HybBackend *hyb_backend (void);
