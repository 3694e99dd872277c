/* computable.c — whether an operator can be computed at all.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/imperative/computable.h"

#include "engine/base/error.h"
#include "engine/base/remedy.h"

/* type: the operator's name in the file; registered: that of the code behind it, or NULL. */
static gboolean
refuse_opaque (const char *type, const char *registered, GError **error)
{
  hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_UNKNOWN, NULL, hyb_op_missing_reason (type),
                "there is no operator %s%s%s, so the graph can be displayed, but not run", type,
                registered ? " with op_type=" : "", registered ? registered : "");
  return hyb_error_add_remedy (error, HYB_REMEDY_OPERATOR, NULL);
}

gboolean
hyb_op_check_computable (const HybOp *op, GError **error)
{
  if (op->flags & HYB_OP_OPAQUE)
    return refuse_opaque (op->name, NULL, error);
  if (op->forward || op->compute)
    return TRUE;
  g_set_error (error, HYB_OP_ERROR, HYB_OP_ERROR_UNSUPPORTED, "%s cannot be computed", op->name);
  return FALSE;
}

gboolean
hyb_node_check_computable (const HybNode *node, GError **error)
{
  return node->op->flags & HYB_OP_OPAQUE
             ? refuse_opaque (node->type, hyb_node_get_attribute (node, "op_type"), error)
             : hyb_op_check_computable (node->op, error);
}
