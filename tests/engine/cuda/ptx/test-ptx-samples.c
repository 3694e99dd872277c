/* test-ptx-samples.c — kernels compiled by NVRTC or clang give on the PTX machine what C and libm
 * give, in all three orders of threads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/cuda/ptx/device.h"
#include "tests/engine/cuda/ptx/kernels/arguments.h"
#include "tests/engine/cuda/ptx/make-ptx.h"
#include "tests/program.h"

#include <math.h>

typedef struct
{
  PtxMemory *memory;
  PtxModule *module;
} Machine;

/* One text for all cases: compiling takes most of the time. */
static char *samples;

static gboolean
begin (Machine *machine)
{
  g_autoptr (GError) error = NULL;

  if (!samples)
    samples = make_ptx ("samples", NULL);
  if (!samples)
    return FALSE;
  machine->memory = ptx_memory_new (64 << 20);
  machine->module = ptx_module_new (samples, machine->memory, &error);
  g_assert_no_error (error);
  return TRUE;
}

static void
end (Machine *machine)
{
  ptx_module_free (machine->module);
  ptx_memory_free (machine->memory);
}

typedef struct
{
  const char   *kernel;
  gconstpointer arguments;
  gsize         bytes;
  guint         grid[2], block[2];
} Call;

/* Runs the kernel three times; CHECK looks at the result of each. */
static void
run (Machine *machine, const Call *call, void (*check) (Machine *, gconstpointer arguments))
{
  const PtxFunction *kernel = ptx_module_find (machine->module, call->kernel);

  g_assert_nonnull (kernel);
  for (PtxOrder order = PTX_FORWARD; order <= PTX_MIXED; order++)
    {
      PtxLaunch launch = {
        .grid = { call->grid[0], MAX (call->grid[1], 1), 1 },
        .block = { call->block[0], MAX (call->block[1], 1), 1 },
        .arguments = call->arguments,
        .argument_bytes = call->bytes,
        .order = order,
        .seed = 7,
      };
      g_autoptr (GError) error = NULL;

      ptx_launch (kernel, &launch, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (launch.steps, >, 0);
      check (machine, call->arguments);
    }
}

/* --- One number at a time --- */

enum
{
  N = 500
};

static double numbers[2][N]; /* x and w */

static void
draw_numbers (void)
{
  GRand *rand = g_rand_new_with_seed (11);

  for (guint i = 0; i < N; i++)
    {
      numbers[0][i] = (double) (float) g_rand_double_range (rand, 0.1, 4);
      numbers[1][i] = (double) (float) g_rand_double_range (rand, -2, 2);
    }
  g_rand_free (rand);
}

static double
chain (double x, double w)
{
  return x * w + (x > w ? x : w) / 3;
}

static double
exp_1 (double x, double w)
{
  return exp (x);
}
static double
tanh_1 (double x, double w)
{
  return tanh (x);
}
static double
erf_1 (double x, double w)
{
  return erf (x);
}
static double
log_1 (double x, double w)
{
  return log (x);
}
static double
sin_1000 (double x, double w)
{
  return sin ((double) ((float) x * 1000.f));
}
static double
cos_1e7 (double x, double w)
{
  return cos (x * 1e7);
}
static double
lgamma_1 (double x, double w)
{
  return lgamma (x);
}

typedef struct
{
  const char *kernel;
  double (*function) (double, double);
  double tolerance; /* relative to max (1, |y|) */
} EachRow;

static const EachRow each_rows[] = {
  { "chain_f32", chain, 2e-7 },  { "chain_f64", chain, 1e-15 }, { "exp_f32", exp_1, 2e-7 },
  { "tanh_f32", tanh_1, 2e-7 },  { "erf_f32", erf_1, 2e-7 },    { "log_f32", log_1, 2e-7 },
  { "sin_f32", sin_1000, 2e-7 }, { "pow_f32", pow, 1e-6 },      { "exp_f64", exp_1, 1e-15 },
  { "tanh_f64", tanh_1, 1e-15 }, { "erf_f64", erf_1, 1e-15 },   { "log_f64", log_1, 1e-15 },
  { "cos_f64", cos_1e7, 1e-15 }, { "pow_f64", pow, 1e-14 },     { "lgamma_f64", lgamma_1, 1e-14 },
};

static const EachRow *each_row;

static void
check_each (Machine *machine, gconstpointer arguments)
{
  const struct EachArguments *a = arguments;
  gboolean                    twice = g_str_has_suffix (each_row->kernel, "f64");
  gconstpointer y = device_get (machine->memory, (guint64) (gsize) a->y, N * (twice ? 8 : 4));

  for (guint i = 0; i < N; i++)
    {
      double want = each_row->function (numbers[0][i], numbers[1][i]);
      double got = twice ? ((const double *) y)[i] : (double) ((const float *) y)[i];

      g_assert_cmpfloat (fabs (got - want), <=, each_row->tolerance * MAX (1, fabs (want)));
    }
}

static void
test_functions_agree_with_libm (void)
{
  Machine machine;
  float   single[2][N];

  if (!begin (&machine))
    return;
  draw_numbers ();
  for (guint i = 0; i < 2 * N; i++)
    single[i / N][i % N] = (float) numbers[i / N][i % N];
  for (guint i = 0; i < G_N_ELEMENTS (each_rows); i++)
    {
      gboolean             twice = g_str_has_suffix (each_rows[i].kernel, "f64");
      gsize                bytes = twice ? 8 : 4;
      struct EachArguments a = { .n = N };
      Call                 call = { each_rows[i].kernel, &a, sizeof a, { 3 }, { 64 } };

      a.x = device_pointer (
          device_put (machine.memory, twice ? (gpointer) numbers[0] : single[0], N * bytes));
      a.w = device_pointer (
          device_put (machine.memory, twice ? (gpointer) numbers[1] : single[1], N * bytes));
      a.y = device_pointer (device_put (machine.memory, NULL, N * bytes));
      each_row = &each_rows[i];
      run (&machine, &call, check_each);
    }
  end (&machine);
}

/* Every number of the small types is exact in float, so that products of two small ones are. */
static void
check_halves (Machine *machine, gconstpointer arguments)
{
  const struct EachArguments *a = arguments;
  const guint16              *y = device_get (machine->memory, (guint64) (gsize) a->y, 2 * 8);
  static const guint16        want[2][8] = {
           /* x w + max (x, w) / 3 for x = 0, 1, 2 … 7 and w = 3: 1, 4, 7, 10, 13 1/3, 16 2/3, 20, 23 1/3 */
    { 0x3c00, 0x4400, 0x4700, 0x4900, 0x4aab, 0x4c2b, 0x4d00, 0x4dd5 },
    { 0x3f80, 0x4080, 0x40e0, 0x4120, 0x4155, 0x4185, 0x41a0, 0x41bb },
  };
  gboolean brain =
      ((const guint16 *) device_get (machine->memory, (guint64) (gsize) a->w, 2))[0] == 0x4040;

  for (guint i = 0; i < 8; i++)
    g_assert_cmphex (y[i], ==, want[brain][i]);
}

static void
test_half_floats_are_rounded_to_nearest_even (void)
{
  static const guint16 half[8] = { 0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700 };
  static const guint16 brain[8] = { 0, 0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0, 0x40c0, 0x40e0 };
  guint16              three[8];
  Machine              machine;

  if (!begin (&machine))
    return;
  for (guint kind = 0; kind < 2; kind++)
    {
      struct EachArguments a = { .n = 8 };
      Call call = { kind ? "chain_bf16" : "chain_f16", &a, sizeof a, { 1 }, { 32 } };

      for (guint i = 0; i < 8; i++)
        three[i] = kind ? 0x4040 : 0x4200;
      a.x = device_pointer (device_put (machine.memory, kind ? brain : half, 16));
      a.w = device_pointer (device_put (machine.memory, three, 16));
      a.y = device_pointer (device_put (machine.memory, NULL, 16));
      run (&machine, &call, check_halves);
    }
  end (&machine);
}

static const gint64 dividends[] = { 7,          -7, G_MAXINT64, G_MININT64 + 1,
                                    1000000007, 0,  -1,         12345678901 };
static const gint64 divisors[] = { 2, 2, 10, 3, -11, 5, 7, 97 };

static void
check_division (Machine *machine, gconstpointer arguments)
{
  const struct EachArguments *a = arguments;
  const gint64 *y = device_get (machine->memory, (guint64) (gsize) a->y, sizeof dividends);

  for (guint i = 0; i < G_N_ELEMENTS (dividends); i++)
    {
      gint64  x = dividends[i], w = divisors[i];
      guint64 sum = (guint64) (x / w) * 3 + (guint64) (x % w);

      sum += (guint64) (gint64) ((gint32) x >> 3) + (guint64) (gint64) (gint32) ((guint32) x / 7);
      g_assert_cmpint (y[i], ==, (gint64) sum);
    }
}

static void
test_whole_numbers_divide_toward_zero (void)
{
  Machine              machine;
  struct EachArguments a = { .n = G_N_ELEMENTS (dividends) };
  Call                 call = { "divide_i64", &a, sizeof a, { 1 }, { 32 } };

  if (!begin (&machine))
    return;
  a.x = device_pointer (device_put (machine.memory, dividends, sizeof dividends));
  a.w = device_pointer (device_put (machine.memory, divisors, sizeof divisors));
  a.y = device_pointer (device_put (machine.memory, NULL, sizeof dividends));
  run (&machine, &call, check_division);
  end (&machine);
}

/* Known answers of Random123: counter 0 and key 0. */
static void
check_philox (Machine *machine, gconstpointer arguments)
{
  const struct DropoutArguments *a = arguments;
  const guint32                 *y = device_get (machine->memory, (guint64) (gsize) a->y, 160);

  g_assert_cmphex (y[0], ==, 0x6627e8d5);
  g_assert_cmphex (y[1], ==, 0xe169c58d);
  g_assert_cmphex (y[2], ==, 0xbc57ac4c);
  g_assert_cmphex (y[3], ==, 0x9b00dbd8);
}

static void
test_random_bits_are_those_of_random123 (void)
{
  Machine                 machine;
  struct DropoutArguments a = { .n = 10 };
  Call                    call = { "philox", &a, sizeof a, { 1 }, { 32 } };

  if (!begin (&machine))
    return;
  a.y = device_pointer (device_put (machine.memory, NULL, 160));
  run (&machine, &call, check_philox);
  end (&machine);
}

/* --- Rows, tiles, warps --- */

enum
{
  ROWS = 3,
  COLUMNS = 333
};

static float rows[ROWS][COLUMNS], gain[COLUMNS], shift[COLUMNS];

static void
draw_rows (void)
{
  GRand *rand = g_rand_new_with_seed (5);

  for (guint i = 0; i < ROWS * COLUMNS; i++)
    rows[i / COLUMNS][i % COLUMNS] = (float) g_rand_double_range (rand, -4, 4);
  for (guint i = 0; i < COLUMNS; i++)
    {
      gain[i] = 1 + (float) i / 100;
      shift[i] = (float) i / 10;
    }
  g_rand_free (rand);
}

static void
check_softmax (Machine *machine, gconstpointer arguments)
{
  const struct RowsArguments *a = arguments;
  const float                *y = device_get (machine->memory, (guint64) (gsize) a->y, sizeof rows);

  for (guint r = 0; r < ROWS; r++)
    {
      double sum = 0;

      for (guint c = 0; c < COLUMNS; c++)
        sum += exp ((double) rows[r][c]);
      for (guint c = 0; c < COLUMNS; c++)
        g_assert_cmpfloat (fabs ((double) y[r * COLUMNS + c] - exp ((double) rows[r][c]) / sum), <,
                           1e-8);
    }
}

static void
check_layer_norm (Machine *machine, gconstpointer arguments)
{
  const struct RowsArguments *a = arguments;
  const float                *y = device_get (machine->memory, (guint64) (gsize) a->y, sizeof rows);

  for (guint r = 0; r < ROWS; r++)
    {
      double mean = 0, variance = 0;

      for (guint c = 0; c < COLUMNS; c++)
        mean += (double) rows[r][c] / COLUMNS;
      for (guint c = 0; c < COLUMNS; c++)
        variance += ((double) rows[r][c] - mean) * ((double) rows[r][c] - mean) / COLUMNS;
      for (guint c = 0; c < COLUMNS; c++)
        {
          double want = ((double) rows[r][c] - mean) / sqrt (variance + 1e-5) * (double) gain[c] +
                        (double) shift[c];

          g_assert_cmpfloat (fabs ((double) y[r * COLUMNS + c] - want), <, 2e-5);
        }
    }
}

static void
test_rows_are_summed_across_warps (void)
{
  Machine              machine;
  struct RowsArguments a = { .columns = COLUMNS, .epsilon = 1e-5f };
  Call                 softmax = { "softmax_rows", &a, sizeof a, { ROWS }, { 256 } };
  Call                 norm = { "layer_norm_rows", &a, sizeof a, { ROWS }, { 96 } };

  if (!begin (&machine))
    return;
  draw_rows ();
  a.x = device_pointer (device_put (machine.memory, rows, sizeof rows));
  a.gain = device_pointer (device_put (machine.memory, gain, sizeof gain));
  a.shift = device_pointer (device_put (machine.memory, shift, sizeof shift));
  a.y = device_pointer (device_put (machine.memory, NULL, sizeof rows));
  run (&machine, &softmax, check_softmax);
  run (&machine, &norm, check_layer_norm);
  end (&machine);
}

static void
check_transpose (Machine *machine, gconstpointer arguments)
{
  const struct TransposeArguments *a = arguments;
  const float *y = device_get (machine->memory, (guint64) (gsize) a->y, sizeof rows);

  for (guint r = 0; r < ROWS; r++)
    for (guint c = 0; c < COLUMNS; c++)
      g_assert_cmpfloat (y[c * ROWS + r], ==, rows[r][c]);
}

static void
test_tiles_go_through_shared_memory (void)
{
  Machine                   machine;
  struct TransposeArguments a = { .rows = ROWS, .columns = COLUMNS };
  Call call = { "transpose", &a, sizeof a, { (COLUMNS + 15) / 16, (ROWS + 15) / 16 }, { 16, 16 } };

  if (!begin (&machine))
    return;
  draw_rows ();
  a.x = device_pointer (device_put (machine.memory, rows, sizeof rows));
  a.y = device_pointer (device_put (machine.memory, NULL, sizeof rows));
  run (&machine, &call, check_transpose);
  end (&machine);
}

static void
check_largest (Machine *machine, gconstpointer arguments)
{
  const struct IndexArguments *a = arguments;
  const int                   *y = device_get (machine->memory, (guint64) (gsize) a->y, 4 * ROWS);

  for (guint r = 0; r < ROWS; r++)
    for (guint c = 0; c < COLUMNS; c++)
      g_assert_cmpfloat (rows[r][y[r]], >=, rows[r][c]);
}

static int counts_before;

static void
check_count (Machine *machine, gconstpointer arguments)
{
  const struct IndexArguments *a = arguments;
  int                          y, positive = 0;

  memcpy (&y, device_get (machine->memory, (guint64) (gsize) a->y, 4), 4);
  for (guint i = 0; i < ROWS * COLUMNS; i++)
    positive += rows[i / COLUMNS][i % COLUMNS] > 0;
  g_assert_cmpint (y - counts_before, ==, positive);
  counts_before = y;
}

static void
test_lanes_exchange_numbers_and_votes (void)
{
  Machine               machine;
  struct IndexArguments a = { .columns = COLUMNS }, b = { .columns = ROWS * COLUMNS };
  Call                  largest = { "argmax_rows", &a, sizeof a, { ROWS }, { 64 } };
  Call                  count = { "count_positive", &b, sizeof b, { 8 }, { 128 } };
  int                   zero = 0;

  if (!begin (&machine))
    return;
  draw_rows ();
  counts_before = 0;
  a.x = b.x = device_pointer (device_put (machine.memory, rows, sizeof rows));
  a.y = device_pointer (device_put (machine.memory, NULL, 4 * ROWS));
  b.y = device_pointer (device_put (machine.memory, &zero, 4));
  run (&machine, &largest, check_largest);
  run (&machine, &count, check_count);
  end (&machine);
}

TEST_PROGRAM (test_ptx_samples)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/ptx/functions-agree-with-libm", test_functions_agree_with_libm);
  g_test_add_func ("/cuda/ptx/half-floats-are-rounded-to-nearest-even",
                   test_half_floats_are_rounded_to_nearest_even);
  g_test_add_func ("/cuda/ptx/whole-numbers-divide-toward-zero",
                   test_whole_numbers_divide_toward_zero);
  g_test_add_func ("/cuda/ptx/random-bits-are-those-of-random123",
                   test_random_bits_are_those_of_random123);
  g_test_add_func ("/cuda/ptx/rows-are-summed-across-warps", test_rows_are_summed_across_warps);
  g_test_add_func ("/cuda/ptx/tiles-go-through-shared-memory", test_tiles_go_through_shared_memory);
  g_test_add_func ("/cuda/ptx/lanes-exchange-numbers-and-votes",
                   test_lanes_exchange_numbers_and_votes);
  result = g_test_run ();
  g_free (samples);
  return result;
}
