/* sequence.c — sequences, whole or in steps, whichever is asked for.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/rebuild-private.h"

#include "engine/variants/vocabulary.h"

static HybSequence *
new_sequence (HybRebuild *rebuild, guint n)
{
  HybSequence *sequence = g_new0 (HybSequence, 1);

  sequence->n = n;
  sequence->whole[0] = sequence->whole[1] = sequence->last = HYB_NO_ID;
  sequence->pattern = HYB_NO_ID;
  g_ptr_array_add (rebuild->sequences, sequence);
  return sequence;
}

/* Room for the steps, once it is known how many there are. */
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

HybSequence *
hyb_sequence_of_whole (HybRebuild *rebuild, guint n, HybValueId whole, guint axis)
{
  HybSequence *sequence = new_sequence (rebuild, n);

  sequence->whole[axis] = whole;
  return sequence;
}

HybSequence *
hyb_sequence_of_steps (HybRebuild *rebuild, guint n, const HybValueId *steps)
{
  HybSequence *sequence = new_sequence (rebuild, n);

  sequence->has_steps = TRUE;
  sequence->steps = g_memdup2 (steps, n * sizeof *steps);
  return sequence;
}

HybSequence *
hyb_sequence_part (HybRebuild *rebuild, HybSequence *of, gint64 begin, gint64 end)
{
  HybSequence *sequence = new_sequence (rebuild, of->n);

  sequence->part_of = of;
  sequence->begin = begin;
  sequence->end = end;
  return sequence;
}

HybSequence *
hyb_sequence_reversed (HybRebuild *rebuild, HybSequence *sequence)
{
  if (!sequence->mirror)
    {
      sequence->mirror = new_sequence (rebuild, sequence->n);
      sequence->mirror->mirror = sequence;
      sequence->mirror->is_mirror = TRUE;
    }
  return sequence->mirror;
}

/* Two halves of one array, side by side again. */
static HybSequence *
rejoin (HybRebuild *rebuild, HybNodeId pattern, guint n_parts, HybSequence *const *parts)
{
  const HybNode *node = hyb_graph_get_node (rebuild->from, pattern);
  HybSequence   *whole = parts[0]->part_of;

  if (hyb_node_word (node) != HYB_WORD_CONCAT || n_parts != 2 || !whole ||
      parts[1]->part_of != whole || parts[0]->begin != 0 || parts[0]->end != parts[1]->begin ||
      parts[1]->end != 2 * parts[0]->end)
    return NULL;
  return whole;
}

HybSequence *
hyb_sequence_multiplied (HybRebuild *rebuild, HybNodeId pattern, HybSequence *sequence)
{
  HybSequence *product = new_sequence (rebuild, sequence->n);

  product->pattern = pattern;
  product->n_parts = 1;
  product->parts = g_memdup2 (&sequence, sizeof sequence);
  product->has_steps = TRUE;
  return product;
}

HybSequence *
hyb_sequence_mapped (HybRebuild         *rebuild,
                     HybNodeId           pattern,
                     guint               n_parts,
                     HybSequence *const *parts)
{
  const HybNode *node = hyb_graph_get_node (rebuild->from, pattern);
  HybSequence   *sequence = rejoin (rebuild, pattern, n_parts, parts);

  if (sequence)
    return sequence;
  for (guint i = rebuild->sequences->len; i-- > 0;)
    {
      HybSequence *other = rebuild->sequences->pdata[i];
      gboolean     is_equal =
          other->pattern != HYB_NO_ID && !other->has_steps && other->n_parts == n_parts &&
          hyb_nodes_alike (node, hyb_graph_get_node (rebuild->from, other->pattern));

      for (guint k = 0; is_equal && k < n_parts; k++)
        is_equal = other->parts[k] == parts[k];
      if (is_equal)
        return other;
    }

  sequence = new_sequence (rebuild, parts[0]->n);
  sequence->pattern = pattern;
  sequence->n_parts = n_parts;
  sequence->parts = g_memdup2 (parts, n_parts * sizeof *parts);
  return sequence;
}

