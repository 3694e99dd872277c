/* op-find.c — the table of all operators of ONNX, and the row of a name at a version.
 *
 * ops/list.h names the arrays.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/onnx-op.h"

#include <string.h>

#define HYB_ONNX_OPS(name) extern const HybOnnxOp hyb_onnx_ops_##name[];
#include "engine/onnx/ops/list.h"
#undef HYB_ONNX_OPS

static const HybOnnxOp *const arrays[] = {
#define HYB_ONNX_OPS(name) hyb_onnx_ops_##name,
#include "engine/onnx/ops/list.h"
#undef HYB_ONNX_OPS
};

static const char *
domain_of (const HybOnnxOp *row)
{
  return row->domain ? row->domain : "";
}

/* “NAME” or “domain::NAME” → GPtrArray of its rows. */
static GHashTable *
rows_by_name (void)
{
  static GHashTable *table;
  static gsize       once;

  if (g_once_init_enter (&once))
    {
      table = g_hash_table_new (g_str_hash, g_str_equal);
      for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
        for (const HybOnnxOp *row = arrays[i]; row->op.name; row++)
          {
            GPtrArray *rows = g_hash_table_lookup (table, row->op.name);

            if (!rows)
              g_hash_table_insert (table, (gpointer) row->op.name, rows = g_ptr_array_new ());
            g_ptr_array_add (rows, (gpointer) row);
          }
      g_once_init_leave (&once, 1);
    }
  return table;
}

const HybOnnxOp *
hyb_onnx_op_find (const char *domain, const char *name, gint64 opset)
{
  GPtrArray       *rows = g_hash_table_lookup (rows_by_name (), name);
  const HybOnnxOp *found = NULL;

  for (guint i = 0; rows && i < rows->len; i++)
    {
      const HybOnnxOp *row = rows->pdata[i];

      if (strcmp (domain_of (row), domain) == 0 && row->since <= opset &&
          (!found || row->since > found->since))
        found = row;
    }
  return found && (found->until == 0 || opset <= found->until) ? found : NULL;
}

static gboolean
has_graph (const HybOnnxNode *node, const char *name)
{
  for (guint i = 0; i < node->n_attributes; i++)
    if (node->attributes[i].kind == HYB_ONNX_ATTRIBUTE_GRAPH &&
        strcmp (node->attributes[i].name, name) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
has_bodies (const HybOnnxNode *node, const HybOnnxOp *row)
{
  for (guint b = 0; b < row->op.n_bodies; b++)
    if (!has_graph (node, row->op.body_names[b]))
      return FALSE;
  return TRUE;
}

const HybOnnxOp *
hyb_onnx_op_find_for (const HybOnnxNode *node, gint64 opset)
{
  const HybOnnxOp *first = hyb_onnx_op_find (node->domain, node->op_type, opset), *found = NULL;
  GPtrArray       *rows = g_hash_table_lookup (rows_by_name (), node->op_type);

  for (guint i = 0; first && i < rows->len; i++)
    {
      const HybOnnxOp *row = rows->pdata[i];

      if (strcmp (domain_of (row), domain_of (first)) == 0 && row->since == first->since &&
          has_bodies (node, row) && (!found || row->op.n_bodies > found->op.n_bodies))
        found = row;
    }
  return found ? found : first;
}
