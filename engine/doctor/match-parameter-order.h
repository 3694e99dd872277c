/* match-parameter-order.h — matches parameters to variables by kind, order and shape.
 *
 * The last resort when names do not match; the result is a guess.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* Names that save_parameters() wrote (“0.weight”), and names of blocks that were counted differently
 * (dense0, dense3), contain only the kind of each array.  If kinds, their numbers and all shapes
 * agree, the order decides.  missing: names of variables in the order of the graph; unused: names of
 * parameters in the order of the file.  Sets to[i] to the variable for unused[i].  FALSE if they do
 * not agree. */
gboolean
hyb_match_in_order (HybModel *model, GPtrArray *missing, GPtrArray *unused, const char **to);

/* Two of these pairs exchanged (variable, parameter, variable, parameter), where shapes allow that and no counters of the
 * names forbid it: then order alone decides, and the match is a guess.  NULL if there are none.  (transfer full) */
GPtrArray *hyb_match_find_exchange (HybModel *model, GPtrArray *unused, const char **to);

/* TRUE if the graph accepts the shapes of all parameters if each one in unused is renamed to
 * to[i].  Names that are not variables of the graph do not count. */
gboolean hyb_match_agrees (HybModel *model, GPtrArray *unused, const char *const *to);
