/* op-find.c — the table of all operators of ONNX, and the row of a name at a version.
 *
 * ops/list.h names the arrays.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/onnx-op.h"

#include "engine/base/name-table.h"

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

/* A row of the table, and the next one of the same name. */
typedef struct Row Row;
struct Row
{
  const HybOnnxOp *op;
  const Row       *next;
};

static guint
count_rows (void)
{
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    for (const HybOnnxOp *op = arrays[i]; op->op.name; op++)
      n++;
  return n;
}

/* “NAME” or “domain::NAME” → the first of its rows, which are in the order of the arrays. */
static const HybNameTable *
rows_by_name (void)
{
  static HybNameTable table;
  static gsize        once;

  if (g_once_init_enter (&once))
    {
      guint n = count_rows ();
      Row  *rows = g_new (Row, n), *row = rows;

      hyb_name_table_init (&table, n);
      for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
        for (const HybOnnxOp *op = arrays[i]; op->op.name; op++)
          row++->op = op;
      while (row-- > rows)
        {
          HybNameEntry *entry = hyb_name_table_add (&table, row->op->op.name);

          row->next = entry->value;
          entry->value = row;
        }
      g_once_init_leave (&once, 1);
    }
  return &table;
}

static const Row *
find_rows (const char *name)
{
  const HybNameEntry *entry = hyb_name_table_find (rows_by_name (), name);

  return entry ? entry->value : NULL;
}

const HybOnnxOp *
hyb_onnx_op_find (const char *domain, const char *name, gint64 opset)
{
  const HybOnnxOp *found = NULL;

  for (const Row *entry = find_rows (name); entry; entry = entry->next)
    {
      const HybOnnxOp *row = entry->op;

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

  for (const Row *entry = first ? find_rows (node->op_type) : NULL; entry; entry = entry->next)
    {
      const HybOnnxOp *row = entry->op;

      if (strcmp (domain_of (row), domain_of (first)) == 0 && row->since == first->since &&
          has_bodies (node, row) && (!found || row->op.n_bodies > found->op.n_bodies))
        found = row;
    }
  return found ? found : first;
}
