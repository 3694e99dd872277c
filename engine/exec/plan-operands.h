/* plan-operands.h — the types of the operands of all steps of a plan.
 *
 * Most steps of a large graph have the types of other steps, and share them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/shape.h"

typedef struct _HybOperands HybOperands;

/* No types yet.  (transfer full) */
HybOperands *hyb_operands_new (void);
/* Frees all types; operands may be NULL. */
void hyb_operands_free (HybOperands *operands);
/* Returns the types in memory that lives until operands are freed.  Equal types get the same memory, so do
 * not change it. */
HybType *hyb_operands_share (HybOperands *operands, guint n, const HybType *types);
/* A copy for this caller alone, with room for n more types behind it. */
HybType *hyb_operands_keep (HybOperands *operands, guint n, const HybType *types);
