/* far-side.h — hscope on a target: takes a command and its files from stdin, runs it, and sends back its output.
 *
 * It listens on no network.  When stdin ends, the command is interrupted; its folder is removed in any case.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Serves one command on stdin and stdout.  Returns the exit status; the command's own goes to the other end. */
int scope_far_side_run (GError **error);
