/* match-prefix.h — a prefix that makes names of parameters names of variables.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* A change of prefixes. */
typedef struct
{
  char      *remove, *add;
  GPtrArray *pairs; /* variable, parameter, variable, … (of char *) */
  GPtrArray *rival; /* pairs of another change that fits as well; NULL: there is none */
} HybPrefixMatch;

/* Finds the prefix that fits most names.  missing: names of variables without a parameter; unused: names of
 * parameters without a variable.  FALSE if none is credible; the caller clears match in either case. */
gboolean hyb_prefix_match_find (HybModel       *model,
                                GPtrArray      *missing,
                                GPtrArray      *unused,
                                HybPrefixMatch *match);
/* Frees the members of match. */
void hyb_prefix_match_clear (HybPrefixMatch *match);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HybPrefixMatch, hyb_prefix_match_clear)
