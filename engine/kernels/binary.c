/* binary.c — binary functions over arrays: y[i] = f(a[i], b[i]).
 *
 * binary-template.h is included once for each element type and defines one loop for each function.
 * hyb_binary_run() chooses the loop and runs it over the rows of the broadcast tensors (each.h).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/binary.h"

#include "engine/kernels/binary-vector.h"
#include "engine/kernels/division.h"
#include "engine/kernels/each.h"
#include "engine/tensor/shape-private.h"

#include <tgmath.h>

#include "engine/kernels/vectorise.h"

/* Up to here a row is computed sooner than the loop for this processor is found. */
#define SHORT_ROW 16

/* Converts to an integer; 0 where the value exceeds 64 bits, which C leaves undefined. */
static inline gint64
to_integer (double value)
{
  return value > -9.2e18 && value < 9.2e18 ? (gint64) value : 0;
}

static inline guint64
to_unsigned (double value)
{
  return value > -1 && value < 0x1p64 ? (guint64) value : 0;
}

#define DIVIDE_INTEGERS(a, b)               \
  _Generic((a), gint64                      \
           : divide_integers, gint32        \
           : divide_words, guint64          \
           : divide_unsigned, guint32       \
           : divide_unsigned_words, default \
           : divide_bytes) ((a), (b))
#define MODULO_INTEGERS(a, b)               \
  _Generic((a), gint64                      \
           : modulo_integers, gint32        \
           : modulo_words, guint64          \
           : modulo_unsigned, guint32       \
           : modulo_unsigned_words, default \
           : modulo_bytes) ((a), (b))

/* Powers of unsigned integers, which wrap; of others by pow(). */
static inline guint64
power_unsigned (guint64 a, guint64 b)
{
  guint64 power = 1;

  for (; b != 0; b >>= 1, a *= a)
    power *= b & 1 ? a : 1;
  return power;
}

static inline gint64
power_signed (gint64 a, gint64 b)
{
  return to_integer (pow ((double) a, (double) b));
}

#define POWER_INTEGERS(a, b)         \
  _Generic((a), guint64              \
           : power_unsigned, guint32 \
           : power_unsigned, default \
           : power_signed) ((a), (b))
#define MAGNITUDE(a) \
  _Generic((a), guint64 : (guint64) (a), default : (guint64) magnitude ((gint64) (a)))

static inline guint64
magnitude (gint64 a)
{
  return a < 0 ? 0 - (guint64) a : (guint64) a;
}

static inline guint64
least_common_multiple (guint64 x, guint64 y)
{
  guint64 divisor = x, rest = y;

  if (x == 0 || y == 0)
    return 0;
  while (rest != 0)
    {
      guint64 next = divisor % rest;

      divisor = rest;
      rest = next;
    }
  return x / divisor * y;
}

/* Whether a double is an integer of so few bits that quotients of two are cut exactly, as in divide_words(). */
static inline gboolean
is_integer (double a)
{
  return fabs (a) < 0x1p52 && (double) (gint64) a == a;
}

