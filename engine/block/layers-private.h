/* layers-private.h — what the layers share: attribute texts as Python writes them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/block/block.h"

const char *hyb_gluon_bool (gboolean value);
const char *hyb_gluon_int (HybF *F, gint64 value);
const char *hyb_gluon_number (HybF *F, double value);
const char *hyb_gluon_shape (HybF *F, const HybShape *shape);
/* given, or rank times fallback if it was left out. */
HybShape hyb_gluon_extent (const HybShape *given, int rank, gint64 fallback);
/* The child that a layer's activation option makes; NULL for none. */
HybBlock *hyb_gluon_add_activation (HybBlock *block, const char *act_type);
