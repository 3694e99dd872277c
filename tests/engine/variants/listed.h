/* listed.h — models by their names in the tables of tests/data.
 *
 * A name is a folder of goldens, a path below the shared folder (with a slash), or gallery:NAME.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"
#include "tests/engine/goldens/golden.h"

/* Reads structures.json or variants.json.  (transfer full) */
cJSON *listed_read (const char *table);
/* Opens a model; NULL if its file is missing.  options: (nullable) for models of the gallery,
 * "?hidden=8".  (transfer full) */
HybModel *listed_open (const char *name, const char *options);
/* The recorded input of a model; where there is none, zeros of its usual shapes.  *has_weights: the
 * model can be run, so conversions can be proved.  (transfer full) */
HybTensorList *listed_input (const char *name, HybModel *model, gboolean *has_weights);
