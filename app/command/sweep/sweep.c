/* sweep.c — hscope sweep: measures or proves many cells, here or as a job array.
 *
 * The plan and all results are in one folder.  Start at run_sweep(): it makes or finds the folder, works on it
 * (sweep-run.h) and collects the lines.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/command.h"
#include "app/command/frame/progress.h"
#include "app/command/sweep/sweep-run.h"
#include "app/command/sweep/sweep-slurm.h"
#include "app/command/sweep/sweep-table.h"
#include "app/command/targets/remote-run.h"

#include "engine/base/error.h"
#include "engine/block/plugin.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct
{
  char    *axes[SCOPE_SWEEP_N_AXES];
  char    *task, *output, *launcher, *target, *slurm_options, *cells;
  int      samples, jobs, retries;
  double   time_limit;
  gboolean resume, retry_failed;
} SweepOptions;

/* --- The folder --- */

static gboolean
has_plan_options (const SweepOptions *options, char *const *files)
{
  gboolean has = files[0] || options->task || options->samples > 0 || options->time_limit > 0;

  for (guint axis = 0; axis < SCOPE_SWEEP_N_AXES; axis++)
    has |= options->axes[axis] != NULL;
  return has;
}

static ScopeSweepPlan *
make_plan (const SweepOptions *options, char *const *files, GError **error)
{
  ScopeSweepWish wish = { .task = options->task,
                          .samples = options->samples,
                          .time_limit = options->time_limit };

  for (guint axis = 0; axis < SCOPE_SWEEP_N_AXES; axis++)
    wish.axes[axis] = options->axes[axis];
  if (!files[0])
    return scope_sweep_plan_new (&wish, error);
  if (has_plan_options (options, files + 1))
    {
      scope_usage_error (error, "hscope sweep takes a plan file or options for the axes, not both");
      return NULL;
    }
  return scope_sweep_plan_read_ini (files[0], error);
}

/* Makes the folder of a new sweep.  The plan is written last: a folder without one was not finished. */
static gboolean
make_folder (const SweepOptions *options, const ScopeSweepPlan *plan, GError **error)
{
  g_autofree char *path = scope_sweep_dup_path (options->output, SCOPE_SWEEP_PLAN);

  if (g_mkdir_with_parents (options->output, 0777) != 0)
    return hyb_error_at (error, G_FILE_ERROR, (int) g_file_error_from_errno (errno),
                         options->output, NULL, "the folder cannot be made: %s",
                         g_strerror (errno));
  return scope_sweep_folder_create (options->output, error) &&
         scope_sweep_plan_write (plan, path, error);
}

/* The plan of a new sweep, or the folder's. */
static ScopeSweepPlan *
get_plan (const SweepOptions *options, char *const *files, GError **error)
{
  g_autofree char *path = scope_sweep_dup_path (options->output, SCOPE_SWEEP_PLAN);
  g_autoptr (ScopeSweepPlan) plan = NULL;
  gboolean has_plan = g_file_test (path, G_FILE_TEST_EXISTS | G_FILE_TEST_IS_SYMLINK);

  if (options->resume || options->cells)
    {
      if (!has_plan_options (options, files))
        return scope_sweep_plan_read (path, error);
      scope_usage_error (error,
                         "--resume and --cells take the plan from the folder: leave out the axes");
      return NULL;
    }
  plan = make_plan (options, files, error);
  if (plan && has_plan)
    {
      scope_usage_error (error, "%s holds a sweep already: --resume continues it", options->output);
      return NULL;
    }
  if (!plan || !scope_sweep_task_check (plan, error) || !make_folder (options, plan, error))
    return NULL;
  return g_steal_pointer (&plan);
}

/* --- Results --- */

static void
print_result (const ScopeCommonOptions *common,
              const char               *folder,
              guint                     n_cells,
              const ScopeSweepCounts   *counts)
{
  guint n_left = counts->n_todo + counts->n_running + counts->n_strange;

  if (common->json)
    {
      g_autoptr (ScopeJson) json = scope_json_new ();

      scope_json_string (json, "folder", folder);
      scope_json_int (json, "cells", n_cells);
      scope_json_int (json, "done", counts->n_done);
      scope_json_int (json, "failed", counts->n_failed);
      scope_json_int (json, "left", n_left);
      scope_json_print (json);
      return;
    }
  printf ("%s: %u of %u cells done, %u failed, %u left\n", folder, counts->n_done, n_cells,
          counts->n_failed, n_left);
}

/* "1 cell", "2 cells".  (transfer full) */
static char *
dup_cells (guint n)
{
  return g_strdup_printf ("%u cell%s", n, n == 1 ? "" : "s");
}

