/* random.cu — random numbers: the generator of engine/base/random.c, and what is drawn with it.
 *
 * Number i depends on the seed of the step and on i alone, so that the GPU draws the processor's bits: Philox
 * and uniform numbers are the same, others up to the rounding of functions such as log.  The seed of the run is
 * read from memory, because it changes although a recording is replayed.  Stored is the type of
 * the elements, Result that of a value before it is stored, Parameter the type of parameters in
 * tensors, DRAW the number that is drawn. */
#include "prelude.cuh"
#include "arguments.h"

struct Words
{
  U32 w0, w1, w2, w3;
};

/* Philox 4×32 with 10 rounds. */
DEVICE Words
block_of (U64 seed, U64 block)
{
  U32 c0 = (U32) block, c1 = (U32) (block >> 32), c2 = 0, c3 = 0;
  U32 k0 = (U32) seed, k1 = (U32) (seed >> 32);

#pragma unroll
  for (int round = 0; round < 10; round++)
    {
      const U64 p0 = (U64) 0xD2511F53u * c0, p1 = (U64) 0xCD9E8D57u * c2;

      c0 = (U32) (p1 >> 32) ^ c1 ^ k0;
      c1 = (U32) p1;
      c2 = (U32) (p0 >> 32) ^ c3 ^ k1;
      c3 = (U32) p0;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
  return Words { c0, c1, c2, c3 };
}

DEVICE U64
scramble (U64 x)
{
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

DEVICE U64
mix (U64 a, U64 b)
{
  return scramble (scramble (a) ^ b);
}

/* As hyb_run_random_seed(). */
DEVICE U64
seed_of (const Draws &draws)
{
  return mix (mix (*draws.seed, draws.key), draws.step);
}

/* A number in [0, 1) with 53 bits. */
DEVICE double
from_words (U32 high, U32 low)
{
  return (double) (((U64) high << 32 | low) >> 11) * 0x1p-53;
}

DEVICE double
uniform (U64 seed, U64 index)
{
  const Words words = block_of (seed, index / 2);

  return index % 2 ? from_words (words.w2, words.w3) : from_words (words.w0, words.w1);
}

/* The same, truncated to 24 bits. */
DEVICE float
uniform_single (U64 seed, U64 index)
{
  const Words words = block_of (seed, index / 2);

  return (float) ((index % 2 ? words.w2 : words.w0) >> 8) * 0x1p-24f;
}

/* The Box–Muller transform. */
DEVICE double
normal (U64 seed, U64 index)
{
  const Words words = block_of (seed, index);

  return sqrt (-2.0 * log (1.0 - from_words (words.w0, words.w1))) *
         cos (2.0 * PI_ * from_words (words.w2, words.w3));
}

DEVICE long long
integer (U64 seed, U64 index, long long first, U64 range)
{
  const Words words = block_of (seed, index);

  return (long long) ((U64) first + ((U64) words.w0 << 32 | words.w1) % range);
}

/* a + b x, rounded after the product too, as the processor does. */
DEVICE double
scaled (double a, double b, double x)
{
  return __dadd_rn (a, __dmul_rn (b, x));
}
DEVICE float
scaled (float a, float b, float x)
{
  return __fadd_rn (a, __fmul_rn (b, x));
}

#ifdef DRAW
/* DRAW is a formula of the seed, the number i and the parameters p and q. */
extern "C" __global__ void
draw (const RandomArguments a)
{
  const U64 seed = seed_of (a.draws);

  EACH (i, a.n)
  {
    const long long k = i / a.n_drawn;
    const double    p = a.p ? (double) get ((const Parameter *) a.p, k) : a.numbers[0];
    const double    q = a.q ? (double) get ((const Parameter *) a.q, k) : a.numbers[1];

    put ((Stored *) a.y, i, (Wide<Result>::type) To<Result>::from (DRAW));
  }
}
#else
/* y = x · mask, whose element is 1 / (1 - share), or 0 with the probability `share`; the mask has size 1 along
 * axes of stride 0.  The thread of the first element that shares a draw writes it. */
extern "C" __global__ void
drop (const DropArguments a)
{
  const U64    seed = a.share > 0 ? seed_of (a.draws) : 0;
  const double kept = 1 / (1 - a.share);

  EACH (i, a.n)
  {
    long long rest = i, place = 0;
    bool      is_first = true;
    double    value;

    for (int d = a.rank - 1; d >= 0; d--)
      {
        const long long k = rest % a.dim[d];

        rest /= a.dim[d];
        place += k * a.stride[d];
        is_first &= k == 0 || a.stride[d] != 0;
      }
    value = a.share <= 0 ? 1 : uniform_single (seed, place) < 1 - a.share ? kept : 0;
    if (is_first)
      put ((Stored *) a.mask, place, (Result) value);
    put ((Stored *) a.y, i, get ((const Stored *) a.x, i) * (Result) value);
  }
}
#endif
