/* comparison.c — _npi_equal, _npi_less_scalar …: comparisons of two tensors, which are broadcast, or
 * of a tensor and a number, and tests of single elements.  The result is bool.
 *
 * Tensors are compared in their own type, numbers as doubles except with float data, whose type they
 * get first.  Start with compare_rows().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/parallel.h"
#include "engine/kernels/each.h"
#include "engine/op/rules.h"
#include "engine/ops/elementwise/scalar-family.h"

#include <math.h>

#include "engine/kernels/vectorise.h"

/* name after “_npi_”, HybBinary function, its operator, description */
#define ROWS(ROW)                                                         \
  ROW (equal, EQUAL, ==, "whether both are equal")                        \
  ROW (not_equal, NOT_EQUAL, !=, "whether they differ")                   \
  ROW (greater, GREATER, >, "whether the first is greater")               \
  ROW (less, LESSER, <, "whether the first is less")                      \
  ROW (greater_equal, GREATER_EQUAL, >=, "whether the first is not less") \
  ROW (less_equal, LESSER_EQUAL, <=, "whether the first is not greater")

/* name after “_npi_”, condition of an element x, of an integer x, description; without a branch */
#define TESTS(ROW)                                               \
  ROW (logical_not, x == 0, x == 0, "zero")                      \
  ROW (isnan, x != x, 0, "not a number")                         \
  ROW (isinf, (x == INFINITY) | (x == -INFINITY), 0, "infinite") \
  ROW (isposinf, x == INFINITY, 0, "positive infinity")          \
  ROW (isneginf, x == -INFINITY, 0, "negative infinity")         \
  ROW (isfinite, x - x == 0, 1, "neither infinite nor not a number")

/* Results computed on the stack before they are converted to bool. */
#define PIECE 512

/* A loop over floats that writes bool directly; strides are 0 or 1. */
typedef void (
    *FloatLoop) (const float *a, gint64 sa, const float *b, gint64 sb, guint8 *y, gint64 n);

typedef struct
{
  HybBinaryLoop loop;
  FloatLoop     floats; /* for floats in place of it */
  HybDType      dtype;  /* of the operands */
  const char   *a, *b;
  char         *y; /* bool */
} Comparison;

/* Writes bool for n numbers of this size in bytes, which are 0 or 1 in any type: bits are set only in ones. */
#define TRUTH(bits)                                                    \
  static void truth_##bits (const guint##bits *x, gsize n, guint8 *to) \
  {                                                                    \
    for (gsize i = 0; i < n; i++)                                      \
      to[i] = x[i] != 0;                                               \
  }
TRUTH (8)
TRUTH (16)
TRUTH (32)
TRUTH (64)

static void
write_truth (gconstpointer x, gint64 size, gint64 n, gpointer to)
{
  if (size == 8)
    truth_64 (x, (gsize) n, to);
  else if (size == 4)
    truth_32 (x, (gsize) n, to);
  else if (size == 2)
    truth_16 (x, (gsize) n, to);
  else
    truth_8 (x, (gsize) n, to);
}

#define COMPARE_LOOP(a_at, operator, b_at) \
  for (gint64 i = 0; i < n; i++)           \
    y[i] = a_at operator b_at;

#define ROW(id, FUNCTION, operator, summary)                                                \
  static void id##_floats (const float *a, gint64 sa, const float *b, gint64 sb, guint8 *y, \
                           gint64 n)                                                        \
  {                                                                                         \
    float one_a = *a, one_b = *b;                                                           \
                                                                                            \
    if (sa && sb)                                                                           \
      COMPARE_LOOP (a[i], operator, b[i])                                                   \
    else if (sa)                                                                            \
      COMPARE_LOOP (a[i], operator, one_b)                                                  \
    else if (sb)                                                                            \
      COMPARE_LOOP (one_a, operator, b[i])                                                  \
    else                                                                                    \
      COMPARE_LOOP (one_a, operator, one_b)                                                 \
  }
ROWS (ROW)
#undef ROW
#undef COMPARE_LOOP

