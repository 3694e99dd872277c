/* test-operators.h — compares the operators of a GPU with the processor's, one by one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/selftest/operator-results.h"

#include "engine/device/gpu.h"

/* By how much results may differ: absolutely, and of numbers above 1 as a part of them. */
#define SCOPE_TOLERANCE_F64 1e-9
#define SCOPE_TOLERANCE_F32 1e-4
#define SCOPE_TOLERANCE_F16 4e-3
/* Of recurrent layers in float16, whose steps round one after the other: what MXNet 1.9.1 allows float16
 * (test_utils.default_rtols). */
#define SCOPE_TOLERANCE_F16_STEPS 1e-2

typedef struct
{
  const char *device; /* "gpu:1" */
  HybGpuMath  math;
  gboolean    quick;   /* one sample of each operator in float32, the dearest operators first */
  double      seconds; /* time limit; 0: none */
  char      **only;    /* names of operators; NULL: all */
} ScopeOperatorTest;

/* Computes the samples and their gradients on both.  NULL and an error if the GPU cannot be opened.
 * (transfer full) */
ScopeOperatorResults *scope_test_operators (const ScopeOperatorTest *test, GError **error);
