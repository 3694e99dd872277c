/* rebuild-value.c — makes the new value of an old one.
 *
 * A value is made on demand: copied from its node, or from its place in a sequence, which may have
 * to be split or stacked first.  Values and sequences are made from each other, so both are here.
 * Start reading at hyb_rebuild_value(), hyb_sequence_whole() and hyb_sequence_step().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/rebuild-value.h"

#include "engine/base/error.h"
#include "engine/variants/node-kind.h"

/* The array of steps, allocated when the number of steps is known. */
static HybValueId *
get_steps (HybSequence *sequence)
{
  if (!sequence->steps)
    {
      sequence->steps = g_new (HybValueId, MAX (sequence->n, 1));
      for (guint i = 0; i < sequence->n; i++)
        sequence->steps[i] = HYB_NO_ID;
    }
  return sequence->steps;
}

/* --- The whole --- */

/* Whether the whole array exists, or can be computed from sequences whose whole arrays do. */
static gboolean
is_whole_available (const HybSequence *sequence)
{
  if (sequence->has_steps)
    return FALSE;
  if (sequence->is_reversed)
    return is_whole_available (sequence->reversed);
  for (guint i = 0; i < sequence->n_parts; i++)
    if (!is_whole_available (sequence->parts[i]))
      return FALSE;
  return TRUE;
}

/* Whether the pattern is random: applied twice, it would give different results, so the existing
 * value must be used. */
static gboolean
is_random (const HybRebuild *rebuild, const HybSequence *sequence)
{
  return sequence->pattern != HYB_NO_ID &&
         hyb_node_kind (hyb_graph_get_node (rebuild->from, sequence->pattern)) == HYB_KIND_DROPOUT;
}

/* Whether a random whole exists with time on the other axis. */
static gboolean
has_swapped_whole (const HybRebuild *rebuild, const HybSequence *sequence, guint axis)
{
  return is_random (rebuild, sequence) && sequence->whole[1 - axis] != HYB_NO_ID;
}

static gboolean
has_some_step (const HybSequence *sequence)
{
  for (guint i = 0; sequence->steps && i < sequence->n; i++)
    if (sequence->steps[i] != HYB_NO_ID)
      return TRUE;
  return FALSE;
}

/* Concatenates the features of all parts, along the last axis of the whole or of a step. */
static HybValueId
join_parts (HybRebuild *rebuild, HybSequence *sequence, const char *axis, const HybValueId *inputs)
{
  const HybNode    *node = hyb_graph_get_node (rebuild->from, sequence->pattern);
  g_autofree char  *count = g_strdup_printf ("%u", sequence->n_parts);
  const char *const attributes[] = { "dim", axis, "num_args", count, NULL };

  return hyb_rebuild_call (rebuild, &(HybRebuildCall){ "Concat", node->name, sequence->n_parts,
                                                       inputs, attributes });
}

/* Applies the pattern to the whole arrays of all parts. */
static HybValueId
map_whole (HybRebuild *rebuild, HybSequence *sequence, guint axis)
{
  const HybNode         *node = hyb_graph_get_node (rebuild->from, sequence->pattern);
  g_autofree HybValueId *inputs = g_new (HybValueId, sequence->n_parts);

  for (guint i = 0; i < sequence->n_parts; i++)
    inputs[i] = hyb_sequence_whole (rebuild, sequence->parts[i], axis);
  if (hyb_node_kind (node) == HYB_KIND_CONCAT)
    return join_parts (rebuild, sequence, "2", inputs);
  return hyb_rebuild_copy (rebuild, rebuild->from, sequence->pattern,
                           hyb_rebuild_name (rebuild, "%s", node->name), inputs);
}

static HybValueId
stack_steps (HybRebuild *rebuild, HybSequence *sequence, guint axis)
{
  g_autofree HybValueId *steps = g_new (HybValueId, MAX (sequence->n, 1));
  g_autofree char       *count = g_strdup_printf ("%u", sequence->n);
  const char *const      attributes[] = { "axis", axis == 0 ? "0" : "1", "num_args", count, NULL };

  for (guint i = 0; i < sequence->n; i++)
    steps[i] = hyb_sequence_step (rebuild, sequence, i);
  return hyb_rebuild_call (rebuild,
                           &(HybRebuildCall){ "stack", sequence->name ? sequence->name : "stack",
                                              sequence->n, steps, attributes });
}

