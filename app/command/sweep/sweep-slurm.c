/* sweep-slurm.c — submits a job array and watches it.
 *
 * The number of the job is kept in the folder, so that a sweep whose watcher was killed is not submitted twice.  Start at
 * scope_sweep_slurm_run().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/sweep/sweep-slurm.h"

#include "app/command/frame/messages.h"
#include <string.h>

#define JOB_FILE   "slurm-job"
#define LOG_FILE   "slurm-%A-%a.txt" /* with the numbers of the job and the task */
#define INTERVAL   1000              /* ms between two questions */
#define MAX_FAILED 30 /* questions in a row that may fail: the controller may be restarted */

/* Runs a program of Slurm and returns its output.  (transfer full) NULL and an error with its message. */
static char *
run_query (char *const *argv, GError **error)
{
  g_autofree char *out = NULL;
  g_autofree char *err = NULL;
  g_autoptr (GError) local = NULL;
  int status;

  if (!g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, &err,
                     &status, &local))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                   "%s cannot be started: %s. Install Slurm's programs, or use the target local",
                   argv[0], local->message);
      return NULL;
    }
  if (g_spawn_check_wait_status (status, NULL))
    return g_steal_pointer (&out);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s: %s", argv[0], g_strstrip (err));
  return NULL;
}

/* --- Submitting --- */

/* The command of each task of the array: sbatch puts it behind "#!/bin/sh".  (transfer full) */
static char *
dup_task (const ScopeSweepSlurm *slurm)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *quoted = g_shell_quote (program ? program : "hscope");
  g_autofree char *folder = g_shell_quote (slurm->folder);
  g_autofree char *launcher = slurm->launcher ? g_shell_quote (slurm->launcher) : NULL;
  guint            n_cells = slurm->n_cells, n_jobs = slurm->n_jobs;

  return g_strdup_printf ("--wrap=exec %s sweep --resume%s --cells $((SLURM_ARRAY_TASK_ID * %u / "
                          "%u))-$(((SLURM_ARRAY_TASK_ID + 1) * %u / %u - 1)) --output %s --retries "
                          "%u%s%s",
                          quoted, slurm->retries_failed ? " --retry-failed" : "", n_cells, n_jobs,
                          n_cells, n_jobs, folder, slurm->n_retries, launcher ? " --launcher " : "",
                          launcher ? launcher : "");
}

/* For ScopeSweepWriter; data: the number of the job. */
static gboolean
write_job (FILE *stream, gpointer data)
{
  return fputs (data, stream) >= 0;
}

static char **
make_command (const ScopeSweepSlurm *slurm)
{
  g_autoptr (GStrvBuilder) argv = g_strv_builder_new ();
  g_autofree char *array = g_strdup_printf ("--array=0-%u", slurm->n_jobs - 1);
  g_autofree char *wrap = dup_task (slurm);
  g_autofree char *log = g_strconcat ("--output=", slurm->folder, "/" LOG_FILE, NULL);

  g_strv_builder_add_many (argv, "sbatch", "--parsable", "--job-name=hscope-sweep",
                           "--open-mode=append", "--requeue", NULL);
  g_strv_builder_add (argv, array);
  g_strv_builder_add (argv, log);
  /* Another job on the node would spoil times. */
  if (slurm->is_timing)
    g_strv_builder_add (argv, "--exclusive");
  for (guint i = 0; slurm->options && slurm->options[i]; i++)
    g_strv_builder_add (argv, slurm->options[i]);
  g_strv_builder_add (argv, wrap);
  return g_strv_builder_end (argv);
}

/* Submits the array and stores its number.  (transfer full) */
static char *
submit (const ScopeSweepSlurm *slurm, GError **error)
{
  g_auto (GStrv) argv = make_command (slurm);
  g_autofree char *job = NULL;

  if (!(job = run_query (argv, error)))
    return NULL;
  job[strcspn (job, ";\n")] = '\0'; /* the name of a cluster may follow */
  if (!scope_sweep_folder_write (slurm->opened, JOB_FILE, write_job, job, error))
    return NULL;
  scope_print_message (HYB_SEVERITY_NOTE, "submitted as job %s of Slurm with %u tasks", job,
                       slurm->n_jobs);
  return g_steal_pointer (&job);
}

/* --- Watching --- */

/* The output of squeue for the job's tasks, "" if there are none.  (transfer full) NULL and an error: the controller does not
 * answer. */
static char *
list_tasks (const char *job, GError **error)
{
  char *argv[] = { (char *) "squeue",
                   (char *) "--noheader",
                   (char *) "--array",
                   (char *) "--jobs",
                   (char *) job,
                   (char *) "--format=%i %T",
                   NULL };
  g_autoptr (GError) local = NULL;
  char *text = run_query (argv, &local);

  /* Slurm drops the records of jobs a while after their end. */
  if (!text && strstr (local->message, "Invalid job id"))
    return g_strdup ("");
  if (!text)
    g_propagate_error (error, g_steal_pointer (&local));
  return text;
}

/* The number of a job that was submitted for this folder and has not ended.  (transfer full) NULL: there is none. */
static char *
find_job (const ScopeSweepSlurm *slurm)
{
  g_autofree char *job = scope_sweep_folder_read_file (slurm->opened, JOB_FILE, 64);
  g_autofree char *tasks = NULL;

  if (!job || *job == '\0' || strspn (job, "0123456789") != strlen (job))
    return NULL;
  tasks = list_tasks (job, NULL);
  return tasks && *tasks != '\0' ? g_steal_pointer (&job) : NULL;
}

static void
cancel (const char *job)
{
  char            *argv[] = { (char *) "scancel", (char *) job, NULL };
  g_autofree char *text = run_query (argv, NULL);
}

/* Waits for the end of all tasks. */
static gboolean
watch (const ScopeSweepSlurm *slurm, const char *job, GError **error)
{
  gboolean is_cancelled = FALSE;

  for (guint n_failed = 0; n_failed < MAX_FAILED;)
    {
      GPollFD fd = { .fd = -1 };
      g_autoptr (GError) local = NULL;
      g_autofree char *tasks = list_tasks (job, &local);

      if (tasks && *tasks == '\0')
        return TRUE;
      n_failed = tasks ? 0 : n_failed + 1;
      if (n_failed == MAX_FAILED)
        g_propagate_error (error, g_steal_pointer (&local));
      if (is_cancelled || !g_cancellable_make_pollfd (slurm->cancellable, &fd))
        g_usleep (INTERVAL * 1000);
      else
        {
          is_cancelled = g_poll (&fd, 1, INTERVAL) > 0;
          g_cancellable_release_fd (slurm->cancellable);
          if (is_cancelled)
            cancel (job);
        }
    }
  return FALSE;
}

gboolean
scope_sweep_slurm_run (const ScopeSweepSlurm *slurm, GError **error)
{
  g_autofree char *job = find_job (slurm);

  if (job)
    scope_print_message (HYB_SEVERITY_NOTE, "job %s of Slurm is still at work on the sweep", job);
  else
    job = submit (slurm, error);
  return job && watch (slurm, job, error);
}
