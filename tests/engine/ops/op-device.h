/* op-device.h — compares samples of operators on a device with the processor.
 *
 * HYB_TEST_DEVICE=gpu makes op-check.c call it instead of its other checks.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/engine/ops/op-case.h"

/* TRUE if the tests of this program are to run on a device. */
gboolean op_device_is_wanted (void);
/* Runs a sample, and its gradients where it has any, on the device in float32, float64 and float16,
 * and compares with the processor.  Skips the test if there is no compiler for kernels. */
void op_device_check (const OpCase *this, gboolean training);
