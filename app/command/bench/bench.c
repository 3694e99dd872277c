/* bench.c — how long a case takes: hscope bench, under the contract that MXNet, PyTorch
 * and ONNX Runtime are measured with.
 *
 * Building, filling and warming up come before the samples.  A sample is the time of one
 * run; short runs are repeated within it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/bench/bench-case.h"
#include "app/command/command.h"

#include "engine/formats/json-text.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define WARM_UP_RUNS   5
#define WARM_UP_LIMIT  1.0   /* seconds; slow cases warm up with fewer runs, but two */
#define SAMPLE_SECONDS 0.005 /* shorter runs are repeated within a sample */
#define MAX_REPEAT     100000

typedef struct
{
  char    *name;
  int      repeat;
  int      runs; /* in a sample, and hardly any before; 0: as time tells */
  gboolean list;
} BenchCommand;

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

/* Seconds of the best run; the checksum is that of the second one, in which a step of
 * training has changed the weights once. */
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
measure (BenchCase *bench, const BenchCommand *command, GString *line, GError **error)
{
  double best, checksum;
  int    repeat = command->repeat > 0 ? command->repeat : 5;
  guint  n_runs = (guint) command->runs;

  if (!warm_up (bench, n_runs > 0 ? 2 : WARM_UP_RUNS, &best, &checksum, error))
    return FALSE;

  if (n_runs == 0)
    n_runs = (guint) CLAMP (SAMPLE_SECONDS / MAX (best, 1e-9), 1, 1e6);
  g_string_append (line, ", \"seconds\": [");
  for (int i = 0; i < repeat; i++)
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
check_command (const BenchCommand *command, GError **error)
{
  if (!command->name)
    g_set_error (error,
                 SCOPE_ERROR,
                 SCOPE_ERROR_USAGE,
                 "hscope bench needs --case NAME; --list prints the usual names");
  else if (command->repeat < 0 || command->repeat > MAX_REPEAT)
    g_set_error (error,
                 SCOPE_ERROR,
                 SCOPE_ERROR_USAGE,
                 "--repeat %d is no number of samples; 1 to %d are possible",
                 command->repeat,
                 MAX_REPEAT);
  else if (command->runs < 0)
    g_set_error (error,
                 SCOPE_ERROR,
                 SCOPE_ERROR_USAGE,
                 "--runs %d is no number of runs; leave it out, or give 1 or more",
                 command->runs);
  else
    return TRUE;
  return FALSE;
}

static HybMode
mode_of (const ScopeCommonOptions *common)
{
  if (!common->mode || strcmp (common->mode, "static") == 0)
    return HYB_MODE_STATIC;
  return strcmp (common->mode, "hybrid") == 0 ? HYB_MODE_HYBRID : HYB_MODE_IMPERATIVE;
}

static int
run_bench (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  const BenchCommand *command = data;
  BenchOptions        options = { mode_of (common),
                                  (const char *const *) common->without,
                                  common->dump_after };
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
    return SCOPE_EXIT_USAGE;

  hyb_json_append_string (line, command->name);
  bench = find_case (command->name, &options, &problem);
  if (problem)
    {
      g_propagate_error (error, problem);
      return SCOPE_EXIT_MODEL;
    }
  if (!bench)
    {
      printf ("%s, \"error\": \"not expressible\"}\n", line->str);
      return SCOPE_EXIT_DONE;
    }

  is_done = measure (bench, command, line, error);
  bench->kind->free (bench);
  if (!is_done)
    return SCOPE_EXIT_MODEL;
  printf ("%s}\n", line->str);
  return SCOPE_EXIT_DONE;
}

static const GOptionEntry bench_options[] = {
  { "case",
    0,
    0,
    G_OPTION_ARG_STRING,
    SCOPE_OPTION_FIELD (BenchCommand, name),
    "Which case to run",
    "NAME" },
  { "repeat",
    0,
    0,
    G_OPTION_ARG_INT,
    SCOPE_OPTION_FIELD (BenchCommand, repeat),
    "How many samples",
    "R" },
  { "runs",
    0,
    0,
    G_OPTION_ARG_INT,
    SCOPE_OPTION_FIELD (BenchCommand, runs),
    "Runs in a sample, for counting instructions; without it as many as 5 ms take",
    "N" },
  { "list",
    0,
    0,
    G_OPTION_ARG_NONE,
    SCOPE_OPTION_FIELD (BenchCommand, list),
    "Print the names of the usual cases; recurrent ones may have any sizes",
    NULL },
  { 0 },
};

const ScopeCommand scope_command_bench = {
  .name = "bench",
  .arguments = "",
  .summary = "Time a benchmark case, as the other frameworks are timed",
  .n_files = { 0, 0 },
  .option_groups = SCOPE_OPTIONS_RUN,
  .options = bench_options,
  .options_size = sizeof (BenchCommand),
  .run = run_bench,
};