/* One row of a HybEach walk with the operands y, a and b. */
static void
compare_rows (const gint64 *offset, const gint64 *stride, gint64 n, gpointer data)
{
  const Comparison *comparison = data;
  gint64            size = (gint64) hyb_dtype_size (comparison->dtype);
  gconstpointer     a = comparison->a + offset[1] * size, b = comparison->b + offset[2] * size;
  gint64            result[PIECE];

  if (comparison->dtype == HYB_F32)
    {
      comparison->floats (a, stride[1], b, stride[2], (guint8 *) comparison->y + offset[0], n);
      return;
    }
  for (gint64 at = 0; at < n; at += PIECE)
    {
      gint64 count = MIN (PIECE, n - at);

      comparison->loop ((const char *) a + at * stride[1] * size, stride[1],
                        (const char *) b + at * stride[2] * size, stride[2], result, count);
      write_truth (result, size, count, comparison->y + offset[0] + at);
    }
}

static void
compare_forward (const HybCall *call, const HybRun *run, HybBinary function, FloatLoop floats)
{
  HybDType   dtype = call->input[0].dtype;
  Comparison comparison = {
    .loop = hyb_binary_loop (function, dtype),
    .floats = floats,
    .dtype = dtype,
    .a = run->input[0],
    .b = run->input[1],
    .y = run->output[0],
  };
  HybEach each;

  hyb_each_init (&each, &call->output[0].shape, 3,
                 (const HybShape *[]){ &call->output[0].shape, &call->input[0].shape,
                                       &call->input[1].shape });
  hyb_each_rows_parallel (&each, HYB_EACH_GRAIN, compare_rows, &comparison);
}

/* Both operands have one type; the result is bool. */
static gboolean
compare_infer_dtype (HybCall *call, GError **error)
{
  for (guint i = 1; i < call->n_inputs; i++)
    if (!hyb_dtype_unify (&call->input[0].dtype, &call->input[i].dtype, error))
      return FALSE;
  return hyb_dtype_assign (&call->output[0].dtype, HYB_BOOL, error);
}

/* --- A tensor and a number --- */

typedef struct
{
  HybBinaryLoop loop;
  FloatLoop     floats;
  const char   *x;
  HybDType      dtype;
  double        scalar;
  char         *y;
} ScalarComparison;

static void
compare_scalar_slice (gint64 begin, gint64 end, gpointer data)
{
  const ScalarComparison *comparison = data;
  double                  x[PIECE];

  if (comparison->dtype == HYB_F32)
    {
      float scalar = (float) comparison->scalar;

      comparison->floats ((const float *) (gconstpointer) comparison->x + begin, 1, &scalar, 0,
                          (guint8 *) comparison->y + begin, end - begin);
      return;
    }
  for (gint64 at = begin; at < end; at += PIECE)
    {
      gint64 n = MIN (PIECE, end - at);

      hyb_dtype_get_doubles (comparison->x, comparison->dtype, (gsize) at, (gsize) n, x);
      comparison->loop (x, 1, &comparison->scalar, 0, x, n);
      write_truth (x, sizeof *x, n, comparison->y + at);
    }
}

static void
compare_scalar_forward (const HybCall *call,
                        const HybRun  *run,
                        HybBinary      function,
                        FloatLoop      floats)
{
  const HybScalarParams *params = call->params;
  ScalarComparison       comparison = {
          .loop = hyb_binary_loop (function, HYB_F64),
          .floats = floats,
          .x = run->input[0],
          .dtype = call->input[0].dtype,
          .scalar = params->scalar,
          .y = run->output[0],
  };

  if (hyb_dtype_is_float (comparison.dtype))
    {
      gint64 element;

      hyb_dtype_set_double (&element, comparison.dtype, 0, params->scalar);
      comparison.scalar = hyb_dtype_get_double (&element, comparison.dtype, 0);
    }
  hyb_parallel_for (hyb_shape_size (&call->input[0].shape), HYB_EACH_GRAIN, compare_scalar_slice,
                    &comparison);
}

/* --- Tests of single elements --- */

typedef struct
{
  gconstpointer x;
  HybDType      dtype;
  guint8       *y;
} Test;

static void
test_forward (const HybCall *call, const HybRun *run, HybParallelFunc slice)
{
  Test test = { run->input[0], call->input[0].dtype, run->output[0] };

  hyb_parallel_for (hyb_shape_size (&call->input[0].shape), HYB_EACH_GRAIN, slice, &test);
}

