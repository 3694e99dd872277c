/* panel-reading.c — how weights in panels are read on this machine; see panel-reading.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/matrix/panel-reading.h"

#include "engine/kernels/simd/machine-model.h"

gint64
hyb_panel_ahead (gsize bytes, gint64 rows)
{
  return hyb_machine_prefetch_bytes (bytes, rows) / (gint64) sizeof (float);
}

gboolean
hyb_panel_reads_backwards (const float *panels)
{
  static _Thread_local const float *last;
  static _Thread_local gboolean     backwards;

  backwards = panels == last && !backwards;
  last = panels;
  return backwards;
}
