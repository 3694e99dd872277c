/* rebuild-private.h — what a sequence is made of.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/rebuild.h"

struct _HybSequence
{
  guint         n;        /* 0: not known yet */
  HybValueId    whole[2]; /* with time on axis 0, on axis 1; HYB_NO_ID: not made */
  HybValueId   *steps;    /* n, each perhaps HYB_NO_ID */
  HybValueId    last;
  gboolean      has_steps; /* made step by step: stacking them gives the whole */
  HybSequence  *mirror;    /* the same from the last step to the first */
  gboolean      is_mirror; /* it was made from its mirror */
  HybSequence  *part_of;   /* features begin … end of this one */
  gint64        begin, end;
  HybNodeId     pattern;     /* this old node, done to every step of parts; HYB_NO_ID */
  gboolean      is_of_whole; /* … and in the old graph it was done to the whole at once */
  guint         n_parts;
  HybSequence **parts;
  char         *name;
};

/* Done to every step of parts as the old node does to one. */
HybSequence *hyb_sequence_mapped (HybRebuild         *rebuild,
                                  HybNodeId           pattern,
                                  guint               n_parts,
                                  HybSequence *const *parts);
/* Every step multiplied with a weight, as the old node does to all at once. */
HybSequence *
hyb_sequence_multiplied (HybRebuild *rebuild, HybNodeId pattern, HybSequence *sequence);
/* Says how many steps there are, where that was not known. */
void            hyb_sequence_set_n (HybSequence *sequence, guint n);
const HybPlace *hyb_rebuild_find_place (HybRebuild *rebuild, HybValueId old, HybPlaceKind kind);
/* The old node, reading what its inputs became, whatever it does to sequences. */
void hyb_rebuild_plainly (HybRebuild *rebuild, HybNodeId id);
