/* crash.c — the last words of a process that a plug-in has brought down.
 *
 * A handler may call next to nothing, so the words are made beforehand.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/crash.h"

#include "app/command/common.h"

#include <signal.h>
#include <unistd.h>

static char   last_words[1024];
static gsize  length;
static guint8 stack[64 << 10]; /* its own: the other one may have overflowed */

static void
on_crash (int number)
{
  if (write (STDERR_FILENO, last_words, length) < 0)
    _exit (SCOPE_EXIT_FILE);
  _exit (SCOPE_EXIT_MODEL);
}

void
scope_blame (const char *plugin)
{
  static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
  struct sigaction action = { .sa_handler = on_crash, .sa_flags = SA_ONSTACK | (int) SA_RESETHAND };
  stack_t          own = { .ss_sp = stack, .ss_size = sizeof stack };

  length = MIN ((gsize) g_snprintf (last_words,
                                    sizeof last_words,
                                    "error: %s: the plug-in crashed. Run it in a debugger: gdb "
                                    "--args hscope …\n",
                                    plugin),
                sizeof last_words - 1);
  sigaltstack (&own, NULL);
  sigemptyset (&action.sa_mask);
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    sigaction (signals[i], &action, NULL);
}