/* The remainder with the sign of the divisor, as in Python; fmod() has that of the dividend. */
static inline double
modulo_double (double a, double b)
{
  double rest;

  if (b == 0)
    return 0;
  rest = is_integer (a) && is_integer (b) ? copysign (a - (double) (gint64) (a / b) * b, a)
                                          : fmod (a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* fmod().  A whole quotient below 2²⁰ times a float is exact in double, and so is its difference from the dividend; nor
 * can rounding have lifted the quotient to the next integer, from which it is at least 2⁻²⁴ away.  0 times an infinite
 * divisor would be NaN. */
static inline float
remainder_float (float a, float b)
{
  double quotient = (double) a / (double) b;

  if (G_LIKELY (fabs (quotient) < 0x1p20 && !isinf (b)))
    return copysignf ((float) ((double) a - (double) (gint32) quotient * (double) b), a);
  return fmodf (a, b);
}

static inline float
modulo_float (float a, float b)
{
  float rest;

  if (b == 0)
    return 0;
  rest = remainder_float (a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

#define MODULO_FLOATING(a, b) \
  _Generic((a), float : modulo_float, default : modulo_double) ((a), (b))

#define T            float
#define U            float
#define FLOATING     1
#define STORE(value) (value)
#define NAME(name)   name##_f32
#include "engine/kernels/binary-template.h"

#define T            double
#define U            double
#define FLOATING     1
#define STORE(value) (value)
#define NAME(name)   name##_f64
#include "engine/kernels/binary-template.h"

#define T            guint8
#define U            guint8
#define FLOATING     0
#define STORE(value) (value)
#define NAME(name)   name##_u8
#include "engine/kernels/binary-template.h"

#define T            gint8
#define U            guint8
#define FLOATING     0
#define STORE(value) (value)
#define NAME(name)   name##_i8
#include "engine/kernels/binary-template.h"

#define T            gint32
#define U            guint32
#define FLOATING     0
#define STORE(value) (value)
#define NAME(name)   name##_i32
#include "engine/kernels/binary-template.h"

#define T            gint64
#define U            guint64
#define FLOATING     0
#define STORE(value) (value)
#define NAME(name)   name##_i64
#include "engine/kernels/binary-template.h"

#define T            guint32
#define U            guint32
#define FLOATING     0
#define STORE(value) (value)
#define NAME(name)   name##_u32
#include "engine/kernels/binary-template.h"

#define T            guint64
#define U            guint64
#define FLOATING     0
#define STORE(value) (value)
#define NAME(name)   name##_u64
#include "engine/kernels/binary-template.h"

#define T            guint8
#define U            guint8
#define FLOATING     0
#define STORE(value) ((value) != 0)
#define NAME(name)   name##_bool
#include "engine/kernels/binary-template.h"

/* Sets y to powers with one exponent that has a shorter formula than pow(); FALSE if it has none. */
static gboolean
short_powers (const float *x, float exponent, float *y, gint64 n)
{
  if (exponent == 3)
    {
      HYB_INDEPENDENT
      for (gint64 i = 0; i < n; i++)
        y[i] = (float) ((double) x[i] * x[i] * x[i]);
    }
  else if (exponent == -1)
    {
      HYB_INDEPENDENT
      for (gint64 i = 0; i < n; i++)
        y[i] = 1 / x[i];
    }
  else if (exponent == 0.5f)
    {
      /* pow (−∞, ½) is ∞ and pow (−0, ½) is +0. */
      HYB_INDEPENDENT
      for (gint64 i = 0; i < n; i++)
        y[i] = sqrtf (x[i] == -INFINITY ? INFINITY : x[i]) + 0.f;
    }
  else
    return FALSE;
  return TRUE;
}

#define DEFINE_POWERS(name)                                                                       \
  static void name (gconstpointer a, gint64 sa, gconstpointer b, gint64 sb, gpointer y, gint64 n) \
  {                                                                                               \
    if (sa != 1 || sb != 0 || n == 0 || !short_powers (a, *(const float *) b, y, n))              \
      loops_f32[HYB_BINARY_POWER](a, sa, b, sb, y, n);                                            \
  }
DEFINE_POWERS (powers_f32)
#undef DEFINE_POWERS

static const HybBinaryLoop *const compiled_loops[HYB_N_DTYPES] = {
  [HYB_F32] = loops_f32, [HYB_F64] = loops_f64, [HYB_U8] = loops_u8,
  [HYB_I8] = loops_i8,   [HYB_I32] = loops_i32, [HYB_I64] = loops_i64,
  [HYB_U32] = loops_u32, [HYB_U64] = loops_u64, [HYB_BOOL] = loops_bool,
};

HybBinaryLoop
hyb_binary_loop (HybBinary function, HybDType dtype)
{
  HybBinaryLoop vectors = hyb_binary_vector_loop (function, dtype);

  if (dtype == HYB_F32 && function == HYB_BINARY_POWER)
    return powers_f32;
  return vectors ? vectors : compiled_loops[dtype][function];
}

typedef struct
{
  HybBinaryLoop loop;
  const char   *a;
  const char   *b;
  char         *y;
  gint64        size; /* bytes of an element */
} RowOperands;

static void
run_row (const gint64 *offset, const gint64 *stride, gint64 length, gpointer data)
{
  const RowOperands *operands = data;

  operands->loop (operands->a + offset[1] * operands->size, stride[1],
                  operands->b + offset[2] * operands->size, stride[2],
                  operands->y + offset[0] * operands->size, length);
}

void
hyb_binary_run (HybBinary function, const HybBinaryOperands *operands)
{
  const HybShape *shape_a = operands->shape_a, *shape_b = operands->shape_b;
  const HybShape *shape_y = operands->shape_y;
  HybBinaryLoop   loop = compiled_loops[operands->dtype][function];
  RowOperands     rows;
  HybEach         each;

  /* Small tensors of equal shapes are one contiguous row; hyb_each_init() would find that too, but
   * it takes longer than computing the row. */
  if (hyb_shape_is_same (shape_a, shape_y) && hyb_shape_is_same (shape_b, shape_y))
    {
      gint64 n = hyb_shape_count (shape_y, 0, shape_y->rank);

      if (n <= HYB_EACH_GRAIN)
        {
          if (n > SHORT_ROW)
            loop = hyb_binary_loop (function, operands->dtype);
          loop (operands->a, 1, operands->b, 1, operands->y, n);
          return;
        }
    }
  rows = (RowOperands){
    .loop = hyb_binary_loop (function, operands->dtype),
    .a = operands->a,
    .b = operands->b,
    .y = operands->y,
    .size = (gint64) hyb_dtype_size (operands->dtype),
  };
  hyb_each_init (&each, shape_y, 3, (const HybShape *[]){ shape_y, shape_a, shape_b });
  hyb_each_rows_parallel (&each, HYB_EACH_GRAIN, run_row, &rows);
}
