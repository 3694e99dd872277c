/* test-ptx-functions.c — every mathematical function of kernels/functions.h, in float and double, gives
 * on the PTX machine what libm gives, at ordinary numbers and at zeros, infinities and NaN.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/cuda/ptx/kernels/functions.h"

#include "tests/engine/cuda/ptx/device.h"
#include "tests/engine/cuda/ptx/kernels/arguments.h"
#include "tests/engine/cuda/ptx/make-ptx.h"
#include "tests/program.h"

#include <math.h>

enum
{
  N = 400
};

static double x[N], w[N];

static void
fill (void)
{
  const double special[] = {
    1e10, -1e10, 1e-40, 0., -0., (double) INFINITY, (double) -INFINITY, (double) NAN, 3000.5,
    88.9, -90,   1,     -1, 2
  };

  for (guint i = 0; i < N; i++)
    {
      x[i] = (double) (float) (((double) i - 100) * 0.0237);
      w[i] = (double) (float) (1.7 - (i % 50) * 0.11);
    }
  memcpy (x, special, sizeof special);
}

#define ONE(name)                              \
  static double name##_of (double a, double b) \
  {                                            \
    return name (a);                           \
  }
#define TWO(name)                              \
  static double name##_of (double a, double b) \
  {                                            \
    return name (a, b);                        \
  }
#define ROW(name) { #name, name##_of },

FUNCTIONS_OF_ONE (ONE)
FUNCTIONS_OF_TWO (TWO)

static const struct
{
  const char *name;
  double (*function) (double, double);
} rows[] = { FUNCTIONS_OF_ONE (ROW) FUNCTIONS_OF_TWO (ROW) };

static void
assert_same (const char *name, guint i, double got, double want)
{
  double tolerance = g_str_has_suffix (name, "f64") ? 1e-13 : 1e-6;

  if (g_str_has_suffix (name, "f32"))
    want = (double) (float) want;
  if (isnan (want)   ? isnan (got)
      : isinf (want) ? got == want
                     : fabs (got - want) <= tolerance * MAX (fabs (want), 1e-30))
    return;
  g_error ("%s (%.17g, %.17g): %.17g, and libm gives %.17g", name, x[i], w[i], got, want);
}

/* One function in one precision. */
static void
check (PtxModule *module, PtxMemory *memory, guint row, gboolean twice)
{
  g_autofree char     *name = g_strdup_printf ("%s_%s", rows[row].name, twice ? "f64" : "f32");
  float                single[2][N];
  struct EachArguments a = { .n = N };
  PtxLaunch            launch = {
               .grid = { 7, 1, 1 }, .block = { 64, 1, 1 }, .arguments = &a, .argument_bytes = sizeof a
  };
  g_autoptr (GError) error = NULL;
  gconstpointer y;

  for (guint i = 0; i < N; i++)
    {
      single[0][i] = (float) x[i];
      single[1][i] = (float) w[i];
    }
  a.x = device_pointer (device_put (memory, twice ? (gpointer) x : single[0], N * (twice ? 8 : 4)));
  a.w = device_pointer (device_put (memory, twice ? (gpointer) w : single[1], N * (twice ? 8 : 4)));
  a.y = device_pointer (device_put (memory, NULL, N * (twice ? 8 : 4)));
  ptx_launch (ptx_module_find (module, name), &launch, &error);
  g_assert_no_error (error);
  y = device_get (memory, (guint64) (gsize) a.y, N * (twice ? 8 : 4));
  for (guint i = 0; i < N; i++)
    if (twice)
      assert_same (name, i, ((const double *) y)[i], rows[row].function (x[i], w[i]));
    else
      assert_same (name, i, (double) ((const float *) y)[i],
                   rows[row].function ((double) single[0][i], (double) single[1][i]));
}

static void
test_functions_agree_with_libm (void)
{
  g_autofree char *text = make_ptx ("functions", NULL);
  g_autoptr (PtxMemory) memory = ptx_memory_new (64 << 20);
  g_autoptr (PtxModule) module = NULL;
  g_autoptr (GError) error = NULL;

  if (!text)
    return;
  module = ptx_module_new (text, memory, &error);
  g_assert_no_error (error);
  fill ();
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      check (module, memory, i, FALSE);
      check (module, memory, i, TRUE);
    }
}

TEST_PROGRAM (test_ptx_functions)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/ptx/functions/agree-with-libm", test_functions_agree_with_libm);
  return g_test_run ();
}
