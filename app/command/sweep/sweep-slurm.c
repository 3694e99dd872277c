/* sweep-slurm.c — submits a job array and watches it.
 *
 * The number of the job is kept in the folder, so that a sweep whose watcher was killed is not submitted twice.  Start at
 * scope_sweep_slurm_run().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/sweep/sweep-slurm.h"

#include "app/command/messages.h"
#include "app/command/sweep/sweep-table.h"

#include "engine/formats/file.h"

#include <glib/gstdio.h>
#include <string.h>

#define JOB_FILE    "slurm-job"
#define SCRIPT_FILE "slurm-worker.sh"
#define LOG_FILE    "workers/.slurm-%A-%a.txt" /* with the numbers of the job and the task */
#define INTERVAL    1000                       /* ms between two questions */
#define MAX_FAILED  30 /* questions in a row that may fail: the controller may be restarted */

/* Runs a program of Slurm and returns what it printed.  (transfer full) NULL and an error with what it said. */
static char *
ask (char *const *argv, GError **error)
{
  g_autofree char *out = NULL;
  g_autofree char *err = NULL;
  g_autoptr (GError) local = NULL;
  int status;

  if (!g_spawn_sync (NULL,
                     (char **) argv,
                     NULL,
                     G_SPAWN_SEARCH_PATH,
                     NULL,
                     NULL,
                     &out,
                     &err,
                     &status,
                     &local))
    {
      g_set_error (error,
                   G_IO_ERROR,
                   G_IO_ERROR_NOT_FOUND,
                   "%s cannot be started: %s. Install Slurm's programs, or use the target local",
                   argv[0],
                   local->message);
      return NULL;
    }
  if (g_spawn_check_wait_status (status, NULL))
    return g_steal_pointer (&out);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s: %s", argv[0], g_strstrip (err));
  return NULL;
}

/* --- Submitting --- */

/* What each task of the array runs. */
static gboolean
write_script (const ScopeSweepSlurm *slurm, const char *path, GError **error)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *quoted = g_shell_quote (program ? program : "hscope");
  g_autofree char *folder = g_shell_quote (slurm->folder);
  g_autofree char *launcher = slurm->launcher ? g_shell_quote (slurm->launcher) : NULL;
  g_autofree char *text =
      g_strdup_printf ("#!/bin/sh\n# A worker of a sweep; made by hscope sweep --target slurm.\n"
                       "exec %s sweep --join --output %s --retries %u%s%s\n",
                       quoted,
                       folder,
                       slurm->n_retries,
                       launcher ? " --launcher " : "",
                       launcher ? launcher : "");

  return hyb_file_replace_contents (path, text, strlen (text), error);
}

static char **
make_command (const ScopeSweepSlurm *slurm, const char *script)
{
  g_autoptr (GStrvBuilder) argv = g_strv_builder_new ();
  g_autofree char *array = g_strdup_printf ("--array=0-%u", slurm->n_jobs - 1);
  g_autofree char *log = g_strconcat ("--output=", slurm->folder, "/" LOG_FILE, NULL);

  g_strv_builder_add_many (argv,
                           "sbatch",
                           "--parsable",
                           "--job-name=hscope-sweep",
                           "--open-mode=append",
                           NULL);
  g_strv_builder_add (argv, array);
  g_strv_builder_add (argv, log);
  /* Another job on the node would spoil times. */
  if (slurm->is_timing)
    g_strv_builder_add (argv, "--exclusive");
  for (guint i = 0; slurm->options && slurm->options[i]; i++)
    g_strv_builder_add (argv, slurm->options[i]);
  g_strv_builder_add (argv, script);
  return g_strv_builder_end (argv);
}

/* Submits the array and stores its number.  (transfer full) */
static char *
submit (const ScopeSweepSlurm *slurm, GError **error)
{
  g_autofree char *script = scope_sweep_dup_path (slurm->folder, SCRIPT_FILE);
  g_autofree char *file = scope_sweep_dup_path (slurm->folder, JOB_FILE);
  g_auto (GStrv) argv = make_command (slurm, script);
  g_autofree char *job = NULL;

  if (!write_script (slurm, script, error) || !(job = ask (argv, error)))
    return NULL;
  job[strcspn (job, ";\n")] = '\0'; /* the name of a cluster may follow */
  if (!hyb_file_replace_contents (file, job, strlen (job), error))
    return NULL;
  scope_print_message (HYB_SEVERITY_NOTE,
                       "submitted as job %s of Slurm with %u workers",
                       job,
                       slurm->n_jobs);
  return g_steal_pointer (&job);
}

/* --- Watching --- */

/* What squeue says of the job's tasks, "" if there are none.  (transfer full) NULL and an error: the controller does not
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
  char *text = ask (argv, &local);

  /* Slurm forgets jobs a while after their end. */
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
  g_autofree char *file = scope_sweep_dup_path (slurm->folder, JOB_FILE);
  g_autofree char *job = NULL;
  g_autofree char *tasks = NULL;

  if (!g_file_get_contents (file, &job, NULL, NULL) || *job == '\0' ||
      strspn (job, "0123456789") != strlen (job))
    return NULL;
  tasks = list_tasks (job, NULL);
  return tasks && *tasks != '\0' ? g_steal_pointer (&job) : NULL;
}

static void
cancel (const char *job)
{
  char            *argv[] = { (char *) "scancel", (char *) job, NULL };
  g_autofree char *text = ask (argv, NULL);
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
