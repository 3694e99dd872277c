/* labels.h — short texts for nodes, types and loops, the same in pictures, tables and
 * panes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* "32×512", with the dtype where it is not float32; NULL for nothing known. */
char *scope_label_type (const HybType *type);
/* "kernel (3, 3)": attributes that differ from their defaults, the telling ones first;
 * NULL-terminated, at most a few. */
char **scope_label_attributes (const HybNode *node);
/* "foreach × 35", "while_loop ≤ 10" */
char *scope_label_frame (HybGraph *graph, HybNodeId node, const HybType *types);
/* File name without folder and ending. */
char *scope_label_model (HybModel *model);
