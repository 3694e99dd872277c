/* symbol-changes.h — single changes of a symbol file that was parsed as JSON.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/fuzz/fuzz.h"

#include <cjson/cJSON.h>

/* Makes one change of the graph or one of its bodies.  root must have a list “nodes”. */
void fuzz_change_symbol (cJSON *root, FuzzRandom *random);
