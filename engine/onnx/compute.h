/* compute.h — nodes that run one by one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/onnx/onnx-op.h"

/* An array without elements, of the type that the file declares for an output as far as it does.  (transfer full) */
HybTensor *hyb_onnx_no_rows (const HybCall *call, guint output, GError **error);

/* How many states a Scan has that the file gives: inputs from first_input on that are not its data. */
guint hyb_onnx_scan_n_states (const HybOnnxUse *use, guint first_input);
