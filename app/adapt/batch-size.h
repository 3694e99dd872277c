/* batch-size.h — how many samples a measured run computed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"
#include "profiler/capture/capture.h"

/* The batch of the run in capture: the axis N of a variable or begin state that has a layout, else the axis of the
 * first data input that can become longer and is not the axis of steps of a sequence.  0: not known.  graph: of model,
 * as it was run.  Infers types, which takes long for large graphs. */
gint64 scope_batch_size (const ProfCapture *capture, HybModel *model, HybGraph *graph);
