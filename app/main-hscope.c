/* main-hscope.c — main() of hscope; the commands are in app/command.
 *
 * Checks OpenBLAS's kernels first, which may restart the program (core-type.h).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/command.h"
#include "app/core-type.h"
#include "app/library-threads.h"

#include <signal.h>
#include <sys/prctl.h>

int
main (int argc, char **argv)
{
  /* Exceeding the file size limit shall be an error of write(), not end the program. */
  signal (SIGXFSZ, SIG_IGN);
  scope_ensure_library_threads (argv);
  scope_ensure_core_type (argv);
  /* A program that was restarted would be “exe” in lists of processes. */
  prctl (PR_SET_NAME, "hscope");
  return scope_main (argc, argv);
}
