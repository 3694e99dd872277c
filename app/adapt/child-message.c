/* child-message.c — writes and reads messages of a child process.
 *
 * hscope writes, the window reads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/child-message.h"

#include "engine/formats/json-text.h"

#include <cjson/cJSON.h>
#include <string.h>

static void
add_text (GString *line, const char *key, const char *text)
{
  g_autofree char *valid = text ? g_utf8_make_valid (text, -1) : NULL;

  if (!valid)
    return;
  g_string_append_printf (line, ", \"%s\": ", key);
  hyb_json_append_string (line, valid);
}

char *
scope_child_message_write (const ScopeChildMessage *message)
{
  GString *line = g_string_new ("{\"event\": \"message\"");

  add_text (line, "severity", hyb_severity_name (message->severity));
  add_text (line, "text", message->text);
  add_text (line, "remedy", hyb_remedy_name (message->remedy));
  add_text (line, "subject", message->subject);
  g_string_append_c (line, '}');
  return g_string_free (line, FALSE);
}

static const char *
get_text (const cJSON *json, const char *key)
{
  return cJSON_GetStringValue (cJSON_GetObjectItemCaseSensitive (json, key));
}

/* The number of bytes of "error: " at the start of the line; 0 if it starts otherwise. */
static gsize
find_severity (const char *line, HybSeverity *severity)
{
  for (int i = HYB_SEVERITY_NOTE; i <= HYB_SEVERITY_ERROR; i++)
    {
      const char *name = hyb_severity_name ((HybSeverity) i);

      if (g_str_has_prefix (line, name) && line[strlen (name)] == ':')
        {
          *severity = (HybSeverity) i;
          return strlen (name) + 1 + strspn (line + strlen (name) + 1, " ");
        }
    }
  return 0;
}

static gboolean
read_event (const char *line, ScopeChildMessage *message)
{
  cJSON      *json = *line == '{' ? cJSON_Parse (line) : NULL;
  const char *severity = get_text (json, "severity"), *text = get_text (json, "text");
  gboolean    is_message = g_strcmp0 (get_text (json, "event"), "message") == 0 && severity && text;

  if (is_message)
    {
      message->severity = HYB_SEVERITY_NOTE;
      for (int i = HYB_SEVERITY_NOTE; i <= HYB_SEVERITY_ERROR; i++)
        if (g_str_equal (hyb_severity_name ((HybSeverity) i), severity))
          message->severity = (HybSeverity) i;
      message->text = g_strdup (text);
      message->remedy = hyb_remedy_find (get_text (json, "remedy"));
      message->subject = g_strdup (get_text (json, "subject"));
    }
  cJSON_Delete (json);
  return is_message;
}

gboolean
scope_child_message_read (const char *line, ScopeChildMessage *message)
{
  gsize n;

  *message = (ScopeChildMessage){ 0 };
  if (read_event (line, message))
    return TRUE;
  n = find_severity (line, &message->severity);
  if (n > 0)
    message->text = g_strdup (line + n);
  return n > 0;
}

void
scope_child_message_clear (ScopeChildMessage *message)
{
  g_clear_pointer (&message->text, g_free);
  g_clear_pointer (&message->subject, g_free);
}
