/* test-gated-activation.c — tests of _gated_activation by formula.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

#define N 1100 /* more than two blocks */

static HybTensor *
line (void)
{
  HybType type = { hyb_shape_1d (N), HYB_F32 };
  g_autoptr (GError) error = NULL;
  HybTensor *tensor = hyb_tensor_new (&type, &error);

  for (gint64 i = 0; i < N; i++)
    ((float *) hyb_tensor_get_data (tensor))[i] = (float) (i - N / 2) * 0.02f;
  return tensor;
}

static double
gelu_tanh (double x)
{
  return 0.5 * x * (1 + tanh (sqrt (2 / G_PI) * (x + 0.044715 * x * x * x)));
}

static double
silu (double x)
{
  return x / (1 + exp (-x));
}

static double
hard_swish (double x)
{
  return x * MIN (MAX (x + 3, 0), 6) / 6;
}

static void
check (const char *attributes, double (*function) (double))
{
  g_autoptr (HybTensor) x = line ();
  g_autoptr (HybTensor) y = op_run ("_gated_activation", attributes, line (), NULL);

  for (gint64 i = 0; i < N; i++)
    {
      double want = function (hyb_tensor_get_value (x, i));

      g_assert_cmpfloat (fabs (hyb_tensor_get_value (y, i) - want), <=,
                         1e-6 * MAX (1, fabs (want)));
    }
}

static void
test_formulas (void)
{
  check ("kind=gelu_tanh", gelu_tanh);
  check ("kind=silu", silu);
  check ("kind=hard_swish", hard_swish);
}

TEST_PROGRAM (test_gated_activation)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/ops/gated-activation/formulas", test_formulas);

  return g_test_run ();
}
