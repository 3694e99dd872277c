/* open-sizes.h — lets constants of a variant follow the open dimensions of its inputs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/variant.h"

/* Broadcasts constants of the variant, such as the initial state of a recurrent layer, along the axes whose size an input gives.
 * other: the variant for other sizes, see hyb_variant_with_other_sizes().  Constants in bodies of loops and branches stay. */
void hyb_variant_open_sizes (HybVariant *variant, const HybVariant *other);
