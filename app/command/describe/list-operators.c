/* list-operators.c — prints all operators, as text or as JSON.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/describe/list-operators.h"

#include "app/command/describe/describe-operator.h"

#include <stdio.h>

static void
print_operator (ScopeJson *json, const HybOp *op)
{
  g_auto (GStrv) names = hyb_op_dup_names (op);
  g_autofree char *others = g_strjoinv (", ", names + 1);

  if (!json)
    {
      printf ("%-36s %s%s%s\n", op->name, op->doc, *others ? " Also: " : "", others);
      return;
    }
  scope_json_begin_object (json, NULL);
  scope_describe_operator (json, op);
  scope_json_end (json);
}

static void
print_missing (ScopeJson *json)
{
  const char *pattern, *reason;

  for (guint i = 0; hyb_op_missing_entry (i, &pattern, &reason); i++)
    if (json)
      {
        scope_json_begin_object (json, NULL);
        scope_json_string (json, "pattern", pattern);
        scope_json_string (json, "reason", reason);
        scope_json_end (json);
      }
    else
      printf ("%-36s not there: %s\n", pattern, reason);
}

void
scope_print_operators (gboolean as_json)
{
  guint               n_ops;
  const HybOp *const *ops = hyb_op_list (&n_ops);
  g_autoptr (ScopeJson) json = as_json ? scope_json_new () : NULL;

  if (json)
    scope_json_begin_list (json, "operators");
  for (guint i = 0; i < n_ops; i++)
    if (!(ops[i]->flags & HYB_OP_INTERNAL))
      print_operator (json, ops[i]);
  if (json)
    {
      scope_json_end (json);
      scope_json_begin_list (json, "missing");
    }
  print_missing (json);
  if (json)
    {
      scope_json_end (json);
      scope_json_print (json);
    }
}
