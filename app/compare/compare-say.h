/* compare-say.h — a result of hscope compare --json as blocks.
 *
 * Lists copy all texts; the result may come from a stranger.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/said.h"

#include <cjson/cJSON.h>

/* The table of times: forms down, sizes across.  Rows have the names of their cells.  (transfer full) */
ScopeTable *scope_result_dup_times (const cJSON *result);
/* A sentence for every pair of the size of like, and for a machine that changed its speed. */
void scope_result_say_verdicts (ScopeSaid *said, const cJSON *result, const cJSON *like);
/* The proof of equality; recordings and a single form have none. */
void scope_result_say_proof (ScopeSaid *said, const cJSON *result);
/* Curves of run times for each size in which cells differ: "compare-curves-batch", "-length", "-hidden". */
void scope_result_say_curves (ScopeSaid *said, const cJSON *result);
/* The causes of the difference between two cells, and the ladder. */
void scope_result_say_why (ScopeSaid *said, const cJSON *result, const cJSON *a, const cJSON *b);
