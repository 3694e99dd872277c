/* edit-attributes.c — sets the attributes of one node to a user's texts.
 *
 * Start at hyb_attributes_edit().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/edit-attributes.h"

#include "engine/analysis/infer-types.h"
#include "engine/base/error.h"
#include "engine/base/translate.h"
#include "engine/doctor/change.h"
#include "engine/doctor/diagnose.h"
#include "engine/doctor/edit-nodes.h"
#include "engine/doctor/size-attributes.h"

#include <string.h>

gboolean
hyb_attributes_find_node (HybGraph *graph, const char *name, HybEditableNode *found)
{
  if (hyb_graph_get_dialect (graph))
    return FALSE;
  for (HybNodeId id = 0; name && id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode   *node = hyb_graph_get_node (graph, id);
      HybGraph *const *bodies = hyb_graph_get_bodies (graph, id);

      if (!hyb_node_is_variable (node) && strcmp (node->name, name) == 0)
        {
          const HybOp *op = node->op->flags & HYB_OP_OPAQUE ? hyb_op_find (node->type) : node->op;

          *found = (HybEditableNode){ graph, id, op };
          return op && op->params && op->params->name;
        }
      for (guint b = 0; b < node->n_bodies; b++)
        if (hyb_attributes_find_node (bodies[b], name, found))
          return TRUE;
    }
  return FALSE;
}

gboolean
hyb_attribute_check (const HybParam *param, const char *value, GError **error)
{
  gsize             size = param->offset + MAX (sizeof (HybShape), 64);
  const HybParam    table[] = { *param, { 0 } };
  const char *const attributes[] = { param->name, value, NULL };
  const char *const none[] = { NULL };
  gpointer          values =
      hyb_params_parse (table, size, value && *value != '\0' ? attributes : none, NULL, error);

  if (!values)
    return FALSE;
  hyb_params_unref (values);
  return TRUE;
}

/* --- Editing --- */

typedef struct
{
  HybEditableNode    node;
  const char *const *attributes;
} Edit;

static void
add_change (HybNodeEdit *edit, const char *key, const char *before, const char *after)
{
  const char *node = edit->node->name;

  if (!before)
    hyb_changes_add (edit->changes, node, _ ("set %s of %s to “%s”"), key, HYB_CHANGE_NAME, after);
  else if (!after)
    hyb_changes_add (edit->changes, node, _ ("removed %s (“%s”) of %s"), key, before,
                     HYB_CHANGE_NAME);
  else if (strcmp (before, after) != 0)
    hyb_changes_add (edit->changes, node, _ ("changed %s of %s from “%s” to “%s”"), key,
                     HYB_CHANGE_NAME, before, after);
}

/* For HybNodeEditFunc; data: an Edit. */
static void
set_attributes (HybNodeEdit *node, gpointer data)
{
  const Edit *edit = data;

  if (node->graph != edit->node.graph || node->id != edit->node.id)
    return;
  for (guint i = 0; i + 1 < node->attributes->len; i += 2)
    {
      const char *key = node->attributes->pdata[i];

      if (!hyb_attributes_get (edit->attributes, key))
        add_change (node, key, node->attributes->pdata[i + 1], NULL);
    }
  for (guint i = 0; edit->attributes[i]; i += 2)
    add_change (node, edit->attributes[i], hyb_node_edit_get (node, edit->attributes[i]),
                edit->attributes[i + 1]);
  node->op = edit->node.op;
  g_ptr_array_set_size (node->attributes, 0);
  for (guint i = 0; edit->attributes[i]; i++)
    g_ptr_array_add (node->attributes, g_strdup (edit->attributes[i]));
}

gboolean
hyb_attributes_edit (HybModel          *model,
                     const char        *name,
                     const char *const *attributes,
                     GPtrArray         *changes,
                     GError           **error)
{
  HybGraph *graph = hyb_model_get_graph (model);
  guint     n_before = changes->len;
  Edit      edit = { .attributes = attributes };
  gpointer  values;
  g_autoptr (HybGraph) edited = NULL;

  if (!hyb_attributes_find_node (graph, name, &edit.node))
    return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, name, NULL,
                         _ ("it has no attributes that can be edited"));
  values =
      hyb_params_parse (edit.node.op->params, edit.node.op->params_size, attributes, NULL, error);
  if (!values)
    return FALSE;
  hyb_params_unref (values);
  edited = hyb_edit_nodes (graph, set_attributes, &edit, changes);
  if (edited == graph || changes->len == n_before)
    {
      g_ptr_array_set_size (changes, (int) n_before);
      return edited != graph ||
             hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, name, edit.node.op->name,
                           _ ("the attributes do not fit its inputs, or other nodes read outputs "
                              "that "
                              "it would not have"));
    }
  hyb_model_set_graph (model, edited);
  return TRUE;
}

/* --- Consequences --- */

char *
hyb_attributes_find_conflict (HybModel *model, const char *name)
{
  HybGraph           *graph = hyb_model_get_graph (model);
  g_autofree HybType *types = hyb_diagnose_new_types (graph), *facts = NULL;
  g_autofree char    *size = NULL;
  g_autoptr (GError) error = NULL;
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);
  HybEditableNode  node;

  for (guint i = 0; i < n; i++)
    {
      const HybNode *variable = hyb_graph_get_node (graph, variables[i]);
      HybTensor     *tensor = hyb_model_get_parameter (model, variable->name);

      if (tensor)
        types[variable->first_output] = *hyb_tensor_get_type (tensor);
    }
  facts = g_memdup2 (types, MAX (hyb_graph_n_values (graph), 1) * sizeof (HybType));
  if (hyb_infer_types (graph, types, NULL, FALSE, &error))
    return NULL;
  if (hyb_attributes_find_node (graph, name, &node) && node.graph == graph)
    size = hyb_size_suggest (graph, facts, node.id);
  return size ? g_strdup_printf (_ ("%s. Did you mean %s?"), error->message, size)
              : g_strdup (error->message);
}