guint
hyb_sequence_n (const HybSequence *sequence)
{
  return sequence->n;
}

void
hyb_sequence_set_n (HybSequence *sequence, guint n)
{
  if (sequence->n != 0)
    return;
  sequence->n = n;
  if (sequence->mirror)
    hyb_sequence_set_n (sequence->mirror, n);
  if (sequence->part_of)
    hyb_sequence_set_n (sequence->part_of, n);
  for (guint i = 0; i < sequence->n_parts; i++)
    hyb_sequence_set_n (sequence->parts[i], n);
}

void
hyb_sequence_set_last (HybSequence *sequence, HybValueId last)
{
  sequence->last = last;
}

void
hyb_sequence_set_name (HybSequence *sequence, const char *name)
{
  g_free (sequence->name);
  sequence->name = g_strdup (name);
}

/* --- The whole --- */

/* Whether the whole lies ready, or follows from others that do. */
static gboolean
is_at_hand (const HybSequence *sequence)
{
  if (sequence->has_steps)
    return FALSE;
  if (sequence->is_mirror)
    return is_at_hand (sequence->mirror);
  for (guint i = 0; i < sequence->n_parts; i++)
    if (!is_at_hand (sequence->parts[i]))
      return FALSE;
  return TRUE;
}

/* Done twice it would give two different results: what is there already is used. */
static gboolean
is_made_once (const HybRebuild *rebuild, const HybSequence *sequence)
{
  return sequence->pattern != HYB_NO_ID &&
         hyb_node_word (hyb_graph_get_node (rebuild->from, sequence->pattern)) == HYB_WORD_DROPOUT;
}

/* The whole is there, with time on the other axis. */
static gboolean
is_swapped (const HybRebuild *rebuild, const HybSequence *sequence, guint axis)
{
  return is_made_once (rebuild, sequence) && sequence->whole[1 - axis] != HYB_NO_ID;
}

static gboolean
has_some_step (const HybSequence *sequence)
{
  for (guint i = 0; sequence->steps && i < sequence->n; i++)
    if (sequence->steps[i] != HYB_NO_ID)
      return TRUE;
  return FALSE;
}

/* Features side by side, on the last axis of the whole or of a step. */
static HybValueId
join_parts (HybRebuild *rebuild, HybSequence *sequence, const char *axis, const HybValueId *inputs)
{
  const HybNode    *node = hyb_graph_get_node (rebuild->from, sequence->pattern);
  g_autofree char  *count = g_strdup_printf ("%u", sequence->n_parts);
  const char *const attributes[] = { "dim", axis, "num_args", count, NULL };

  return hyb_rebuild_call (rebuild, "Concat", node->name, sequence->n_parts, inputs, attributes);
}

static HybValueId
map_whole (HybRebuild *rebuild, HybSequence *sequence, guint axis)
{
  const HybNode         *node = hyb_graph_get_node (rebuild->from, sequence->pattern);
  g_autofree HybValueId *inputs = g_new (HybValueId, sequence->n_parts);

  for (guint i = 0; i < sequence->n_parts; i++)
    inputs[i] = hyb_sequence_whole (rebuild, sequence->parts[i], axis);
  if (hyb_node_word (node) == HYB_WORD_CONCAT)
    return join_parts (rebuild, sequence, "2", inputs);
  return hyb_rebuild_copy (rebuild,
                           rebuild->from,
                           sequence->pattern,
                           hyb_rebuild_name (rebuild, "%s", node->name),
                           inputs);
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
                           "stack",
                           sequence->name ? sequence->name : "stack",
                           sequence->n,
                           steps,
                           attributes);
}

static HybValueId
cut_features (HybRebuild *rebuild, HybSequence *sequence, HybValueId value, const char *axis)
{
  g_autofree char *begin = g_strdup_printf ("%" G_GINT64_FORMAT, sequence->begin);
  g_autofree char *end = g_strdup_printf ("%" G_GINT64_FORMAT, sequence->end);

  return hyb_rebuild_unary (rebuild,
                            "slice_axis",
                            sequence->name ? sequence->name : "direction",
                            value,
                            "axis",
                            axis,
                            "begin",
                            begin,
                            "end",
                            end,
                            NULL);
}

