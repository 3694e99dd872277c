/* find-json.h — members of a JSON object that may be missing or of another kind.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/json-reader.h"

/* The string at key, owned by json; NULL: there is none. */
const char *scope_find_string (const HybJson *json, HybJsonRef object, const char *key);
/* The whole number at key.  FALSE: there is none. */
gboolean scope_find_int (const HybJson *json, HybJsonRef object, const char *key, gint64 *value);
/* The number at key.  FALSE: there is none. */
gboolean scope_find_double (const HybJson *json, HybJsonRef object, const char *key, double *value);
/* The first member of the list at key.  FALSE: there is none. */
gboolean
scope_find_first (const HybJson *json, HybJsonRef object, const char *key, HybJsonRef *first);
