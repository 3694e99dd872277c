/* model-private.h — the bytes that a graph was read from, for formats that write them back.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* The bytes that the graph was read from, owned by the model, if its format writes them back; else NULL. */
GBytes *hyb_model_get_source (HybModel *model);
/* Records these bytes; the model takes a reference. */
void hyb_model_set_source (HybModel *model, GBytes *bytes);
