/* edit-nodes.c — copies a graph with other operators or attributes of its nodes.
 *
 * Start at hyb_edit_nodes().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/edit-nodes.h"

#include "engine/graph/builder.h"

#include <string.h>

const char *
hyb_node_edit_get (const HybNodeEdit *edit, const char *key)
{
  for (guint i = 0; i + 1 < edit->attributes->len; i += 2)
    if (strcmp (edit->attributes->pdata[i], key) == 0)
      return edit->attributes->pdata[i + 1];
  return NULL;
}

void
hyb_node_edit_set (HybNodeEdit *edit, const char *key, const char *value)
{
  for (guint i = 0; i + 1 < edit->attributes->len; i += 2)
    if (strcmp (edit->attributes->pdata[i], key) == 0)
      {
        g_free (edit->attributes->pdata[i + 1]);
        edit->attributes->pdata[i + 1] = g_strdup (value);
      }
}

static GPtrArray *
copy_attributes (const HybNode *node)
{
  GPtrArray *copy = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; node->attributes && node->attributes[i]; i++)
    g_ptr_array_add (copy, g_strdup (node->attributes[i]));
  return copy;
}

/* Adds the copy of a node; HYB_NO_ID if its operator refuses it. */
static HybNodeId
add_copy (HybBuilder *builder, HybNodeEdit *edit, const HybValueId *inputs, GPtrArray *bodies)
{
  const HybNode *node = edit->node;
  guint          n_attributes = edit->attributes->len;
  HybNodeId      copy;

  g_ptr_array_add (edit->attributes, NULL);
  copy =
      hyb_builder_add (builder,
                       &(HybNodeSpec){
                           .op = edit->op,
                           .type = edit->op && edit->op != node->op ? edit->op->name : node->type,
                           .name = node->name,
                           .attributes = (const char *const *) edit->attributes->pdata,
                           .n_inputs = node->n_inputs,
                           .inputs = inputs,
                           .n_bodies = bodies->len,
                           .bodies = (HybGraph *const *) bodies->pdata,
                           .n_outputs = node->n_outputs,
                           .key = node->key,
                           .origin_plus_one = node->origin + 1,
                           .line = node->line,
                       },
                       NULL);
  g_ptr_array_set_size (edit->attributes, (int) n_attributes);
  return copy;
}

typedef struct
{
  HybGraph       *graph;
  HybBuilder     *builder;
  HybValueId     *map; /* by value of graph */
  HybNodeEditFunc edit;
  gpointer        data;
  GPtrArray      *changes;
} GraphCopy;

static gboolean
copy_node (GraphCopy *copy, HybNodeId id)
{
  const HybNode         *node = hyb_graph_get_node (copy->graph, id);
  const HybValueId      *old = hyb_graph_get_inputs (copy->graph, id);
  HybGraph *const       *old_bodies = hyb_graph_get_bodies (copy->graph, id);
  g_autofree HybValueId *inputs = g_new (HybValueId, MAX (node->n_inputs, 1));
  g_autoptr (GPtrArray) bodies = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_graph_unref);
  g_autoptr (GPtrArray) attributes = copy_attributes (node);
  const HybOp *op = node->op->flags & HYB_OP_OPAQUE ? NULL : node->op;
  guint        n_changes;
  HybNodeEdit  edit = { copy->graph, id, node, op, attributes, copy->changes };
  HybNodeId    made;

  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] = copy->map[old[i]];
  for (guint b = 0; b < node->n_bodies; b++)
    g_ptr_array_add (bodies, hyb_edit_nodes (old_bodies[b], copy->edit, copy->data, copy->changes));

  n_changes = copy->changes->len;
  copy->edit (&edit, copy->data);
  made = add_copy (copy->builder, &edit, inputs, bodies);
  if (made == HYB_NO_ID && !op)
    {
      g_autoptr (GPtrArray) original = copy_attributes (node);
      HybNodeEdit unchanged = { copy->graph, id, node, NULL, original, copy->changes };

      g_ptr_array_set_size (copy->changes, (int) n_changes);
      made = add_copy (copy->builder, &unchanged, inputs, bodies);
    }
  if (made == HYB_NO_ID || hyb_builder_get_node (copy->builder, made)->n_outputs < node->n_outputs)
    return FALSE;
  for (guint i = 0; i < node->n_outputs; i++)
    copy->map[node->first_output + i] = hyb_builder_output (copy->builder, made, i);
  return TRUE;
}

HybGraph *
hyb_edit_nodes (HybGraph *graph, HybNodeEditFunc edit, gpointer data, GPtrArray *changes)
{
  guint                  n_heads;
  const HybValueId      *heads = hyb_graph_get_heads (graph, &n_heads);
  g_autofree HybValueId *map = g_new (HybValueId, MAX (hyb_graph_n_values (graph), 1));
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  GraphCopy copy = { graph, builder, map, edit, data, changes };
  guint     n_before = changes->len;

  hyb_builder_set_legacy_shapes (builder, hyb_graph_has_legacy_shapes (graph));
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    if (!copy_node (&copy, id))
      {
        g_ptr_array_set_size (changes, (int) n_before);
        return hyb_graph_ref (graph);
      }
  for (guint i = 0; i < n_heads; i++)
    hyb_builder_add_head (builder, map[heads[i]]);

  return hyb_builder_freeze (g_steal_pointer (&builder));
}
