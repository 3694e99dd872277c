/* labels.h — short texts for nodes, types and loops, the same in pictures, tables and panes.
 *
 * Texts are short enough for a box of a picture; NULL means that there is nothing to show.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* "32×512", followed by the dtype if it is not float32.  type (nullable).  NULL if the rank is
 * unknown.  (transfer full) */
char *scope_label_type (const HybType *type);
/* The first attributes that differ from their defaults: "kernel (3, 3)".  NULL-terminated;
 * (transfer full). */
char **scope_label_attributes (const HybNode *node);
/* The meaning of a written attribute whose text is a code: "float32" for the type 1.  (transfer full) NULL: the text is
 * clear by itself. */
char *scope_label_describe_value (const HybNode *node, const char *name, const char *value);
/* Title of a loop or branch: "foreach × 35", "while_loop ≤ 10".  types (nullable): by value id.
 * (transfer full) */
char *scope_label_frame (HybGraph *graph, HybNodeId node, const HybType *types);
/* The program that wrote the file, with its version: “pytorch 2.6.0”.  NULL if the file does not say.  (transfer full) */
char *scope_label_writer (HybModel *model);
/* The model's file name without folder and ending.  (transfer full) */
char *scope_label_model (HybModel *model);
