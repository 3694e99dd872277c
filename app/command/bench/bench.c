/* bench.c — hscope bench: times a benchmark case.
 *
 * The protocol is the one that MXNet, PyTorch and ONNX Runtime are measured with: building,
 * filling and warming up come before the samples; a sample is the time of one run, averaged over
 * several if runs are short.  Start at measure().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/bench/bench-case.h"
#include "app/command/frame/command.h"
#include "app/command/open-device.h"

#include "engine/formats/json-text.h"
#include "profiler/machine/machine-store.h"
#include "profiler/machine/measured-machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define WARM_UP_RUNS   5
#define WARM_UP_LIMIT  1.0   /* seconds; slow cases stop warming up then, after two runs at least */
#define SAMPLE_SECONDS 0.005 /* shorter runs are repeated until a sample takes this long */
#define MAX_REPEAT     100000

typedef struct
{
  char    *name;
  int      repeat;
  int      runs; /* per sample, after two runs of warm-up; 0: chosen by time */
  gboolean list;
} BenchCommandOptions;

typedef BenchCase *(*BenchMaker) (const char *name, const BenchOptions *options, GError **error);

static const struct
{
  void (*list) (GPtrArray *names);
  BenchMaker make;
} sources[] = {
  { bench_rnn_list, bench_rnn_new },
  { bench_net_list, bench_net_new },
  { bench_op_list, bench_op_new },
};

static double
seconds_now (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* Runs the case n_runs times.  *best: seconds of the fastest run, the first excepted.  *checksum: of
 * the second run, which in training uses weights that were updated once. */
static gboolean
warm_up (BenchCase *bench, guint n_runs, double *best, double *checksum, GError **error)
{
  double begin = seconds_now ();

  *best = G_MAXDOUBLE;
  for (guint i = 1; i <= n_runs && (i <= 2 || seconds_now () - begin < WARM_UP_LIMIT); i++)
    {
      double start = seconds_now ();

      if (!bench->kind->run (bench, error))
        return FALSE;
      if (i > 1)
        *best = MIN (*best, seconds_now () - start);
      if (i == 2)
        {
          g_autoptr (HybTensor) result = bench->kind->result (bench, error);

          if (!result)
            return FALSE;
          *checksum = bench_checksum (result);
        }
    }
  return TRUE;
}

static gboolean
take_sample (BenchCase *bench, guint n_runs, double *seconds, GError **error)
{
  double start = seconds_now ();

  for (guint i = 0; i < n_runs; i++)
    if (!bench->kind->run (bench, error))
      return FALSE;
  *seconds = (seconds_now () - start) / n_runs;
  return TRUE;
}

static void
append_number (GString *line, double number)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (line, g_ascii_formatd (text, sizeof text, "%.9g", number));
}

static gboolean
measure (BenchCase *bench, const BenchCommandOptions *command, GString *line, GError **error)
{
  double best, checksum = NAN;
  guint  n_runs = (guint) command->runs;

  if (!warm_up (bench, n_runs > 0 ? 2 : WARM_UP_RUNS, &best, &checksum, error))
    return FALSE;

  if (n_runs == 0)
    n_runs = (guint) CLAMP (SAMPLE_SECONDS / MAX (best, 1e-9), 1, 1e6);
  g_string_append (line, ", \"seconds\": [");
  for (int i = 0; i < command->repeat; i++)
    {
      double seconds;

      if (!take_sample (bench, n_runs, &seconds, error))
        return FALSE;
      g_string_append (line, i > 0 ? ", " : "");
      append_number (line, seconds);
    }
  g_string_append (line, "], \"checksum\": ");
  append_number (line, checksum);
  return TRUE;
}

static BenchCase *
find_case (const char *name, const BenchOptions *options, GError **error)
{
  GError    *problem = NULL;
  BenchCase *bench = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (sources) && !bench && !problem; i++)
    bench = sources[i].make (name, options, &problem);
  if (problem)
    g_propagate_error (error, problem);
  return bench;
}

