/* json-writer.c — writes a JSON document into a string.
 *
 * Members of the outer levels get a line each, deeper ones share a line.  start_member() does the
 * commas and line breaks.  cJSON would need the whole document as a tree first.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/json-writer.h"

#include "engine/formats/json-text.h"

#include <stdio.h>

#define MAX_DEPTH        16
#define MULTILINE_LEVELS 3 /* outer levels whose members get a line each */

struct _ScopeJson
{
  GString *text;
  char     closing[MAX_DEPTH]; /* brackets of open lists and objects, by depth */
  gboolean has_members[MAX_DEPTH];
  guint    depth;
  gboolean is_line; /* everything shares one line */
};

static void
open_container (ScopeJson *json, char opening, char closing)
{
  g_return_if_fail (json->depth < MAX_DEPTH);

  g_string_append_c (json->text, opening);
  json->closing[json->depth] = closing;
  json->has_members[json->depth++] = FALSE;
}

ScopeJson *
scope_json_new (void)
{
  ScopeJson *json = g_new0 (ScopeJson, 1);

  json->text = g_string_new (NULL);
  open_container (json, '{', '}');
  return json;
}

ScopeJson *
scope_json_new_line (void)
{
  ScopeJson *json = scope_json_new ();

  json->is_line = TRUE;
  return json;
}

void
scope_json_free (ScopeJson *json)
{
  g_string_free (json->text, TRUE);
  g_free (json);
}

static gboolean
has_own_lines (const ScopeJson *json, guint depth)
{
  return !json->is_line && depth < MULTILINE_LEVELS;
}

static void
break_line (ScopeJson *json, guint depth)
{
  g_string_append_c (json->text, '\n');
  for (guint i = 0; i < depth; i++)
    g_string_append (json->text, "  ");
}

static void
start_member (ScopeJson *json, const char *key)
{
  gboolean is_first = !json->has_members[json->depth - 1];

  json->has_members[json->depth - 1] = TRUE;
  if (!is_first)
    g_string_append_c (json->text, ',');
  if (has_own_lines (json, json->depth))
    break_line (json, json->depth);
  else if (!is_first)
    g_string_append_c (json->text, ' ');

  if (key)
    {
      hyb_json_append_string (json->text, key);
      g_string_append (json->text, ": ");
    }
}

void
scope_json_begin_object (ScopeJson *json, const char *key)
{
  start_member (json, key);
  open_container (json, '{', '}');
}

void
scope_json_begin_list (ScopeJson *json, const char *key)
{
  start_member (json, key);
  open_container (json, '[', ']');
}

void
scope_json_end (ScopeJson *json)
{
  g_return_if_fail (json->depth > 0);

  json->depth--;
  if (json->has_members[json->depth] && has_own_lines (json, json->depth + 1))
    break_line (json, json->depth);
  g_string_append_c (json->text, json->closing[json->depth]);
}

void
scope_json_print (ScopeJson *json)
{
  while (json->depth > 0)
    scope_json_end (json);
  g_string_append_c (json->text, '\n');
  fwrite (json->text->str, 1, json->text->len, stdout);
  if (json->is_line)
    fflush (stdout);
}

void
scope_json_string (ScopeJson *json, const char *key, const char *value)
{
  start_member (json, key);
  if (value)
    hyb_json_append_string (json->text, value);
  else
    g_string_append (json->text, "null");
}

void
scope_json_int (ScopeJson *json, const char *key, gint64 value)
{
  start_member (json, key);
  g_string_append_printf (json->text, "%" G_GINT64_FORMAT, value);
}

void
scope_json_double (ScopeJson *json, const char *key, double value)
{
  start_member (json, key);
  hyb_json_append_double (json->text, value);
}

void
scope_json_boolean (ScopeJson *json, const char *key, gboolean value)
{
  start_member (json, key);
  g_string_append (json->text, value ? "true" : "false");
}

void
scope_json_null (ScopeJson *json, const char *key)
{
  scope_json_string (json, key, NULL);
}

void
scope_json_raw (ScopeJson *json, const char *key, const char *text)
{
  start_member (json, key);
  g_string_append (json->text, text);
}

void
scope_json_shape (ScopeJson *json, const char *key, const HybShape *shape)
{
  if (shape->rank == HYB_UNKNOWN)
    {
      scope_json_null (json, key);
      return;
    }

  scope_json_begin_list (json, key);
  for (int i = 0; i < shape->rank; i++)
    if (hyb_dim_get_name (shape->dim[i]))
      scope_json_string (json, NULL, hyb_dim_get_name (shape->dim[i]));
    else if (shape->dim[i] < 0)
      scope_json_null (json, NULL);
    else
      scope_json_int (json, NULL, shape->dim[i]);
  scope_json_end (json);
}

void
scope_json_dtype (ScopeJson *json, const char *key, HybDType dtype)
{
  scope_json_string (json, key, dtype == HYB_DTYPE_UNKNOWN ? NULL : hyb_dtype_name (dtype));
}