static void
print_advice (const ScopeSweepWork *work, const ScopeSweepCounts *counts)
{
  g_autofree char *shared = dup_cells (work->n_shared);
  g_autofree char *failed = dup_cells (counts->n_failed);
  g_autofree char *todo = dup_cells (counts->n_todo);
  g_autofree char *running = dup_cells (counts->n_running);

  if (work->n_shared > 0)
    scope_print_message (HYB_SEVERITY_NOTE,
                         "%s had to wait for another measurement on this machine: times are "
                         "measured one at a time",
                         shared);
  if (counts->n_failed > 0)
    scope_print_message (HYB_SEVERITY_WARNING,
                         "%s failed, see the reasons in " SCOPE_SWEEP_TABLE
                         ". --resume --retry-failed tries again",
                         failed);
  if (counts->n_todo > 0)
    scope_print_message (HYB_SEVERITY_WARNING, "%s not done yet. --resume continues", todo);
  if (counts->n_running > 0)
    scope_print_message (HYB_SEVERITY_NOTE, "%s still done by other processes", running);
}

/* --- The command --- */

static gboolean
uses_slurm (const SweepOptions *options)
{
  return g_strcmp0 (options->target, SCOPE_TARGET_SLURM) == 0;
}

/* Whether the cells are done on a target of the list. */
static gboolean
uses_other_machine (const SweepOptions *options)
{
  return options->target && !uses_slurm (options) &&
         strcmp (options->target, SCOPE_TARGET_LOCAL) != 0;
}

/* The target exists, and nothing else stands before the commands. */
static gboolean
check_target (const SweepOptions *options, GError **error)
{
  g_autoptr (ScopeTarget) target = NULL;

  if (!uses_other_machine (options))
    return TRUE;
  if (options->launcher)
    return scope_usage_error (error, "--launcher and --target both say where cells are done: give "
                                     "one of them");
  target = scope_find_target ("--target ", options->target, error);
  return target != NULL;
}

/* Submits the cells to Slurm, if any cell is left to measure. */
static gboolean
run_on_slurm (const SweepOptions *options, const ScopeSweepRun *run, GError **error)
{
  g_autofree char *folder = g_canonicalize_filename (options->output, NULL);
  g_auto (GStrv) more = NULL;
  guint            n_cells = run->cells.plan->n_cells;
  ScopeSweepSlurm  slurm = { .opened = run->folder,
                             .folder = folder,
                             .n_cells = n_cells,
                             .n_jobs = options->jobs > 0 ? MIN ((guint) options->jobs, n_cells) : 1,
                             .retries_failed = options->retry_failed,
                             .n_retries = run->n_retries,
                             .is_timing = run->cells.task->is_timing,
                             .launcher = options->launcher,
                             .cancellable = run->cancellable };
  ScopeSweepCounts counts = scope_sweep_folder_count (run->folder, run->cells.plan->n_cells);

  if (options->slurm_options && !g_shell_parse_argv (options->slurm_options, NULL, &more, error))
    return FALSE;
  slurm.options = more;
  return counts.n_todo + counts.n_running == 0 || scope_sweep_slurm_run (&slurm, error);
}

/* The cells A-B, or one, of --cells.  FALSE: a usage error. */
static gboolean
parse_cells (const char *text, guint n_cells, ScopeSweepPart *part, GError **error)
{
  g_auto (GStrv) ends = g_strsplit (text, "-", 2);
  guint64 first, last;

  if (!ends[0] || !g_ascii_string_to_unsigned (ends[0], 10, 0, n_cells - 1, &first, NULL) ||
      !g_ascii_string_to_unsigned (ends[ends[1] ? 1 : 0], 10, first, n_cells - 1, &last, NULL))
    return scope_usage_error (error,
                              "--cells %s: the sweep has the cells 0-%u. Give one, or the first "
                              "and the last",
                              text, n_cells - 1);
  part->first = (guint) first;
  part->end = (guint) last + 1;
  part->is_shared = TRUE;
  return TRUE;
}

/* HOST.PID.  (transfer full) */
static char *
dup_worker (void)
{
  g_autofree char *host = g_strdelimit (g_strdup (g_get_host_name ()), "./", '-');

  return g_strdup_printf ("%s.%d", host, (int) getpid ());
}

