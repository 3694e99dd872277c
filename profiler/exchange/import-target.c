/* import-target.c — finds the node that an execution of an operator belongs to.
 *
 * Nodes of an operator are taken in the order in which an iteration runs them: forward executions from
 * the front, gradients from the back.  Start reading at prof_import_find_any().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/foreign-operators.h"
#include "profiler/exchange/import-private.h"

#include <math.h>
#include <string.h>

/* The row for the gradient of a row, added when it is needed first.  type: the gradient operator.
 * */
static guint32
backward_row (TraceImport *self, guint32 row, const char *type)
{
  guint32  known = GPOINTER_TO_UINT (g_hash_table_lookup (self->backward, GUINT_TO_POINTER (row)));
  ProfNode node;
  g_autofree char *name = NULL;
  guint32          made;

  if (known > 0)
    return known - 1;
  node = *prof_builder_get_node (self->builder, row);
  name = g_strconcat (prof_builder_get_text (self->builder, node.name), "_backward", NULL);
  node.name = prof_builder_text (self->builder, name);
  node.type = prof_builder_text (self->builder, type);
  node.id = PROF_NONE;
  node.origin = row;
  node.flags = PROF_NODE_ADDED;
  node.n_edges = 0;
  node.flops = node.bytes_read = node.bytes_written = NAN;
  made = prof_builder_add_node (self->builder, &node);
  g_hash_table_insert (self->backward, GUINT_TO_POINTER (row), GUINT_TO_POINTER (made + 1));
  return made;
}

/* The node for the next execution of an operator, as an index of expected; G_MAXUINT if there are
 * more executions than nodes.  Gradients take the nodes from the back.  *run gets the iteration. */
static guint
take_next (TraceImport *self, OperatorNodes *nodes, gboolean from_back, guint *run)
{
  guint n = self->import->n_iterations;
  guint per_run =
      nodes->n_seen > 0 && nodes->n_seen % n == 0 ? nodes->n_seen / n : nodes->expected->len;
  guint at;

  per_run = MAX (per_run, 1);
  *run = nodes->n_taken / per_run;
  at = nodes->n_taken++ % per_run;
  if (at >= nodes->expected->len)
    return G_MAXUINT;
  if (from_back)
    at = nodes->expected->len - 1 - at;
  return g_array_index (nodes->expected, guint, at);
}

