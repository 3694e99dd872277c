/* unroll.h — writing one loop or fused operator out.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/conversion.h"

#define HYB_MAX_UNROLL 100000

/* How many steps node id makes over the first axis of data. */
gboolean hyb_unroll_length (HybConversion *conversion,
                            HybNodeId      id,
                            HybValueId     data,
                            guint         *n,
                            GError       **error);

gboolean hyb_unroll_rnn (HybConversion *conversion, HybNodeId id, GError **error);
gboolean hyb_unroll_foreach (HybConversion *conversion, HybNodeId id, GError **error);
gboolean hyb_unroll_while (HybConversion *conversion, HybNodeId id, GError **error);
