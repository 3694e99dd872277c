/* op-write.h — writes samples of operators for hscope selftest, which has no tests to read them from.
 *
 * HYB_WRITE_SAMPLES=1 makes a test print them when it starts; tests/engine/cuda/samples.sh collects them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/engine/ops/op-check.h"

/* Prints a line that app/command/selftest/operator-samples.h describes; nothing if samples are not wanted
 * or this one needs functions of the test. */
void op_write_sample (const HybOp *op, const OpSample *sample);
