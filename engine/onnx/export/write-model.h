/* write-model.h — writes ONNX files: a file that was read, with changes or without, and graphs of the engine.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/format.h"

/* HybFormat.prepare. */
GPtrArray *hyb_onnx_prepare (const HybWriteJob *job, GError **error);
