/* device-steps.h — single operators that a loop or condition computes itself, planned for a device.
 *
 * On the processor these are calls of forward() and additions in place.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/control/control-flow.h"

/* Plans to += from for values of this type if call is planned for a device; else, and where there is
 * nothing to add, *sum is NULL.  FALSE and an error.  *sum: (transfer full). */
gboolean hyb_device_sum_plan (HybSubgraph  **sum,
                              const HybCall *call,
                              const HybType *type,
                              gsize         *workspace,
                              GError       **error);
/* to += from. */
void
hyb_device_sum_run (const HybSubgraph *sum, const HybRun *run, gconstpointer from, gpointer to);

/* Plans an operator of the first body of call by itself, with inputs of these types, for the device
 * of call.  (transfer full); NULL if its output is not of output's type or it cannot be planned. */
HybSubgraph *hyb_device_step_plan (const HybCall *call,
                                   HybNodeId      node,
                                   const HybType *inputs,
                                   const HybType *output,
                                   gsize         *workspace);
/* Runs it. */
void hyb_device_step_run (const HybSubgraph *step,
                          const HybRun      *run,
                          gconstpointer     *inputs,
                          gpointer           output);
/* Frees either; NULL is allowed. */
void hyb_device_step_free (HybSubgraph *step);
