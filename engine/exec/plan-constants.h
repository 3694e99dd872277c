/* plan-constants.h — the memory of values that were computed while planning.
 *
 * For profilers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/plan.h"

/* The bytes of the constants that a plan keeps and that are not part of the arrays given: n of them, each may be
 * NULL. */
gsize hyb_plan_get_folded_bytes (const HybPlan *plan, HybTensor *const *given, guint n);