/* Slices the features of a part out of value, along this axis. */
static HybValueId
slice_features (HybRebuild *rebuild, HybSequence *sequence, HybValueId value, const char *axis)
{
  g_autofree char *begin = g_strdup_printf ("%" G_GINT64_FORMAT, sequence->begin);
  g_autofree char *end = g_strdup_printf ("%" G_GINT64_FORMAT, sequence->end);

  return hyb_rebuild_unary (rebuild, "slice_axis", sequence->name ? sequence->name : "direction",
                            value, "axis", axis, "begin", begin, "end", end, NULL);
}

static HybValueId
make_whole (HybRebuild *rebuild, HybSequence *sequence, guint axis)
{
  const char *digit = axis == 0 ? "0" : "1";

  if (sequence->is_reversed && is_whole_available (sequence))
    return hyb_rebuild_unary (rebuild, "reverse", "reverse",
                              hyb_sequence_whole (rebuild, sequence->reversed, axis), "axis", digit,
                              NULL);
  if (sequence->part_of)
    return slice_features (rebuild, sequence, hyb_sequence_whole (rebuild, sequence->part_of, axis),
                           "2");
  if (is_random (rebuild, sequence) && sequence->whole[1 - axis] == HYB_NO_ID &&
      has_some_step (sequence))
    return stack_steps (rebuild, sequence, axis);
  if (sequence->pattern != HYB_NO_ID && !has_swapped_whole (rebuild, sequence, axis) &&
      (sequence->is_mapped_whole || is_whole_available (sequence)))
    return map_whole (rebuild, sequence, axis);
  if (sequence->whole[1 - axis] != HYB_NO_ID && !sequence->has_steps)
    return hyb_rebuild_unary (rebuild, "SwapAxis", "swapaxes", sequence->whole[1 - axis], "dim1",
                              "0", "dim2", "1", NULL);
  return stack_steps (rebuild, sequence, axis);
}

HybValueId
hyb_sequence_whole (HybRebuild *rebuild, HybSequence *sequence, guint axis)
{
  if (sequence->whole[axis] == HYB_NO_ID)
    sequence->whole[axis] = make_whole (rebuild, sequence, axis);
  return sequence->whole[axis];
}

/* --- Steps --- */

/* Applies the pattern to one step of all parts. */
static HybValueId
map_step (HybRebuild *rebuild, HybSequence *sequence, guint step)
{
  const HybNode         *node = hyb_graph_get_node (rebuild->from, sequence->pattern);
  const HybValueId      *old = hyb_graph_get_inputs (rebuild->from, sequence->pattern);
  g_autofree HybValueId *inputs = g_new (HybValueId, MAX (node->n_inputs, sequence->n_parts));
  HybNodeId              current = rebuild->current;
  HybValueId             value;

  for (guint i = 0; i < sequence->n_parts; i++)
    inputs[i] = hyb_sequence_step (rebuild, sequence->parts[i], step);
  if (hyb_node_kind (node) == HYB_KIND_CONCAT)
    return join_parts (rebuild, sequence, "1", inputs);
  for (guint i = sequence->n_parts; i < node->n_inputs; i++) /* weights */
    inputs[i] = hyb_rebuild_value (rebuild, old[i]);
  if (sequence->has_steps)
    rebuild->current = sequence->pattern;
  value = hyb_rebuild_copy (rebuild, rebuild->from, sequence->pattern,
                            hyb_rebuild_name (rebuild, "%s", node->name), inputs);
  rebuild->current = current;
  return value;
}

/* Makes all steps as the outputs of one split. */
static void
split_whole (HybRebuild *rebuild, HybSequence *sequence)
{
  guint            axis = sequence->whole[0] == HYB_NO_ID && sequence->whole[1] != HYB_NO_ID;
  g_autofree char *count = g_strdup_printf ("%u", sequence->n);
  HybValueId      *steps = get_steps (sequence);
  HybValueId       first =
      hyb_rebuild_unary (rebuild, "SliceChannel", "split",
                         hyb_sequence_whole (rebuild, sequence, axis), "axis",
                         axis == 0 ? "0" : "1", "num_outputs", count, "squeeze_axis", "1", NULL);

  for (guint i = 0; i < sequence->n; i++)
    steps[i] = first + i;
}

