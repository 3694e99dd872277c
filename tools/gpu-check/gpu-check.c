/* gpu-check.c — calls cuDNN and CUPTI directly, for what hscope cannot tell of a GPU (tools/gpu-first-contact.sh).
 *
 * It opens NVIDIA's libraries as the module for GPUs does and links none of them.  Ends with 0 if the calls could be made, 1
 * if one failed, 2 for wrong usage, and 4 without a driver, a GPU or a library.  It has never run on a GPU.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tools/gpu-check/gpu-check.h"
#include "engine/base/error.h"
#include "tools/gpu-check/estimate.h"

#include <stdio.h>

#define COMMANDS    "questions | counters | times | sweep | ceilings"
#define MAX_SIZE    65535
#define MAX_PRODUCT 32768

enum
{
  EXIT_FAILED = 1,
  EXIT_USAGE = 2,
  EXIT_ABSENT = 4
};

static LayerSizes sizes = { .steps = 100, .batch = 1, .units = 256 };
static int        runs = 200;
static int        product = 8192;
static char      *json;
static char      *algorithm;
static char      *unit_list, *batch_list;

static const GOptionEntry entries[] = {
  { "steps", 0, 0, G_OPTION_ARG_INT, &sizes.steps, "Time steps (100)", "N" },
  { "batch", 0, 0, G_OPTION_ARG_INT, &sizes.batch, "Sequences (1)", "N" },
  { "units", 0, 0, G_OPTION_ARG_INT, &sizes.units, "Units of the LSTM, and numbers of a step (256)",
    "N" },
  { "runs", 0, 0, G_OPTION_ARG_INT, &runs, "Passes that are timed (200)", "N" },
  { "json", 0, 0, G_OPTION_ARG_FILENAME, &json, "Also write the times to a file", "FILE" },
  { "algorithm", 0, 0, G_OPTION_ARG_STRING, &algorithm,
    "Of sweep: standard, persist-static, persist-dynamic or persist-small (standard)", "NAME" },
  { "sizes", 0, 0, G_OPTION_ARG_STRING, &unit_list, "Of sweep: units (\"512 256 1024\")", "LIST" },
  { "batches", 0, 0, G_OPTION_ARG_STRING, &batch_list, "Of sweep: sequences (\"1 32\")", "LIST" },
  { "product", 0, 0, G_OPTION_ARG_INT, &product, "Of ceilings: rows of products (8192)", "N" },
  { NULL },
};

/* --- Commands --- */

static gboolean
ask_questions (HybDevice *device, GError **error)
{
  return check_questions (device, error);
}

static gboolean
take_times (HybDevice *device, GError **error)
{
  return check_times (device, &sizes, runs, json, error);
}

static gboolean
sweep (HybDevice *device, GError **error)
{
  CheckSweep all = { .algorithm = algorithm ? check_find_algorithm (algorithm) : 0,
                     .units = unit_list ? unit_list : "512 256 1024",
                     .batches = batch_list ? batch_list : "1 32",
                     .steps = sizes.steps,
                     .runs = runs };

  return check_sweep (device, &all, error);
}

static gboolean
measure_ceilings (HybDevice *device, GError **error)
{
  return check_ceilings (device, product, MIN (runs, 30), error);
}

/* Commands that need an opened GPU. */
static const struct
{
  const char *name;
  gboolean (*run) (HybDevice *device, GError **error);
} commands[] = {
  { "questions", ask_questions },
  { "times", take_times },
  { "sweep", sweep },
  { "ceilings", measure_ceilings },
};

static gboolean
run_opened (gboolean (*run) (HybDevice *device, GError **error), GError **error)
{
  HybDevice *device = hyb_cuda_count (error) > 0 ? hyb_cuda_open (0, TRUE, error) : NULL;
  gboolean   is_done;

  if (!device)
    return FALSE;
  is_done = run (device, error);
  hyb_cuda_close (device);
  return is_done;
}

/* FALSE: there is no such command. */
static gboolean
run_command (const char *name, gboolean *is_done, GError **error)
{
  if (g_str_equal (name, "counters")) /* CUPTI must be there before the GPU is opened */
    {
      *is_done = check_counters (error);
      return TRUE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (g_str_equal (name, commands[i].name))
      {
        *is_done = run_opened (commands[i].run, error);
        return TRUE;
      }
  return FALSE;
}

static int
report (gboolean is_done, const GError *error)
{
  if (is_done)
    return 0;
  fprintf (stderr, "gpu-check: %s.\n", error->message);
  return g_error_matches (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_ABSENT) ? EXIT_ABSENT
                                                                            : EXIT_FAILED;
}

static int
refuse (const char *why)
{
  fprintf (stderr,
           "gpu-check: %s.\nusage: gpu-check " COMMANDS " [OPTION…]; --help lists options.\n", why);
  return EXIT_USAGE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new (COMMANDS);
  g_autoptr (GError) error = NULL;
  const char *command;
  gboolean    is_done;

  g_option_context_set_summary (context, "Calls cuDNN, cuBLAS and CUPTI directly. The first "
                                         "options are those of times.");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    return refuse (error->message);
  if (argc != 2)
    return refuse ("one command is needed");
  command = argv[1];
  if (MIN (MIN (sizes.steps, sizes.batch), sizes.units) < 1 ||
      MAX (MAX (sizes.steps, sizes.batch), sizes.units) > MAX_SIZE)
    return refuse ("sizes are numbers from 1 to 65535");
  if (runs < CHECK_MIN_RUNS)
    return refuse ("an interval needs 20 runs at least");
  if (product < 1 || product > MAX_PRODUCT)
    return refuse ("products have 1 to 32768 rows");
  if (algorithm && check_find_algorithm (algorithm) < 0)
    return refuse ("there is no such algorithm");
  sizes.inputs = sizes.units;
  if (!run_command (command, &is_done, &error))
    return refuse ("there is no such command");
  return report (is_done, error);
}
