/* remote-run.h — runs a command on the target of --target, with its files, as if it ran here.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/each/each-arguments.h"
#include "app/targets/target-list.h"

/* Whether --target names another machine. */
gboolean scope_is_remote (const ScopeCommonOptions *common);

/* The target of that name.  option: the text before it in the error, “--target ” or nothing.  (transfer full) NULL: a usage
 * error, or a file error. */
ScopeTarget *scope_find_target (const char *option, const char *name, GError **error);

/* Runs the command of the call there.  file_entries: its entries that name files.  Returns its exit status. */
int scope_remote_run (const ScopeEachCall *call, const GArray *file_entries, GError **error);
