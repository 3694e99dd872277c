/* complete-model.h — makes a model ready to run that was exported without shapes or parameters.
 *
 * Open shapes of inputs are guessed and missing parameters filled; both are said on stderr.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/common-options.h"
#include "app/command/frame/json-writer.h"
#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

typedef struct
{
  ScopeCommonOptions common;   /* the given options, whose shapes include the guesses */
  GPtrArray         *guesses;  /* of HybShapeGuess */
  guint              n_filled; /* parameters with random values */
} ScopeCompletion;

typedef struct
{
  HybTensorList *given;         /* (nullable) arrays of the user */
  gint64         batch, length; /* if the user gave them, else 0 */
  gboolean       fills;         /* add random values for parameters that the model lacks */
} ScopeCompletionOptions;

/* Guesses shapes unless common->no_guess is set, and fills parameters whose shapes are known, if
 * options say so.  The rest stays open, for the command to report.  FALSE and an error for wrong
 * options or too much memory.  The caller clears completion in either case, after the last use of
 * completion->common. */
gboolean scope_complete_model (ScopeCompletion              *completion,
                               const ScopeCommonOptions     *common,
                               HybModel                     *model,
                               const ScopeCompletionOptions *options,
                               GError                      **error);
/* Whether the second model accepts the shapes that are guessed for the first one, at inputs that both have. */
gboolean scope_guesses_fit (const ScopeCommonOptions *common, HybModel *first, HybModel *second);
/* Frees the members of completion. */
void scope_completion_clear (ScopeCompletion *completion);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ScopeCompletion, scope_completion_clear)

/* The given arrays plus zeros for every --shape, which fix the shapes of a conversion or of a proof;
 * if there are neither, zeros in the usual shapes of a gallery model.  (transfer full) */
HybTensorList *scope_shaped_inputs (const ScopeCommonOptions *common,
                                    HybModel                 *model,
                                    HybTensorList            *given,
                                    GError                  **error);
/* Appends "guessed" and "filled". */
void
scope_describe_completion (ScopeJson *json, HybModel *model, const ScopeCompletion *completion);
