/* compare-numbers.h — reads numbers of a comparison from the JSON of hscope compare.
 *
 * The window says the same about them as hscope does (adapt/statements.h).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/statements.h"

#include <cjson/cJSON.h>

/* Reads a member of "pairs". */
void scope_pairing_read (const cJSON *json, ProfPairing *pairing);
/* Reads an explanation; free it with prof_explanation_clear().  FALSE if there is none, as for recordings. */
gboolean scope_explanation_read (const cJSON *json, ProfExplanation *explanation);
/* Reads the list "ladder".  Array of ProfRung, whose texts belong to the JSON.  (transfer full) */
GPtrArray *scope_rungs_read (const cJSON *json);
