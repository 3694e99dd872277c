/* extremes.h — the largest and smallest floats of rows and of columns, by vector instructions.
 *
 * NaN if any element is NaN; of equal zeros either sign.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* For HybReduceLoops: the accumulators are floats. */
void hyb_max_row_f32 (gpointer accumulator, gconstpointer x, gint64 n);
/* Likewise. */
void hyb_min_row_f32 (gpointer accumulator, gconstpointer x, gint64 n);
/* Likewise. */
void hyb_max_columns_f32 (gpointer      accumulators,
                          gconstpointer x,
                          gint64        n,
                          gint64        n_rows,
                          gint64        stride);
/* Likewise. */
void hyb_min_columns_f32 (gpointer      accumulators,
                          gconstpointer x,
                          gint64        n,
                          gint64        n_rows,
                          gint64        stride);
