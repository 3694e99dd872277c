/* compare-memory.h — hscope compare --memory: the memory of each candidate, in a process of its own.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/compare/comparison.h"

/* Prints weights, plan and peak of resident memory of every form, mode and size, for inference and, with --backward, for
 * training.  Returns the exit code. */
int scope_compare_memory (const ScopeCommonOptions  *common,
                          const ScopeCompareOptions *options,
                          char                     **files,
                          GError                   **error);
