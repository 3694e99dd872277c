/* suggest.h — “did you mean …?”
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/param.h"

/* Letters to change, add, drop or swap with their neighbour; at most limit + 1. */
guint hyb_text_distance (const char *a, const char *b, guint limit);
/* The nearest attribute; NULL if none is near. */
const char *hyb_suggest_param (const HybParam *params, const char *key);
/* The nearest of n names; NULL if none is near. */
const char *hyb_suggest_name (const char *const *names, guint n, const char *name);
