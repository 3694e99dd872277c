/* random.h — a counter-based random number generator, Philox 4×32 with 10 rounds.
 * Number `index` of a seed is a function of both, so that any thread can compute any element, on the CPU as on a GPU, and
 * gradients can compute the same numbers again.  GRand and the C library compute each number from the one before.
 * Threads: any thread; the functions have no state.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"

#include <glib.h>

G_BEGIN_DECLS

/* Philox itself: four random words from a counter and a key. */
HYB_API void hyb_random_philox (const guint32 counter[4], const guint32 key[2], guint32 words[4]);
/* The four words of a block of a seed: words 4 block … 4 block + 3. */
HYB_API void hyb_random_block (guint64 seed, guint64 block, guint32 words[4]);

/* Word number index of a seed: 32 random bits. */
HYB_API guint32 hyb_random_word (guint64 seed, guint64 index);
/* A number in [0, 1) with 53 random bits, from two words. */
HYB_API double hyb_random_uniform (guint64 seed, guint64 index);
/* A normally distributed number with mean 0 and variance 1. */
HYB_API double hyb_random_normal (guint64 seed, guint64 index);
/* Derives a seed from two numbers. */
HYB_API guint64 hyb_random_mix (guint64 a, guint64 b);
/* Writes hyb_random_uniform() of `count` indices, starting at index, truncated to 24 bits so that
 * each stays below 1 as a float. */
HYB_API void hyb_random_uniform_fill (guint64 seed, guint64 index, float *to, gsize count);
/* Writes hyb_random_normal() of `count` indices, starting at index. */
HYB_API void hyb_random_normal_fill (guint64 seed, guint64 index, double *to, gsize count);

G_END_DECLS
