/* match-parameters.h — matches the parameters of a file to the variables of a graph, where their
 * names differ.
 *
 * Opening a model calls hyb_model_match_parameters().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* Renames and packs parameters so that they have the names of the graph's variables.  Every change
 * becomes a finding of the model. */
void hyb_model_match_parameters (HybModel *model);

/* Guesses which parameters belong to which variables by kind, order and shape.  Returns variable,
 * parameter, variable, … (of char *), or NULL if the guess fails.  Does not change the model.
 * rival: (out) (nullable) (transfer full): such pairs that fit as well, so that nothing may be renamed.
 * (transfer full) */
GPtrArray *hyb_model_guess_parameters (HybModel *model, GPtrArray **rival);
