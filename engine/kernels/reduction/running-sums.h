/* running-sums.h — running sums of neighbouring lines of floats.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Replaces n lines that lie side by side, of `length` elements `stride` apart (which may be negative), by their running
 * sums; they are summed in double. */
void hyb_running_sums_f32 (float *x, gint64 length, gint64 stride, gint64 n);
