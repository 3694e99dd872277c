/* random.c — Philox 4×32 with 10 rounds, and numbers drawn from it.
 *
 * J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, “Parallel random numbers: as easy as 1, 2, 3”
 * (2011).  The constants come from the paper; the test checks its authors' vectors.
 * hyb_random_philox() is the generator, all others are built on it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/random.h"

#include <math.h>
#include <string.h>

#define N_ROUNDS     10
#define MULTIPLIER_0 0xD2511F53u
#define MULTIPLIER_1 0xCD9E8D57u
#define WEYL_0       0x9E3779B9u /* golden ratio */
#define WEYL_1       0xBB67AE85u /* √3 − 1 */

/* Blocks that draw_blocks() computes side by side, so that the rounds vectorise. */
#define LANES 8

void
hyb_random_philox (const guint32 counter[4], const guint32 key[2], guint32 words[4])
{
  g_return_if_fail (counter && key && words);

  guint32 c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  guint32 k0 = key[0], k1 = key[1];

  for (int round = 0; round < N_ROUNDS; round++)
    {
      guint64 p0 = (guint64) MULTIPLIER_0 * c0;
      guint64 p1 = (guint64) MULTIPLIER_1 * c2;

      c0 = (guint32) (p1 >> 32) ^ c1 ^ k0;
      c1 = (guint32) p1;
      c2 = (guint32) (p0 >> 32) ^ c3 ^ k1;
      c3 = (guint32) p0;
      k0 += WEYL_0;
      k1 += WEYL_1;
    }

  words[0] = c0;
  words[1] = c1;
  words[2] = c2;
  words[3] = c3;
}

void
hyb_random_block (guint64 seed, guint64 block, guint32 words[4])
{
  guint32 counter[4] = { (guint32) block, (guint32) (block >> 32), 0, 0 };
  guint32 key[2] = { (guint32) seed, (guint32) (seed >> 32) };

  g_return_if_fail (words);
  hyb_random_philox (counter, key, words);
}

guint32
hyb_random_word (guint64 seed, guint64 index)
{
  guint32 words[4];

  hyb_random_block (seed, index / 4, words);
  return words[index % 4];
}

/* A number in [0, 1) with 53 bits, as many as a double has. */
static double
uniform_from_words (guint32 high, guint32 low)
{
  return (double) ((((guint64) high << 32) | low) >> 11) * 0x1p-53;
}

double
hyb_random_uniform (guint64 seed, guint64 index)
{
  guint32 words[4];
  guint   at = 2 * (guint) (index % 2);

  hyb_random_block (seed, index / 2, words);
  return uniform_from_words (words[at], words[at + 1]);
}

/* The Box–Muller transform of the two uniform numbers of one block.  1 − u is in (0, 1], so that
 * the logarithm stays finite. */
static inline double
normal_from_words (guint32 w0, guint32 w1, guint32 w2, guint32 w3)
{
  double radius = sqrt (-2.0 * log (1.0 - uniform_from_words (w0, w1)));
  double angle = 2.0 * G_PI * uniform_from_words (w2, w3);

  return radius * cos (angle);
}

double
hyb_random_normal (guint64 seed, guint64 index)
{
  guint32 words[4];

  hyb_random_block (seed, index, words);
  return normal_from_words (words[0], words[1], words[2], words[3]);
}

/* Two rounds of the finaliser of SplitMix64. */
static guint64
scramble (guint64 x)
{
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

guint64
hyb_random_mix (guint64 a, guint64 b)
{
  return scramble (scramble (a) ^ b);
}

/* The words of LANES blocks, side by side. */
typedef struct
{
  guint32 c0[LANES], c1[LANES], c2[LANES], c3[LANES];
} Blocks;

static inline void
draw_blocks (guint64 seed, guint64 block, Blocks *blocks)
{
  guint32 c0[LANES], c1[LANES], c2[LANES], c3[LANES];
  guint32 k0 = (guint32) seed, k1 = (guint32) (seed >> 32);

  for (int i = 0; i < LANES; i++)
    {
      c0[i] = (guint32) (block + (guint64) i);
      c1[i] = (guint32) ((block + (guint64) i) >> 32);
      c2[i] = c3[i] = 0;
    }

  for (int round = 0; round < N_ROUNDS; round++)
    {
      for (int i = 0; i < LANES; i++)
        {
          guint64 p0 = (guint64) MULTIPLIER_0 * c0[i];
          guint64 p1 = (guint64) MULTIPLIER_1 * c2[i];

          c0[i] = (guint32) (p1 >> 32) ^ c1[i] ^ k0;
          c1[i] = (guint32) p1;
          c2[i] = (guint32) (p0 >> 32) ^ c3[i] ^ k1;
          c3[i] = (guint32) p0;
        }
      k0 += WEYL_0;
      k1 += WEYL_1;
    }

  memcpy (blocks->c0, c0, sizeof c0);
  memcpy (blocks->c1, c1, sizeof c1);
  memcpy (blocks->c2, c2, sizeof c2);
  memcpy (blocks->c3, c3, sizeof c3);
}

/* Writes the two uniform numbers of each of LANES blocks, starting at `block`; only the words that
 * hold the upper 24 bits of each are used. */
static void
fill_lanes (guint64 seed, guint64 block, float *to)
{
  Blocks blocks;

  draw_blocks (seed, block, &blocks);
  for (int i = 0; i < LANES; i++)
    {
      to[2 * i] = (float) (blocks.c0[i] >> 8) * 0x1p-24f;
      to[2 * i + 1] = (float) (blocks.c2[i] >> 8) * 0x1p-24f;
    }
}

/* hyb_random_uniform() truncated to 24 bits; rounding could give 1. */
static float
uniform_float (guint64 seed, guint64 index)
{
  guint32 words[4];

  hyb_random_block (seed, index / 2, words);
  return (float) (words[2 * (index % 2)] >> 8) * 0x1p-24f;
}

void
hyb_random_uniform_fill (guint64 seed, guint64 index, float *to, gsize count)
{
  gsize done = 0;

  if (index % 2 == 1 && count > 0)
    to[done++] = uniform_float (seed, index);

  for (; count - done >= 2 * LANES; done += 2 * LANES)
    fill_lanes (seed, (index + done) / 2, to + done);

  for (; done < count; done++)
    to[done] = uniform_float (seed, index + done);
}

void
hyb_random_normal_fill (guint64 seed, guint64 index, double *to, gsize count)
{
  gsize done = 0;

  for (; count - done >= LANES; done += LANES)
    {
      Blocks blocks;

      draw_blocks (seed, index + done, &blocks);
      for (int i = 0; i < LANES; i++)
        to[done + (gsize) i] =
            normal_from_words (blocks.c0[i], blocks.c1[i], blocks.c2[i], blocks.c3[i]);
    }
  for (; done < count; done++)
    to[done] = hyb_random_normal (seed, index + done);
}
