/* launcher.c — starts and ends the process that leads to a target.
 *
 * It leads a group of processes of its own, so that Ctrl-C in a terminal reaches only this process, which then ends the command
 * on the target in an orderly way.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/launcher.h"

#include "app/command/frame/messages.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEP    20000 /* µs */
#define N_STEPS 250   /* that it has to end by itself, and again after SIGTERM */

/* SIGHUP, since the launcher may have become hscope itself, which ignores it and removes its folder when stdin ends. */
static void
prepare_child (gpointer unused G_GNUC_UNUSED)
{
  setpgid (0, 0);
  prctl (PR_SET_PDEATHSIG, SIGHUP);
}

/* The words of the command, each of which means itself to every shell: ssh hands them to one, and others do not.  (transfer full)
 * NULL and an error: one does not. */
static GPtrArray *
make_words (const ScopeTarget *target, const char *const *words, GError **error)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();

  for (guint i = 0; target->words[i]; i++)
    g_ptr_array_add (argv, target->words[i]);
  for (guint i = 0; words[i]; i++)
    {
      if (!scope_target_is_plain (words[i]))
        {
          scope_usage_error (error,
                             "%s: a shell there might change “%s”. Use letters, digits, dots, "
                             "dashes and slashes only",
                             target->name, words[i]);
          return NULL;
        }
      g_ptr_array_add (argv, (gpointer) words[i]);
    }
  g_ptr_array_add (argv, NULL);
  return g_steal_pointer (&argv);
}

gboolean
scope_launcher_start (ScopeLauncher     *launcher,
                      const ScopeTarget *target,
                      const char *const *words,
                      int                from,
                      GError           **error)
{
  g_autoptr (GPtrArray) argv = make_words (target, words, error);
  g_autoptr (GError) problem = NULL;
  g_auto (GStrv) environment = NULL;

  if (!argv)
    return FALSE;
  /* srun passes on whole lines only, and our data have none. */
  environment = g_environ_setenv (g_get_environ (), "SLURM_UNBUFFEREDIO", "1", FALSE);
  if (g_spawn_async_with_pipes_and_fds (NULL, (const char *const *) argv->pdata,
                                        (const char *const *) environment,
                                        G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD,
                                        prepare_child, NULL, from, -1, -1, NULL, NULL, 0,
                                        &launcher->pid, from < 0 ? &launcher->in : NULL,
                                        &launcher->out, &launcher->err, &problem))
    return TRUE;
  *launcher = (ScopeLauncher) SCOPE_LAUNCHER_NONE;
  g_set_error (error, SCOPE_ERROR, SCOPE_ERROR_FAILED,
               "%s: the launcher “%s” cannot be started: %s. Correct it in targets.ini",
               target->name, target->launcher, problem->message);
  return FALSE;
}

void
scope_pipe_close (int *pipe)
{
  if (*pipe >= 0)
    close (*pipe);
  *pipe = -1;
}

/* TRUE: it has ended within some seconds. */
static gboolean
wait_for_end (GPid pid, int *end)
{
  for (guint i = 0; i < N_STEPS; i++)
    {
      pid_t found = waitpid (pid, end, WNOHANG);

      if (found == pid || (found < 0 && errno != EINTR))
        return TRUE;
      g_usleep (STEP);
    }
  return FALSE;
}

char *
scope_launcher_end (ScopeLauncher *launcher, int *status)
{
  int  end = 0;
  GPid pid = launcher->pid;

  *status = -1;
  scope_pipe_close (&launcher->in);
  scope_pipe_close (&launcher->out);
  scope_pipe_close (&launcher->err);
  if (pid <= 0)
    return g_strdup ("the launcher has ended");
  if (!wait_for_end (pid, &end))
    {
      kill (-pid, SIGTERM);
      if (!wait_for_end (pid, &end))
        {
          kill (-pid, SIGKILL);
          waitpid (pid, &end, 0);
        }
    }
  launcher->pid = 0;
  if (WIFSIGNALED (end))
    return g_strdup_printf ("the launcher was ended by signal %d (%s)", WTERMSIG (end),
                            g_strsignal (WTERMSIG (end)));
  *status = WEXITSTATUS (end);
  return g_strdup_printf ("the launcher ended with status %d", *status);
}

gsize
scope_pipe_read (int *pipe, gpointer data, gsize n)
{
  gssize n_read;

  do
    n_read = read (*pipe, data, n);
  while (n_read < 0 && errno == EINTR);
  if (n_read <= 0)
    scope_pipe_close (pipe);
  return (gsize) MAX (n_read, 0);
}
