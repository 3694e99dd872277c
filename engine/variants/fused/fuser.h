/* fuser.h — a group of chains that becomes one fused RNN operator.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/rnn-weights.h"
#include "engine/variants/conversion.h"
#include "engine/variants/group.h"
#include "engine/variants/steps/find-lengths.h"

typedef struct
{
  HybConversion  *conversion;
  HybRebuild     *rebuild;
  const HybCells *cells;
  const HybGroup *group;
  HybRnnWeights   weights;
  HybDType        dtype;
  HybChainLengths lengths; /* of a single chain */
} HybFuser;

/* The name of the node that makes a value of the old graph. */
const char *hyb_fuser_name_of (const HybFuser *fuser, HybValueId value);
/* The size of the state h. */
gint64 hyb_group_state_size (const HybGroup *group);
/* How many columns of a term's weight its value is multiplied with. */
gint64 hyb_fuser_count_columns (const HybFuser *fuser, const HybTerm *term, gboolean is_hidden);
/* Makes the packed parameter "to" in the new model. */
gboolean hyb_fuser_pack (HybFuser *fuser, const char *to, GError **error);
