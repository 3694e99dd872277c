/* application.h — the application: its windows, actions and session.
 *
 * Files given on the command line are opened in its first window.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <adwaita.h>

#define SCOPE_TYPE_APPLICATION (scope_application_get_type ())
G_DECLARE_FINAL_TYPE (ScopeApplication, scope_application, SCOPE, APPLICATION, AdwApplication)

/* The application.  (transfer full) */
ScopeApplication *scope_application_new (const char *id, GApplicationFlags flags);
