/* plugin-private.h — between finding a model and building it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/block/plugin.h"

/* The model that text names; *options points at what stands behind the “?”. */
const HybModelClass *hyb_plugin_find (const char *text, const char **options, GError **error);
