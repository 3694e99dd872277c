/* operand-types.h — the common element type of two tensors, and operands converted to it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"
#include "engine/op/run.h"

/* The type that holds values of both: the wider float, or the float if only one is a float, or the
 * wider integer; uint8 and int8 give int32; bool gives way to any other.  HYB_DTYPE_UNKNOWN if one
 * is unknown. */
HybDType hyb_dtype_common (HybDType a, HybDType b);

/* Workspace bytes that hyb_operand_as() needs for all inputs that are not of this type. */
gsize hyb_operands_workspace (const HybCall *call, HybDType dtype);
/* Input number `index` as an array of this type: itself, or a copy in *room, which is advanced.
 * Starts with room = run->workspace. */
gconstpointer
hyb_operand_as (const HybCall *call, const HybRun *run, guint index, HybDType dtype, char **room);
