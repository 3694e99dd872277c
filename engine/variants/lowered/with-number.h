/* with-number.h — operators with a number in the place of an input.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

/* The operator that computes op with a number as input `at`, and the other input; NULL: there is none. */
const char *hyb_op_with_number (const HybOp *op, guint at);
