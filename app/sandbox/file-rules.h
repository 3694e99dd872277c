/* file-rules.h — limits the files that a process may write and the programs that it may start
 * (Landlock).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Allowed paths; each list ends with NULL.  Paths need not exist. */
typedef struct
{
  const char *const *outputs;  /* files and prefixes that are written */
  const char *const *programs; /* that may be started */
  const char *const *devices;  /* that are read, written and controlled; (nullable) */
} ScopeFileRules;

/* The first of outputs (ending with NULL) that is a link out of its own folder; NULL: none is. */
const char *scope_file_rules_find_stray (const char *const *outputs);

/* Applies to the calling thread and its children: all files can be read; only files in the folders of
 * outputs, and devices and pipes that outputs name, can be written; only programs can be executed (and
 * only if the filter of system calls allows it); TCP, abstract sockets and signals to other processes are
 * closed where the kernel can. Returns the version of Landlock that the kernel has; 0: no rules were set,
 * with the reason (transfer full). The process must have given up new privileges. */
int scope_file_rules_apply (const ScopeFileRules *files, char **reason);
