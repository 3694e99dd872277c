/* copied-weights.h — reports weights that a conversion copies although something else reads them.
 *
 * The copy has the same values, but training changes it and the original separately.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/conversion.h"
#include "engine/variants/group.h"

/* Adds a finding for each weight of the group that is packed into the parameter "packed" but also
 * read by nodes outside of its chain. */
void hyb_report_packed_weights (HybConversion  *conversion,
                                const HybCells *cells,
                                const HybGroup *group,
                                const char     *packed);
/* Adds a finding if the packed weights, which a fused operator reads and which are unpacked, are
 * also read by something that is not a fused operator. */
void hyb_report_unpacked_weights (HybConversion *conversion, HybValueId packed);
