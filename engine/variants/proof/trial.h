/* trial.h — inputs to compare two models on: shapes that both accept, and random numbers.
 *
 * All functions are deterministic: the same seed gives the same arrays.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

/* Arrays for all variables of model that are not parameters.  Shapes come from input (nullable),
 * the parameters and inference; unknown sizes become 2.  Arrays of input are kept, others are
 * random; other: (nullable) a model that reads the same variables, perhaps as indices.  NULL with an error if shapes
 * contradict each other or stay unknown.  (transfer full) */
HybTensorList *hyb_trial_complete (HybModel      *model,
                                   HybModel      *other,
                                   HybTensorList *input,
                                   guint64        seed,
                                   GError       **error);
/* The kind of numbers in a trial. */
typedef struct
{
  double   scale;    /* numbers lie between -scale and scale; 0: all are 0 */
  int      sign;     /* 1: all are positive, -1: negative, 0: both */
  gboolean is_half;  /* multiples of 1/2, whose ties rounding decides */
  gboolean is_sweep; /* indices are part number `part` of their range in order, instead of random */
  gint64   part;
  HybModel *other; /* (nullable) another model that reads the same variables, perhaps as indices */
  gboolean  is_mixed; /* magnitudes from 1e-10 to 1e4 times scale; integers of all sizes */
} HybTrialKind;

/* Random arrays of the same types as like.  Indices take their whole range, integers stay integers in the range of those in
 * `given` (nullable); missing parameters get small values for any kind; kind NULL: numbers up to 1.  NULL if that is not
 * possible. (transfer full) */
HybTensorList *hyb_trial_random (HybModel           *model,
                                 HybTensorList      *like,
                                 HybTensorList      *given,
                                 const HybTrialKind *kind,
                                 guint64             seed);

/* How many inputs of the shapes of like it takes to name every index of every variable once. */
gint64 hyb_trial_n_sweeps (HybModel *model, HybModel *other, HybTensorList *like);

/* Which size to change. */
typedef struct
{
  guint          variable; /* index in the list of arrays */
  int            axis;
  gint64         size;  /* of that axis */
  const GArray  *fixed; /* of gint64: sizes that must not be changed */
  HybTensorList *given; /* (nullable) arrays whose range is kept */
  char *difference; /* (out) (transfer full): the outputs whose shapes then differ; NULL: none do */
} HybTrialResize;

/* Like hyb_trial_random() with numbers up to 1, with another size of one axis, and with everything that follows from
 * it.  NULL if one of the models does not accept that, or if it gives outputs other shapes in one than in the other.
 * (transfer full) */
HybTensorList *hyb_trial_resized (HybModel       *a,
                                  HybModel       *b,
                                  HybTensorList  *like,
                                  HybTrialResize *resize,
                                  guint64         seed);
