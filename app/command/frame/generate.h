/* generate.h — values for variables that no file gives.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/common-options.h"
#include "engine/graph/roles.h"
#include "engine/tensor/tensor.h"

/* Allocates the tensor of a variable unless it or the sum of all (total, bytes) exceeds the memory of
 * a run: with overcommit the allocation would succeed and filling it would get the process killed.
 * NULL and an error then.  (transfer full) */
HybTensor *
scope_allocate_value (const char *name, const HybType *type, gsize *total, GError **error);

/* Fills a tensor as --init says; zeros if it was not given. */
void scope_generate_value (const ScopeCommonOptions *common,
                           const char               *name,
                           HybRole                   role,
                           HybTensor                *tensor);
