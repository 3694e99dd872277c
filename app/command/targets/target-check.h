/* target-check.h — reads version and devices of a target.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/common-options.h"
#include "app/targets/target-list.h"

/* Prints version, processor, GPUs, libraries and the difference of the clocks, or why there is no answer and how to install
 * hscope there.  Returns the exit status: 1 if the target cannot be used. */
int scope_target_check (const ScopeCommonOptions *common, const ScopeTarget *target);
