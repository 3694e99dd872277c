/* unroll.h — writes out one loop or fused operator, step by step.
 *
 * Each function adds the new nodes to conversion->rebuild and places the outputs of the old node.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/conversion.h"

#define HYB_MAX_UNROLL 100000 /* steps */

/* *n gets the number of steps that node id makes over the first axis of data (an old value), from
 * its shape or from the options.  FALSE with an error if it is unknown, contradictory or too large.
 * */
gboolean hyb_unroll_length (HybConversion *conversion,
                            HybNodeId      id,
                            HybValueId     data,
                            guint         *n,
                            GError       **error);

/* Writes an RNN operator as cells, with weights of their own. */
gboolean hyb_unroll_rnn (HybConversion *conversion, HybNodeId id, GError **error);
/* Writes a _foreach as copies of its body. */
gboolean hyb_unroll_foreach (HybConversion *conversion, HybNodeId id, GError **error);
/* Writes a _while_loop as copies of its body, if its condition can be evaluated beforehand. */
gboolean hyb_unroll_while (HybConversion *conversion, HybNodeId id, GError **error);
