/* declared-types.c — the types that variables of another format declare, in their attributes __shape__ and __dtype__.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/declared-types.h"

#include <string.h>

/* “(batch, 3, ?)”: an axis is a number, a name or open. */
static void
parse_declared (const char *text, HybShape *shape)
{
  g_auto (GStrv) parts = NULL;
  g_autofree char *inner = NULL;
  gsize            length = strlen (text);
  guint            n;

  if (length < 2 || text[0] != '(')
    return;
  inner = g_strndup (text + 1, length - 2);
  g_strstrip (inner);
  parts = g_strsplit (inner, ",", -1);
  n = g_strv_length (parts);
  if (n > 0 && g_strstrip (parts[n - 1])[0] == '\0')
    n--;
  if (n > HYB_MAX_RANK)
    return;
  *shape = hyb_shape_make ((int) n, NULL);
  for (guint i = 0; i < n; i++)
    {
      const char *part = g_strstrip (parts[i]);
      gint64      size;

      if (g_ascii_string_to_signed (part, 10, 0, G_MAXINT64, &size, NULL))
        shape->dim[i] = size;
      else if (part[0] != '?' && part[0] != '\0')
        shape->dim[i] = hyb_dim_named (part);
    }
}

void
hyb_declared_types_read (HybGraph *graph, HybType *types)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      HybType       *type = &types[node->first_output];
      HybTensor     *contents = hyb_graph_get_contents (graph, variables[i]);
      const char    *shape = hyb_node_get_attribute (node, "__shape__");
      const char    *dtype = hyb_node_get_attribute (node, "__dtype__");

      if (type->shape.rank == HYB_UNKNOWN && contents)
        type->shape = *hyb_tensor_get_shape (contents);
      else if (type->shape.rank == HYB_UNKNOWN && shape)
        parse_declared (shape, &type->shape);
      if (type->dtype == HYB_DTYPE_UNKNOWN && contents)
        type->dtype = hyb_tensor_get_dtype (contents);
      else if (type->dtype == HYB_DTYPE_UNKNOWN && dtype)
        type->dtype = hyb_dtype_from_name (dtype);
    }
}

gboolean
hyb_declared_types_name (HybGraph *graph, HybType *types, const char *name, gint64 size)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);
  gint64           named = hyb_dim_named (name);
  gboolean         is_found = FALSE;

  for (guint i = 0; i < n; i++)
    {
      HybShape *shape = &types[hyb_graph_get_node (graph, variables[i])->first_output].shape;

      for (int axis = 0; axis < shape->rank; axis++)
        if (shape->dim[axis] == named)
          {
            shape->dim[axis] = size;
            is_found = TRUE;
          }
    }
  return is_found;
}
