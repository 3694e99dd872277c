/* rebuild.c — node by node, with an eye on sequences.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/rebuild.h"

#include "engine/base/error.h"
#include "engine/variants/rebuild-private.h"
#include "engine/variants/split-products.h"
#include "engine/variants/vocabulary.h"

#include <string.h>

static void
free_sequence (gpointer data)
{
  HybSequence *sequence = data;

  g_free (sequence->steps);
  g_free (sequence->parts);
  g_free (sequence->name);
  g_free (sequence);
}

void
hyb_rebuild_init (HybRebuild *rebuild, HybGraph *from)
{
  guint n_values = hyb_graph_n_values (from);

  *rebuild = (HybRebuild){ .from = hyb_graph_ref (from), .current = HYB_NO_ID, .step = -1 };
  rebuild->builder = hyb_builder_new ();
  hyb_builder_set_legacy_shapes (rebuild->builder, hyb_graph_has_legacy_shapes (from));
  rebuild->value = g_new (HybValueId, MAX (n_values, 1));
  memset (rebuild->value, 0xff, n_values * sizeof (HybValueId));
  rebuild->place = g_new0 (HybPlace, MAX (n_values, 1) * HYB_MAX_PLACES);
  rebuild->sequences = g_ptr_array_new_with_free_func (free_sequence);
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
  g_clear_pointer (&rebuild->cuts, g_free);
  g_clear_pointer (&rebuild->builder, hyb_builder_free);
  g_clear_pointer (&rebuild->value, g_free);
  g_clear_pointer (&rebuild->place, g_free);
  g_clear_pointer (&rebuild->sequences, g_ptr_array_unref);
  g_clear_pointer (&rebuild->names, g_hash_table_unref);
  g_clear_pointer (&rebuild->matches, g_array_unref);
  g_clear_error (&rebuild->error);
}

gboolean
hyb_rebuild_follow_cuts (HybRebuild *rebuild, const HybType *types)
{
  rebuild->types = types;
  rebuild->cuts = hyb_cuts_find (rebuild->from, types);
  return rebuild->cuts != NULL;
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
hyb_rebuild_match (HybRebuild *rebuild, HybNodeId old, HybValueId new, gint32 step)
{
  HybMatch match = { old, hyb_builder_get_producer (rebuild->builder, new), step };

  g_array_append_val (rebuild->matches, match);
}

static HybValueId
finish_node (HybRebuild *rebuild, HybNodeId id)
{
  if (id == HYB_NO_ID)
    return 0;
  if (rebuild->current != HYB_NO_ID)
    hyb_rebuild_match (rebuild,
                       rebuild->current,
                       hyb_builder_output (rebuild->builder, id, 0),
                       rebuild->step);
  return hyb_builder_output (rebuild->builder, id, 0);
}

HybValueId
hyb_rebuild_call (HybRebuild        *rebuild,
                  const char        *op,
                  const char        *name,
                  guint              n_inputs,
                  const HybValueId  *inputs,
                  const char *const *attributes)
{
  HybNodeSpec spec = { .op = hyb_op_find (op),
                       .name = hyb_rebuild_name (rebuild, "%s", name),
                       .attributes = attributes,
                       .n_inputs = n_inputs,
                       .inputs = inputs };

  if (rebuild->error)
    return 0;
  return finish_node (rebuild, hyb_builder_add (rebuild->builder, &spec, &rebuild->error));
}

HybValueId
hyb_rebuild_unary (HybRebuild *rebuild, const char *op, const char *name, HybValueId x, ...)
{
  g_autoptr (GPtrArray) attributes = g_ptr_array_new ();
  va_list     list;
  const char *text;

  va_start (list, x);
  while ((text = va_arg (list, const char *)))
    g_ptr_array_add (attributes, (gpointer) text);
  va_end (list);
  g_ptr_array_add (attributes, NULL);
  return hyb_rebuild_call (rebuild, op, name, 1, &x, (const char *const *) attributes->pdata);
}

/* Without the marks of the loop that a node stood in. */
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
  g_autofree const char **attributes = plain_attributes (node);
  HybNodeSpec             spec = { .op = is_opaque ? NULL : node->op,
                                   .type = node->type,
                                   .name = name,
                                   .attributes = attributes,
                                   .params = node->params ? hyb_params_ref (node->params) : NULL,
                                   .n_inputs = node->n_inputs,
                                   .inputs = inputs,
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
hyb_rebuild_set (HybRebuild *rebuild, HybValueId old, HybValueId new)
{
  rebuild->value[old] = new;
}

void
hyb_rebuild_set_place (HybRebuild *rebuild, HybValueId old, HybPlace place)
{
  HybPlace *places = rebuild->place + (gsize) old * HYB_MAX_PLACES;

  for (guint i = 0; i < HYB_MAX_PLACES; i++)
    if (places[i].kind == HYB_PLACE_NONE)
      {
        places[i] = place;
        return;
      }
}

const HybPlace *
hyb_rebuild_find_place (HybRebuild *rebuild, HybValueId old, HybPlaceKind kind)
{
  const HybPlace *places = rebuild->place + (gsize) old * HYB_MAX_PLACES;

  for (guint i = 0; i < HYB_MAX_PLACES; i++)
    if (places[i].kind == kind)
      return &places[i];
  return NULL;
}

static HybValueId
value_at (HybRebuild *rebuild, const HybPlace *place)
{
  HybValueId step;

  if (place->kind == HYB_PLACE_WHOLE)
    return hyb_sequence_whole (rebuild, place->sequence, place->axis);
  step = hyb_sequence_step (rebuild, place->sequence, place->step);
  if (place->kind == HYB_PLACE_STEP)
    return step;
  return hyb_rebuild_unary (rebuild,
                            "expand_dims",
                            "expand_dims",
                            step,
                            "axis",
                            place->axis == 0 ? "0" : "1",
                            NULL);
}

/* Somebody wants all steps of what was made for all at once: then it still is. */
static gboolean
is_made_at_once (HybRebuild *rebuild, HybValueId old)
{
  const HybCut *cut =
      rebuild->cuts ? &rebuild->cuts[hyb_graph_get_producer (rebuild->from, old)] : NULL;

  return cut && cut->layout != HYB_LAYOUT_NONE &&
         (hyb_rebuild_find_place (rebuild, old, HYB_PLACE_WHOLE) ||
          hyb_rebuild_find_place (rebuild, old, HYB_PLACE_ROWS));
}

/* A row of final states is nearer than a step of all outputs. */
HybValueId
hyb_rebuild_value (HybRebuild *rebuild, HybValueId old)
{
  const HybPlace *places = rebuild->place + (gsize) old * HYB_MAX_PLACES;

  if (rebuild->value[old] != HYB_NO_ID)
    return rebuild->value[old];
  if (is_made_at_once (rebuild, old))
    {
      hyb_rebuild_plainly (rebuild, hyb_graph_get_producer (rebuild->from, old));
      return rebuild->value[old];
    }
  for (guint i = HYB_MAX_PLACES; i-- > 0;)
    if (places[i].kind != HYB_PLACE_NONE)
      {
        rebuild->value[old] = value_at (rebuild, &places[i]);
        return rebuild->value[old];
      }
  if (!rebuild->error)
    {
      g_autofree char *what = hyb_value_describe (rebuild->from, old);

      g_set_error (&rebuild->error,
                   HYB_GRAPH_ERROR,
                   HYB_GRAPH_ERROR_STRUCTURE,
                   "%s is needed before it is made",
                   what);
    }
  return 0;
}

HybSequence *
hyb_rebuild_sequence (HybRebuild *rebuild, HybValueId old, guint axis, guint n)
{
  const HybPlace *place = hyb_rebuild_find_place (rebuild, old, HYB_PLACE_WHOLE);
  HybSequence    *sequence;

  if (place && place->axis == axis && (place->sequence->n == n || place->sequence->n == 0))
    {
      hyb_sequence_set_n (place->sequence, n);
      return place->sequence;
    }
  sequence = hyb_sequence_of_whole (rebuild, n, hyb_rebuild_value (rebuild, old), axis);
  hyb_rebuild_set_place (rebuild, old, (HybPlace){ HYB_PLACE_WHOLE, axis, 0, sequence });
  return sequence;
}

/* The sequence whose step t is old[t], for all t or for all from the last to the first. */
static HybSequence *
find_gathered (HybRebuild *rebuild, guint n, const HybValueId *old, HybPlaceKind kind, guint axis)
{
  const HybPlace *first = rebuild->place + (gsize) old[0] * HYB_MAX_PLACES;

  for (guint p = 0; p < HYB_MAX_PLACES; p++)
    {
      HybSequence *sequence = first[p].sequence;
      gboolean     is_ascending, is_all;

      if (first[p].kind != kind || sequence->n != n ||
          (first[p].step != 0 && first[p].step != n - 1))
        continue;
      is_ascending = first[p].step == 0;
      is_all = TRUE;
      for (guint t = 0; is_all && t < n; t++)
        {
          const HybPlace *places = rebuild->place + (gsize) old[t] * HYB_MAX_PLACES;

          is_all = FALSE;
          for (guint q = 0; q < HYB_MAX_PLACES; q++)
            is_all = is_all ||
                     (places[q].kind == kind && places[q].sequence == sequence &&
                      places[q].axis == axis && places[q].step == (is_ascending ? t : n - 1 - t));
        }
      if (is_all)
        return is_ascending ? sequence : hyb_sequence_reversed (rebuild, sequence);
    }
  return NULL;
}

HybSequence *
hyb_rebuild_gather (HybRebuild *rebuild, guint n, const HybValueId *old)
{
  HybSequence           *sequence = find_gathered (rebuild, n, old, HYB_PLACE_STEP, 0);
  g_autofree HybValueId *steps = NULL;

  if (sequence)
    return sequence;
  steps = g_new (HybValueId, n);
  for (guint t = 0; t < n; t++)
    steps[t] = hyb_rebuild_value (rebuild, old[t]);
  return hyb_sequence_of_steps (rebuild, n, steps);
}
