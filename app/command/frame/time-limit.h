/* time-limit.h — cancels a command after a time limit.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

typedef struct _ScopeTimeLimit ScopeTimeLimit;

/* Starts the clock; seconds 0: no limit, and NULL is returned.  user: NULL, or a cancellable that cancels it as well;
 * then the process is not ended when the limit passes without effect, since the caller keeps what is done. */
ScopeTimeLimit *scope_time_limit_new (double seconds, GCancellable *user);
/* Stops the clock.  limit may be NULL. */
void scope_time_limit_free (ScopeTimeLimit *limit);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeTimeLimit, scope_time_limit_free)

/* Is cancelled when the time is over; NULL for no limit.  Owned by limit. */
GCancellable *scope_time_limit_get_cancellable (ScopeTimeLimit *limit);
/* Replaces an error that the limit caused by one that names the limit. */
void scope_time_limit_explain (const ScopeTimeLimit *limit, GError **error);
