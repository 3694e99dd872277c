/* file-guard.h — keeps the window alive when a file becomes shorter while it is mapped.
 *
 * The kernel raises SIGBUS then.  Zeros replace the missing contents, and the owners of such files check
 * them (engine/formats/mapped-file.h).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Installs the handler of SIGBUS.  Call it once, in the main thread. */
void scope_file_guard_install (void);

/* Checks the files of an object, and reports one that became shorter. */
typedef void (*ScopeFileGuardFunc) (gpointer data);
/* Calls check (data) in the main loop whenever a file became shorter, until scope_file_guard_remove(). */
void scope_file_guard_add (ScopeFileGuardFunc check, gpointer data);
/* Ends the calls with this data. */
void scope_file_guard_remove (gpointer data);
