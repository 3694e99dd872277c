/* edit-attributes.h — sets the attributes of one node to a user's texts.
 *
 * Nodes whose attributes were refused can be edited, too; they are computed again once the operator
 * accepts them.  Operators of other formats cannot be edited.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"
#include "engine/op/op.h"

/* A node whose attributes can be edited. */
typedef struct
{
  HybGraph    *graph; /* borrowed: the main graph or a body */
  HybNodeId    id;
  const HybOp *op; /* also of a node whose attributes were refused */
} HybEditableNode;

/* Finds a node by its name, bodies included.  FALSE: there is none, or its operator has no attributes that are known. */
gboolean hyb_attributes_find_node (HybGraph *graph, const char *name, HybEditableNode *found);

/* Checks a value of one attribute alone.  value: NULL or "": the default.  FALSE and an error otherwise. */
gboolean hyb_attribute_check (const HybParam *param, const char *value, GError **error);

/* Replaces all attributes of the node of this name by key, value, …, NULL.  Appends the changes to changes (of
 * HybChange).  FALSE and an error, without changes, if the operator refuses them. */
gboolean hyb_attributes_edit (HybModel          *model,
                              const char        *name,
                              const char *const *attributes,
                              GPtrArray         *changes,
                              GError           **error);

/* The contradiction in the graph after an edit: the first fact that does not fit, with the size that would
 * fit where there is one.  NULL: all shapes agree.  (transfer full) */
char *hyb_attributes_find_conflict (HybModel *model, const char *name);
