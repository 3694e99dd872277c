/* vector-math.c — exp, tanh and sigmoid, sixteen floats at a time.
 *
 * One formula in vector types is compiled for each instruction set; which one
 * runs is decided at run time.  It uses neither fused multiply-add nor branches,
 * and the last few elements go through the same code in a padded block: a value
 * depends on its argument alone, not on its place, the processor or the length.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/vector-math.h"

#include <string.h>

#define LANES 16

typedef float  Floats __attribute__ ((vector_size (LANES * sizeof (float))));
typedef gint32 Ints __attribute__ ((vector_size (LANES * sizeof (gint32))));

typedef enum
{
  FUNCTION_EXP,
  FUNCTION_TANH,
  FUNCTION_SIGMOID,
} Function;

/* Vectors are passed by value, but only into functions that are inlined: the build
 * turns off the note about how they would be passed otherwise (-Wno-psabi). */
#define INLINE static inline __attribute__ ((always_inline))

INLINE Floats
fill (float value)
{
  return (Floats){ 0 } + value;
}

INLINE Floats
choose (Ints mask, Floats yes, Floats no)
{
  return (Floats) ((mask & (Ints) yes) | (~mask & (Ints) no));
}

/* exp(x) = 2^n exp(r), n = round (x / ln 2), |r| ≤ ln 2 / 2; exp(r) by a polynomial
 * of degree 6 fitted for the least greatest error (8e-9, relative).  ln 2 is
 * subtracted in two parts, of which n times the first is exact, and what rounding
 * 1 + r loses is added again.  2^n is multiplied in two factors, so that results
 * below the normal range are rounded once. */
INLINE Floats
vector_exp (Floats x)
{
  const float round = 0x1.8p23f; /* adding it leaves an integer in the low bits */

  x = choose (x > fill (89.f), fill (89.f), x);
  x = choose (x < fill (-104.f), fill (-104.f), x);

  Floats shifted = x * 0x1.715476p0f + round;
  Ints   n = (Ints) shifted - (Ints) fill (round);
  Floats whole = shifted - round;
  Floats r = (x - whole * 0x1.63p-1f) + whole * 0x1.bd0106p-13f;
  Floats p = fill (0x1.6d117cp-10f);

  p = p * r + 0x1.120be2p-7f;
  p = p * r + 0x1.555518p-5f;
  p = p * r + 0x1.5554dcp-3f;
  p = p * r + 0.5f;
  p = p * (r * r);

  Ints   half = n >> 1;
  Floats sum = 1.f + r;
  Floats lost = r - (sum - 1.f); /* exact */

  return (sum + (p + lost)) * (Floats) ((half + 127) << 23) * (Floats) ((n - half + 127) << 23);
}

/* With e = exp(-|x|), which cannot overflow: 1 / (1 + e), or e / (1 + e) below zero.
 * What rounding 1 + e loses is put right to first order; 1 / (1 + e) for it is at
 * hand, being the result itself or one minus it. */
INLINE Floats
vector_sigmoid (Floats x)
{
  Ints   negative = ((Ints) x & G_MININT32) != 0;
  Floats e = vector_exp ((Floats) ((Ints) x | G_MININT32));
  Floats sum = 1.f + e;
  Floats lost = e - (sum - 1.f);
  Floats y = choose (negative, e, fill (1.f)) / sum;

  return y - y * (lost * choose (negative, 1.f - y, y));
}

/* Near zero an odd polynomial of degree 11 (error 4e-9 of x); elsewhere
 * 1 - 2 / (exp(2|x|) + 1) with the sign of x. */
INLINE Floats
vector_tanh (Floats x)
{
  Ints   sign = (Ints) x & G_MININT32;
  Floats size = (Floats) ((Ints) x & G_MAXINT32);
  Floats u = x * x;
  Floats p = fill (-0x1.b13538p-8f);

  p = p * u + 0x1.5d220ep-6f;
  p = p * u - 0x1.b9a044p-5f;
  p = p * u + 0x1.110feap-3f;
  p = p * u - 0x1.555554p-2f;
  p = p * u * x + x;

  Floats far = 1.f - 2.f / (vector_exp (size + size) + 1.f);

  return (Floats) ((Ints) choose (size < fill (0.55f), p, far) | sign);
}

INLINE void
apply (Function function, Floats *x)
{
  switch (function)
    {
    case FUNCTION_EXP:
      *x = vector_exp (*x);
      break;
    case FUNCTION_TANH:
      *x = vector_tanh (*x);
      break;
    case FUNCTION_SIGMOID:
      *x = vector_sigmoid (*x);
      break;
    }
}

INLINE void
map (Function function, gsize n, const float *x, float *y)
{
  gsize  i = 0;
  Floats block;

  for (; i + LANES <= n; i += LANES)
    {
      memcpy (&block, x + i, sizeof block);
      apply (function, &block);
      memcpy (y + i, &block, sizeof block);
    }
  if (i == n)
    return;

  block = fill (0.f);
  memcpy (&block, x + i, (n - i) * sizeof (float));
  apply (function, &block);
  memcpy (y + i, &block, (n - i) * sizeof (float));
}

/* One copy of the loop for each instruction set: `which` is a constant in each
 * call, so that only one formula is left after inlining. */
INLINE void
map_function (Function which, gsize n, const float *x, float *y)
{
  switch (which)
    {
    case FUNCTION_EXP:
      map (FUNCTION_EXP, n, x, y);
      break;
    case FUNCTION_TANH:
      map (FUNCTION_TANH, n, x, y);
      break;
    case FUNCTION_SIGMOID:
      map (FUNCTION_SIGMOID, n, x, y);
      break;
    }
}

static void
map_generic (Function which, gsize n, const float *x, float *y)
{
  map_function (which, n, x, y);
}

#ifdef __x86_64__

static __attribute__ ((target ("avx2"))) void
map_avx2 (Function which, gsize n, const float *x, float *y)
{
  map_function (which, n, x, y);
}

static __attribute__ ((target ("avx512f,avx512dq,avx512bw,avx512vl,prefer-vector-width=512"))) void
map_avx512 (Function which, gsize n, const float *x, float *y)
{
  map_function (which, n, x, y);
}

static void
run (Function which, gsize n, const float *x, float *y)
{
  if (__builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512dq") &&
      __builtin_cpu_supports ("avx512bw") && __builtin_cpu_supports ("avx512vl"))
    map_avx512 (which, n, x, y);
  else if (__builtin_cpu_supports ("avx2"))
    map_avx2 (which, n, x, y);
  else
    map_generic (which, n, x, y);
}

#else

static void
run (Function which, gsize n, const float *x, float *y)
{
  map_generic (which, n, x, y);
}

#endif

void
hyb_vector_exp (gsize n, const float *x, float *y)
{
  run (FUNCTION_EXP, n, x, y);
}

void
hyb_vector_tanh (gsize n, const float *x, float *y)
{
  run (FUNCTION_TANH, n, x, y);
}

void
hyb_vector_sigmoid (gsize n, const float *x, float *y)
{
  run (FUNCTION_SIGMOID, n, x, y);
}