static HybValueId
make_whole (HybRebuild *rebuild, HybSequence *sequence, guint axis)
{
  const char *digit = axis == 0 ? "0" : "1";

  if (sequence->is_mirror && is_at_hand (sequence))
    return hyb_rebuild_unary (rebuild,
                              "reverse",
                              "reverse",
                              hyb_sequence_whole (rebuild, sequence->mirror, axis),
                              "axis",
                              digit,
                              NULL);
  if (sequence->part_of)
    return cut_features (rebuild,
                         sequence,
                         hyb_sequence_whole (rebuild, sequence->part_of, axis),
                         "2");
  if (is_made_once (rebuild, sequence) && sequence->whole[1 - axis] == HYB_NO_ID &&
      has_some_step (sequence))
    return stack_steps (rebuild, sequence, axis);
  if (sequence->pattern != HYB_NO_ID && !is_swapped (rebuild, sequence, axis) &&
      (sequence->is_of_whole || is_at_hand (sequence)))
    return map_whole (rebuild, sequence, axis);
  if (sequence->whole[1 - axis] != HYB_NO_ID && !sequence->has_steps)
    return hyb_rebuild_unary (rebuild,
                              "SwapAxis",
                              "swapaxes",
                              sequence->whole[1 - axis],
                              "dim1",
                              "0",
                              "dim2",
                              "1",
                              NULL);
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
  if (hyb_node_word (node) == HYB_WORD_CONCAT)
    return join_parts (rebuild, sequence, "1", inputs);
  for (guint i = sequence->n_parts; i < node->n_inputs; i++) /* weights */
    inputs[i] = hyb_rebuild_value (rebuild, old[i]);
  if (sequence->has_steps)
    rebuild->current = sequence->pattern;
  value = hyb_rebuild_copy (rebuild,
                            rebuild->from,
                            sequence->pattern,
                            hyb_rebuild_name (rebuild, "%s", node->name),
                            inputs);
  rebuild->current = current;
  return value;
}

/* All steps at once: they are the outputs of one node. */
static void
split_whole (HybRebuild *rebuild, HybSequence *sequence)
{
  guint            axis = sequence->whole[0] == HYB_NO_ID && sequence->whole[1] != HYB_NO_ID;
  g_autofree char *count = g_strdup_printf ("%u", sequence->n);
  HybValueId      *steps = get_steps (sequence);
  HybValueId       first = hyb_rebuild_unary (rebuild,
                                        "SliceChannel",
                                        "split",
                                        hyb_sequence_whole (rebuild, sequence, axis),
                                        "axis",
                                        axis == 0 ? "0" : "1",
                                        "num_outputs",
                                        count,
                                        "squeeze_axis",
                                        "1",
                                        NULL);

  for (guint i = 0; i < sequence->n; i++)
    steps[i] = first + i;
}

/* The last one alone is had without knowing how many there are. */
static HybValueId
take_last (HybRebuild *rebuild, HybSequence *sequence)
{
  if (sequence->last == HYB_NO_ID)
    sequence->last = hyb_rebuild_unary (rebuild,
                                        "SequenceLast",
                                        "last",
                                        hyb_sequence_whole (rebuild, sequence, 0),
                                        NULL);
  return sequence->last;
}

static HybValueId
make_step (HybRebuild *rebuild, HybSequence *sequence, guint step)
{
  HybSequence *mirror = sequence->is_mirror ? sequence->mirror : NULL;

  if (mirror)
    return hyb_sequence_step (rebuild, mirror, sequence->n - 1 - step);
  if (sequence->pattern != HYB_NO_ID &&
      !(is_made_once (rebuild, sequence) &&
        (sequence->whole[0] != HYB_NO_ID || sequence->whole[1] != HYB_NO_ID)))
    return map_step (rebuild, sequence, step);
  if (sequence->part_of && sequence->part_of->has_steps)
    return cut_features (rebuild,
                         sequence,
                         hyb_sequence_step (rebuild, sequence->part_of, step),
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
