/* session.h — what stands open, so that it can be opened again after an end that nobody wanted.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* What stood open when the last session ended without scope_session_end(); (transfer full),
 * empty: nothing, or it ended well. */
char **scope_session_begin (void);
/* What stands open now: URIs, or "gallery:NAME". */
void scope_session_set_open (const char *const *models);
void scope_session_end (void);
