/* session.h — which models are open, so that they can be reopened after a crash.
 *
 * The application offers those models at the next start.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* Begins a session.  (transfer full) The models that were open when the previous session ended without
 * scope_session_end(); empty if it ended normally. */
char **scope_session_begin (void);
/* Remembers the open models: URIs, or "gallery:NAME". */
void scope_session_set_open (const char *const *models);
/* Deletes the stored session.  Call it when the program ends normally. */
void scope_session_end (void);
