/* plugin-open.h — opens a shared module and finds one of its tables.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The table of this name that the module exports; its first member is a guint32, the number of the
 * interface.  The module stays loaded.  NULL and an error, with the hint where the module has no such
 * table. */
gconstpointer
hyb_plugin_open_table (const char *path, const char *table, const char *hint, GError **error);
