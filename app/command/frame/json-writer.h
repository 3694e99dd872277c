/* json-writer.h — writes the one JSON document that a command prints with --json.
 *
 * Numbers do not depend on the locale; strings are escaped and made valid UTF-8.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/shape.h"

typedef struct _ScopeJson ScopeJson;

/* Starts a document, which is an object.  (transfer full) */
ScopeJson *scope_json_new (void);
/* Starts an object that is printed on one line, and flushed.  (transfer full) */
ScopeJson *scope_json_new_line (void);
/* Frees the document. */
void scope_json_free (ScopeJson *json);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeJson, scope_json_free)
/* Closes everything that is open and prints the document on stdout. */
void scope_json_print (ScopeJson *json);

/* In all functions below key is the member's name, or NULL inside a list. */

/* Opens an object, to be closed by scope_json_end(). */
void scope_json_begin_object (ScopeJson *json, const char *key);
/* Opens a list, to be closed by scope_json_end(). */
void scope_json_begin_list (ScopeJson *json, const char *key);
/* Closes the innermost object or list. */
void scope_json_end (ScopeJson *json);

/* Appends a string; null if value is NULL. */
void scope_json_string (ScopeJson *json, const char *key, const char *value);
/* Appends an integer. */
void scope_json_int (ScopeJson *json, const char *key, gint64 value);
/* Appends a number; null if it is not finite. */
void scope_json_double (ScopeJson *json, const char *key, double value);
/* Appends true or false. */
void scope_json_boolean (ScopeJson *json, const char *key, gboolean value);
/* Appends null. */
void scope_json_null (ScopeJson *json, const char *key);
/* Appends text that already is JSON. */
void scope_json_raw (ScopeJson *json, const char *key, const char *text);
/* Appends a shape as a list of integers; unknown dimensions are null, so is an unknown rank. */
void scope_json_shape (ScopeJson *json, const char *key, const HybShape *shape);
/* Appends the name of a dtype; null if it is unknown. */
void scope_json_dtype (ScopeJson *json, const char *key, HybDType dtype);
