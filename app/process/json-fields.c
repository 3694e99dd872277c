/* json-fields.c — reads members of the JSON documents that hscope prints.
 *
 * A member that is missing or has another type reads as NAN or "", so that callers need no checks
 * of their own.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/process/json-fields.h"

#include <math.h>

double
scope_json_get_number (const cJSON *json, const char *key)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive (json, key);

  return cJSON_IsNumber (item) ? item->valuedouble : NAN;
}

const char *
scope_json_get_text (const cJSON *json, const char *key)
{
  const char *text = cJSON_GetStringValue (cJSON_GetObjectItemCaseSensitive (json, key));

  return text ? text : "";
}
