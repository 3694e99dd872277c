/* layers-private.h — helpers of the layer files: attribute values in the form that Gluon writes
 * (attribute-text.c), and the activation option (layers-simple.c).
 *
 * Strings live as long as F.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/block/block.h"

/* "True" or "False". */
const char *hyb_gluon_bool (gboolean value);
/* "12" */
const char *hyb_gluon_int (HybF *F, gint64 value);
/* In the form of Python's repr: "0.5", "1.0", "1e-05". */
const char *hyb_gluon_number (HybF *F, double value);
/* "(3, 3)" */
const char *hyb_gluon_shape (HybF *F, const HybShape *shape);
/* given, or fallback in all `rank` dimensions if given has rank 0. */
HybShape hyb_gluon_extent (const HybShape *given, int rank, gint64 fallback);
/* Adds the child for a layer's option `activation`; returns it, or NULL for none. */
HybBlock *hyb_gluon_add_activation (HybBlock *block, const char *act_type);