/* Does the cells here, with a folder of this process for outputs of commands. */
static gboolean
run_here (const SweepOptions *options, ScopeSweepRun *run, ScopeSweepWork *done, GError **error)
{
  g_autofree char *drafts = g_build_filename (options->output, "captures", ".draft-XXXXXX", NULL);
  gboolean         is_run;

  if (!g_mkdtemp (drafts))
    return hyb_error_at (error, G_FILE_ERROR, (int) g_file_error_from_errno (errno),
                         options->output, NULL,
                         "a folder cannot be made in its folder “captures”: %s",
                         g_strerror (errno));
  run->cells.drafts = drafts;
  is_run = scope_sweep_run (run, done, error);
  rmdir (drafts);
  return is_run;
}

/* Works on the folder and collects its results.  launcher: (nullable) */
static int
work (const ScopeCommonOptions *common,
      const SweepOptions       *options,
      const ScopeSweepPlan     *plan,
      char *const              *launcher,
      GError                  **error)
{
  g_autofree char *worker = dup_worker ();
  ScopeSweepPart   part = { .end = plan->n_cells,
                            .is_shared = uses_slurm (options),
                            .retries_failed = options->retry_failed };
  ScopeSweepRun    run = {
       .cells = { .plan = plan,
                  .task = scope_sweep_task_find (plan->task, error),
                  .folder = options->output,
                  .worker = worker,
                  .launcher = launcher,
                  .target = uses_other_machine (options) ? options->target : NULL },
       .n_jobs = options->jobs > 0 ? (guint) options->jobs : g_get_num_processors (),
       .n_retries = (guint) options->retries,
       .has_events = g_strcmp0 (common->progress, "json") == 0,
       .cancellable = scope_cancel_on_signal ()
  };
  g_autoptr (ScopeSweepFolder) folder = NULL;
  ScopeSweepWork   done = { 0 };
  ScopeSweepCounts counts;
  gboolean         is_unfinished;

  if (!run.cells.task ||
      (options->cells && !parse_cells (options->cells, plan->n_cells, &part, error)))
    return SCOPE_EXIT_FAILED;
  run.folder = folder = scope_sweep_folder_open (options->output, &part, error);
  if (!folder || (uses_slurm (options) ? !run_on_slurm (options, &run, error)
                                       : !run_here (options, &run, &done, error)))
    return SCOPE_EXIT_FAILED;
  counts = scope_sweep_folder_count (folder, plan->n_cells);
  /* Of several parts, the last one writes the table. */
  if ((!options->cells || counts.n_todo + counts.n_running == 0) &&
      !scope_sweep_table_write (folder, plan->n_cells, error))
    return SCOPE_EXIT_FAILED;
  print_advice (&done, &counts);
  print_result (common, options->output, plan->n_cells, &counts);
  if (counts.n_strange > 0)
    {
      hyb_error_at (error, HYB_FORMAT_ERROR, 0, options->output, NULL,
                    "%u of the files in its folder “cells” are not the result of their cell. Move "
                    "them away, then --resume does these cells",
                    counts.n_strange);
      return SCOPE_EXIT_FAILED;
    }
  /* Slurm may end or lose the job before all cells are done; cells behind a part belong to another
   * process. */
  is_unfinished = !options->cells && counts.n_todo + counts.n_running > 0;
  return counts.n_failed > 0 || is_unfinished ? SCOPE_EXIT_CHECK_FAILED : SCOPE_EXIT_DONE;
}

static int
run_sweep (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  SweepOptions *options = data;
  g_autoptr (ScopeSweepPlan) plan = NULL;
  g_auto (GStrv) launcher = NULL;

  if (!options->output)
    {
      scope_usage_error (error, "hscope sweep needs --output FOLDER");
      return SCOPE_EXIT_FAILED;
    }
  if (options->retry_failed && !options->resume)
    {
      scope_usage_error (error, "--retry-failed belongs to --resume");
      return SCOPE_EXIT_FAILED;
    }
  if (!check_target (options, error))
    return SCOPE_EXIT_FAILED;
  if (options->launcher && !g_shell_parse_argv (options->launcher, NULL, &launcher, NULL))
    {
      scope_usage_error (error, "--launcher: quotes are not closed, or there is no program");
      return SCOPE_EXIT_FAILED;
    }
  plan = get_plan (options, files, error);
  if (!plan)
    return SCOPE_EXIT_FAILED;
  /* A plan may come from a stranger: its names are data. */
  g_setenv (HYB_PLUGINS_VARIABLE, HYB_PLUGINS_GALLERY, TRUE);
  return work (common, options, plan, launcher, error);
}

#define AXIS(name, axis) SCOPE_OPTION (SweepOptions, STRING, name, axes[axis])

