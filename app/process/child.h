/* child.h — hscope as a child process.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* The hscope that belongs to this window: of HYBRIDSCOPE_HSCOPE, beside the program, in the build
 * folder, or in PATH.  (transfer full), NULL: nowhere. */
char *scope_child_find_program (void);

/* Starts a program; argv[0] is its path.  Cancelled, it is ended again. */
void         scope_child_start_async (const char *const  *argv,
                                      GSubprocessFlags    flags,
                                      GCancellable       *cancellable,
                                      GAsyncReadyCallback callback,
                                      gpointer            user_data);
GSubprocess *scope_child_start_finish (GAsyncResult *result, GError **error);

/* Runs hscope with arguments (without the program's name) and gives all of stdout; failing is an
 * error with the last line of stderr. */
void  scope_child_run_async (const char *const  *arguments,
                             GCancellable       *cancellable,
                             GAsyncReadyCallback callback,
                             gpointer            user_data);
char *scope_child_run_finish (GAsyncResult *result, GError **error);

/* What the user reads when a signal ended the child.  (transfer full) */
char *scope_child_describe_signal (int number);

/* The last line that is not empty; (transfer full), "" for none. */
char *scope_child_last_line (const char *text);
