/* plugin-find.h — finds a model class by the name that users write, such as "gallery:mlp".
 *
 * Used by plugin-spec.c, which builds the model.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/block/plugin.h"

/* The model class that text names (see hyb_is_plugin_name()); loads its module, which stays
 * loaded.  *options is set to the text after the "?", or to "". */
const HybModelClass *hyb_plugin_find (const char *text, const char **options, GError **error);
