/* history.h — the boxes that were jumped to, for going back and forward.
 *
 * A jump is whatever brings a box into view: a link, a hit of the search, a finding, a row of a table.  The box that was
 * selected before it is remembered as well.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/document/workspace.h"

typedef struct _ScopeHistory ScopeHistory;

/* Follows the workspace, which must outlive it.  changed: called when it became possible or impossible to go somewhere.
 * (transfer full) */
ScopeHistory *
scope_history_new (ScopeWorkspace *workspace, void (*changed) (gpointer data), gpointer data);
/* Stops following. */
void scope_history_free (ScopeHistory *history);
/* Whether there is a place to go back (-1) or forward (1) to. */
gboolean scope_history_can_go (const ScopeHistory *history, int direction);
/* Shows it; nothing without one. */
void scope_history_go (ScopeHistory *history, int direction);
