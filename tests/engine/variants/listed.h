/* listed.h — models by the names that they have in the tables of tests/data: a folder of
 * goldens, a path below the shared folder (with a slash), or gallery:NAME.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"
#include "tests/engine/goldens/golden.h"

/* structures.json or variants.json. */
cJSON *listed_read (const char *table);
/* NULL: it is not here.  options: of models of the gallery, "?hidden=8"; NULL: none. */
HybModel *listed_open (const char *name, const char *options);
/* What is recorded with it; zeros of the usual shapes where nothing is, and then no
 * proof is asked for where *has_weights is FALSE. */
HybTensorList *listed_input (const char *name, HybModel *model, gboolean *has_weights);
