/* convert.h — runs a kernel on dtypes that it does not support.
 *
 * The outer call has the dtypes of the values, the inner call those that the kernel computes in.
 * Operands are converted in the workspace, before and after the inner call.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/run.h"

/* TRUE if an operand of call has a dtype that the kernel does not compute in. */
gboolean hyb_convert_is_needed (const HybCall *call);

/* Makes the inner call.  room: space for one type an operand.  *bytes: the workspace needed for
 * conversion, a multiple of HYB_ALIGNMENT.  FALSE if that overflows. */
gboolean hyb_convert_init (HybCall *inner, const HybCall *outer, HybType *room, gsize *bytes);

/* Converts inputs, runs the kernel, converts outputs.  run has the pointers of the outer call; its
 * workspace begins with the bytes for conversion, followed by those of the inner call. */
void hyb_convert_forward (const HybCall *outer, const HybCall *inner, const HybRun *run);
