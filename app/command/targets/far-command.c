/* far-command.c — starts and ends the child process that runs a command on a target.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/far-command.h"

#include "app/adapt/child-message.h"
#include "app/command/targets/original-name.h"
#include "engine/block/plugin.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const scope_far_settings[] = {
  HYB_PLUGINS_VARIABLE, SCOPE_MESSAGES_VARIABLE, SCOPE_FILES_VARIABLE, SCOPE_TARGET_VARIABLE, NULL,
};

/* Runs in the child, before the program: it leads a group of its own, and ends with its parent. */
static void
prepare_child (gpointer unused G_GNUC_UNUSED)
{
  struct sigaction defaults = { .sa_handler = SIG_DFL };

  setpgid (0, 0);
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  sigaction (SIGPIPE, &defaults, NULL);
  sigaction (SIGHUP, &defaults, NULL);
  sigaction (SIGINT, &defaults, NULL);
  sigaction (SIGTERM, &defaults, NULL);
}

gboolean
scope_far_command_start (ScopeFarCommand   *command,
                         const char        *folder,
                         const char *const *arguments,
                         char             **environment,
                         GError           **error)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();

  g_ptr_array_add (argv, program ? program : (gpointer) "hscope");
  for (guint i = 0; arguments[i]; i++)
    g_ptr_array_add (argv, (gpointer) arguments[i]);
  g_ptr_array_add (argv, NULL);
  return g_spawn_async_with_pipes (folder,
                                   (char **) argv->pdata,
                                   environment,
                                   G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD,
                                   prepare_child,
                                   NULL,
                                   &command->pid,
                                   NULL,
                                   &command->out,
                                   &command->err,
                                   error);
}

static void
close_pipe (int *pipe)
{
  if (*pipe >= 0)
    close (*pipe);
  *pipe = -1;
}

void
scope_far_command_end (ScopeFarCommand *command, guint8 *status, guint8 *signal)
{
  int   end = 0;
  pid_t pid;

  if (command->pid <= 0)
    return;
  if (command->out >= 0 || command->err >= 0)
    {
      kill (-command->pid, SIGKILL);
      kill (command->pid, SIGKILL);
    }
  close_pipe (&command->out);
  close_pipe (&command->err);
  do
    pid = waitpid (command->pid, &end, 0);
  while (pid < 0 && errno == EINTR);
  /* What it started and left running. */
  kill (-command->pid, SIGKILL);
  command->pid = 0;
  *status = pid > 0 && WIFEXITED (end) ? (guint8) WEXITSTATUS (end) : 0;
  *signal = pid > 0 && WIFSIGNALED (end) ? (guint8) WTERMSIG (end) : 0;
}
