/* open-private.h — opens a model whose parameters may be those of another one.
 *
 * For callers that explain such a pair themselves, or fill what is missing; others use open.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/open/open.h"

/* hyb_model_open(), also if the given file of parameters has none of the model's.  (transfer full) */
HybModel *
hyb_model_open_unmatched (const char *file, const char *params, gint64 epoch, GError **error);
