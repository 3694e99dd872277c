/* padded-rows.h — rows of a Loop that are extended to all steps that it could make.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/onnx/onnx-op.h"

/* The rows of the engine's loop, with zeros after the last step, if x is a Concat of the rows that a Loop made and of zeros,
 * and a slice of its first n rows is read; else HYB_NO_ID. */
HybValueId hyb_onnx_find_padded_rows (HybLowering *lowering, HybValueId x, gint64 n);
