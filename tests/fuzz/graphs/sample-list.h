/* sample-list.h — the samples of operators that the tests of operators have, as rows that a generator chooses from.
 *
 * HYB_WRITE_SAMPLES=1 makes tests/engine/ops print them; write-samples.sh collects them when the tests are built.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

/* One use of an operator that works. */
typedef struct
{
  const HybOp *op;
  char       **attributes; /* key, value, …, NULL */
  char       **inputs; /* texts as engine/tensor/tensor-text.h describes them; NULL-terminated */
} OperatorSample;

/* An operator with its samples. */
typedef struct
{
  const HybOp *op;
  GPtrArray   *samples; /* of OperatorSample */
} SampledOperator;

/* The operators of a file of samples that models can have, in its order: those that run and are not made by passes.  NULL and an
 * error if the file cannot be read.  Elements are SampledOperator.  (transfer full) */
GPtrArray *sample_list_read (const char *path, GError **error);
