/* compare-lists.h — the lists that options of hscope compare take.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/common-options.h"

/* Appends the numbers of "1,32", which --OPTION gave, to an array of gint64; a single 0 if text is
 * NULL.  FALSE: a usage error. */
gboolean
scope_compare_parse_numbers (const char *option, const char *text, GArray *numbers, GError **error);
/* Appends the modes of "hybrid,static" to an array of HybMode; that of --mode if text is NULL.
 * FALSE: a usage error. */
gboolean scope_compare_parse_modes (const ScopeCommonOptions *common,
                                    const char               *text,
                                    GArray                   *modes,
                                    GError                  **error);
