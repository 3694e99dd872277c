/* rival-names.h — a second way to give the arrays of a file to the variables of a graph.
 *
 * A repair that has a rival is a guess and is not made.  Pairs are lists of names: variable, parameter,
 * variable, … (of char *).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* Another assignment that fits all shapes, where pairs rename arrays by their counters only: arrays with similar
 * names, whether or not a variable has the name, in the order of their counters or of the file.  It remains possible
 * if all counters were shifted.  NULL if there is none.  (transfer full) */
GPtrArray *hyb_rival_find (HybModel *model, GPtrArray *pairs);

/* Adds a warning to the model that shows both, since neither was taken. */
void hyb_rival_report (HybModel *model, GPtrArray *pairs, GPtrArray *rival);
