/* transpose.h — matrices of 32-bit elements, transposed in registers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* y[i, j] = x[j, i] for `height` rows and `width` columns of y; strides in elements.  The
 * elements may be of any type and need no alignment. */
void hyb_transpose_32 (gint64        height,
                       gint64        width,
                       gconstpointer x,
                       gint64        x_stride,
                       gpointer      y,
                       gint64        y_stride);
