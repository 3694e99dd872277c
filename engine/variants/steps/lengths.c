/* lengths.c — masks steps behind the end of sequences.
 *
 * The nodes match MXNet's cells unrolled over sequences of different lengths.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/steps/lengths.h"

#include "engine/variants/rebuild-node.h"
#include "engine/variants/rebuild-value.h"

static const char *const with_lengths[] = { "use_sequence_length", "True", NULL };

/* An operator on all steps and the lengths. */
static HybValueId
apply (HybRebuild *rebuild, const char *op, HybValueId whole, HybValueId lengths)
{
  const HybValueId inputs[] = { whole, lengths };

  return hyb_rebuild_call (rebuild, &(HybRebuildCall){ op, op, 2, inputs, with_lengths });
}

HybSequence *
hyb_lengths_reverse (HybRebuild *rebuild, HybSequence *sequence, HybValueId lengths)
{
  HybValueId whole = hyb_sequence_whole (rebuild, sequence, 0);

  return hyb_sequence_of_whole (rebuild, sequence->n,
                                apply (rebuild, "SequenceReverse", whole, lengths), 0);
}

HybSequence *
hyb_lengths_mask (HybRebuild *rebuild, HybSequence *sequence, HybValueId lengths)
{
  HybValueId whole = hyb_sequence_whole (rebuild, sequence, 0);

  return hyb_sequence_of_whole (rebuild, sequence->n,
                                apply (rebuild, "SequenceMask", whole, lengths), 0);
}

HybValueId
hyb_lengths_last (HybRebuild *rebuild, HybValueId initial, HybSequence *states, HybValueId lengths)
{
  const char *const joined[] = { "dim", "0", "num_args", "2", NULL };
  HybValueId        parts[2], all, places;

  parts[0] = hyb_rebuild_unary (rebuild, "expand_dims", "before", initial, "axis", "0", NULL);
  parts[1] = hyb_sequence_whole (rebuild, states, 0);
  all = hyb_rebuild_call (rebuild, &(HybRebuildCall){ "Concat", "states", 2, parts, joined });
  places = hyb_rebuild_unary (rebuild, "_plus_scalar", "place", lengths, "scalar", "1", NULL);
  return apply (rebuild, "SequenceLast", all, places);
}

HybValueId
hyb_lengths_value (HybRebuild *rebuild, HybValueId old)
{
  HybNodeId         id = hyb_graph_get_producer (rebuild->from, old);
  const HybValueId *inputs = hyb_graph_get_inputs (rebuild->from, id);
  HybNodeId         current = rebuild->current;

  if (rebuild->value[old] == HYB_NO_ID &&
      rebuild->place[(gsize) old * HYB_MAX_PLACES].kind == HYB_SEQUENCE_NONE)
    {
      for (guint i = 0; i < hyb_graph_get_node (rebuild->from, id)->n_inputs; i++)
        hyb_lengths_value (rebuild, inputs[i]);
      hyb_rebuild_node (rebuild, id);
      rebuild->current = current;
    }
  return hyb_rebuild_value (rebuild, old);
}

void
hyb_lengths_place (HybRebuild            *rebuild,
                   const HybChainLengths *found,
                   guint                  n_steps,
                   HybValueId             first)
{
  HybSequence *all = hyb_sequence_of_whole (rebuild, n_steps, first, 0);

  /* Of c only final states are read, which have their own values. */
  for (guint i = 0; i < found->stacks->len; i++)
    {
      HybValueId old = g_array_index (found->stacks, HybValueId, i);

      hyb_rebuild_set_value (rebuild, old, first);
      hyb_rebuild_set_place (rebuild, old, (HybSequencePlace){ HYB_SEQUENCE_WHOLE, 0, 0, all });
    }
  for (guint s = 0; s < 2; s++)
    {
      HybSequence *state = hyb_sequence_of_whole (rebuild, 1, first + 1 + s, 0);

      for (guint i = 0; i < found->final[s]->len; i++)
        {
          HybValueId old = g_array_index (found->final[s], HybValueId, i);

          hyb_rebuild_set_value (rebuild, old, hyb_sequence_step (rebuild, state, 0));
          hyb_rebuild_set_place (rebuild, old,
                                 (HybSequencePlace){ HYB_SEQUENCE_STEP, 0, 0, state });
        }
    }
}
