/* rule-find.c — finds the rule that writes an operator of the engine as ONNX.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/export/export.h"

#define HYB_ONNX_RULES(name) extern const HybOnnxRule hyb_onnx_rules_##name[];
#include "engine/onnx/export/rule-list.h"
#undef HYB_ONNX_RULES

static const HybOnnxRule *const families[] = {
#define HYB_ONNX_RULES(name) hyb_onnx_rules_##name,
#include "engine/onnx/export/rule-list.h"
#undef HYB_ONNX_RULES
};

/* HybOp → its rule.  Names of rules may be aliases. */
static gpointer
make_table (gpointer unused G_GNUC_UNUSED)
{
  GHashTable *table = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    for (const HybOnnxRule *rule = families[i]; rule->op; rule++)
      g_hash_table_insert (table, (gpointer) hyb_op_find (rule->op), (gpointer) rule);
  return table;
}

const HybOnnxRule *
onnx_rule_find (const HybOp *op)
{
  static GOnce once = G_ONCE_INIT;

  return g_hash_table_lookup (g_once (&once, make_table, NULL), op);
}

gboolean
onnx_rule_follows (const HybOnnxRule *rule, const char *attribute)
{
  /* Attributes that give a shape; rules take it from the types, where open dimensions are
   * marked. */
  static const char *const shapes[] = { "shape", "newshape", "target_shape", "size", "stop", NULL };

  return g_strv_contains (shapes, attribute) || g_strcmp0 (rule->varying, attribute) == 0;
}
