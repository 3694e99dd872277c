/* preferences.h — the preferences dialog: appearance, startup, stored data.
 *
 * The settings are stored by session/settings.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <adwaita.h>

#define SCOPE_TYPE_PREFERENCES (scope_preferences_get_type ())
G_DECLARE_FINAL_TYPE (ScopePreferences, scope_preferences, SCOPE, PREFERENCES, AdwPreferencesWindow)

/* Opens the dialog. */
void scope_preferences_show (GtkWindow *parent);
/* Opens it at the list of other machines. */
void scope_preferences_show_targets (GtkWindow *parent);
