/* repeats.h — nodes that repeat work of the forward pass.
 *
 * The backward pass of a loop or condition may run its body again to get the values that it needs.
 * That is work that another form of the same model does not do.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture.h"

/* By row: TRUE for nodes of a backward pass that repeat nodes of the forward pass.  by_row: PROF_NONE
 * for rows that did not run.  (transfer full) */
gboolean *prof_find_repeats (const ProfCapture *capture, const guint32 *by_row);
