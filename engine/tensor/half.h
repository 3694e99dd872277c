/* half.h — arrays of half floats, converted eight at a time where the processor has instructions for it (F16C).
 *
 * Both functions give the bytes that hyb_half_to_float() and hyb_float_to_half() give.  Instructions change the
 * bits of NaNs, so that both stop before a group of eight with a NaN, and before a rest of fewer than eight.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The elements of a group. */
#define HYB_HALF_GROUP 8

/* Whether the processor has the instructions. */
gboolean hyb_half_has_instructions (void);
/* Converts halves to floats until it has to stop.  Returns the number of elements that were converted. */
gsize hyb_half_widen (float *to, const guint16 *from, gsize count);
/* Rounds floats to halves until it has to stop.  Returns the number of elements that were converted. */
gsize hyb_half_round (guint16 *to, const float *from, gsize count);
