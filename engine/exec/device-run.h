/* device-run.h — runs the steps of a plan on a device, of the model and of bodies.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/device-values.h"
#include "engine/exec/plan-private.h"

/* One run of a model with all its bodies. */
typedef struct
{
  HybGpu         *gpu;
  HybQueue       *queue;
  gpointer        number;     /* pinned: a value that the host reads */
  gboolean        is_copying; /* a copy between host and device may not have ended */
  gboolean        is_watched; /* wait after every step, so that times and errors are of that step */
  HybDeviceCounts counts;
  guint           n_waits;    /* how often the host has waited */
  guint           n_work;     /* launches and copies within the device */
  HybNodeId       handed;     /* the last node of the model that was handed over, else HYB_NO_ID */
  HybNodeId       ended;      /* the last one known to have ended without an error, likewise */
  guint32         failed_key; /* of the step of the model that failed */
  GError         *error;      /* the first one */
} HybDeviceRun;

/* Where the values of one plan are.  Addresses that the plan does not need are NULL. */
typedef struct
{
  const HybPlan *plan;
  char          *memory, *mirror;            /* the block on the device and on the host */
  char          *host;                       /* for frames of bodies */
  gpointer      *slots, *host_slots;         /* for steps of the device and of the host */
  gpointer      *variables, *host_variables; /* by variable */
  gpointer      *heads, *host_heads;         /* by head; NULL where the plan does not bind them */
  gpointer      *constants;                  /* by constant, on the device */
} HybDeviceView;

/* The address of a place on the device. */
gpointer hyb_device_view_find (const HybDeviceView *view, const HybPlace *place);
/* The address of a place on the host. */
gpointer hyb_device_view_find_host (const HybDeviceView *view, const HybPlace *place);

/* Counts a copy between host and device. */
void hyb_device_run_count (HybDeviceRun *run, gsize bytes);
/* The copies before step number index; those after the last step have the number of steps. */
void hyb_device_run_copies (HybDeviceRun *run, const HybDeviceView *view, guint index);
/* Runs one step, on request with the copies before it, and reports it to the probe.  FALSE as
 * below. */
gboolean hyb_device_run_observed_step (HybDeviceRun        *device_run,
                                       const HybDeviceView *view,
                                       guint                index,
                                       gboolean             with_copies,
                                       HybRun              *run);
/* Runs all steps of a plan with the copies that they need, and the copies after the last one.  FALSE if
 * the run was cancelled, a kernel reported values, or a wait found that the device failed. */
gboolean hyb_device_run_steps (HybDeviceRun *device_run, const HybDeviceView *view, HybRun *run);
