/* kept-axis.h — states that carry an axis of time of size 1.
 *
 * Some exporters compute states as [1, batch, units] and add steps [batch, units] of a product over all steps.  Without that axis
 * such steps match a cell.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/rebuild.h"

/* Computes the node without the axis where it adds such a step, or reads a value that is computed without it.  FALSE if it does
 * neither; nothing is done then. */
gboolean hyb_kept_axis_follow (HybRebuild *rebuild, HybNodeId id);
/* The steps of a node that concatenates values which are computed without the axis; NULL if there are others. */
HybSequence *hyb_kept_axis_join (HybRebuild *rebuild, HybNodeId id);
