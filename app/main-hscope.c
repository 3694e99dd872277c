/* main-hscope.c — main() of hscope; the commands are in app/command.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/command.h"
#include "app/library-settings.h"

#include <signal.h>
#include <sys/prctl.h>

int
main (int argc, char **argv)
{
  /* Exceeding the file size limit shall be an error of write(), not end the program. */
  signal (SIGXFSZ, SIG_IGN);
  scope_choose_library_settings ();
  /* A program that executed itself again, for its sandbox, would be “exe” in lists of processes. */
  prctl (PR_SET_NAME, "hscope");
  return scope_main (argc, argv);
}
