/* test-broadcast.c — tests of functions of two tensors that are broadcast: samples and refusals for
 * op-check.h, and large operands.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

#define SMOOTH                                                                               \
  "broadcast_add broadcast_sub broadcast_mul broadcast_div broadcast_power broadcast_hypot " \
  "broadcast_maximum broadcast_minimum broadcast_mod"
#define STEP                                                                            \
  "broadcast_equal broadcast_not_equal broadcast_greater broadcast_greater_equal "      \
  "broadcast_lesser broadcast_lesser_equal broadcast_logical_and broadcast_logical_or " \
  "broadcast_logical_xor"

static const OpSample samples[] = {
  { SMOOTH, "one shape", NULL, { "f32[2,3] 0.31..2", "f32[2,3] 0.5..1.5" } },
  { SMOOTH, "row", NULL, { "f32[4,3] 0.31..2", "f32[1,3] 0.5..1.5" } },
  { SMOOTH, "column on the left", NULL, { "f32[4,1] 0.31..2", "f32[4,3] 0.5..1.5" } },
  { SMOOTH, "both enlarged", NULL, { "f32[2,1,3] 0.31..2", "f32[1,4,1] 0.5..1.5" } },
  { SMOOTH, "lower rank", NULL, { "f32[2,2,3] 0.31..2", "f32[3] 0.5..1.5" } },
  { SMOOTH, "one element", NULL, { "f32[1] 0.31..2", "f32[2,2] 0.5..1.5" } },
  { STEP, "both enlarged", NULL, { "f32[2,1,3] = 0,1,2,0,-1", "f32[1,4,1] = 1,0,2" } },
  { SMOOTH, "integers", NULL, { "i32[2,3] 1..4", "i32[1,3] 1..3" } },
  { STEP, "integers", NULL, { "i64[2,3]", "i64[2,1]" } },
  { "broadcast_add broadcast_mul broadcast_equal", "no element", NULL, { "f32[0,3]", "f32[1,3]" } },
  { "broadcast_add", "many axes", NULL, { "f32[1,2,1,2,1,2]", "f32[2,1,2,1,2,1]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "broadcast_add", "shapes that do not fit", NULL, { "f32[2,3]", "f32[2]" }, "(2, 3)" },
  { 0 },
};

/* Large enough that rows are cut into pieces and run in parallel; every element must be computed. */
static void
test_large_operands (void)
{
  const gint64 sizes[][2] = { { 3, 50000 }, { 50000, 3 }, { 400, 400 } };

  for (guint k = 0; k < G_N_ELEMENTS (sizes); k++)
    for (guint which = 0; which < 2; which++)
      {
        gint64     rows = sizes[k][0], columns = sizes[k][1];
        HybType    row = { hyb_shape_2d (1, columns), HYB_F64 };
        HybType    column = { hyb_shape_2d (rows, 1), HYB_F64 };
        HybTensor *a = hyb_tensor_new (&row, NULL), *b = hyb_tensor_new (&column, NULL);
        g_autoptr (HybTensor) y = NULL;

        for (gint64 i = 0; i < columns; i++)
          ((double *) hyb_tensor_get_data (a))[i] = (double) i;
        for (gint64 i = 0; i < rows; i++)
          ((double *) hyb_tensor_get_data (b))[i] = (double) (i * columns);
        y = which ? op_run ("broadcast_add", NULL, a, b, NULL)
                  : op_run ("broadcast_add", NULL, b, a, NULL);
        for (gint64 i = 0; i < rows * columns; i++)
          if (hyb_tensor_get_value (y, i) != (double) i)
            g_error ("element %" G_GINT64_FORMAT " is %g", i, hyb_tensor_get_value (y, i));
      }
}

/* Exponents with formulas of their own; rows of more than 16 elements. */
static void
test_powers_with_one_exponent (void)
{
  static const float exponents[] = { 3, -1, 0.5f, 2, 1.7f };
  static const float values[] = { -INFINITY, -2,   -0.f,     0,     0.75f,  3,   INFINITY,
                                  NAN,       1.1f, -0.3001f, 7.77f, 0.123f, 1.9f };
  HybType            type = { hyb_shape_1d (40), HYB_F32 };

  for (guint k = 0; k < G_N_ELEMENTS (exponents); k++)
    {
      g_autoptr (HybTensor) x = hyb_tensor_new (&type, NULL);
      g_autoptr (HybTensor) y = NULL;
      float *from = hyb_tensor_get_data (x), *to;

      for (int i = 0; i < 40; i++)
        from[i] = values[i % G_N_ELEMENTS (values)];
      y = op_run ("broadcast_power", NULL, hyb_tensor_ref (x),
                  op_tensor ("f32[1]", (double) exponents[k]), NULL);
      to = hyb_tensor_get_data (y);
      for (int i = 0; i < 40; i++)
        {
          double want = pow ((double) from[i], (double) exponents[k]);

          if (isnan (want) || isinf (want) || want == 0)
            g_assert_true (isnan (want)
                               ? isnan (to[i])
                               : to[i] == (float) want && !signbit (to[i]) == !signbit (want));
          else
            g_assert_cmpfloat (to[i], ==, (float) want);
        }
    }
}

TEST_PROGRAM (test_broadcast)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("broadcast", hyb_ops_broadcast, samples, refusals);
  g_test_add_func ("/engine/ops/broadcast/large-operands", test_large_operands);

  g_test_add_func ("/engine/ops/broadcast/powers-with-one-exponent", test_powers_with_one_exponent);

  return g_test_run ();
}
