/* resize-axis.h — resamples axes of arrays, for resize.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/onnx/ops/pieces.h"

/* How output positions map to input positions along one axis. */
typedef struct
{
  gint64      from, to; /* elements */
  double      scale;
  double      roi_start, roi_end;
  const char *coordinates;
  const char *nearest; /* how positions are rounded */
  gboolean    is_cubic;
  gboolean    is_crop; /* positions are given by roi_start and roi_end */
} ResizeAxis;

/* x of `rank` axes with each of them resampled from n_taps elements for each result: 1, 2 or 4.  HYB_NO_ID after a failure. */
HybValueId onnx_resize_axes (HybLowering      *lowering,
                             HybValueId        x,
                             int               rank,
                             const ResizeAxis *axes,
                             guint             n_taps);
