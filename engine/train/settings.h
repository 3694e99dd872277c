/* settings.h — “key=value, key=value” as one text.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* key, value, …, NULL.  Commas inside brackets belong to the value.  NULL and an error
 * for a part without “=”; text may be NULL.  (transfer full) */
char **hyb_settings_parse (const char *text, GError **error);
/* The value of the last such key; NULL: none. */
const char *hyb_settings_get (const char *const *settings, const char *key);

G_END_DECLS
