/* gpu-check.c — calls cuDNN and CUPTI directly, for what hscope cannot tell of a GPU (tools/gpu-all.sh).
 *
 * It opens NVIDIA's libraries as the module for GPUs does and links none of them.  Ends with 0 if the calls could be made, 1
 * if one failed, 2 for wrong usage, and 4 without a driver, a GPU or a library.  It has never run on a GPU.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tools/gpu-check/gpu-check.h"
#include "engine/base/error.h"

#include <stdio.h>

#define MAX_SIZE 65535
#define MIN_RUNS 20

enum
{
  EXIT_FAILED = 1,
  EXIT_USAGE = 2,
  EXIT_ABSENT = 4
};

static LayerSizes sizes = { .steps = 100, .batch = 1, .units = 256 };
static int        runs = 200;
static char      *json;

static const GOptionEntry entries[] = {
  { "steps", 0, 0, G_OPTION_ARG_INT, &sizes.steps, "Time steps (100)", "N" },
  { "batch", 0, 0, G_OPTION_ARG_INT, &sizes.batch, "Sequences (1)", "N" },
  { "units",
    0,
    0,
    G_OPTION_ARG_INT,
    &sizes.units,
    "Units of the LSTM, and numbers of a step (256)",
    "N" },
  { "runs", 0, 0, G_OPTION_ARG_INT, &runs, "Passes that are timed (200)", "N" },
  { "json", 0, 0, G_OPTION_ARG_FILENAME, &json, "Also write the times to a file", "FILE" },
  { NULL },
};

/* One of the commands that need an opened GPU. */
static gboolean
check_opened (gboolean has_times, GError **error)
{
  HybDevice *device = hyb_cuda_count (error) > 0 ? hyb_cuda_open (0, TRUE, error) : NULL;
  gboolean   is_done;

  if (!device)
    return FALSE;
  is_done =
      has_times ? check_times (device, &sizes, runs, json, error) : check_questions (device, error);
  hyb_cuda_close (device);
  return is_done;
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
           "gpu-check: %s.\nusage: gpu-check questions | counters | times [OPTION…]; --help lists "
           "options.\n",
           why);
  return EXIT_USAGE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("questions | counters | times");
  g_autoptr (GError) error = NULL;
  const char *command;
  gboolean    is_done;

  g_option_context_set_summary (context,
                                "Calls cuDNN and CUPTI directly. The options are those of times.");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    return refuse (error->message);
  if (argc != 2)
    return refuse ("one command is needed");
  command = argv[1];
  if (MIN (MIN (sizes.steps, sizes.batch), sizes.units) < 1 ||
      MAX (MAX (sizes.steps, sizes.batch), sizes.units) > MAX_SIZE)
    return refuse ("sizes are numbers from 1 to 65535");
  if (runs < MIN_RUNS)
    return refuse ("an interval needs 20 runs at least");
  sizes.inputs = sizes.units;
  if (g_str_equal (command, "questions") || g_str_equal (command, "times"))
    is_done = check_opened (g_str_equal (command, "times"), &error);
  else if (g_str_equal (command, "counters"))
    is_done = check_counters (&error);
  else
    return refuse ("there is no such command");
  return report (is_done, error);
}
