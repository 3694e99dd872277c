/* each-line.c — the line printed for one model of a folder.
 *
 * The text of a child is checked: a plug-in, or a crash, may have left half a document.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/each/each-line.h"

#include "app/command/frame/messages.h"
#include "engine/base/one-line.h"
#include "engine/formats/json-reader.h"
#include "engine/formats/json-text.h"

#include <string.h>

int
scope_each_status (const ScopeChildEnd *end)
{
  return end->status >= 0 && !end->is_too_long ? end->status : SCOPE_EXIT_MODEL;
}

static gboolean
is_document (const GString *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text->str, text->len);
  g_autoptr (HybJson) json = hyb_json_parse (bytes, NULL, "result", NULL, NULL);

  return json && hyb_json_get_kind (json, 0) == HYB_JSON_OBJECT;
}

/* Appends a document without its line breaks and indentation, which never are inside of strings. */
static void
append_document (GString *line, const GString *text)
{
  for (gsize i = 0; i < text->len; i++)
    if (text->str[i] == '\n')
      while (i + 1 < text->len && text->str[i + 1] == ' ')
        i++;
    else
      g_string_append_c (line, text->str[i]);
}

GString *
scope_each_json (const char *model, const ScopeChildEnd *end)
{
  GString         *line = g_string_new ("{\"model\": ");
  g_autofree char *trouble = scope_child_describe (end);

  hyb_json_append_string (line, model);
  g_string_append_printf (line, ", \"status\": %d, \"seconds\": ", scope_each_status (end));
  hyb_json_append_double (line, end->seconds);
  g_string_append (line, ", \"result\": ");
  if (!trouble && is_document (end->out))
    append_document (line, end->out);
  else
    {
      g_string_append (line, "{\"error\": {\"message\": ");
      hyb_json_append_string (line, trouble ? trouble : "the process printed no document");
      g_string_append (line, "}}");
    }
  g_string_append (line, ", \"messages\": ");
  hyb_json_append_string (line, g_strchomp (end->err->str));
  g_string_append (line, "}\n");
  return line;
}

static void
append_lines (GString *to, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i]; i++)
    if (*lines[i] != '\0')
      g_string_append_printf (to, "  %s\n", lines[i]);
}

GString *
scope_each_text (const char *model, const ScopeChildEnd *end)
{
  GString         *text = g_string_new (hyb_one_line (model));
  g_autofree char *trouble = scope_child_describe (end);
  int              status = scope_each_status (end);

  if (status == SCOPE_EXIT_DONE)
    g_string_append (text, ": ok\n");
  else
    g_string_append_printf (text, ": status %d\n", status);
  append_lines (text, end->out->str);
  append_lines (text, end->err->str);
  if (trouble)
    g_string_append_printf (text, "  error: %s\n", trouble);
  return text;
}
