/* json-fields.h — reads members of the JSON documents that hscope prints.
 *
 * Both functions accept NULL as document.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <cjson/cJSON.h>

/* The number at key; NAN if json is NULL, has no such member, or the member is not a number. */
double scope_json_get_number (const cJSON *json, const char *key);
/* The string at key, owned by json; "" if json is NULL, has no such member, or it is not a string. */
const char *scope_json_get_text (const cJSON *json, const char *key);