/* Why an execution belongs to no node. */
static const char *
reason_for (const char *name)
{
  static const struct
  {
    const char *pattern, *reason;
  } reasons[] = {
    { "DeleteVariable", "frees memory, for no particular node" },
    { "WaitForVar", "waits for a result" },
    { "SetValueOp", "fills an array: a head gradient or a first state" },
    { "_zeros*", "fills an array that gradients are added to" },
    { "ones_like", "makes the head gradient" },
    { "_ones*", "makes the head gradient" },
    { "_grad_add", "adds gradients that meet" },
    { "add_n", "adds gradients that meet" },
    { "_identity_with_attr_like_rhs", "passes a gradient on" },
    { "Reorder*", "changes the layout of an array for the operators beside it" },
    { "_copy*", "copies an array that belongs to no node of the graph" },
    { "Copy*", "copies an array from outside" },
    { PROF_BACKWARD "*", "is the gradient of an operator that the graph does not have" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (reasons); i++)
    if (g_pattern_match_simple (reasons[i].pattern, name))
      return reasons[i].reason;
  return "is neither the operator nor the name of a node";
}

/* The nodes of the operator with this name; NULL if the graph has none.  A gradient operator
 * belongs to the same nodes as its operator, which are counted separately. */
OperatorNodes *
prof_import_find_operator (TraceImport *self, const char *name, gboolean is_backward)
{
  const char *key =
      is_backward ? prof_import_backward_key (self, name) : prof_import_key (self->import, name);
  OperatorNodes *nodes = g_hash_table_lookup (self->operators, key), *gradient;

  if (!nodes || nodes->expected->len == 0)
    return NULL;
  if (!is_backward)
    return nodes;
  gradient = g_hash_table_lookup (self->gradients, key);
  if (!gradient)
    {
      gradient = g_new0 (OperatorNodes, 1);
      gradient->expected = g_array_ref (nodes->expected);
      g_hash_table_insert (self->gradients, (gpointer) key, gradient);
    }
  return gradient;
}

/* The node that the next execution of one of MXNet's operators belongs to. */
Target
prof_import_find_target (TraceImport *self, const char *name)
{
  gboolean       is_backward = g_str_has_prefix (name, PROF_BACKWARD);
  guint          at;
  Target         target = { .row = PROF_NONE };
  OperatorNodes *nodes;

  nodes = prof_import_find_operator (self, name, is_backward);
  target.reason = reason_for (name);
  if (!nodes)
    return target;
  at = take_next (self, nodes, is_backward, &target.run);
  if (at == G_MAXUINT)
    {
      if (g_str_has_prefix (target.reason, "is neither the operator"))
        target.reason = "was executed more often than the graph has such nodes";
      return target;
    }
  target.row = g_array_index (self->expected, ExpectedNode, at).row;
  target.step = g_array_index (self->expected, ExpectedNode, at).step;
  if (is_backward)
    target.row = backward_row (self, target.row, name);
  return target;
}

/* The node that an execution names, as an index in expected + 1; NULL if it names none. */
static gpointer
named_node (TraceImport *self, const ProfExecution *execution)
{
  g_autofree char *name = prof_import_dup_node_name (execution);
  gpointer         at = g_hash_table_lookup (self->by_name, name);

  return at ? at : prof_import_find_renamed (self, execution);
}

/* The next execution of a node that is named. */
static Target
next_target (const TraceImport *self, gpointer at)
{
  const ExpectedNode *node =
      &g_array_index (self->expected, ExpectedNode, GPOINTER_TO_UINT (at) - 1);
  guint  n_before = GPOINTER_TO_UINT (g_hash_table_lookup (self->taken, at));
  Target target = { .row = node->row };

  if (node->n_times > 0)
    {
      target.step = n_before % node->n_times;
      target.run = n_before / node->n_times;
    }
  return target;
}

Target
prof_import_peek (TraceImport *self, const ProfExecution *execution)
{
  gpointer at = named_node (self, execution);

  return at ? next_target (self, at)
            : (Target){ .row = PROF_NONE, .reason = "changes the layout of an array" };
}

/* The node that an execution names.  FALSE if it names none. */
static gboolean
find_named (TraceImport *self, const ProfExecution *execution, Target *target)
{
  gpointer at = named_node (self, execution);

  if (!at)
    return FALSE;
  *target = next_target (self, at);
  g_hash_table_insert (self->taken, at,
                       GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (self->taken, at)) +
                                         1));
  return TRUE;
}

/* The node that the next execution of another tool's operator belongs to. */
static Target
find_foreign (TraceImport *self, guint class)
{
  OperatorNodes *nodes = &self->classes[class];
  Target         target = { .row = PROF_NONE, .reason = prof_import_class_reason (self, class) };
  guint          at;

  if (target.reason)
    return target;
  at = take_next (self, nodes, FALSE, &target.run);
  target.row = g_array_index (self->expected, ExpectedNode, at).row;
  target.step = g_array_index (self->expected, ExpectedNode, at).step;
  return target;
}

/* The node of an execution: the named one, or the next node of its operator. */
Target
prof_import_find_any (TraceImport *self, const ProfExecution *execution)
{
  guint class = prof_class_of_foreign (execution->type ? execution->type : execution->name);
  Target target;

  if (find_named (self, execution, &target))
    return target;
  if (!execution->type)
    target = prof_import_find_target (self, execution->name);
  else
    target =
        (Target){ .row = PROF_NONE, .reason = "is neither the operator nor the name of a node" };
  if (target.row == PROF_NONE && class != G_MAXUINT && prof_import_is_foreign (execution))
    target = find_foreign (self, class);
  else if (prof_is_foreign_gradient (execution->name))
    target.reason = "computes gradients; only forward operators of other tools are placed";
  return target;
}
