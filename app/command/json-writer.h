/* json-writer.h — the one JSON document that a command prints with --json.
 *
 * Numbers never depend on the locale; texts are valid UTF-8 whatever they were.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/shape.h"

typedef struct _ScopeJson ScopeJson;

ScopeJson *scope_json_new (void); /* opens an object */
void       scope_json_free (ScopeJson *json);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeJson, scope_json_free)
/* Closes it and prints it on stdout. */
void scope_json_print (ScopeJson *json);

/* key is NULL inside lists. */
void scope_json_begin_object (ScopeJson *json, const char *key);
void scope_json_begin_list (ScopeJson *json, const char *key);
void scope_json_end (ScopeJson *json);

void scope_json_string (ScopeJson *json, const char *key, const char *value); /* NULL: null */
void scope_json_int (ScopeJson *json, const char *key, gint64 value);
void scope_json_double (ScopeJson *json, const char *key, double value); /* null if not finite */
void scope_json_boolean (ScopeJson *json, const char *key, gboolean value);
void scope_json_null (ScopeJson *json, const char *key);
/* A value that is JSON already. */
void scope_json_raw (ScopeJson *json, const char *key, const char *text);
/* Unknown dimensions are null; so is a shape of unknown rank. */
void scope_json_shape (ScopeJson *json, const char *key, const HybShape *shape);
/* null if unknown */
void scope_json_dtype (ScopeJson *json, const char *key, HybDType dtype);
