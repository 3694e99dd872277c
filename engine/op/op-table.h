/* op-table.h — the operators of the library and their other names, as data.
 *
 * engine/ops lists its operators in op-table.c; op-find.c looks them up.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

typedef struct
{
  const char *alias, *name;
} HybOpAlias;

typedef struct
{
  const char *pattern, *reason;
} HybOpReason;

/* Each list ends with an empty entry. */
extern const HybOp *const hyb_op_arrays[]; /* arrays of operators, each of which ends likewise */
extern const HybOpAlias   hyb_op_aliases[];
extern const HybOpReason  hyb_op_reasons[]; /* why names of MXNet have no operator */
