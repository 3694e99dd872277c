/* guess-trial.h — tries shapes of one variable by inference; private to the guesses of shapes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"
#include "engine/op/op.h"
#include "engine/tensor/shape.h"

/* The state of hyb_guess_shapes(). */
typedef struct
{
  HybGraph   *graph;
  gboolean    training;
  const char *file; /* as in HybGuessHints, like the two below */
  gint64      batch;
  gint64      length;
  const char *batch_name; /* the input that has this batch, or NULL */
  HybType    *types;      /* inferred, with the guesses so far */
  HybType    *trial;      /* inferred in the last trial */
  guint32    *readers;    /* by node: categories of all operators that depend on it, as bits */
  GArray     *operands;   /* of gint64: the sizes of parameters that are known, each once */
  GArray     *known;      /* of HybNodeId: inputs that may show the batch */
  char       *refused_by; /* the error of the last trial that failed */
  guint       tries;      /* inferences left */
  HybValueId  value;      /* whose shape is being guessed */
  GString    *reason;     /* for that guess */
} HybGuess;

/* Sizes to try for one variable, and the reason given for the first. */
typedef struct
{
  const gint64 *usual;
  guint         n_usual;
  gint64        last;      /* after the usual ones, every size up to this is tried */
  const char   *what;      /* "images" */
  gboolean      is_length; /* of sequences, else of images */
} HybGuessSizes;

/* Infers with this shape of the value that is being guessed, into trial; FALSE if it is refused or no trial is
 * left. */
gboolean hyb_guess_try (HybGuess *guess, const HybShape *shape);
/* Whether an operator of this category depends on the variable. */
gboolean hyb_guess_reads (const HybGuess *guess, HybNodeId variable, HybCategory category);
/* The shape with all axes of the set at this size. */
HybShape hyb_guess_with_size (const HybShape *shape, guint axes, gint64 size);
/* Appends to the reason of the guess, after a comma. */
void hyb_guess_add_reason (HybGuess *guess, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* The number of samples: the given one, or 1. */
gint64 hyb_guess_batch (const HybGuess *guess);
/* Appends the number of samples to the reason. */
void hyb_guess_add_batch_reason (HybGuess *guess);
/* Gives the axes of the set the size that the name of the file or the caller gives, and the reason; FALSE if
 * neither does or it is refused. */
gboolean hyb_guess_take_named_size (HybGuess            *guess,
                                    HybShape            *shape,
                                    guint                axes,
                                    const HybGuessSizes *sizes);
/* Sets the axes to the first size that inference accepts, and the reason to its evidence; FALSE if none
 * is accepted. */
gboolean
hyb_guess_find_size (HybGuess *guess, HybShape *shape, guint axes, const HybGuessSizes *sizes);