/* Takes the last step of the whole array, which works for any number of steps. */
static HybValueId
take_last (HybRebuild *rebuild, HybSequence *sequence)
{
  if (sequence->last == HYB_NO_ID)
    sequence->last = hyb_rebuild_unary (rebuild, "SequenceLast", "last",
                                        hyb_sequence_whole (rebuild, sequence, 0), NULL);
  return sequence->last;
}

static HybValueId
make_step (HybRebuild *rebuild, HybSequence *sequence, guint step)
{
  HybSequence *reversed = sequence->is_reversed ? sequence->reversed : NULL;

  if (reversed)
    return hyb_sequence_step (rebuild, reversed, sequence->n - 1 - step);
  if (sequence->pattern != HYB_NO_ID &&
      !(is_random (rebuild, sequence) &&
        (sequence->whole[0] != HYB_NO_ID || sequence->whole[1] != HYB_NO_ID)))
    return map_step (rebuild, sequence, step);
  if (sequence->part_of && sequence->part_of->has_steps)
    return slice_features (rebuild, sequence, hyb_sequence_step (rebuild, sequence->part_of, step),
                           "1");
  if (step + 1 == sequence->n &&
      (sequence->last != HYB_NO_ID || (sequence->whole[0] != HYB_NO_ID && sequence->n > 1)))
    return take_last (rebuild, sequence);
  split_whole (rebuild, sequence);
  return sequence->steps[step];
}

HybValueId
hyb_sequence_step (HybRebuild *rebuild, HybSequence *sequence, guint step)
{
  HybValueId made;

  if (get_steps (sequence)[step] != HYB_NO_ID)
    return sequence->steps[step];
  made = make_step (rebuild, sequence, step);
  if (made != sequence->last)
    sequence->steps[step] = made;
  return made;
}

/* --- Old values --- */

void
hyb_rebuild_copy_node (HybRebuild *rebuild, HybNodeId id)
{
  const HybNode         *node = hyb_graph_get_node (rebuild->from, id);
  const HybValueId      *inputs = hyb_graph_get_inputs (rebuild->from, id);
  g_autofree HybValueId *values = g_new (HybValueId, MAX (node->n_inputs, 1));
  g_autofree HybValueId *read = NULL;
  HybValueId             first;

  for (guint i = 0; i < node->n_inputs; i++)
    values[i] = hyb_rebuild_value (rebuild, inputs[i]);
  if (rebuild->error)
    return;
  read = hyb_rebuild_match_shapes (rebuild, rebuild->from, id, values);
  if (!hyb_node_is_variable (node))
    g_hash_table_add (rebuild->names, g_strdup (node->name));
  first = hyb_builder_copy (rebuild->builder, rebuild->from, id, read);
  hyb_rebuild_add_match (rebuild, id, first, -1);
  for (guint i = 0; i < node->n_outputs; i++)
    rebuild->value[node->first_output + i] = first + i;
}

/* Makes the value at a place of a sequence. */
static HybValueId
value_at_place (HybRebuild *rebuild, const HybSequencePlace *place)
{
  HybValueId step;

  if (place->kind == HYB_SEQUENCE_WHOLE)
    return hyb_sequence_whole (rebuild, place->sequence, place->axis);
  step = hyb_sequence_step (rebuild, place->sequence, place->step);
  if (place->kind == HYB_SEQUENCE_STEP)
    return step;
  return hyb_rebuild_unary (rebuild, "expand_dims", "expand_dims", step, "axis",
                            place->axis == 0 ? "0" : "1", NULL);
}

/* Whether all steps of a split product are requested as one array: then it is computed at once as
 * before. */
static gboolean
is_made_at_once (HybRebuild *rebuild, HybValueId old)
{
  const HybSplitProduct *product =
      rebuild->split_products
          ? &rebuild->split_products[hyb_graph_get_producer (rebuild->from, old)]
          : NULL;

  return product && product->layout != HYB_LAYOUT_NONE &&
         (hyb_rebuild_find_place (rebuild, old, HYB_SEQUENCE_WHOLE) ||
          hyb_rebuild_find_place (rebuild, old, HYB_SEQUENCE_ROWS));
}

