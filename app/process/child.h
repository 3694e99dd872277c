/* child.h — runs hscope, or any other program, as a child process.
 *
 * All work on models that may crash, run out of memory or load plug-ins happens in such a child.
 * Start with scope_child_run_async() for a command whose whole output is needed, and with
 * scope_child_start_async() for one that is watched while it runs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/child-message.h"

#include <gio/gio.h>

/* The path of the hscope that belongs to this window: HYBRIDSCOPE_HSCOPE if it is set, else the one
 * beside the program, in the build folder, or in PATH.  (transfer full) NULL: not found. */
char *scope_child_find_program (void);

/* The first argument of every hscope that is started here: it enters a sandbox before it opens a model. */
#define SCOPE_CHILD_SANDBOX "--sandbox"

/* Children load modules of the gallery only, except those of scope_child_run_plugin_async(). */

/* Starts argv[0], which is a path, in a thread.  Cancelling before the finish function is called
 * kills the process. */
void scope_child_start_async (const char *const  *argv,
                              GSubprocessFlags    flags,
                              GCancellable       *cancellable,
                              GAsyncReadyCallback callback,
                              gpointer            user_data);
/* (transfer full) NULL and an error: not started. */
GSubprocess *scope_child_start_finish (GAsyncResult *result, GError **error);

/* Runs hscope with arguments (NULL-terminated, without the program's name) to its end. */
void scope_child_run_async (const char *const  *arguments,
                            GCancellable       *cancellable,
                            GAsyncReadyCallback callback,
                            gpointer            user_data);
/* The same for a command that looks for differences and ends with status 1 if there are some; finish it with
 * scope_child_run_finish(). */
void scope_child_run_check_async (const char *const  *arguments,
                                  GCancellable       *cancellable,
                                  GAsyncReadyCallback callback,
                                  gpointer            user_data);
/* The same for a command whose arguments name a plug-in that the user allowed; finish it with
 * scope_child_run_finish(). */
void scope_child_run_plugin_async (const char *const  *arguments,
                                   GCancellable       *cancellable,
                                   GAsyncReadyCallback callback,
                                   gpointer            user_data);
/* All of its stdout, (transfer full).  NULL and an error with the message of hscope on stderr: it
 * was not started, was killed, or ended with a status other than 0. */
char *scope_child_run_finish (GAsyncResult *result, GError **error);

/* The message shown to the user when a signal ended the child.  (transfer full) */
char *scope_child_describe_signal (int number);

/* Errors of children, which can carry a remedy (engine/base/remedy.h). */
#define SCOPE_CHILD_ERROR (scope_child_error_quark ())
/* The quark behind SCOPE_CHILD_ERROR. */
GQuark scope_child_error_quark (void);
typedef enum
{
  SCOPE_CHILD_ERROR_FAILED,
} ScopeChildError;
/* The error that a message of a child reports.  (transfer full) */
GError *scope_child_error_new (const ScopeChildMessage *message);
