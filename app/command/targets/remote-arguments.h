/* remote-arguments.h — the words of a command for a target, and the files that it needs there.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/each/each-arguments.h"
#include "app/command/targets/remote-names.h"

/* The command of the call with the names of a target.  file_entries: its entries that name files.  names gets the files.
 * NULL-terminated; (transfer full) */
char **scope_remote_arguments (const ScopeEachCall *call,
                               const GArray        *file_entries,
                               ScopeRemoteNames    *names);
