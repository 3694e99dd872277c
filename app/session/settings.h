/* settings.h — settings that the window keeps between starts, in a key file.
 *
 * A key file works without installing a schema, unlike GSettings.  It is written shortly after a
 * change.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* The getters return fallback, or an empty list, for keys that were never set. */
gboolean scope_settings_get_flag (const char *key, gboolean fallback);
/* Stores a boolean setting. */
void scope_settings_set_flag (const char *key, gboolean value);
/* An integer setting, or fallback if it is not set. */
int scope_settings_get_int (const char *key, int fallback);
/* Stores an integer setting. */
void scope_settings_set_int (const char *key, int value);
/* (transfer full) */
char *scope_settings_get_text (const char *key, const char *fallback);
/* Stores a text setting. */
void scope_settings_set_text (const char *key, const char *value);

/* (transfer full) */
char **scope_settings_get_list (const char *key);
/* Stores a list of texts. */
void scope_settings_set_list (const char *key, const char *const *values);

/* URIs of recently opened files, newest first.  (transfer full) */
char **scope_settings_get_recent (void);
/* Puts a file at the front of the recent files. */
void scope_settings_add_recent (GFile *file);
/* Removes a file from the recent files. */
void scope_settings_remove_recent (const char *uri);

/* Writes pending changes and waits until all files of the writer are written. */
void scope_settings_flush (void);
