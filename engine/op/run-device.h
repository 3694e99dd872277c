/* run-device.h — values in the memory of a device, for operators that run their bodies there.
 *
 * forward() of an operator with HYB_OP_DEVICE_BODIES gets addresses of a device if HybRun.device is set,
 * and touches values only through the functions below.  Without a device they are memcpy(), memset()
 * and plain reads and writes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/run.h"
#include "engine/tensor/dtype.h"

#include <string.h>

/* Functions of a run on a device for its values; data is that run's. */
typedef struct
{
  /* Within the device. */
  void (*copy) (gpointer data, gpointer to, gconstpointer from, gsize bytes);
  void (*clear) (gpointer data, gpointer to, gsize bytes);
  void (*set_int) (gpointer data, gint64 *to, gint64 value);
  /* To the host, at most 8 bytes; waits for the device.  to is cleared if the device failed. */
  void (*read) (gpointer data, gconstpointer from, gsize bytes, gpointer to);
} HybRunDeviceFunctions;

/* The device of a step that runs its bodies there. */
struct _HybRunDevice
{
  const HybRunDeviceFunctions *functions;
  gpointer                     data;
  char                        *host;   /* of the host: HybCallDevice.host_bytes, 64-byte aligned */
  char                        *mirror; /* of the host: as large as the workspace */
};

/* The results of planning an operator with HYB_OP_DEVICE_BODIES for a device. */
struct _HybCallDevice
{
  gsize      host_bytes; /* memory of the host that forward() needs for frames */
  GPtrArray *plans;      /* of HybPlan, owned: the plans of the bodies; NULL before the first */
  guint      n_steps;    /* of the bodies that the device computes */
};

/* Copies within the memory where values are. */
static inline void
hyb_run_copy (const HybRun *run, gpointer to, gconstpointer from, gsize bytes)
{
  if (run->device)
    run->device->functions->copy (run->device->data, to, from, bytes);
  else
    memcpy (to, from, bytes);
}

/* Makes bytes zero. */
static inline void
hyb_run_clear (const HybRun *run, gpointer to, gsize bytes)
{
  if (run->device)
    run->device->functions->clear (run->device->data, to, bytes);
  else
    memset (to, 0, bytes);
}

/* The first element of a value; a device is waited for. */
static inline double
hyb_run_get_double (const HybRun *run, gconstpointer from, HybDType dtype)
{
  gint64 element = 0;

  if (!run->device)
    return hyb_dtype_get_double (from, dtype, 0);
  run->device->functions->read (run->device->data, from, hyb_dtype_size (dtype), &element);
  return hyb_dtype_get_double (&element, dtype, 0);
}

/* An int64; a device is waited for. */
static inline gint64
hyb_run_get_int (const HybRun *run, gconstpointer from)
{
  gint64 value = 0;

  if (!run->device)
    return *(const gint64 *) from;
  run->device->functions->read (run->device->data, from, sizeof value, &value);
  return value;
}

/* Writes an int64. */
static inline void
hyb_run_set_int (const HybRun *run, gint64 *to, gint64 value)
{
  if (run->device)
    run->device->functions->set_int (run->device->data, to, value);
  else
    *to = value;
}
