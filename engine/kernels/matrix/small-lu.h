/* small-lu.h — LU factorisation of one small matrix of floats.
 *
 * With AVX2 LAPACK's routine takes 1.3 (64 rows) to 2.4 times as long (16 rows).  Without, it is as fast from 32 rows on.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The most rows. */
#define HYB_SMALL_LU_MAX 64

/* As hyb_lapack_lu(): replaces the n × n matrix by the factors of its transpose, by columns, sets n row numbers of exchanges,
 * counted from 1, and sets *first_zero to the number of the first pivot that is 0, or 0.  FALSE, with the matrix as it
 * was, if the factors are not finite. */
gboolean hyb_small_lu (gint64 n, float *a, gint32 *pivot, int *first_zero);
