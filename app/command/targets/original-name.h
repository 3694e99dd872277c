/* original-name.h — the original names of files, for a command that runs on a target.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/base/machine.h"

/* Set on a target: a line “hscope-file-N TAB FOLDER” for each folder that files come from. */
#define SCOPE_FILES_VARIABLE "HYBRIDSCOPE_FILES"
/* Set on a target: the name that it has in the list of targets. */
#define SCOPE_TARGET_VARIABLE "HYBRIDSCOPE_TARGET"

/* The name that the owner of a file gave it; the same name except on a target.  (transfer full) */
char *scope_original_name_dup (const char *file);
/* Adds the facts “model”, the file under its owner's name, and, on a target, “target”, the name of that. */
void scope_describe_origin (ProfFacts *facts, const char *file);
