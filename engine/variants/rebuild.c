/* rebuild.c — the state of a graph that is made anew, and the functions that add nodes to it.
 *
 * Knows nothing of how sequences are made; see rebuild-value.c for that.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/rebuild.h"

#include "engine/op/rules.h"
#include "engine/variants/node-kind.h"

#include <string.h>

void
hyb_rebuild_init (HybRebuild *rebuild, HybGraph *from)
{
  guint n_values = hyb_graph_n_values (from);

  *rebuild = (HybRebuild){ .from = hyb_graph_ref (from), .current = HYB_NO_ID, .step = -1 };
  rebuild->builder = hyb_builder_new ();
  hyb_builder_set_legacy_shapes (rebuild->builder, hyb_graph_has_legacy_shapes (from));
  rebuild->value = g_new (HybValueId, MAX (n_values, 1));
  memset (rebuild->value, 0xff, n_values * sizeof (HybValueId));
  rebuild->place = g_new0 (HybSequencePlace, MAX (n_values, 1) * HYB_MAX_PLACES);
  rebuild->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  rebuild->matches = g_array_new (FALSE, FALSE, sizeof (HybMatch));
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (from); id++)
    if (hyb_node_is_variable (hyb_graph_get_node (from, id)))
      g_hash_table_add (rebuild->names, g_strdup (hyb_graph_get_node (from, id)->name));
}

void
hyb_rebuild_clear (HybRebuild *rebuild)
{
  g_clear_pointer (&rebuild->from, hyb_graph_unref);
  g_clear_pointer (&rebuild->split_products, g_free);
  g_clear_pointer (&rebuild->builder, hyb_builder_free);
  g_clear_pointer (&rebuild->value, g_free);
  g_clear_pointer (&rebuild->place, g_free);
  g_clear_pointer (&rebuild->sequences, g_ptr_array_unref);
  g_clear_pointer (&rebuild->names, g_hash_table_unref);
  g_clear_pointer (&rebuild->matches, g_array_unref);
  g_clear_pointer (&rebuild->is_open, g_array_unref);
  g_clear_error (&rebuild->error);
}

/* --- New nodes --- */

const char *
hyb_rebuild_name (HybRebuild *rebuild, const char *format, ...)
{
  g_autofree char *base = NULL;
  char            *name;
  va_list          list;

  va_start (list, format);
  base = g_strdup_vprintf (format, list);
  va_end (list);
  name = g_strdup (base);
  for (guint i = 0; g_hash_table_contains (rebuild->names, name); i++)
    {
      g_free (name);
      name = g_strdup_printf ("%s%u", base, i);
    }
  g_hash_table_add (rebuild->names, name);
  return name;
}

void
hyb_rebuild_add_match (HybRebuild *rebuild, HybNodeId old, HybValueId new, gint32 step)
{
  HybMatch match = { old, hyb_builder_get_producer (rebuild->builder, new), step };

  g_array_append_val (rebuild->matches, match);
}

/* The first output of a new node, which replaces the current old node. */
static HybValueId
finish_node (HybRebuild *rebuild, HybNodeId id)
{
  if (id == HYB_NO_ID)
    return 0;
  if (rebuild->current != HYB_NO_ID)
    hyb_rebuild_add_match (rebuild, rebuild->current, hyb_builder_output (rebuild->builder, id, 0),
                           rebuild->step);
  return hyb_builder_output (rebuild->builder, id, 0);
}

HybValueId
hyb_rebuild_call (HybRebuild *rebuild, const HybRebuildCall *call)
{
  HybNodeSpec spec = { .op = hyb_op_find (call->op),
                       .name = hyb_rebuild_name (rebuild, "%s", call->name),
                       .attributes = call->attributes,
                       .n_inputs = call->n_inputs,
                       .inputs = call->inputs };

  if (rebuild->error)
    return 0;
  return finish_node (rebuild, hyb_builder_add (rebuild->builder, &spec, &rebuild->error));
}

HybValueId
hyb_rebuild_unary (HybRebuild *rebuild, const char *op, const char *name, HybValueId x, ...)
{
  g_autoptr (GPtrArray) attributes = g_ptr_array_new ();
  HybRebuildCall call = { .op = op, .name = name, .n_inputs = 1, .inputs = &x };
  va_list        list;
  const char    *text;

  va_start (list, x);
  while ((text = va_arg (list, const char *)))
    g_ptr_array_add (attributes, (gpointer) text);
  va_end (list);
  g_ptr_array_add (attributes, NULL);
  call.attributes = (const char *const *) attributes->pdata;
  return hyb_rebuild_call (rebuild, &call);
}

/* --- Shapes that MXNet does not infer --- */

void
hyb_rebuild_set_open_shapes (HybRebuild *rebuild)
{
  rebuild->is_open = g_array_new (FALSE, FALSE, sizeof (guint8));
}

/* Whether a new value comes from a while_loop. */
static gboolean
is_open (HybRebuild *rebuild, HybValueId value)
{
  for (HybNodeId id = rebuild->is_open->len; id < hyb_builder_n_nodes (rebuild->builder); id++)
    {
      const HybNode    *node = hyb_builder_get_node (rebuild->builder, id);
      const HybValueId *inputs = hyb_builder_get_inputs (rebuild->builder, id);
      guint8            open = hyb_node_kind (node) == HYB_KIND_WHILE;

      for (guint i = 0; i < node->n_inputs; i++)
        open |= g_array_index (rebuild->is_open, guint8,
                               hyb_builder_get_producer (rebuild->builder, inputs[i]));
      g_array_append_val (rebuild->is_open, open);
    }
  return g_array_index (rebuild->is_open, guint8,
                        hyb_builder_get_producer (rebuild->builder, value));
}

