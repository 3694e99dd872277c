/* op-table.c — the operators of the library: op-list.h, op-aliases.h and op-reasons.h as arrays.
 *
 * engine/op/op-find.c looks operators up in them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/op/op-table.h"

#define HYB_OPS(folder, file) extern const HybOp hyb_ops_##file[];
#include "engine/ops/op-list.h"
#undef HYB_OPS

const HybOp *const hyb_op_arrays[] = {
#define HYB_OPS(folder, file) hyb_ops_##file,
#include "engine/ops/op-list.h"
#undef HYB_OPS
  NULL,
};

const HybOpAlias hyb_op_aliases[] = {
#define HYB_ALIAS(alias, name) { alias, name },
#include "engine/ops/op-aliases.h"
#undef HYB_ALIAS
  { 0 },
};

#define GRADIENT                                                                              \
  "It computes a gradient inside of MXNet, with inputs in MXNet's own order; open the graph " \
  "without gradients and differentiate it here"
#define CUSTOM                                                                                 \
  "The node's operator is written in Python or C++ and is not in the file; write it in C and " \
  "load it as a plug-in (docs/custom-operators.md)"
#define SPARSE_GRAPH "It reads which elements a sparse array stores, and all arrays are dense here"

const HybOpReason hyb_op_reasons[] = {
#define HYB_REASON(pattern, reason) { pattern, reason },
#include "engine/ops/op-reasons.h"
#undef HYB_REASON
  { 0 },
};
