/* sequence.h — one value at every time step, and how it can be made.
 *
 * A sequence is given as a whole, as steps, as a part or reversal of another, or as an operation on
 * every step of others ("mapped").  rebuild-value.h adds the nodes for the whole or for a step on
 * demand.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/rebuild.h"

struct _HybSequence
{
  guint        n;           /* steps; 0: not known yet */
  HybValueId   whole[2];    /* with time on axis 0 and on axis 1; HYB_NO_ID: not made */
  HybValueId  *steps;       /* n, each HYB_NO_ID until it is made; NULL before the first */
  HybValueId   last;        /* the last step, if it is available without a split; else HYB_NO_ID */
  gboolean     has_steps;   /* computed step by step: the whole is a stack of the steps */
  HybSequence *reversed;    /* the same from the last step to the first; NULL: not needed yet */
  gboolean     is_reversed; /* defined by the sequence in reversed */
  HybSequence *part_of;     /* defined as features begin … end of this one; NULL if not */
  gint64       begin, end;
  HybNodeId pattern; /* defined as this old node applied to every step of parts; HYB_NO_ID if not */
  gboolean  is_mapped_whole; /* … and the old node was applied to all steps at once */
  guint     n_parts;
  HybSequence **parts;
  char         *name; /* for the node that makes it; NULL: a default */
};

/* All constructors return a sequence that rebuild owns. */

/* A sequence given as one array with time on this axis (0 or 1); n may be 0 if it is not known. */
HybSequence *hyb_sequence_of_whole (HybRebuild *rebuild, guint n, HybValueId whole, guint axis);
/* A sequence given by its n steps. */
HybSequence *hyb_sequence_of_steps (HybRebuild *rebuild, guint n, const HybValueId *steps);
/* The features begin … end, on the last axis, of another sequence. */
HybSequence *hyb_sequence_part (HybRebuild *rebuild, HybSequence *of, gint64 begin, gint64 end);
/* The same steps in reverse order.  Reversing twice gives the original. */
HybSequence *hyb_sequence_reversed (HybRebuild *rebuild, HybSequence *sequence);
/* The old node pattern applied to every step of parts, which are its inputs.  Returns the existing
 * sequence where an equal node was mapped over the same parts, or where two halves are joined
 * again. */
HybSequence *hyb_sequence_mapped (HybRebuild         *rebuild,
                                  HybNodeId           pattern,
                                  guint               n_parts,
                                  HybSequence *const *parts);
/* The sequence that an equal node mapped over these parts; NULL: none did. */
HybSequence *hyb_sequence_find_mapped (HybRebuild         *rebuild,
                                       HybNodeId           pattern,
                                       guint               n_parts,
                                       HybSequence *const *parts);
/* Every step multiplied by the weight that the old node pattern multiplies all steps with at once.
 * */
HybSequence *
hyb_sequence_multiplied (HybRebuild *rebuild, HybNodeId pattern, HybSequence *sequence);

/* Sets the number of steps where it was unknown, also of the sequences that this one is made from.
 * */
void hyb_sequence_set_n (HybSequence *sequence, guint n);
/* Gives a value that is the last step, so that it need not be split off. */
void hyb_sequence_set_last (HybSequence *sequence, HybValueId last);
/* The name of the node that will make the sequence. */
void hyb_sequence_set_name (HybSequence *sequence, const char *name);
