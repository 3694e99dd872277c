/* deadline.h — a cancellable that is cancelled when the time is up, or by the user.
 *
 * A thread waits for the end of the time, so that a run that takes long is cancelled as well.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

typedef struct _ScopeDeadline ScopeDeadline;

/* A deadline in this many seconds.  user: (nullable) a cancellable that ends it earlier.
 * (transfer full) */
ScopeDeadline *scope_deadline_new (double seconds, GCancellable *user);
/* Stops waiting and frees deadline; NULL is allowed. */
void scope_deadline_free (ScopeDeadline *deadline);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeDeadline, scope_deadline_free)

/* Is cancelled at the deadline.  (transfer none) */
GCancellable *scope_deadline_get_cancellable (const ScopeDeadline *deadline);
