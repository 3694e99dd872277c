/* suggest.h — “did you mean …?”: the name nearest to a misspelt one.
 *
 * A name is near if at most two letters differ, and at most one in three.  Letters that are
 * changed, added, dropped or swapped with their neighbour count.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/param.h"

/* The attribute whose name is nearest to key; NULL if none is near.  params ends with an empty
 * entry and may be NULL. */
const char *hyb_suggest_param (const HybParam *params, const char *key);
/* The nearest of the n names; NULL if none is near. */
const char *hyb_suggest_name (const char *const *names, guint n, const char *name);
/* The name among the n that is meant by a misspelt one without doubt: the only one that differs in
 * nothing but case and underscores, or else the only nearest one.  NULL if there is none, or
 * several. */
const char *hyb_suggest_only (const char *const *names, guint n, const char *name);
/* The suggested value where an attribute takes one of several words and has another: the nearest one, or
 * else the one that begins most alike, as “max” for “maximum”.  attributes: keys and values in turn, NULL-terminated.
 * NULL: all words are right, or none is similar. */
const char *hyb_suggest_choice (const HybParam *params, const char *const *attributes);
