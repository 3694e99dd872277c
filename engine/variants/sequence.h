/* sequence.h — one value at every time step.
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

HybSequence *hyb_sequence_of_whole (HybRebuild *rebuild, guint n, HybValueId whole, guint axis);
HybSequence *hyb_sequence_of_steps (HybRebuild *rebuild, guint n, const HybValueId *steps);
/* The features begin … end of another, on the last axis. */
HybSequence *hyb_sequence_part (HybRebuild *rebuild, HybSequence *of, gint64 begin, gint64 end);
HybSequence *hyb_sequence_reversed (HybRebuild *rebuild, HybSequence *sequence);
/* Done to every step of parts as the old node does to one. */
HybSequence *hyb_sequence_mapped (HybRebuild         *rebuild,
                                  HybNodeId           pattern,
                                  guint               n_parts,
                                  HybSequence *const *parts);
/* Every step multiplied with a weight, as the old node does to all at once. */
HybSequence *
hyb_sequence_multiplied (HybRebuild *rebuild, HybNodeId pattern, HybSequence *sequence);
/* Says how many steps there are, where that was not known. */
void  hyb_sequence_set_n (HybSequence *sequence, guint n);
guint hyb_sequence_n (const HybSequence *sequence); /* 0: not known */
void
hyb_sequence_set_last (HybSequence *sequence, HybValueId last); /* where it is given by itself */
void hyb_sequence_set_name (HybSequence *sequence, const char *name);
