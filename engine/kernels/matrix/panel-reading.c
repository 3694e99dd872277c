/* panel-reading.c — how weights in panels are read on this processor; see panel-reading.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/matrix/panel-reading.h"

#include "engine/kernels/simd/processor.h"

gint64
hyb_panel_ahead (gsize bytes)
{
  const HybProcessor *processor = hyb_processor ();

  if (bytes > (gsize) processor->last_cache / 2)
    return HYB_PANEL_AHEAD_OF_MEMORY;
  return processor->prefetches_well || bytes <= (gsize) processor->second_cache
             ? 0
             : HYB_PANEL_AHEAD_OF_CACHE;
}

gboolean
hyb_panel_is_far (gsize bytes)
{
  return bytes > 2 * (gsize) hyb_processor ()->second_cache;
}

gboolean
hyb_panel_reads_backwards (const float *panels, gsize bytes)
{
  static _Thread_local const float *last;
  static _Thread_local gboolean     backwards;

  backwards = panels == last && !backwards;
  last = panels;
  return backwards && !hyb_panel_is_far (bytes);
}