/* Bytes may alias anything, so the pointers are copied before the loop. */
#define TEST_LOOP(T, from, to, condition)             \
  {                                                   \
    const T *xs = from;                               \
    guint8  *ys = to;                                 \
                                                      \
    HYB_INDEPENDENT                                   \
    for (gint64 i = 0; i < n; i++)                    \
      {                                               \
        T x = xs[i];                                  \
                                                      \
        (void) x; /* the condition may be constant */ \
        ys[i] = condition;                            \
      }                                               \
  }

/* Floats and bytes are tested as they are, other elements as doubles. */
#define ROW(id, condition, integer, summary)                                          \
  static void id##_slice (gint64 begin, gint64 end, gpointer data)                    \
  {                                                                                   \
    const Test *test = data;                                                          \
    double      piece[PIECE];                                                         \
    gint64      n = end - begin;                                                      \
                                                                                      \
    if (test->dtype == HYB_F32)                                                       \
      TEST_LOOP (float, (const float *) test->x + begin, test->y + begin, condition)  \
    else if (test->dtype == HYB_BOOL)                                                 \
      TEST_LOOP (guint8, (const guint8 *) test->x + begin, test->y + begin, integer)  \
    else                                                                              \
      for (gint64 at = begin; at < end; at += PIECE)                                  \
        {                                                                             \
          n = MIN (PIECE, end - at);                                                  \
          hyb_dtype_get_doubles (test->x, test->dtype, (gsize) at, (gsize) n, piece); \
          TEST_LOOP (double, piece, test->y + at, condition)                          \
        }                                                                             \
  }                                                                                   \
  static void id##_forward (const HybCall *call, const HybRun *run)                   \
  {                                                                                   \
    test_forward (call, run, id##_slice);                                             \
  }
TESTS (ROW)
#undef ROW

#define ROW(id, FUNCTION, operator, summary)                                \
  static void id##_forward (const HybCall *call, const HybRun *run)         \
  {                                                                         \
    compare_forward (call, run, HYB_BINARY_##FUNCTION, id##_floats);        \
  }                                                                         \
  static void id##_scalar_forward (const HybCall *call, const HybRun *run)  \
  {                                                                         \
    compare_scalar_forward (call, run, HYB_BINARY_##FUNCTION, id##_floats); \
  }
ROWS (ROW)
#undef ROW

static const char *const two_inputs[] = { "lhs", "rhs", NULL };
static const char *const one_input[] = { "data", NULL };

#define COMMON                                                       \
  .category = HYB_CATEGORY_ELEMENTWISE, .flags = HYB_OP_NO_GRADIENT, \
  .infer_dtype = compare_infer_dtype

#define ROW(id, FUNCTION, operator, summary)                                        \
  {                                                                                 \
    .name = "_npi_" #id,                                                            \
    .doc = "For each pair of elements " summary "; axes of size one are repeated.", \
    COMMON,                                                                         \
    .inputs = two_inputs,                                                           \
    .infer_shape = hyb_rule_broadcast,                                              \
    .dtypes = HYB_DTYPES_ELEMENTWISE,                                               \
    .forward = id##_forward,                                                        \
  },                                                                                \
      {                                                                             \
        .name = "_npi_" #id "_scalar",                                              \
        .doc = "For each element and a number " summary ".",                        \
        COMMON,                                                                     \
        .inputs = one_input,                                                        \
        .params = hyb_scalar_params,                                                \
        .params_size = sizeof (HybScalarParams),                                    \
        .infer_shape = hyb_rule_unary,                                              \
        .dtypes = HYB_DTYPES_ALL,                                                   \
        .forward = id##_scalar_forward,                                             \
      },
#define TEST(id, condition, integer, summary)      \
  {                                                \
    .name = "_npi_" #id,                           \
    .doc = "Whether each element is " summary ".", \
    COMMON,                                        \
    .inputs = one_input,                           \
    .infer_shape = hyb_rule_unary,                 \
    .dtypes = HYB_DTYPES_ALL,                      \
    .forward = id##_forward,                       \
  },

const HybOp hyb_ops_comparison[] = {
  ROWS (ROW)   //
  TESTS (TEST) //
  { 0 },
};

#undef ROW
#undef TEST
#undef COMMON
#undef TESTS
#undef ROWS
