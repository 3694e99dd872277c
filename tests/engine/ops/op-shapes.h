/* op-shapes.h — what is inferred from some shapes of an operator does not contradict the others.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/engine/ops/op-case.h"

/* Infers the shapes of a sample from each of them alone, and from all but each.  A contradiction fails the test. */
void op_check_shapes (const OpCase *this);