HybValueId
hyb_rebuild_value (HybRebuild *rebuild, HybValueId old)
{
  const HybSequencePlace *places = rebuild->place + (gsize) old * HYB_MAX_PLACES;

  if (rebuild->value[old] != HYB_NO_ID)
    return rebuild->value[old];
  if (is_made_at_once (rebuild, old))
    {
      hyb_rebuild_copy_node (rebuild, hyb_graph_get_producer (rebuild->from, old));
      return rebuild->value[old];
    }
  /* The second place first: a row of the final states is cheaper than a step of all outputs. */
  for (guint i = HYB_MAX_PLACES; i-- > 0;)
    if (places[i].kind != HYB_SEQUENCE_NONE)
      {
        rebuild->value[old] = value_at_place (rebuild, &places[i]);
        return rebuild->value[old];
      }
  if (!rebuild->error)
    {
      g_autofree char *what = hyb_value_describe (rebuild->from, old);

      g_set_error (&rebuild->error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE,
                   "%s is needed before it is made", what);
    }
  return 0;
}

/* The new value that is the only step of an old one, before an axis of size 1 was added.  HYB_NO_ID: unknown. */
static HybValueId
find_only_step (HybRebuild *rebuild, HybValueId old, guint axis)
{
  const HybSequencePlace *kept = hyb_rebuild_find_place (rebuild, old, HYB_SEQUENCE_STEP_KEPT);
  HybNodeId               maker = hyb_graph_get_producer (rebuild->from, old);
  const HybNode          *node = hyb_graph_get_node (rebuild->from, maker);

  if (kept && kept->axis == axis)
    return hyb_sequence_step (rebuild, kept->sequence, kept->step);
  if (hyb_node_kind (node) == HYB_KIND_EXPAND && hyb_node_int (node, "axis", -1) == axis)
    return hyb_rebuild_value (rebuild, hyb_graph_get_inputs (rebuild->from, maker)[0]);
  return HYB_NO_ID;
}

HybSequence *
hyb_rebuild_sequence (HybRebuild *rebuild, HybValueId old, guint axis, guint n)
{
  const HybSequencePlace *place = hyb_rebuild_find_place (rebuild, old, HYB_SEQUENCE_WHOLE);
  HybSequence            *sequence;
  HybValueId              step = n == 1 && !place ? find_only_step (rebuild, old, axis) : HYB_NO_ID;

  if (place && place->axis == axis && (place->sequence->n == n || place->sequence->n == 0))
    {
      hyb_sequence_set_n (place->sequence, n);
      return place->sequence;
    }
  sequence = step != HYB_NO_ID
                 ? hyb_sequence_of_steps (rebuild, 1, &step)
                 : hyb_sequence_of_whole (rebuild, n, hyb_rebuild_value (rebuild, old), axis);
  hyb_rebuild_set_place (rebuild, old, (HybSequencePlace){ HYB_SEQUENCE_WHOLE, axis, 0, sequence });
  return sequence;
}

/* The known sequence whose steps are the old values, or its reversal if they are in reverse order;
 * NULL if there is none. */
static HybSequence *
find_gathered (HybRebuild          *rebuild,
               guint                n,
               const HybValueId    *old,
               HybSequencePlaceKind kind,
               guint                axis)
{
  const HybSequencePlace *first = rebuild->place + (gsize) old[0] * HYB_MAX_PLACES;

  for (guint p = 0; p < HYB_MAX_PLACES; p++)
    {
      HybSequence *sequence = first[p].sequence;
      gboolean     is_ascending, is_all;

      /* The first value must be the first or the last step, which decides the direction. */
      if (first[p].kind != kind || sequence->n != n ||
          (first[p].step != 0 && first[p].step != n - 1))
        continue;
      is_ascending = first[p].step == 0;
      is_all = TRUE;
      for (guint t = 0; is_all && t < n; t++)
        {
          const HybSequencePlace *places = rebuild->place + (gsize) old[t] * HYB_MAX_PLACES;

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
  HybSequence           *sequence = find_gathered (rebuild, n, old, HYB_SEQUENCE_STEP, 0);
  g_autofree HybValueId *steps = NULL;

  if (sequence)
    return sequence;
  steps = g_new (HybValueId, n);
  for (guint t = 0; t < n; t++)
    steps[t] = hyb_rebuild_value (rebuild, old[t]);
  return hyb_sequence_of_steps (rebuild, n, steps);
}
