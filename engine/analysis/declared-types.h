/* declared-types.h — the types that variables of another format declare, in their attributes __shape__ and __dtype__.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* Sets the unknown types of variables to the ones that the file's contents or declarations give.  Open dimensions
 * get the name that the file gives them (hyb_dim_named()). */
void hyb_declared_types_read (HybGraph *graph, HybType *types);
/* Gives the dimensions of that name in the types of variables a size.  FALSE if there are none. */
gboolean hyb_declared_types_name (HybGraph *graph, HybType *types, const char *name, gint64 size);
