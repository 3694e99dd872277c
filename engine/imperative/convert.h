/* convert.h — running a kernel on dtypes that it does not compute in.
 *
 * The kernel gets a call of its own, the inner one, whose types it knows;
 * operands are converted around it in the workspace.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/run.h"

/* The dtype that op computes in where an operand has this one. */
HybDType hyb_convert_dtype (const HybOp *op, HybDType dtype);
gboolean hyb_convert_is_needed (const HybCall *call);

/* The inner call; room: one type per operand.  *bytes: what conversion takes of
 * the workspace, a multiple of the alignment.  FALSE if that overflows. */
gboolean hyb_convert_init (HybCall *inner, const HybCall *outer, HybType *room, gsize *bytes);

/* run's pointers are those of the outer call.  Its workspace has the bytes for
 * conversion first, then those that the operator asked for with the inner call. */
void hyb_convert_forward (const HybCall *outer, const HybCall *inner, const HybRun *run);
