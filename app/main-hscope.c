/* main-hscope.c — everything the window can do, on a server that has none.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/command.h"
#include "app/core-type.h"

#include <signal.h>

int
main (int argc, char **argv)
{
  /* A full disk is an error to be told, not an end. */
  signal (SIGXFSZ, SIG_IGN);
  scope_ensure_core_type (argv);
  return scope_main (argc, argv);
}
