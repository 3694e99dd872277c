/* find-json.c — members of a JSON object that may be missing or of another kind.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/children/find-json.h"

const char *
scope_find_string (const HybJson *json, HybJsonRef object, const char *key)
{
  HybJsonRef ref = hyb_json_find (json, object, key);

  return ref == HYB_JSON_NONE ? NULL : hyb_json_get_string (json, ref);
}

gboolean
scope_find_int (const HybJson *json, HybJsonRef object, const char *key, gint64 *value)
{
  HybJsonRef ref = hyb_json_find (json, object, key);

  return ref != HYB_JSON_NONE && hyb_json_get_int (json, ref, value);
}

gboolean
scope_find_double (const HybJson *json, HybJsonRef object, const char *key, double *value)
{
  HybJsonRef ref = hyb_json_find (json, object, key);

  return ref != HYB_JSON_NONE && hyb_json_get_double (json, ref, value);
}

gboolean
scope_find_first (const HybJson *json, HybJsonRef object, const char *key, HybJsonRef *first)
{
  HybJsonRef  ref = hyb_json_find (json, object, key);
  HybJsonIter iter;

  if (ref == HYB_JSON_NONE)
    return FALSE;
  iter = hyb_json_iter (json, ref);
  return hyb_json_iter_next (&iter, NULL, first);
}
