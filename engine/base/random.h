/* random.h — a counter-based generator: number i of a seed is a function of both,
 * so that any thread can draw any element, on the CPU as on a GPU.
 *
 * Philox 4×32 with 10 rounds.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The function itself. */
void hyb_random_philox (const guint32 counter[4], const guint32 key[2], guint32 words[4]);
/* Four words of block `block`. */
void hyb_random_block (guint64 seed, guint64 block, guint32 words[4]);

guint32 hyb_random_word (guint64 seed, guint64 index);
double  hyb_random_uniform (guint64 seed, guint64 index); /* [0, 1), 53 bits (two words) */
double  hyb_random_normal (guint64 seed, guint64 index);  /* mean 0, variance 1 */
guint64 hyb_random_mix (guint64 a, guint64 b);            /* a new seed from two numbers */
/* Many at once, for kernels: index is that of the first.  Each is the uniform of
 * its index cut off after 24 bits, so that it stays below 1 as a float. */
void hyb_random_uniform_fill (guint64 seed, guint64 index, float *to, gsize count);

G_END_DECLS