/* Whether all inputs of a node have the same shape, as far as that is known. */
static gboolean
has_equal_inputs (const HybRebuild *rebuild, HybGraph *from, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (from, id);
  const HybValueId *old = hyb_graph_get_inputs (from, id);

  if (node->op->infer_shape == hyb_rule_same_shape)
    return TRUE;
  if (node->op->infer_shape != hyb_rule_broadcast || from != rebuild->from || !rebuild->types)
    return FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    if (!hyb_shape_is_known (&rebuild->types[old[i]].shape) ||
        !hyb_shape_equal (&rebuild->types[old[0]].shape, &rebuild->types[old[i]].shape))
      return FALSE;
  return TRUE;
}

HybValueId *
hyb_rebuild_match_shapes (HybRebuild       *rebuild,
                          HybGraph         *from,
                          HybNodeId         id,
                          const HybValueId *inputs)
{
  const HybNode *node = hyb_graph_get_node (from, id);
  HybValueId    *matched = g_memdup2 (inputs, MAX (node->n_inputs, 1) * sizeof *inputs);
  HybValueId     open = HYB_NO_ID;

  if (!rebuild->is_open || node->n_inputs < 2 || !has_equal_inputs (rebuild, from, id))
    return matched;
  for (guint i = 0; i < node->n_inputs; i++)
    if (is_open (rebuild, inputs[i]))
      open = inputs[i];
  for (guint i = 0; open != HYB_NO_ID && i < node->n_inputs; i++)
    {
      HybNodeId maker = hyb_builder_get_producer (rebuild->builder, inputs[i]);

      if (!is_open (rebuild, inputs[i]) &&
          !hyb_node_is_variable (hyb_builder_get_node (rebuild->builder, maker)))
        matched[i] =
            hyb_rebuild_call (rebuild,
                              &(HybRebuildCall){ "slice_like", "same_shape", 2,
                                                 (const HybValueId[]){ inputs[i], open }, NULL });
    }
  return matched;
}

/* --- Copies --- */

/* The attributes of a node without the name of the loop's body that it was in. */
static const char **
plain_attributes (const HybNode *node)
{
  GPtrArray *kept = g_ptr_array_new ();

  for (guint i = 0; node->attributes && node->attributes[i]; i += 2)
    if (strcmp (node->attributes[i], "__subgraph_name__") != 0)
      {
        g_ptr_array_add (kept, (gpointer) node->attributes[i]);
        g_ptr_array_add (kept, (gpointer) node->attributes[i + 1]);
      }
  g_ptr_array_add (kept, NULL);
  return (const char **) g_ptr_array_free (kept, FALSE);
}

HybValueId
hyb_rebuild_copy (HybRebuild       *rebuild,
                  HybGraph         *from,
                  HybNodeId         id,
                  const char       *name,
                  const HybValueId *inputs)
{
  const HybNode          *node = hyb_graph_get_node (from, id);
  gboolean                is_opaque = node->op->flags & HYB_OP_OPAQUE;
  g_autofree HybValueId  *read = hyb_rebuild_match_shapes (rebuild, from, id, inputs);
  g_autofree const char **attributes = plain_attributes (node);
  HybNodeSpec             spec = { .op = is_opaque ? NULL : node->op,
                                   .type = node->type,
                                   .name = name,
                                   .attributes = attributes,
                                   .params = node->params ? hyb_params_ref (node->params) : NULL,
                                   .n_inputs = node->n_inputs,
                                   .inputs = read,
                                   .n_bodies = node->n_bodies,
                                   .bodies = hyb_graph_get_bodies (from, id),
                                   .n_outputs = node->n_outputs };

  if (rebuild->error)
    {
      if (spec.params)
        hyb_params_unref (spec.params);
      return 0;
    }
  return finish_node (rebuild, hyb_builder_add (rebuild->builder, &spec, &rebuild->error));
}

HybValueId
hyb_rebuild_variable (HybRebuild *rebuild, const char *name, const HybShape *shape)
{
  g_autofree char  *text = shape ? hyb_shape_to_string (shape) : NULL;
  const char *const attributes[] = { "__shape__", text, NULL };

  return hyb_builder_add_variable (rebuild->builder, name, shape ? attributes : NULL);
}

/* --- Old values --- */

void
hyb_rebuild_set_value (HybRebuild *rebuild, HybValueId old, HybValueId new)
{
  rebuild->value[old] = new;
}

void
hyb_rebuild_set_place (HybRebuild *rebuild, HybValueId old, HybSequencePlace place)
{
  HybSequencePlace *places = rebuild->place + (gsize) old * HYB_MAX_PLACES;

  for (guint i = 0; i < HYB_MAX_PLACES; i++)
    if (places[i].kind == HYB_SEQUENCE_NONE)
      {
        places[i] = place;
        return;
      }
}

const HybSequencePlace *
hyb_rebuild_find_place (HybRebuild *rebuild, HybValueId old, HybSequencePlaceKind kind)
{
  const HybSequencePlace *places = rebuild->place + (gsize) old * HYB_MAX_PLACES;

  for (guint i = 0; i < HYB_MAX_PLACES; i++)
    if (places[i].kind == kind)
      return &places[i];
  return NULL;
}
