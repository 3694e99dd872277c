/* plugin-find.h — finds a model class by the name that users write, such as "gallery:mlp".
 *
 * Used by plugin-spec.c, which builds the model.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/block/plugin.h"

/* The model class that text names (see hyb_is_plugin_name()); loads its module, which stays
 * loaded.  *options is set to the text after the "?", or to "". */
const HybModelClass *hyb_plugin_find (const char *text, const char **options, GError **error);

/* The table of this name that the module exports; its first member is a guint32, the number of the
 * interface.  The module stays loaded.  NULL and an error, with the hint where the module has no such
 * table. */
gconstpointer
hyb_plugin_open_table (const char *path, const char *table, const char *hint, GError **error);
