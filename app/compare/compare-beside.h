/* compare-beside.h — a model beside the profile that another program made of it: the member "with" of a result.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/said.h"

#include <cjson/cJSON.h>

/* A heading, the time of a run in both programs and a table of nodes.  Damaged rows are left out, and a sentence names the
 * first one.  with: as hscope compare --with --json writes it.  (transfer full) */
ScopeSaid *scope_compare_beside_say (const cJSON *with);