static const GOptionEntry sweep_options[] = {
  { AXIS ("models", SCOPE_SWEEP_MODEL), "Models, separated by commas", "LIST" },
  { AXIS ("variants", SCOPE_SWEEP_VARIANT), "Forms: as-is, unrolled, foreach, while, fused",
    "LIST" },
  { AXIS ("batch", SCOPE_SWEEP_BATCH), "Batch sizes", "LIST" },
  { AXIS ("length", SCOPE_SWEEP_LENGTH), "Numbers of time steps", "LIST" },
  { AXIS ("passes", SCOPE_SWEEP_PASS), "inference, training (default: inference)", "LIST" },
  { AXIS ("modes", SCOPE_SWEEP_MODE), "Modes: imperative, hybrid, static (default: static)",
    "LIST" },
  { AXIS ("devices", SCOPE_SWEEP_DEVICE), "Devices: cpu, gpu, gpu:1 (default: cpu)", "LIST" },
  { AXIS ("threads", SCOPE_SWEEP_THREADS), "Numbers of threads (default: all cores)", "LIST" },
  { AXIS ("repeat", SCOPE_SWEEP_REPEAT), "How often each cell is done, in rounds (default: 1)",
    "N" },
  { SCOPE_OPTION (SweepOptions, STRING, "task", task),
    "measure: the time of each form; prove: that it computes the same (default: measure)", "TASK" },
  { SCOPE_OPTION (SweepOptions, INT, "samples", samples),
    "Clean samples for each cell (default: until the median is known)", "N" },
  { SCOPE_OPTION (SweepOptions, DOUBLE, "time-limit", time_limit),
    "Time limit for each cell (default: 60)", "SECONDS" },
  { SCOPE_OPTION (SweepOptions, FILENAME, "output", output),
    "The folder of the sweep: plan.json, cells.jsonl and a capture of each cell", "FOLDER" },
  { SCOPE_OPTION (SweepOptions, NONE, "resume", resume),
    "Continue the sweep in the folder: do the cells that have no result", NULL },
  { SCOPE_OPTION (SweepOptions, NONE, "retry-failed", retry_failed),
    "With --resume: do cells that failed again", NULL },
  { SCOPE_OPTION (SweepOptions, STRING, "cells", cells),
    "Do these cells of the sweep in the folder; other processes may do other ones", "A-B" },
  { SCOPE_OPTION (SweepOptions, INT, "retries", retries),
    "How often a cell that fails is tried again at once (default: 0)", "N" },
  { SCOPE_OPTION (SweepOptions, INT, "jobs", jobs),
    "Proofs at a time (default: one for each processor); times are measured one at a time. With "
    "--target slurm: tasks of the job array (default: 1)",
    "N" },
  { SCOPE_OPTION (SweepOptions, STRING, "target", target),
    "local: on this machine; slurm: as a job array on a cluster that sees the folder; NAME: on "
    "this machine of the list (hscope targets) (default: local)",
    "TARGET" },
  { SCOPE_OPTION (SweepOptions, STRING, "slurm-options", slurm_options),
    "More options of sbatch, as “-p gpu --gres=gpu:1”", "TEXT" },
  { SCOPE_OPTION (SweepOptions, STRING, "launcher", launcher),
    "A command that is put before the command of each cell", "COMMAND" },
  { 0 },
};

static const ScopeRange ranges[] = {
  { "samples", 1, 100000, 0 },
  { "retries", 0, 1000, 0 },
  { "jobs", 1, 256, 0 },
  { 0 },
};

static const char *const examples[] = {
  "hscope sweep --models gallery:lstm-hybrid --variants unrolled,fused --samples 5 --output speed",
  "hscope sweep --output speed --resume",
  NULL,
};

static const ScopeOutput outputs[] = {
  { "output", NULL },
  { 0 },
};

static const ScopeChoices choices[] = {
  { "task", "measure prove" },
  { "variants", "as-is unrolled foreach while fused" },
  { 0 },
};

const ScopeCommand scope_command_sweep = {
  .name = "sweep",
  .arguments = "[PLAN.ini]",
  .summary = "Measure or prove many forms, sizes and models; interruptible, here or as a job array",
  .notes = "A plan file has one group:\n"
           "  [sweep]\n"
           "  models = gallery:lstm-lm, net-symbol.json\n"
           "  variants = unrolled, fused\n"
           "  batch = 1, 32\n"
           "Its keys are the names of the options for the axes, task, samples and time-limit.\n",
  .n_files = { 0, 1 },
  .examples = examples,
  .outputs = outputs,
  .options = sweep_options,
  .options_size = sizeof (SweepOptions),
  .ranges = ranges,
  .choices = choices,
  .starts_others = TRUE,
  .run = run_sweep,
};
