/* settings.h — what the window remembers between starts, in one key file.
 *
 * A key file and not GSettings: it works without installing a schema.  Written a
 * moment after the last change.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* fallback where nothing was ever set. */
gboolean scope_settings_get_flag (const char *key, gboolean fallback);
void     scope_settings_set_flag (const char *key, gboolean value);
int      scope_settings_get_int (const char *key, int fallback);
void     scope_settings_set_int (const char *key, int value);
/* (transfer full) */
char *scope_settings_get_text (const char *key, const char *fallback);
void  scope_settings_set_text (const char *key, const char *value);

/* (transfer full); empty where nothing was ever set. */
char **scope_settings_get_list (const char *key);
void   scope_settings_set_list (const char *key, const char *const *values);

/* Files that were opened, newest first: URIs.  (transfer full) */
char **scope_settings_get_recent (void);
void   scope_settings_add_recent (GFile *file);
void   scope_settings_remove_recent (const char *uri);

/* Writes now what waits to be written, and waits until all files are. */
void scope_settings_flush (void);
