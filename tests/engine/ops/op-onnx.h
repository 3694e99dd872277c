/* op-onnx.h — checks that an operator that is written as ONNX computes the same when it is read again.
 *
 * HYB_WRITE_ONNX=FOLDER makes tests keep each file with its inputs and the operator's outputs, so that another program can
 * run it; tools/onnx-rules.py does.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/engine/ops/op-case.h"

/* Writes a sample of an operator that has a rule.  A form that ONNX has not must be refused with a reason. */
void op_check_onnx (const OpCase *this);
