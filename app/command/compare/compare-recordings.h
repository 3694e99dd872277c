/* compare-recordings.h — hscope compare with captures: nothing is run.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/compare/comparison.h"

/* Sets *is_recordings to whether files are captures to compare.  A single capture without --baseline is a
 * model, as for other commands.  FALSE: a usage error, for example captures beside models. */
gboolean scope_compare_find_recordings (const ScopeCommonOptions  *common,
                                        const ScopeCompareOptions *options,
                                        char                     **files,
                                        gboolean                  *is_recordings,
                                        GError                   **error);
/* Compares the captures with --baseline or with the first of them, and prints and writes the result.
 * Returns the exit code. */
int scope_compare_recordings (const ScopeCommonOptions  *common,
                              const ScopeCompareOptions *options,
                              char                     **files,
                              GError                   **error);
