/* sequence.c — describes sequences: how each is made from values, parts or other sequences.
 *
 * No nodes are added here; rebuild-value.c does that on demand.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/sequence.h"

#include "engine/variants/node-kind.h"

static void
free_sequence (gpointer data)
{
  HybSequence *sequence = data;

  g_free (sequence->steps);
  g_free (sequence->parts);
  g_free (sequence->name);
  g_free (sequence);
}

static HybSequence *
new_sequence (HybRebuild *rebuild, guint n)
{
  HybSequence *sequence = g_new0 (HybSequence, 1);

  sequence->n = n;
  sequence->whole[0] = sequence->whole[1] = sequence->last = HYB_NO_ID;
  sequence->pattern = HYB_NO_ID;
  if (!rebuild->sequences)
    rebuild->sequences = g_ptr_array_new_with_free_func (free_sequence);
  g_ptr_array_add (rebuild->sequences, sequence);
  return sequence;
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
  if (!sequence->reversed)
    {
      sequence->reversed = new_sequence (rebuild, sequence->n);
      sequence->reversed->reversed = sequence;
      sequence->reversed->is_reversed = TRUE;
    }
  return sequence->reversed;
}

/* The sequence that a concatenation of its two halves restores; NULL if pattern is something else.
 * */
static HybSequence *
find_rejoined (HybRebuild *rebuild, HybNodeId pattern, guint n_parts, HybSequence *const *parts)
{
  const HybNode *node = hyb_graph_get_node (rebuild->from, pattern);
  HybSequence   *whole = parts[0]->part_of;

  if (hyb_node_kind (node) != HYB_KIND_CONCAT || n_parts != 2 || !whole ||
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
hyb_sequence_find_mapped (HybRebuild         *rebuild,
                          HybNodeId           pattern,
                          guint               n_parts,
                          HybSequence *const *parts)
{
  const HybNode *node = hyb_graph_get_node (rebuild->from, pattern);

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
  return NULL;
}

HybSequence *
hyb_sequence_mapped (HybRebuild         *rebuild,
                     HybNodeId           pattern,
                     guint               n_parts,
                     HybSequence *const *parts)
{
  HybSequence *sequence = find_rejoined (rebuild, pattern, n_parts, parts);

  if (!sequence)
    sequence = hyb_sequence_find_mapped (rebuild, pattern, n_parts, parts);
  if (sequence)
    return sequence;

  sequence = new_sequence (rebuild, parts[0]->n);
  sequence->pattern = pattern;
  sequence->n_parts = n_parts;
  sequence->parts = g_memdup2 (parts, n_parts * sizeof *parts);
  return sequence;
}

void
hyb_sequence_set_n (HybSequence *sequence, guint n)
{
  if (sequence->n != 0)
    return;
  sequence->n = n;
  if (sequence->reversed)
    hyb_sequence_set_n (sequence->reversed, n);
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
