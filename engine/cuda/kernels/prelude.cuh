/* prelude.cuh — what all kernels use: element types, their loads, stores and conversions, and
 * functions that are overloaded for float and double.
 *
 * No header of the toolkit is included.  Formulas are those of the processor's kernels.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

struct Half
{
  unsigned short bits;
};
struct Bfloat
{
  unsigned short bits;
};
struct Bool
{
  unsigned char bits;
};

typedef signed char        I8;
typedef unsigned char      U8;
typedef short              I16;
typedef unsigned short     U16;
typedef int                I32;
typedef unsigned int       U32;
typedef long long          I64;
typedef unsigned long long U64;

#define DEVICE static __device__ __forceinline__
#define EACH(i, n)                                                                 \
  for (long long i = (long long) blockIdx.x * blockDim.x + threadIdx.x; i < (n); \
       i += (long long) gridDim.x * blockDim.x)

#define PI_ 3.14159265358979323846
#define LN2_ 0.69314718055994530942
#define LN10_ 2.30258509299404568402
#define TWO_OVER_SQRT_PI 1.12837916709551257390
#define SQRT_HALF 0.70710678118654752440
#define INFINITE __longlong_as_double (0x7ff0000000000000ll)

/* --- Loads and stores: half floats are computed in float --- */

template <typename S> DEVICE S
get (const S *p, long long i)
{
  return p[i];
}
DEVICE float
get (const Half *p, long long i)
{
  float y;
  asm ("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(p[i].bits));
  return y;
}
DEVICE float
get (const Bfloat *p, long long i)
{
  return __uint_as_float ((unsigned) p[i].bits << 16);
}
DEVICE U8
get (const Bool *p, long long i)
{
  return p[i].bits;
}

template <typename S, typename V> DEVICE void
put (S *p, long long i, V value)
{
  p[i] = (S) value;
}
DEVICE void
put (Half *p, long long i, float value)
{
  unsigned short bits;
  asm ("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  p[i].bits = bits;
}
/* Rounds to nearest, ties to even; a NaN stays one. */
DEVICE void
put (Bfloat *p, long long i, float value)
{
  unsigned bits = __float_as_uint (value);

  p[i].bits = (unsigned short) (value != value ? 0x7fc0 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
template <typename V> DEVICE void
put (Bool *p, long long i, V value)
{
  p[i].bits = value != 0;
}

/* --- Conversions as by hyb_dtype_convert() --- */

/* Toward zero to 64 bits, which saturate; NaN gives 0. */
DEVICE long long
to_integer (double x)
{
  return x != x                      ? 0
         : x >= 9223372036854775808. ? 0x7fffffffffffffffll
         : x <= -9223372036854775808. ? -0x7fffffffffffffffll - 1
                                      : (long long) x;
}
template <typename T> struct To
{
  template <typename V> DEVICE T
  from (V x)
  {
    return (T) x;
  }
  DEVICE T
  from (float x)
  {
    return (T) to_integer (x);
  }
  DEVICE T
  from (double x)
  {
    return (T) to_integer (x);
  }
};
template <> struct To<float>
{
  template <typename V> DEVICE float
  from (V x)
  {
    return (float) x;
  }
};
template <> struct To<double>
{
  template <typename V> DEVICE double
  from (V x)
  {
    return (double) x;
  }
};

/* --- Functions of one number --- */

#define BOTH(name, single, twice) \
  DEVICE float name (float x)     \
  {                               \
    return single (x);            \
  }                               \
  DEVICE double name (double x)   \
  {                               \
    return twice (x);             \
  }
BOTH (m_exp, expf, exp)
BOTH (m_expm1, expm1f, expm1)
BOTH (m_exp2, exp2f, exp2)
BOTH (m_log, logf, log)
BOTH (m_log10, log10f, log10)
BOTH (m_log2, log2f, log2)
BOTH (m_log1p, log1pf, log1p)
BOTH (m_sqrt, sqrtf, sqrt)
BOTH (m_cbrt, cbrtf, cbrt)
BOTH (m_sin, sinf, sin)
BOTH (m_cos, cosf, cos)
BOTH (m_tan, tanf, tan)
BOTH (m_asin, asinf, asin)
BOTH (m_acos, acosf, acos)
BOTH (m_atan, atanf, atan)
BOTH (m_sinh, sinhf, sinh)
BOTH (m_cosh, coshf, cosh)
BOTH (m_tanh, tanhf, tanh)
BOTH (m_asinh, asinhf, asinh)
BOTH (m_acosh, acoshf, acosh)
BOTH (m_atanh, atanhf, atanh)
BOTH (m_erf, erff, erf)
BOTH (m_erfinv, erfinvf, erfinv)
BOTH (m_gamma, tgammaf, tgamma)
BOTH (m_lgamma, lgammaf, lgamma)
BOTH (m_abs, fabsf, fabs)
BOTH (m_floor, floorf, floor)
BOTH (m_ceil, ceilf, ceil)
BOTH (m_trunc, truncf, trunc)
BOTH (m_round, roundf, round)

DEVICE long long
m_abs (long long x)
{
  return x < 0 ? (long long) (0 - (U64) x) : x;
}
DEVICE long long
m_floor (long long x)
{
  return x;
}
DEVICE long long
m_ceil (long long x)
{
  return x;
}
DEVICE long long
m_trunc (long long x)
{
  return x;
}
DEVICE long long
m_round (long long x)
{
  return x;
}
/* The nearest integer; halves are rounded down. */
template <typename T> DEVICE T
m_rint (T x)
{
  return x - m_floor (x) <= m_ceil (x) - x ? m_floor (x) : m_ceil (x);
}
template <typename T> DEVICE T
m_neg (T x)
{
  return -x;
}
DEVICE long long
m_neg (long long x)
{
  return (long long) (0 - (U64) x);
}
template <typename T> DEVICE T
m_square (T x)
{
  return x * x;
}
DEVICE long long
m_square (long long x)
{
  return (long long) ((U64) x * (U64) x);
}

/* --- Functions of two numbers.  Integers come as long long and wrap --- */

#define BINARY(name, formula)     \
  DEVICE float name (float a, float b)    \
  {                                       \
    return formula;                       \
  }                                       \
  DEVICE double name (double a, double b) \
  {                                       \
    return formula;                       \
  }
#define BINARY_INTEGER(name, formula)               \
  DEVICE long long name (long long a, long long b) \
  {                                                 \
    return (long long) (formula);                   \
  }
DEVICE float
f_pow (float a, float b)
{
  return powf (a, b);
}
DEVICE double
f_pow (double a, double b)
{
  return pow (a, b);
}
DEVICE float
f_mod (float a, float b)
{
  return fmodf (a, b);
}
DEVICE double
f_mod (double a, double b)
{
  return fmod (a, b);
}
DEVICE float
f_hypot (float a, float b)
{
  return hypotf (a, b);
}
DEVICE double
f_hypot (double a, double b)
{
  return hypot (a, b);
}
/* The remainder with the sign of the divisor; 0 if that is 0. */
template <typename T> DEVICE T
f_modulo (T a, T b)
{
  T rest;

  if (b == 0)
    return 0;
  rest = f_mod (a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
DEVICE long long
i_modulo (long long a, long long b)
{
  long long rest;

  if (b == 0 || b == -1)
    return 0;
  rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
/* 0 where the value exceeds 64 bits. */
DEVICE long long
narrow (double value)
{
  return value > -9.2e18 && value < 9.2e18 ? (long long) value : 0;
}

/* By squaring, which is exact up to 2⁵³; pow () may be just below an integer. */
DEVICE long long
i_pow (long long a, long long b)
{
  double result = 1, square = (double) a;

  if (b < 0)
    return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
  for (; b > 0; b >>= 1)
    {
      if (b & 1)
        result *= square;
      square *= square;
    }
  return narrow (result);
}

BINARY (m_add, a + b)
BINARY (m_sub, a - b)
BINARY (m_mul, a * b)
BINARY (m_div, a / b)
BINARY (m_mod, f_modulo (a, b))
BINARY (m_pow, b == 2 ? a * a : f_pow (a, b))
BINARY (m_hypot, f_hypot (a, b))
BINARY (m_max, a > b || a != a ? a : b)
BINARY (m_min, a < b || a != a ? a : b)
BINARY_INTEGER (m_add, (U64) a + (U64) b)
BINARY_INTEGER (m_sub, (U64) a - (U64) b)
BINARY_INTEGER (m_mul, (U64) a * (U64) b)
BINARY_INTEGER (m_div, b == 0 ? 0 : b == -1 ? (long long) (0 - (U64) a) : a / b)
BINARY_INTEGER (m_mod, i_modulo (a, b))
BINARY_INTEGER (m_pow, i_pow (a, b))
BINARY_INTEGER (m_hypot, narrow (hypot ((double) a, (double) b)))
BINARY_INTEGER (m_max, a > b ? a : b)
BINARY_INTEGER (m_min, a < b ? a : b)

/* Powers of results of type R: those of uint32 wrap, like its products. */
template <typename R> struct Power
{
  template <typename V> DEVICE V
  of (V a, V b)
  {
    return m_pow (a, b);
  }
};
template <> struct Power<U32>
{
  DEVICE long long
  of (long long a, long long b)
  {
    U64 power = 1, square = (U64) a;

    for (U32 rest = (U32) b; rest != 0; rest >>= 1, square *= square)
      power *= rest & 1 ? square : 1;
    return (long long) power;
  }
};

/* start + i × step, rounded after the product too, as the processor does. */
DEVICE double
evenly (double start, double step, long long i)
{
  double product;

  asm ("mul.rn.f64 %0, %1, %2;" : "=d"(product) : "d"((double) i), "d"(step));
  return start + product;
}

/* Γ′ / Γ by ψ(x) = ψ(x + 1) − 1/x, the asymptotic series from 12 on, and reflection below 0. */
DEVICE double
m_digamma (double x)
{
  const double coefficients[] = { -1 / 12.,  1 / 120.,      -1 / 252., 1 / 240.,
                                  -1 / 132., 691 / 32760., -1 / 12. };
  double       sum = 0, power = 1;

  if (x <= 0)
    {
      if (x == floor (x))
        return __longlong_as_double (0x7ff0000000000000ll);
      sum = -PI_ / tan (PI_ * x);
      x = 1 - x;
    }
  for (; x < 12; x++)
    sum -= 1 / x;
  sum += log (x) - 0.5 / x;
#pragma unroll
  for (int k = 0; k < 7; k++)
    {
      power /= x * x;
      sum += coefficients[k] * power;
    }
  return sum;
}

/* What clip compares in: the type of floats, double for integers. */
template <typename T> struct Bound
{
  typedef double type;
};
template <> struct Bound<float>
{
  typedef float type;
};

/* The results of formulas that give bool. */
struct Truth
{
};
template <> struct To<Truth>
{
  template <typename V> DEVICE long long
  from (V x)
  {
    return x != 0;
  }
};

/* What formulas compute in: the type itself if it is a float, else long long. */
template <typename T> struct Wide
{
  typedef long long type;
};
template <> struct Wide<float>
{
  typedef float type;
};
template <> struct Wide<double>
{
  typedef double type;
};

/* --- Uses of the same place --- */

/* Threads of the one block that calls chain_uses(). */
#define CHAIN_THREADS 256

/* Makes a chain of the uses i of each place, in their order: next[i] is the next use of the same place, or −1, and
 * heads[place] the first one plus 1.  place_of (i) is negative for a use that does not count; heads are 0 before.  One
 * block walks from the last uses to the first ones, so that the work grows with n alone and no order of threads shows. */
template <typename PlaceOf>
DEVICE void
chain_uses (long long n, const PlaceOf &place_of, long long *next, int *heads)
{
  __shared__ long long places[CHAIN_THREADS];
  __shared__ int       follows[CHAIN_THREADS]; /* an earlier use of these is of the same place */
  const int            t = threadIdx.x;

  for (long long base = (n - 1) / CHAIN_THREADS * CHAIN_THREADS; base >= 0; base -= CHAIN_THREADS)
    {
      const long long i = base + t, place = i < n ? place_of (i) : -1;
      int             k = t + 1;

      places[t] = place;
      follows[t] = 0;
      __syncthreads ();
      while (k < CHAIN_THREADS && places[k] != place)
        k++;
      if (place >= 0)
        {
          next[i] = k < CHAIN_THREADS ? base + k : (long long) heads[place] - 1;
          if (k < CHAIN_THREADS)
            follows[k] = 1;
        }
      __syncthreads ();
      if (place >= 0 && !follows[t])
        heads[place] = (int) (i + 1);
      __syncthreads ();
    }
}