static void
print_list (void)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < G_N_ELEMENTS (sources); i++)
    sources[i].list (names);
  for (guint i = 0; i < names->len; i++)
    printf ("%s\n", (const char *) names->pdata[i]);
}

static gboolean
check_command (const BenchCommandOptions *command, GError **error)
{
  if (!command->name)
    scope_usage_error (error, "hscope bench needs --case NAME; --list prints the names");
  else
    return TRUE;
  return FALSE;
}

static int
run_bench (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  const BenchCommandOptions *command = data;
  g_autoptr (HybGpu) gpu = NULL;
  BenchOptions options = { .mode = scope_common_options_get_mode (common),
                           .without = (const char *const *) common->without,
                           .dump_after = common->dump_after };
  g_autoptr (GString) line = g_string_new ("{\"case\": ");
  GError    *problem = NULL;
  BenchCase *bench;
  gboolean   is_done;

  if (command->list)
    {
      print_list ();
      return SCOPE_EXIT_DONE;
    }
  if (!check_command (command, error))
    return SCOPE_EXIT_FAILED;
  if (!scope_open_device (common, &gpu, error))
    return SCOPE_EXIT_FAILED;
  options.gpu = gpu;
  /* Instructions are counted without those that measure the machine. */
  if (!gpu && command->runs == 0)
    prof_machine_use_measured (NULL);

  hyb_json_append_string (line, command->name);
  bench = find_case (command->name, &options, &problem);
  if (problem)
    {
      g_propagate_error (error, problem);
      return SCOPE_EXIT_FAILED;
    }
  if (!bench)
    {
      printf ("%s, \"error\": \"not expressible\"}\n", line->str);
      return SCOPE_EXIT_DONE;
    }

  if (gpu)
    {
      g_autofree char *device = hyb_gpu_describe (gpu);

      g_string_append (line, ", \"device\": ");
      hyb_json_append_string (line, device);
    }
  is_done = measure (bench, command, line, error);
  if (bench->kind->plan_memory)
    g_string_append_printf (line, ", \"plan_memory\": %" G_GSIZE_FORMAT,
                            bench->kind->plan_memory (bench));
  bench->kind->free (bench);
  if (!is_done)
    return SCOPE_EXIT_FAILED;
  printf ("%s}\n", line->str);
  return SCOPE_EXIT_DONE;
}

static const GOptionEntry bench_options[] = {
  { SCOPE_OPTION (BenchCommandOptions, STRING, "case", name), "Case to run", "NAME" },
  { SCOPE_OPTION (BenchCommandOptions, INT, "repeat", repeat), "Number of samples (default: 5)",
    "R" },
  { SCOPE_OPTION (BenchCommandOptions, INT, "runs", runs),
    "Runs per sample, for counting instructions (default: as many as take 5 ms)", "N" },
  { SCOPE_OPTION (BenchCommandOptions, NONE, "list", list),
    "Print the names of the cases; recurrent ones accept other sizes, too", NULL },
  { 0 },
};

static const char *const examples[] = {
  "hscope bench --list",
  "hscope bench --case sgemm-512 --repeat 3",
  NULL,
};

static const ScopeRange ranges[] = {
  { "repeat", 1, MAX_REPEAT, 5 },
  { 0 },
};

const ScopeCommand scope_command_bench = {
  .name = "bench",
  .arguments = "",
  .summary = "Time a benchmark case under the same protocol as other frameworks",
  .n_files = { 0, 0 },
  .option_groups = SCOPE_OPTIONS_RUN,
  .unused_options = "seed train init random-values",
  .examples = examples,
  .options = bench_options,
  .options_size = sizeof (BenchCommandOptions),
  .ranges = ranges,
  .dup_cache_file = prof_machine_store_dup_path,
  .run = run_bench,
};
