/* outputs.h — the output files of a command: checked before the work, and named after it.
 *
 * Which options name them is in the command's table (ScopeCommand.outputs).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/command.h"

/* The value of an option of the command alone; NULL: not given. */
const char *
scope_output_get (const ScopeCommand *command, gconstpointer options, const char *option);

/* FALSE and an error if the folder of an output does not exist or cannot be written, if its name belongs
 * to a folder, or ends in nothing that the command can write.  “-” is not checked. */
gboolean scope_outputs_check (const ScopeCommand *command,
                              gconstpointer       options,
                              char *const        *files,
                              GError            **error);

/* Prints “wrote FILE” on stdout for each single file that was written.  Commands print the names of pairs
 * themselves.  except: (nullable) a name that is left out. */
void scope_outputs_print (const ScopeCommand *command,
                          gconstpointer       options,
                          char *const        *files,
                          const char         *except);
