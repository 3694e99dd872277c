/* binary-vector-kernel.h — the loops of binary-vector.c for one instruction set: y[i] = f(a[i], b[i]).
 *
 * For i in steps of 4 vectors, by vectors, then the last, partial vector.  The operands of a step are
 * read before its results are written, because y may be one of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define LOAD_LEFT(k)  Vector left##k = sa == 1 ? LOAD (a + i + (k) *COUNT) : fixed_left;
#define LOAD_RIGHT(k) Vector right##k = sb == 1 ? LOAD (b + i + (k) *COUNT) : fixed_right;
#define STORE(k)      WRITE (y + i + (k) *COUNT, OPERATION (left##k, right##k));
#define EACH(X)       X (0) X (1) X (2) X (3)

/* The loop of name, whose strides are constants in each call of name_rows. */
#define DEFINE_STRIDES(name)                                                              \
  static TARGET void SIMD (name) (gconstpointer a, gint64 sa, gconstpointer b, gint64 sb, \
                                  gpointer y, gint64 n)                                   \
  {                                                                                       \
    if (n <= 0)                                                                           \
      return;                                                                             \
    if (sa == 1 && sb == 1)                                                               \
      SIMD (name##_rows) (a, 1, b, 1, y, n);                                              \
    else if (sa == 1)                                                                     \
      SIMD (name##_rows) (a, 1, b, 0, y, n);                                              \
    else if (sb == 1)                                                                     \
      SIMD (name##_rows) (a, 0, b, 1, y, n);                                              \
    else                                                                                  \
      SIMD (name##_rows) (a, 0, b, 0, y, n);                                              \
  }

/* sa and sb are constants wherever this is inlined. */
#define DEFINE(name)                                                                   \
  INLINE void SIMD (name##_rows) (const Element *a, const gint64 sa, const Element *b, \
                                  const gint64 sb, Element *y, gint64 n)               \
  {                                                                                    \
    Vector fixed_left = *a - (Vector){ 0 }, fixed_right = *b - (Vector){ 0 };          \
    gint64 i = 0;                                                                      \
                                                                                       \
    for (; i + 4 * COUNT <= n; i += 4 * COUNT)                                         \
      {                                                                                \
        EACH (LOAD_LEFT)                                                               \
        EACH (LOAD_RIGHT)                                                              \
        EACH (STORE)                                                                   \
      }                                                                                \
    for (; i + COUNT <= n; i += COUNT)                                                 \
      {                                                                                \
        LOAD_LEFT (0)                                                                  \
        LOAD_RIGHT (0)                                                                 \
        STORE (0)                                                                      \
      }                                                                                \
    if (i < n)                                                                         \
      {                                                                                \
        Vector left = sa == 1 ? LOAD_PART (a + i, n - i) : fixed_left;                 \
        Vector right = sb == 1 ? LOAD_PART (b + i, n - i) : fixed_right;               \
                                                                                       \
        WRITE_PART (y + i, n - i, OPERATION (left, right));                            \
      }                                                                                \
  }                                                                                    \
  DEFINE_STRIDES (name)

/* --- Floats --- */

#define Element              float
#define Vector               Floats
#define COUNT                LANES
#define LOAD(from)           simd_load (from)
#define LOAD_PART(from, n)   simd_load_part (from, n)
#define WRITE(to, value)     simd_store (to, value)
#define WRITE_PART(to, n, v) simd_store_part (to, n, v)
#define OPERATION(a, b)      (a + b)
DEFINE (add)
#undef OPERATION
#define OPERATION(a, b) (a - b)
DEFINE (sub)
#undef OPERATION
#define OPERATION(a, b) (a * b)
DEFINE (mul)
#undef OPERATION
#define OPERATION(a, b) (a / b)
DEFINE (div)
#undef OPERATION
/* The instructions give b if either is NaN, and of equal operands. */
#define OPERATION(a, b) simd_choose (a != a, a, simd_max (a, b))
DEFINE (maximum)
#undef OPERATION
#define OPERATION(a, b) simd_choose (a != a, a, simd_min (a, b))
DEFINE (minimum)
#undef OPERATION
#undef Element
#undef Vector
#undef COUNT
#undef LOAD
#undef LOAD_PART
#undef WRITE
#undef WRITE_PART

/* --- Doubles and integers --- */

typedef gint64  SIMD (Longs) __attribute__ ((vector_size (LANES / 2 * sizeof (gint64))));
typedef guint64 SIMD (UnsignedLongs) __attribute__ ((vector_size (LANES / 2 * sizeof (guint64))));

/* n elements of 4 or 8 bytes, of which fewer fit than into a vector. */
#define LOAD_PART(from, n) \
  (Vector) simd_load_part ((const float *) (gconstpointer) (from), (n) *LANES / COUNT)
#define WRITE_PART(to, n, value) \
  simd_store_part ((float *) (gpointer) (to), (n) *LANES / COUNT, (Floats) (value))
#define LOAD(from)       ((Vector) * (const Unaligned *) (gconstpointer) (from))
#define WRITE(to, value) (*(Unaligned *) (gpointer) (to) = (value))
/* a where the mask is set; integers wrap. */
#define PICK(Mask, mask, a, b) \
  ((Vector) (((Mask) (mask) & (Mask) (a)) | (~(Mask) (mask) & (Mask) (b))))
#define WRAP(Unsigned, a, operator, b) ((Vector) ((Unsigned) (a) operator(Unsigned) (b)))

#define Element double
#define Vector  Doubles
#define COUNT   (LANES / 2)
typedef Doubles SIMD (UnalignedDoubles) __attribute__ ((aligned (8), may_alias));
#define Unaligned       SIMD (UnalignedDoubles)
#define OPERATION(a, b) (a + b)
DEFINE (add_f64)
#undef OPERATION
#define OPERATION(a, b) (a - b)
DEFINE (sub_f64)
#undef OPERATION
#define OPERATION(a, b) (a * b)
DEFINE (mul_f64)
#undef OPERATION
#define OPERATION(a, b) (a / b)
DEFINE (div_f64)
#undef OPERATION
#define OPERATION(a, b) PICK (SIMD (Longs), (a > b) | (a != a), a, b)
DEFINE (maximum_f64)
#undef OPERATION
#define OPERATION(a, b) PICK (SIMD (Longs), (a < b) | (a != a), a, b)
DEFINE (minimum_f64)
#undef OPERATION
#undef Element
#undef Vector
#undef Unaligned

#define Element gint64
#define Vector  SIMD (Longs)
typedef SIMD (Longs) SIMD (UnalignedLongs) __attribute__ ((aligned (8), may_alias));
#define Unaligned       SIMD (UnalignedLongs)
#define OPERATION(a, b) WRAP (SIMD (UnsignedLongs), a, +, b)
DEFINE (add_i64)
#undef OPERATION
#define OPERATION(a, b) WRAP (SIMD (UnsignedLongs), a, -, b)
DEFINE (sub_i64)
#undef OPERATION
#define OPERATION(a, b) WRAP (SIMD (UnsignedLongs), a, *, b)
DEFINE (mul_i64)
#undef OPERATION
#define OPERATION(a, b) PICK (SIMD (Longs), a > b, a, b)
DEFINE (maximum_i64)
#undef OPERATION
#define OPERATION(a, b) PICK (SIMD (Longs), a < b, a, b)
DEFINE (minimum_i64)
#undef OPERATION
#undef Element
#undef Vector
#undef COUNT
#undef Unaligned

#define Element gint32
#define Vector  Ints
#define COUNT   LANES
typedef Ints SIMD (UnalignedInts) __attribute__ ((aligned (4), may_alias));
#define Unaligned       SIMD (UnalignedInts)
#define OPERATION(a, b) WRAP (Words, a, +, b)
DEFINE (add_i32)
#undef OPERATION
#define OPERATION(a, b) WRAP (Words, a, -, b)
DEFINE (sub_i32)
#undef OPERATION
#define OPERATION(a, b) WRAP (Words, a, *, b)
DEFINE (mul_i32)
#undef OPERATION
#define OPERATION(a, b) PICK (Ints, a > b, a, b)
DEFINE (maximum_i32)
#undef OPERATION
#define OPERATION(a, b) PICK (Ints, a < b, a, b)
DEFINE (minimum_i32)
#undef OPERATION
#undef Element
#undef Vector
#undef COUNT
#undef Unaligned

#define Element guint64
#define Vector  SIMD (UnsignedLongs)
#define COUNT   (LANES / 2)
typedef SIMD (UnsignedLongs) SIMD (UnalignedUnsignedLongs) __attribute__ ((aligned (8), may_alias));
#define Unaligned       SIMD (UnalignedUnsignedLongs)
#define OPERATION(a, b) PICK (SIMD (UnsignedLongs), a > b, a, b)
DEFINE (maximum_u64)
#undef OPERATION
#define OPERATION(a, b) PICK (SIMD (UnsignedLongs), a < b, a, b)
DEFINE (minimum_u64)
#undef OPERATION
#undef Element
#undef Vector
#undef COUNT
#undef Unaligned

#define Element guint32
#define Vector  Words
#define COUNT   LANES
typedef Words SIMD (UnalignedWords) __attribute__ ((aligned (4), may_alias));
#define Unaligned       SIMD (UnalignedWords)
#define OPERATION(a, b) PICK (Words, a > b, a, b)
DEFINE (maximum_u32)
#undef OPERATION
#define OPERATION(a, b) PICK (Words, a < b, a, b)
DEFINE (minimum_u32)
#undef OPERATION
#undef Element
#undef Vector
#undef COUNT
#undef Unaligned

/* --- Loops of which the compiler makes vectors: quotients of 32-bit integers, and bytes --- */

#define DEFINE_PLAIN(name, T, function)                                                           \
  INLINE void SIMD (name##_rows) (const T *a, const gint64 sa, const T *b, const gint64 sb, T *y, \
                                  gint64 n)                                                       \
  {                                                                                               \
    T fixed_left = *a, fixed_right = *b;                                                          \
                                                                                                  \
    HYB_INDEPENDENT                                                                               \
    for (gint64 i = 0; i < n; i++)                                                                \
      {                                                                                           \
        T left = sa == 1 ? a[i] : fixed_left, right = sb == 1 ? b[i] : fixed_right;               \
                                                                                                  \
        y[i] = function (left, right);                                                            \
      }                                                                                           \
  }                                                                                               \
  DEFINE_STRIDES (name)
DEFINE_PLAIN (div_i32, gint32, divide_words)
DEFINE_PLAIN (mod_i32, gint32, modulo_words)
DEFINE_PLAIN (maximum_u8, guint8, MAX)
DEFINE_PLAIN (minimum_u8, guint8, MIN)
DEFINE_PLAIN (maximum_i8, gint8, MAX)
DEFINE_PLAIN (minimum_i8, gint8, MIN)

/* Other quotients of integers are computed by loops of binary.c. */
static const HybBinaryLoop SIMD (loops)[HYB_N_DTYPES][HYB_N_BINARY] = {
  [HYB_F32] = { [HYB_BINARY_ADD] = SIMD (add),
                [HYB_BINARY_SUB] = SIMD (sub),
                [HYB_BINARY_MUL] = SIMD (mul),
                [HYB_BINARY_DIV] = SIMD (div),
                [HYB_BINARY_MAXIMUM] = SIMD (maximum),
                [HYB_BINARY_MINIMUM] = SIMD (minimum) },
  [HYB_F64] = { [HYB_BINARY_ADD] = SIMD (add_f64),
                [HYB_BINARY_SUB] = SIMD (sub_f64),
                [HYB_BINARY_MUL] = SIMD (mul_f64),
                [HYB_BINARY_DIV] = SIMD (div_f64),
                [HYB_BINARY_MAXIMUM] = SIMD (maximum_f64),
                [HYB_BINARY_MINIMUM] = SIMD (minimum_f64) },
  [HYB_I64] = { [HYB_BINARY_ADD] = SIMD (add_i64),
                [HYB_BINARY_SUB] = SIMD (sub_i64),
                [HYB_BINARY_MUL] = SIMD (mul_i64),
                [HYB_BINARY_MAXIMUM] = SIMD (maximum_i64),
                [HYB_BINARY_MINIMUM] = SIMD (minimum_i64) },
  [HYB_I32] = { [HYB_BINARY_ADD] = SIMD (add_i32),
                [HYB_BINARY_SUB] = SIMD (sub_i32),
                [HYB_BINARY_MUL] = SIMD (mul_i32),
                [HYB_BINARY_DIV] = SIMD (div_i32),
                [HYB_BINARY_MOD] = SIMD (mod_i32),
                [HYB_BINARY_MAXIMUM] = SIMD (maximum_i32),
                [HYB_BINARY_MINIMUM] = SIMD (minimum_i32) },
  [HYB_U8] = { [HYB_BINARY_MAXIMUM] = SIMD (maximum_u8), [HYB_BINARY_MINIMUM] = SIMD (minimum_u8) },
  [HYB_I8] = { [HYB_BINARY_MAXIMUM] = SIMD (maximum_i8), [HYB_BINARY_MINIMUM] = SIMD (minimum_i8) },
  /* Sums, differences and products that wrap do not depend on the sign. */
  [HYB_U64] = { [HYB_BINARY_ADD] = SIMD (add_i64),
                [HYB_BINARY_SUB] = SIMD (sub_i64),
                [HYB_BINARY_MUL] = SIMD (mul_i64),
                [HYB_BINARY_MAXIMUM] = SIMD (maximum_u64),
                [HYB_BINARY_MINIMUM] = SIMD (minimum_u64) },
  [HYB_U32] = { [HYB_BINARY_ADD] = SIMD (add_i32),
                [HYB_BINARY_SUB] = SIMD (sub_i32),
                [HYB_BINARY_MUL] = SIMD (mul_i32),
                [HYB_BINARY_MAXIMUM] = SIMD (maximum_u32),
                [HYB_BINARY_MINIMUM] = SIMD (minimum_u32) },
};

#undef EACH
#undef LOAD_LEFT
#undef LOAD_RIGHT
#undef STORE
#undef DEFINE
#undef DEFINE_PLAIN
#undef DEFINE_STRIDES
#undef LOAD
#undef LOAD_PART
#undef WRITE
#undef WRITE_PART
#undef PICK
#undef WRAP
