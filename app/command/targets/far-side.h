/* far-side.h — hscope on a target: takes a command and its files from stdin, runs it, and sends back what it writes.
 *
 * It listens on no network.  When stdin ends, or the other end is silent for too long, the command is killed and its folder
 * removed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Serves one command on stdin and stdout.  Returns the exit status; that of the command goes to the other end. */
int scope_far_side_run (GError **error);
