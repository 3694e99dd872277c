/* batch-share.h — the part of a batch that one of several processes trains on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/tensor.h"

/* Replaces each array of a batch by part number index of n equal ones along the axis.  FALSE and an error: an array has no such
 * axis, or n does not divide it. */
gboolean scope_batch_share (GHashTable *batch, guint axis, guint index, guint n, GError **error);
