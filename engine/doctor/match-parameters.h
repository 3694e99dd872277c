/* match-parameters.h — fits parameters of a file to the variables of a graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* Renames, packs and unpacks parameters so that they fit the variables of the graph.
 * Every step becomes a finding of the model. */
void hyb_model_match_parameters (HybModel *model);

/* Pairs what no name matches by kind, order and shape: variable, parameter, variable, …
 * (array of char *), or NULL if that fails.  This is a guess and changes nothing.
 * (transfer full) */
GPtrArray *hyb_model_guess_parameters (HybModel *model);
