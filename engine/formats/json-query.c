/* json-query.c — looks up kinds, members, strings and numbers in parsed JSON.
 *
 * json-parse.c makes the tokens.  Start at hyb_json_find() and hyb_json_iter().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/json-private.h"

#include <string.h>

guint
hyb_json_line_of_offset (HybJson *json, gsize offset)
{
  const char *text = g_bytes_get_data (json->bytes, NULL);

  if (offset < json->line_at)
    {
      json->line_at = 0;
      json->line = 1;
    }

  while (json->line_at < offset)
    {
      const char *found = memchr (text + json->line_at, '\n', offset - json->line_at);

      if (!found)
        {
          json->line_at = offset;
          break;
        }
      json->line_at = (gsize) (found - text) + 1;
      json->line++;
    }

  return json->line;
}

void
hyb_json_free (HybJson *json)
{
  g_bytes_unref (json->bytes);
  g_free (json->text);
  g_free (json->tokens);
  g_free (json);
}

HybJsonKind
hyb_json_get_kind (const HybJson *json, HybJsonRef ref)
{
  g_return_val_if_fail (ref < json->n_tokens, HYB_JSON_NULL);

  return json->tokens[ref].kind;
}

const char *
hyb_json_kind_name (HybJsonKind kind)
{
  static const char *const names[] = {
    [HYB_JSON_NULL] = "null",        [HYB_JSON_FALSE] = "false",     [HYB_JSON_TRUE] = "true",
    [HYB_JSON_NUMBER] = "a number",  [HYB_JSON_STRING] = "a string", [HYB_JSON_ARRAY] = "a list",
    [HYB_JSON_OBJECT] = "an object",
  };

  return names[kind];
}

guint
hyb_json_get_length (const HybJson *json, HybJsonRef ref)
{
  HybJsonIter iter = hyb_json_iter (json, ref);
  guint       n = 0;

  while (hyb_json_iter_next (&iter, NULL, NULL))
    n++;
  return n;
}

HybJsonIter
hyb_json_iter (const HybJson *json, HybJsonRef container)
{
  const HybJsonToken *token = &json->tokens[container];

  if (token->kind < HYB_JSON_ARRAY)
    return (HybJsonIter){ .json = json };

  return (HybJsonIter){
    .json = json,
    .next = container + 1,
    .end = token->next,
    .has_keys = token->kind == HYB_JSON_OBJECT,
  };
}

gboolean
hyb_json_iter_next (HybJsonIter *iter, const char **key, HybJsonRef *value)
{
  const HybJson *json = iter->json;
  HybJsonRef     at = iter->next;

  if (at >= iter->end)
    return FALSE;

  if (key)
    *key = iter->has_keys ? json->text + json->tokens[at].begin : NULL;
  if (iter->has_keys)
    at++;
  if (value)
    *value = at;
  iter->next = json->tokens[at].next;
  return TRUE;
}

/* If a key occurs twice, the last value is used. */
HybJsonRef
hyb_json_find (const HybJson *json, HybJsonRef object, const char *key)
{
  HybJsonIter iter = hyb_json_iter (json, object);
  HybJsonRef  value, found = HYB_JSON_NONE;
  const char *name;

  if (!iter.has_keys)
    return HYB_JSON_NONE;

  while (hyb_json_iter_next (&iter, &name, &value))
    if (strcmp (name, key) == 0)
      found = value;
  return found;
}

const char *
hyb_json_get_string (const HybJson *json, HybJsonRef ref)
{
  const HybJsonToken *token = &json->tokens[ref];

  return token->kind == HYB_JSON_STRING ? json->text + token->begin : NULL;
}

gboolean
hyb_json_get_double (const HybJson *json, HybJsonRef ref, double *value)
{
  const HybJsonToken *token = &json->tokens[ref];

  if (token->kind != HYB_JSON_NUMBER)
    return FALSE;

  *value = g_ascii_strtod (json->text + token->begin, NULL);
  return TRUE;
}

gboolean
hyb_json_get_int (const HybJson *json, HybJsonRef ref, gint64 *value)
{
  const HybJsonToken *token = &json->tokens[ref];
  gint64              sum = 0;
  gboolean            is_negative = FALSE;

  if (token->kind != HYB_JSON_NUMBER || token->end - token->begin > 18)
    return FALSE;

  for (guint32 i = token->begin; i < token->end; i++)
    if (json->text[i] == '-' && i == token->begin)
      is_negative = TRUE;
    else if (g_ascii_isdigit (json->text[i]))
      sum = sum * 10 + (json->text[i] - '0');
    else
      return FALSE;

  *value = is_negative ? -sum : sum;
  return TRUE;
}

guint
hyb_json_get_line (HybJson *json, HybJsonRef ref)
{
  return hyb_json_line_of_offset (json, json->tokens[ref].begin);
}

char *
hyb_json_dup_path (const HybJson *json, HybJsonRef ref)
{
  GString   *path = g_string_new ("$");
  HybJsonRef at = 0;

  while (at != ref)
    {
      HybJsonIter iter = hyb_json_iter (json, at);
      const char *key = NULL;
      HybJsonRef  value = 0;
      guint       index = 0;

      while (hyb_json_iter_next (&iter, &key, &value) && json->tokens[value].next <= ref)
        index++;
      if (value <= at || value > ref) /* ref is a key: the path of its object */
        break;

      if (key)
        g_string_append_printf (path, ".%s", key);
      else
        g_string_append_printf (path, "[%u]", index);
      at = value;
    }

  return g_string_free (path, FALSE);
}

HybJsonRef
hyb_json_get_quirk (const HybJson *json, HybJsonQuirk quirk)
{
  return json->quirks[quirk];
}
