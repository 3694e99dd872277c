/* constant.h — attributes of the operator _constant, whose output is a tensor that the graph contains.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

/* The attributes of a node with these contents, of which they hold a reference.  (transfer full) */
gpointer hyb_constant_params_new (HybTensor *contents);
