/* trial.h — inputs for a proof: which shapes both models take, and numbers for them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

/* Shapes of the variables of model that are no parameters, from those in input (may be
 * NULL), its parameters, and 2 for what nothing says.  NULL: that does not go together,
 * and why. */
HybTensorList *
hyb_trial_complete (HybModel *model, HybTensorList *input, guint64 seed, GError **error);
/* Random numbers of the same types; whole numbers stay whole, in the same range. */
HybTensorList *hyb_trial_random (HybModel *model, HybTensorList *like, guint64 seed);
/* Like hyb_trial_random(), with one dimension of one array larger by one and everything
 * that follows from it, if both models take that; NULL: they do not.  fixed: of gint64,
 * sizes that must not be changed. */
HybTensorList *hyb_trial_resized (HybModel      *a,
                                  HybModel      *b,
                                  HybTensorList *like,
                                  guint          variable,
                                  int            axis,
                                  const GArray  *fixed,
                                  guint64        seed);
